"""Groups and subgroups."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call, Json, created, no_content
from dayjob.company.forge.api.filters import filtered_projects, wanted_level
from dayjob.company.forge.api.routes import both, delete, get, post, put
from dayjob.company.forge.api.uploads import keep_avatar
from dayjob.company.forge.api.users import by_custom_attributes
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.shapes import projects as shape
from dayjob.company.forge.store import access, groups, namespaces, project_lists, projects, shares
from dayjob.company.forge.store.settings import default_visibility

SETTINGS = tuple(shape.GROUP_DEFAULTS)


def _settings(call: Call) -> dict[str, Any]:
    found = {}
    for name in SETTINGS:
        if call.has(name) and call.args[name] is not None:
            found[name] = call.boolean(name) if isinstance(shape.GROUP_DEFAULTS[name], bool) else call.args[name]
    if "project_creation_level" in found:
        call.choice("project_creation_level", access.PROJECT_CREATORS)
    if "subgroup_creation_level" in found:
        call.choice("subgroup_creation_level", ("owner", "maintainer"))
    return found


def _listed(call: Call, *, level: int = 0, parent: Namespace | None = None, below: Namespace | None = None) -> Any:
    listing = groups.listed(
        call.store,
        call.user,
        parent=parent,
        below=below,
        level=max(level, wanted_level(call)),
        search=call.text("search"),
        skipped=call.numbers("skip_groups"),
        top_only=bool(call.boolean("top_level_only")),
        visibility=call.visibility(),
        order=call.choice("order_by", tuple(groups.ORDERS), "name"),
        sort=call.choice("sort", ("asc", "desc"), "asc"),
        also=by_custom_attributes(call, "group", "g.id"),
    )
    statistics = bool(call.boolean("statistics"))
    return call.listing(listing, lambda rows: [shape.group(call, group, statistics=statistics) for group in rows])


@get("/groups")
def list_groups(call: Call) -> Any:
    only_own = call.user is not None and call.user.admin and call.boolean("all_available") is False
    return _listed(call, level=access.GUEST if only_own else 0)


@get("/groups/{id}/subgroups")
def subgroups(call: Call) -> Any:
    return _listed(call, parent=call.group())


@get("/groups/{id}/descendant_groups")
def descendant_groups(call: Call) -> Any:
    return _listed(call, below=call.group())


@post("/groups")
def create_group(call: Call) -> Any:
    call.signed_in()
    call.need("name", "path")
    parent = groups.parent_for(call.store, call.me, call.integer("parent_id"))
    image = call.file("avatar")
    with call.store.transaction():
        group = namespaces.create_group(
            call.store, call.me, name=call.filled("name"), path=call.filled("path"), parent=parent,
            visibility=call.visibility(parent.visibility if parent else default_visibility(call.store, "group")),
            description=call.text("description", ""),
            **_settings(call),
        )  # fmt: skip
        if image is not None:
            group = groups.change(call.store, group, {"avatar": keep_avatar(call, image)}, {}, None)
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
    image = call.file("avatar")
    if image is None and call.has("avatar"):
        values["avatar"] = None
    with call.store.transaction():
        changed = groups.change(call.store, group, values, _settings(call), call.text("path"))
        if image is not None:
            changed = groups.change(call.store, changed, {"avatar": keep_avatar(call, image)}, {}, None)
    return shape.group(call, changed, detail=True)


@delete("/groups/{id}")
def delete_group(call: Call) -> Any:
    groups.remove(call.store, call.group(access.OWNER))
    return Json({"message": "202 Accepted"}, 202)


@post("/groups/{id}/transfer")
def transfer_group(call: Call) -> Any:
    group = call.group(access.OWNER)
    moved = groups.transfer(call.store, call.me, group, call.integer("group_id"))
    return created(shape.group(call, moved, detail=True))


@get("/groups/{id}/projects")
def group_projects(call: Call) -> Any:
    within = project_lists.of_group(
        call.store, call.group(), subgroups=bool(call.boolean("include_subgroups")),
        shared=bool(call.boolean("with_shared", True)),
    )  # fmt: skip
    simple = bool(call.boolean("simple"))
    return call.listing(filtered_projects(call, within), lambda rows: shape.projects(call, rows, simple=simple))


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
    shares.share(call.store, group, other, call.access_level("group_access"), call.text("expires_at"))
    return created(shape.group(call, group, detail=True))


@both(delete, "/share/{group_id}")
def unshare(call: Call, kind: str) -> Any:
    shares.unshare(call.store, call.managed(kind), call.number("group_id"))
    return no_content()


@get("/groups/{id}/transfer_locations")
def transfer_locations(call: Call) -> Any:
    locations = groups.transfer_locations(call.store, call.me, call.group(access.OWNER))
    return call.paged(locations, lambda group: {**shape.group_brief(call, group), "avatar_url": None})


@get("/groups/{id}/shared_projects", "/groups/{id}/projects/shared")
def shared_projects(call: Call) -> Any:
    listing = filtered_projects(call, project_lists.shared_with(call.group()))
    return call.listing(listing, lambda rows: shape.projects(call, rows))
