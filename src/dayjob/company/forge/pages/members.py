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


def _place(visit: Visit) -> tuple[str, str, bool]:
    """(the API's path, the page's address, whether the visitor manages members)."""
    if visit.in_project:
        return visit.at_project("/members"), f"{visit.base}/project_members", visit.may(access.MAINTAINER)
    level = access.group_level(visit.store, visit.user, visit.group)
    page = f"/groups/{visit.group.full_path}/-/group_members"
    return f"/groups/{visit.group.id}/members", page, level >= access.OWNER


@project("GET", "/project_members")
@group("GET", "/group_members")
async def members(visit: Visit) -> Response:
    return await _list(visit)


async def _list(visit: Visit, problem: str = "") -> Response:
    path, page, manages = _place(visit)
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
        outside=outside, wanted=wanted, problem=problem, address=page,
        kind="project" if visit.in_project else "group",
    )  # fmt: skip


@project("POST", "/project_members")
@group("POST", "/group_members")
async def invite(visit: Visit) -> Response:
    path, page, _ = _place(visit)
    names = [one.lstrip("@") for one in visit.text("username").replace(",", " ").split()]
    try:
        if not names:
            raise refused(400, "Say whom to invite.")
        given = {"username": ",".join(names), "access_level": visit.text("access_level"),
                 "expires_at": visit.text("expires_at") or None}  # fmt: skip
        await visit.ask("POST", path, given)
    except Refused as no:
        return await _list(visit, "There is no account of that name." if no.status == 404 else reason(no))
    return visit.back(page, f"{', '.join(names)} invited.")


@project("POST", "/project_members/{id}")
@group("POST", "/group_members/{id}")
async def change(visit: Visit) -> Response:
    path, page, _ = _place(visit)
    await visit.ask("PUT", f"{path}/{visit.number('id')}", access_level=visit.text("access_level"))
    return visit.back(page, "Role changed.")


@project("POST", "/project_members/{id}/delete")
@group("POST", "/group_members/{id}/delete")
async def remove(visit: Visit) -> Response:
    path, page, _ = _place(visit)
    await visit.ask("DELETE", f"{path}/{visit.number('id')}")
    return visit.back(page, "Member removed.")
