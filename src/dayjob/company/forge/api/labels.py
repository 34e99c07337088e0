"""Labels of projects and groups."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call, created, no_content, not_modified
from dayjob.company.forge.api.routes import both, delete, get, post, put
from dayjob.company.forge.errors import bad, not_found
from dayjob.company.forge.rows.items import Label
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.shapes import issues as shape
from dayjob.company.forge.store import access, labels, subscriptions


def _found(call: Call, kind: str, level: int = 0, name: str | None = None) -> tuple[Project | Namespace, Label]:
    place = call.place(kind, level)
    label = labels.find_label(call.store, place, name if name is not None else call.path["name"])
    if label is None:
        raise not_found("Label")
    return place, label


def _named(call: Call, kind: str, level: int) -> tuple[Project | Namespace, Label]:
    """The label that the path or an argument names."""
    name = call.path.get("name") or call.text("name") or call.text("label_id")
    if not name:
        raise bad("name, label_id are missing, exactly one parameter must be provided")
    return _found(call, kind, level, name)


def _shape(call: Call, place: Project | Namespace, label: Label) -> dict[str, Any]:
    return shape.label(call, label, project=place if isinstance(place, Project) else None)


@both(get, "/labels")
def listed(call: Call, kind: str) -> Any:
    place = call.place(kind)
    inherited = bool(call.boolean("include_ancestor_groups", True))
    listing = labels.listing(call.store, place, inherited=inherited, words=call.text("search"))
    project, counts = place if isinstance(place, Project) else None, bool(call.boolean("with_counts", False))
    return call.listing(listing, lambda rows: shape.labels(call, rows, project=project, counts=counts))


@both(post, "/labels")
def create(call: Call, kind: str) -> Any:
    place = call.place(kind, access.PLANNER)
    call.need("name", "color")
    label = labels.create_label(
        call.store, place, call.filled("name"), call.filled("color"), description=call.text("description"),
        priority=call.integer("priority"),
    )  # fmt: skip
    return created(_shape(call, place, label))


@both(get, "/labels/{name}")
def read(call: Call, kind: str) -> Any:
    return _shape(call, *_found(call, kind))


@both(put, "/labels", "/labels/{name}")
def change(call: Call, kind: str) -> Any:
    place, label = _named(call, kind, access.PLANNER)
    values: dict[str, Any] = {}
    if call.text("color"):
        values["color"] = labels.color_of(call.text("color"))
    for key in ("description", "priority"):
        if call.has(key):
            values[key] = call.text(key) if key == "description" else call.integer(key)
    if call.has("archived"):
        values["archived"] = int(bool(call.boolean("archived")))
    if not values and not call.text("new_name"):
        raise bad("new_name, color, description, priority are missing, at least one parameter must be provided")
    with call.store.transaction():
        changed = labels.change(call.store, label, name=call.text("new_name"), **values)
    return _shape(call, place, changed)


@both(delete, "/labels", "/labels/{name}")
def remove(call: Call, kind: str) -> Any:
    _, label = _named(call, kind, access.PLANNER)
    with call.store.transaction():
        labels.delete_label(call.store, label)
    return no_content()


@both(post, "/labels/{name}/subscribe")
def subscribe(call: Call, kind: str) -> Any:
    return _subscription(call, kind, wanted=True)


@both(post, "/labels/{name}/unsubscribe")
def unsubscribe(call: Call, kind: str) -> Any:
    return _subscription(call, kind, wanted=False)


def _subscription(call: Call, kind: str, *, wanted: bool) -> Any:
    place, label = _found(call, kind)
    if not subscriptions.choose(call.store, call.me, "Label", label.id, wanted):
        return not_modified()
    return created(_shape(call, place, label))


@put("/projects/{id}/labels/{name}/promote")
def promote(call: Call) -> Any:
    project, label = _found(call, "project", access.REPORTER)
    assert isinstance(project, Project)
    with call.store.transaction():
        promoted = labels.promote(call.store, project, label)
    return shape.label(call, promoted)
