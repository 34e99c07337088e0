"""Labels of projects and groups."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.arguments import bad
from dayjob.company.forge.api.call import Call, created, no_content, not_modified
from dayjob.company.forge.api.issue_relations import subscribe
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.shapes import issues as shape
from dayjob.company.forge.store import access, labels, namespaces
from dayjob.company.forge.store.base import Listing, like, not_found, refused
from dayjob.company.forge.store.labels import Label
from dayjob.company.forge.store.projects import Project


def _place(call: Call, kind: str, level: int = 0) -> tuple[Project | None, str, int]:
    if kind == "projects":
        project = call.project(level)
        return project, "project_id", project.id
    return None, "group_id", call.group(level).id


def _found(call: Call, kind: str, level: int = 0, name: str | None = None) -> tuple[Project | None, Label]:
    project, _, owner = _place(call, kind, level)
    name = name if name is not None else call.path["name"]
    label = (
        labels.find_label(call.store, project, name) if project else labels.find_group_label(call.store, owner, name)
    )
    if label is None:
        raise not_found("Label")
    return project, label


def _listed(call: Call, kind: str) -> Any:
    project, _, owner = _place(call, kind)
    args: list[Any]
    if project is not None and call.boolean("include_ancestor_groups", True):
        where, reached = labels.reach(call.store, project)
        args = list(reached)
    elif project is not None:
        where, args = "project_id=?", [project.id]
    else:
        above = namespaces.ancestors(call.store, owner) if call.boolean("include_ancestor_groups", True) else [owner]
        where, args = f"group_id IN ({','.join('?' * len(above))})", list(above)
    if call.text("search"):
        where += " AND name LIKE ? ESCAPE '\\'"
        args.append(like(call.text("search")))
    counts = bool(call.boolean("with_counts", False))
    listing = Listing(Label, f"FROM labels WHERE {where}", args, "labels.name COLLATE NOCASE ASC, labels.id ASC")
    return call.listing(listing, lambda rows: [shape.label(call, one, project=project, counts=counts) for one in rows])


def _create(call: Call, kind: str) -> Any:
    project, column, owner = _place(call, kind, access.PLANNER)
    call.need("name", "color")
    label = labels.create_label(
        call.store, column, owner, call.filled("name"), call.filled("color"), description=call.text("description"),
        priority=call.integer("priority"),
    )  # fmt: skip
    return created(shape.label(call, label, project=project))


def _change(call: Call, kind: str) -> Any:
    name = call.path.get("name") or call.text("name") or call.text("label_id")
    if not name:
        raise bad("name, label_id are missing, exactly one parameter must be provided")
    project, label = _found(call, kind, access.PLANNER, name)
    values: dict[str, Any] = {}
    if call.text("color"):
        values["color"] = labels.color_of(call.text("color"))
    for key in ("description", "priority"):
        if call.has(key):
            values[key] = call.text(key) if key == "description" else call.integer(key)
    if not values and not call.text("new_name") and not call.has("archived"):
        raise bad("new_name, color, description, priority are missing, at least one parameter must be provided")
    with call.store.transaction():
        call.store.update("labels", label.id, **values)
        if call.text("new_name"):
            labels.rename_label(call.store, label, call.text("new_name"))
    found = call.store.one(Label, "id=?", label.id)
    assert found is not None
    return shape.label(call, found, project=project)


def _delete(call: Call, kind: str) -> Any:
    name = call.path.get("name") or call.text("name") or call.text("label_id")
    if not name:
        raise bad("name, label_id are missing, exactly one parameter must be provided")
    _, label = _found(call, kind, access.PLANNER, name)
    with call.store.transaction():
        labels.delete_label(call.store, label)
    return no_content()


def _subscription(call: Call, kind: str, wanted: bool) -> Any:
    project, label = _found(call, kind)
    if not subscribe(call, "Label", label.id, wanted):
        return not_modified()
    return created(shape.label(call, label, project=project))


def _register(kind: str) -> None:
    base = f"/{kind}/{{id}}/labels"
    get(base)(lambda call: _listed(call, kind))
    post(base)(lambda call: _create(call, kind))
    put(base, f"{base}/{{name}}")(lambda call: _change(call, kind))
    delete(base, f"{base}/{{name}}")(lambda call: _delete(call, kind))

    def show(call: Call) -> Any:
        project, label = _found(call, kind)
        return shape.label(call, label, project=project)

    get(f"{base}/{{name}}")(show)
    post(f"{base}/{{name}}/subscribe")(lambda call: _subscription(call, kind, True))
    post(f"{base}/{{name}}/unsubscribe")(lambda call: _subscription(call, kind, False))


for _kind in ("projects", "groups"):
    _register(_kind)


@put("/projects/{id}/labels/{name}/promote")
def promote(call: Call) -> Any:
    project, label = _found(call, "projects", access.REPORTER)
    assert project is not None
    space = namespaces.find(call.store, project.namespace_id, "group")
    if space is None or label.project_id is None:
        raise refused(400, "400 Bad request - Failed to promote label: it is not in a group's project")
    store = call.store
    with store.transaction():
        same = store.all(
            Label, "name=? AND project_id IN (SELECT id FROM projects WHERE namespace_id=?)", label.name, space.id
        )
        store.update("labels", label.id, project_id=None, group_id=space.id)
        for other in same:
            if other.id != label.id:
                store.db.execute("UPDATE OR IGNORE label_links SET label_id=? WHERE label_id=?", (label.id, other.id))
                store.delete("labels", other.id)
    found = store.one(Label, "id=?", label.id)
    assert found is not None
    return shape.label(call, found)
