"""Members of a project or group: who belongs to it, inviting, changing a role, removing."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from dayjob.company.forge.errors import Refused, refused
from dayjob.company.forge.pages.routes import group, project
from dayjob.company.forge.pages.visit import Visit, reason
from dayjob.company.forge.store import access

ROLES = (
    (access.GUEST, "Guest"),
    (access.PLANNER, "Planner"),
    (access.REPORTER, "Reporter"),
    (access.DEVELOPER, "Developer"),
    (access.MAINTAINER, "Maintainer"),
    (access.OWNER, "Owner"),
)


def _place(visit: Visit, kind: str) -> tuple[str, str, bool]:
    """(the API's path, the page's address, whether the visitor manages members)."""
    if kind == "project":
        return visit.at_project("/members"), f"{visit.base}/project_members", visit.may(access.MAINTAINER)
    level = access.group_level(visit.store, visit.user, visit.group)
    page = f"/groups/{visit.group.full_path}/-/group_members"
    return f"/groups/{visit.group.id}/members", page, level >= access.OWNER


async def _list(visit: Visit, kind: str, problem: str = "") -> Response:
    path, page, manages = _place(visit, kind)
    wanted = str(visit.query.get("search", "")) if not visit.posted else ""
    found = await visit.listed(f"{path}/all", query=wanted or None, per_page=50)
    direct = {one["id"] for one in await visit.everything(path)}
    outside: list[Any] = []
    if manages:
        known = {one["id"] for one in found.items}
        everybody = await visit.everything("/users", active=True, humans=True, order_by="name", sort="asc")
        outside = [one for one in everybody if one["id"] not in known]
    return visit.page(
        "members.html", 422 if problem else 200, listed=found, direct=direct, manages=manages, roles=ROLES,
        outside=outside, wanted=wanted, problem=problem, address=page, kind=kind,
    )  # fmt: skip


async def _invite(visit: Visit, kind: str) -> Response:
    path, page, _ = _place(visit, kind)
    names = [one.lstrip("@") for one in visit.text("username").replace(",", " ").split()]
    try:
        if not names:
            raise refused(400, "Say whom to invite.")
        given = {"username": ",".join(names), "access_level": visit.text("access_level"),
                 "expires_at": visit.text("expires_at") or None}  # fmt: skip
        await visit.ask("POST", path, given)
    except Refused as no:
        return await _list(visit, kind, "There is no account of that name." if no.status == 404 else reason(no))
    return visit.back(page, f"{', '.join(names)} invited.")


async def _change(visit: Visit, kind: str) -> Response:
    path, page, _ = _place(visit, kind)
    await visit.ask("PUT", f"{path}/{visit.number('id')}", access_level=visit.text("access_level"))
    return visit.back(page, "Role changed.")


async def _remove(visit: Visit, kind: str) -> Response:
    path, page, _ = _place(visit, kind)
    await visit.ask("DELETE", f"{path}/{visit.number('id')}")
    return visit.back(page, "Member removed.")


@project("GET", "/project_members")
async def project_members(visit: Visit) -> Response:
    return await _list(visit, "project")


@project("POST", "/project_members")
async def invite_to_project(visit: Visit) -> Response:
    return await _invite(visit, "project")


@project("POST", "/project_members/{id}")
async def change_in_project(visit: Visit) -> Response:
    return await _change(visit, "project")


@project("POST", "/project_members/{id}/delete")
async def remove_from_project(visit: Visit) -> Response:
    return await _remove(visit, "project")


@group("GET", "/group_members")
async def group_members(visit: Visit) -> Response:
    return await _list(visit, "group")


@group("POST", "/group_members")
async def invite_to_group(visit: Visit) -> Response:
    return await _invite(visit, "group")


@group("POST", "/group_members/{id}")
async def change_in_group(visit: Visit) -> Response:
    return await _change(visit, "group")


@group("POST", "/group_members/{id}/delete")
async def remove_from_group(visit: Visit) -> Response:
    return await _remove(visit, "group")
