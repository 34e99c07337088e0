"""Who is in the workspace and in a project, and in what role: listing, adding, changing, removing."""

from __future__ import annotations

from starlette.responses import Response

from dayjob.company.board.api.call import project_admin, workspace_admin, workspace_colleague
from dayjob.company.board.errors import Forbidden, NotThere, Refused
from dayjob.company.board.pages.page import PROJECT, Page, full, page
from dayjob.company.board.store import accounts, invitations
from dayjob.company.board.store.accounts import Member
from dayjob.company.pages import see_other

ROLES = ((str(accounts.ADMIN), "Admin"), (str(accounts.MEMBER), "Member"), (str(accounts.GUEST), "Guest"))
HERE = "/{slug}/settings/members"
THERE = PROJECT + "/settings/members"


def _everyone(page: Page, where: str, place: str) -> list[Member]:
    found, _ = accounts.members(page.db, where, place, {})
    return sorted(found, key=lambda one: (-one.role, full(one.user).casefold()))


def _role(page: Page) -> int:
    asked = page.form.line("role")
    if asked not in dict(ROLES):
        raise Refused(400, {"error": "Choose a role: admin, member or guest."})
    return int(asked)


# -- the workspace -----------------------------------------------------------------------------------------------


@page("GET", HERE)
def workspace_members(page: Page) -> Response:
    if not page.may(workspace_colleague):
        raise Forbidden("Guests do not see who else is in the workspace")
    admin = page.may(workspace_admin, "POST")
    return page.show(
        "members.html", tab="members", found=_everyone(page, "workspace", page.workspace.id), admin=admin, roles=ROLES,
        invitations=invitations.waiting(page.db, page.workspace.id) if admin else [],
    )  # fmt: skip


@page("POST", HERE)
def invite(page: Page) -> Response:
    email = page.form.line("email")
    page.do("POST", "/invitations/", {"email": email, "role": _role(page)})
    return see_other(f"{page.base}/settings/members/", f"{email} is invited.")


@page("POST", HERE + "/invitations/{invitation_id}/delete")
def withdraw(page: Page, invitation_id: str) -> Response:
    page.do("DELETE", f"/invitations/{invitation_id}/")
    return see_other(f"{page.base}/settings/members/", "Invitation withdrawn.")


def _member(page: Page, where: str, place: str, id: str) -> Member:
    for one in _everyone(page, where, place):
        if one.membership == id:
            return one
    raise NotThere


@page("POST", HERE + "/{member_id}/role")
def change_role(page: Page, member_id: str) -> Response:
    if not page.may(workspace_admin, "POST"):
        raise Forbidden
    one = _member(page, "workspace", page.workspace.id, member_id)
    accounts.set_workspace_role(page.db, page.workspace.id, one.user.id, _role(page))
    return see_other(
        f"{page.base}/settings/members/", f"{full(one.user)} is {dict(ROLES)[page.form.line('role')].lower()}."
    )


@page("POST", HERE + "/{member_id}/delete")
def remove(page: Page, member_id: str) -> Response:
    one = _member(page, "workspace", page.workspace.id, member_id)
    page.do("POST", "/members/remove/", {"email": one.user.email})
    return see_other(f"{page.base}/settings/members/", f"{full(one.user)} is no longer in the workspace.")


# -- a project ---------------------------------------------------------------------------------------------------


@page("GET", THERE)
def project_members(page: Page) -> Response:
    found = _everyone(page, "project", page.project.id)
    inside = {one.user.id for one in found}
    admin = page.may(project_admin, "POST")
    others = [one.user for one in _everyone(page, "workspace", page.workspace.id) if one.user.id not in inside]
    choices = sorted(((one.id, full(one)) for one in others), key=lambda one: one[1].casefold()) if admin else []
    return page.show(
        "project-members.html", tab="settings", section="members", found=found, admin=admin, roles=ROLES,
        choices=choices,
    )  # fmt: skip


@page("POST", THERE)
def add(page: Page) -> Response:
    page.do("POST", "./project-members/", {"member": page.form.line("member"), "role": _role(page)})
    return see_other(f"{page.here}/settings/members/", f"Added to {page.project.name}.")


@page("POST", THERE + "/{member_id}/role")
def change_project_role(page: Page, member_id: str) -> Response:
    one = _member(page, "project", page.project.id, member_id)
    page.do("PATCH", f"./project-members/{one.membership}/", {"role": _role(page)})
    return see_other(
        f"{page.here}/settings/members/", f"{full(one.user)} is {dict(ROLES)[page.form.line('role')].lower()}."
    )


@page("POST", THERE + "/{member_id}/delete")
def remove_from_project(page: Page, member_id: str) -> Response:
    one = _member(page, "project", page.project.id, member_id)
    page.do("DELETE", f"./project-members/{one.membership}/")
    return see_other(f"{page.here}/settings/members/", f"{full(one.user)} is no longer in {page.project.name}.")
