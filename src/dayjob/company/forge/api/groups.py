"""Groups and subgroups."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.arguments import bad
from dayjob.company.forge.api.call import Call, Json, created, no_content
from dayjob.company.forge.api.filters import project_filters
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.api.uploads import keep_avatar
from dayjob.company.forge.api.users import by_custom_attributes
from dayjob.company.forge.shapes import projects as shape
from dayjob.company.forge.store import access, namespaces, projects
from dayjob.company.forge.store.base import Listing, dumps, forbidden, like, not_found, refused
from dayjob.company.forge.store.namespaces import Namespace
from dayjob.company.forge.store.projects import Project

SETTINGS = tuple(shape.GROUP_DEFAULTS)


def _settings(call: Call) -> dict[str, Any]:
    found = {}
    for name in SETTINGS:
        if call.has(name):
            found[name] = call.boolean(name) if isinstance(shape.GROUP_DEFAULTS[name], bool) else call.args[name]
    return found


def _list(call: Call, where: str, args: list[Any]) -> Any:
    if call.text("search"):
        where += " AND (g.name LIKE ? ESCAPE '\\' OR g.full_path LIKE ? ESCAPE '\\')"
        args += [like(call.text("search"))] * 2
    skipped = call.numbers("skip_groups")
    if skipped:
        where += f" AND g.id NOT IN ({','.join('?' * len(skipped))})"
        args += skipped
    if call.boolean("owned"):
        where += f" AND g.id IN ({access.member_groups(call.me, access.OWNER)})"
    if call.integer("min_access_level"):
        where += f" AND g.id IN ({access.member_groups(call.me, call.integer('min_access_level'))})"
    if call.boolean("top_level_only"):
        where += " AND g.parent_id IS NULL"
    if call.has("visibility"):
        where += " AND g.visibility=?"
        args.append(call.visibility())
    where += by_custom_attributes(call, "group", "g.id")
    order = call.choice("order_by", ("name", "path", "id", "similarity"), "name")
    sort = call.choice("sort", ("asc", "desc"), "asc")
    column = "name" if order == "similarity" else order
    listing = Listing(
        Namespace,
        f"FROM namespaces g WHERE g.kind='group' AND {where}",
        args,
        f"g.{column} COLLATE NOCASE {sort}, g.id {sort}",
        "g",
    )
    statistics = bool(call.boolean("statistics"))
    return call.listing(listing, lambda rows: [shape.group(call, one, statistics=statistics) for one in rows])


@get("/groups")
def list_groups(call: Call) -> Any:
    where = access.visible_groups(call.user, "g.id")
    if call.user is not None and call.user.admin and call.boolean("all_available") is False:
        where = f"g.id IN ({access.member_groups(call.user)})"
    return _list(call, where, [])


@get("/groups/{id}/subgroups")
def subgroups(call: Call) -> Any:
    group = call.group()
    return _list(call, f"g.parent_id=? AND {access.visible_groups(call.user, 'g.id')}", [group.id])


@get("/groups/{id}/descendant_groups")
def descendant_groups(call: Call) -> Any:
    group = call.group()
    below = [one for one in namespaces.descendants(call.store, group.id) if one != group.id]
    marks = ",".join("?" * len(below)) or "NULL"
    return _list(call, f"g.id IN ({marks}) AND {access.visible_groups(call.user, 'g.id')}", below)


@post("/groups")
def create_group(call: Call) -> Any:
    call.signed_in()
    call.need("name", "path")
    parent = None
    if call.integer("parent_id") is not None:
        parent = namespaces.find(call.store, call.integer("parent_id"), "group")
        if parent is None or not access.can_see_group(call.store, call.user, parent):
            raise not_found("Group")
        if access.group_level(call.store, call.user, parent) < access.MAINTAINER:
            raise forbidden()
    elif not call.me.admin and call.me.facts.get("can_create_group") is False:
        raise forbidden()
    image = call.file("avatar")
    with call.store.transaction():
        group = namespaces.create_group(
            call.store, call.me, name=call.filled("name"), path=call.filled("path"), parent=parent,
            visibility=call.visibility(parent.visibility if parent else 0), description=call.text("description", ""),
            avatar=keep_avatar(call, image) if image else None, **_settings(call),
        )  # fmt: skip
    return created(shape.group(call, group, detail=True))


@get("/groups/{id}")
def show_group(call: Call) -> Any:
    return shape.group(call, call.group(), detail=True, statistics=bool(call.boolean("statistics")))


@put("/groups/{id}")
def change_group(call: Call) -> Any:
    group = call.group(access.OWNER)
    values: dict[str, Any] = {}
    for name in ("name", "description"):
        if call.text(name) is not None:
            values[name] = call.text(name)
    if call.has("visibility"):
        values["visibility"] = call.visibility()
    if (image := call.file("avatar")) is not None:
        values["avatar"] = keep_avatar(call, image)
    elif call.has("avatar"):
        values["avatar"] = None
    settings = _settings(call)
    if settings:
        values["settings"] = dumps({**group.options, **settings})
    with call.store.transaction():
        call.store.update("namespaces", group.id, **values)
        if call.text("path"):
            namespaces.move(call.store, group, path=call.text("path"))
    return shape.group(call, _again(call, group), detail=True)


def _again(call: Call, group: Namespace) -> Namespace:
    found = namespaces.find(call.store, group.id)
    assert found is not None
    return found


@delete("/groups/{id}")
def delete_group(call: Call) -> Any:
    group = call.group(access.OWNER)
    with call.store.transaction():
        remove(call, group)
    return Json({"message": "202 Accepted"}, 202)


def remove(call: Call, group: Namespace) -> None:
    """A group with its subgroups and all their projects."""
    below = namespaces.descendants(call.store, group.id)
    marks = ",".join("?" * len(below))
    for project in call.store.all(Project, f"namespace_id IN ({marks})", *below):
        projects.delete(call.store, project)
    for table, condition in (
        ("members", f"source_type='Namespace' AND source_id IN ({marks})"),
        ("group_links", f"source_type='Namespace' AND source_id IN ({marks})"),
        ("records", f"scope='group' AND scope_id IN ({marks})"),
        ("tokens", f"kind IN ('group','deploy_group') AND source_id IN ({marks})"),
        ("wiki_pages", f"owner_type='group' AND owner_id IN ({marks})"),
    ):
        call.store.db.execute(f"DELETE FROM {table} WHERE {condition}", below)
    for one in below:
        call.store.repos.discard_name(f"group-{one}.wiki")
    call.store.delete("namespaces", group.id)


@post("/groups/{id}/restore")
def restore_group(call: Call) -> Any:
    return created(shape.group(call, call.group(access.OWNER), detail=True))


@post("/groups/{id}/transfer")
def transfer_group(call: Call) -> Any:
    group = call.group(access.OWNER)
    parent = None
    if call.integer("group_id") is not None:
        parent = namespaces.find(call.store, call.integer("group_id"), "group")
        if parent is None:
            raise not_found("Group")
        if access.group_level(call.store, call.user, parent) < access.OWNER:
            raise refused(400, "Transfer failed: You don't have enough permissions.")
        if parent.id == group.parent_id:
            raise refused(400, "Transfer failed: Group is already associated to the parent group.")
    elif group.parent_id is None:
        raise refused(400, "Transfer failed: Group is already a root group.")
    with call.store.transaction():
        namespaces.move(call.store, group, parent=parent)
    return created(shape.group(call, _again(call, group), detail=True))


@get("/groups/{id}/projects")
def group_projects(call: Call) -> Any:
    group = call.group()
    below = namespaces.descendants(call.store, group.id) if call.boolean("include_subgroups") else [group.id]
    marks = ",".join("?" * len(below))
    shared = ""
    args: list[Any] = list(below)
    if call.boolean("with_shared", True):
        shared = " OR p.id IN (SELECT source_id FROM live_links WHERE source_type='Project' AND group_id=?)"
        args.append(group.id)
    listing = project_filters(call, f"(p.namespace_id IN ({marks}){shared})", args)
    simple = bool(call.boolean("simple"))
    return call.listing(listing, lambda rows: shape.projects(call, rows, simple=simple))


@post("/groups/{id}/projects/{project_id}")
def transfer_project(call: Call) -> Any:
    call.admin()
    group = call.group()
    project = call.project(name=call.path["project_id"])
    with call.store.transaction():
        projects.move(call.store, project, group)
    return created(shape.group(call, group, detail=True))


@post("/groups/{id}/share")
def share_group(call: Call) -> Any:
    group = call.group(access.OWNER)
    call.need("group_id", "group_access")
    other = call.group(name=str(call.integer("group_id")))
    share(call, "Namespace", group.id, other)
    return created(shape.group(call, group, detail=True))


def share(call: Call, kind: str, source: int, other: Namespace) -> None:
    level = call.integer("group_access")
    if level not in access.LEVELS:
        raise bad("group_access does not have a valid value")
    if call.store.value(
        "SELECT 1 FROM live_links WHERE source_type=? AND source_id=? AND group_id=?", kind, source, other.id
    ):
        raise refused(
            409,
            "The group has already been shared with this group"
            if kind == "Namespace"
            else "Shared group has already been taken",
        )
    access.forget_ended(call.store, "group_links", kind, source, other.id)
    call.store.insert(
        "group_links", source_type=kind, source_id=source, group_id=other.id, access_level=level,
        expires_at=access.last_day(call.store, call.text("expires_at")),
    )  # fmt: skip


def unshare(call: Call, kind: str, source: int) -> Any:
    gone = call.store.db.execute(
        "DELETE FROM group_links WHERE source_type=? AND source_id=? AND group_id=?",
        (kind, source, call.number("group_id")),
    )
    if not gone.rowcount:
        raise not_found("Group Link" if kind == "Project" else "")
    return no_content()


@delete("/groups/{id}/share/{group_id}")
def unshare_group(call: Call) -> Any:
    return unshare(call, "Namespace", call.group(access.OWNER).id)


@get("/groups/{id}/transfer_locations")
def transfer_locations(call: Call) -> Any:
    group = call.group(access.OWNER)
    below = set(namespaces.descendants(call.store, group.id))
    rows = [
        one
        for one in call.store.all(Namespace, f"kind='group' AND id IN ({access.member_groups(call.me, access.OWNER)})")
        if one.id not in below
    ]
    return call.paged(
        rows,
        lambda one: {
            "id": one.id,
            "web_url": f"{call.base}/groups/{one.full_path}",
            "name": one.name,
            "avatar_url": None,
            "full_name": shape.spaced_name(call, one),
            "full_path": one.full_path,
        },
    )


@get("/groups/{id}/shared_projects", "/groups/{id}/projects/shared")
def shared_projects(call: Call) -> Any:
    group = call.group()
    listing = project_filters(
        call, "p.id IN (SELECT source_id FROM live_links WHERE source_type='Project' AND group_id=?)", [group.id]
    )
    return call.listing(listing, lambda rows: shape.projects(call, rows))
