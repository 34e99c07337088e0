"""Who I am, who is in the workspace, who is in a project and in what role."""

from __future__ import annotations

from typing import Any

from dayjob.company.board import shapes
from dayjob.company.board.api.call import (
    PROJECT,
    WORKSPACE,
    Call,
    Reply,
    anyone,
    endpoint,
    project_admin,
    workspace_admin,
    workspace_colleague,
    workspace_member,
)
from dayjob.company.board.errors import BadRequest, Refused
from dayjob.company.board.paging import envelope, window
from dayjob.company.board.shapes.payloads import Choice, Flag, Form, Id, Text, read_form
from dayjob.company.board.store import accounts, workspaces
from dayjob.company.board.store.accounts import Member

_TEXT_FILTERS = ("first_name", "last_name", "email", "display_name", "role_slug")


def _filters(call: Call) -> dict[str, Any]:
    found: dict[str, Any] = {name: call.query[name] for name in _TEXT_FILTERS if call.query.get(name)}
    for name in ("is_active", "is_bot"):
        if (value := call.flag(name)) is not None:
            found[name] = value
    return found


def _everyone(call: Call, where: str, place: str) -> Reply:
    rows, _ = accounts.members(call.db, where, place, _filters(call))
    return Reply(200, [shapes.member(one) for one in rows])


def _page(call: Call, where: str, place: str) -> Reply:
    asked = window(call.query)
    rows, total = accounts.members(call.db, where, place, _filters(call), asked.limit, asked.offset)
    return Reply(200, envelope(asked, total, [shapes.member(one) for one in rows]))


@endpoint("GET", "/api/v1/users/me", permission=anyone)
def me(call: Call) -> Reply:
    return Reply(200, shapes.user(call.user))


@endpoint("GET", WORKSPACE + "/members", permission=workspace_colleague)
def list_workspace_members(call: Call) -> Reply:
    return _everyone(call, "workspace", _workspace(call))


@endpoint("GET", WORKSPACE + "/members-lite", permission=workspace_colleague)
def list_workspace_members_lite(call: Call) -> Reply:
    return _page(call, "workspace", _workspace(call))


def _workspace(call: Call) -> str:
    workspace = workspaces.by_slug(call.db, call.slug)
    if workspace is None:
        raise BadRequest("Provided workspace does not exist")
    return workspace.id


@endpoint("POST", WORKSPACE + "/members/remove", permission=workspace_admin)
def remove_workspace_member(call: Call) -> Reply:
    """Take someone out of the workspace and all its projects."""
    facts = read_form({"email": Text()}, call.payload(), call.db, required=("email",))
    accounts.remove_from_workspace(call.db, call.slug, _workspace(call), facts["email"])
    return Reply(204)


@endpoint("GET", WORKSPACE + "/project-role-distribution", permission=workspace_member)
def role_distribution(call: Call) -> Reply:
    counts, people = accounts.role_counts(call.db, _workspace(call))
    roles = [
        {
            "role_id": None,
            "name": accounts.ROLE_SLUGS.get(one.role, str(one.role)).title(),
            "slug": accounts.ROLE_SLUGS.get(one.role),
            "is_system": True,
            "level": one.role,
            "membership_count": one.memberships,
            "distinct_member_count": one.people,
        }
        for one in counts
    ]
    total = sum(one.memberships for one in counts)
    return Reply(200, {"total_memberships": total, "total_distinct_members": people, "roles": roles})


# -- a project's members -----------------------------------------------------------------------------------------

_ROLE = Choice(of=(accounts.ADMIN, accounts.MEMBER, accounts.GUEST))


@endpoint("GET", PROJECT + "/members", PROJECT + "/project-members", permission=project_admin)
def list_project_members(call: Call) -> Reply:
    return _everyone(call, "project", call.project().id)


@endpoint("GET", PROJECT + "/project-members-lite", permission=project_admin)
def list_project_members_lite(call: Call) -> Reply:
    return _page(call, "project", call.project().id)


@endpoint("POST", PROJECT + "/members", permission=project_admin)
def invite_project_member(call: Call) -> Reply:
    """Bring someone in by address; an address nobody has becomes a new, still inactive, user."""
    payload = call.payload()
    if payload.get("email") is None or payload.get("display_name") is None:
        words = "Expected email, display_name, workspace_slug, project_id, one or more of the fields are missing."
        raise BadRequest(words)
    form: Form = {
        "email": Text(limit=255),
        "display_name": Text(limit=255),
        "first_name": Text(limit=255, blank=True),
        "last_name": Text(limit=255, blank=True),
        "role": _ROLE,
    }
    facts = read_form(form, payload, call.db)
    name, at, host = facts["email"].rpartition("@")
    if not at or not name or "." not in host or any(sign.isspace() for sign in facts["email"]):
        raise BadRequest("Invalid email provided")
    project, role = call.project(), facts.get("role", accounts.GUEST)
    full = f"{facts.get('first_name', '')} {facts.get('last_name', '')}".strip() or facts["display_name"]
    user = accounts.invite_to_project(
        call.store, call.slug, project, role, email=facts["email"], display_name=facts["display_name"], name=full
    )
    return Reply(201, shapes.user(user))


@endpoint("POST", PROJECT + "/project-members", permission=project_admin)
def add_project_member(call: Call) -> Reply:
    project = call.project()
    form: Form = {"member": Id(table="users"), "role": _ROLE}
    facts = read_form(form, call.payload(), call.db, required=("member",))
    if not accounts.workspace_role(call.db, call.slug, facts["member"]):
        raise Refused(400, {"member": ["User is not a member of the workspace"]})
    role = facts.get("role", accounts.GUEST)
    id = accounts.add_project_member(call.store, project.workspace, project.id, facts["member"], role)
    return Reply(201, {"id": id, "member": facts["member"], "role": role})


def _member(call: Call) -> Member:
    return accounts.project_member(call.db, call.project().id, call.params["member_id"])


@endpoint("GET", PROJECT + "/project-members/{member_id}", permission=project_admin)
def read_project_member(call: Call) -> Reply:
    return Reply(200, shapes.member(_member(call)))


@endpoint("PATCH", PROJECT + "/project-members/{member_id}", permission=project_admin)
def edit_project_member(call: Call) -> Reply:
    member = _member(call)
    facts = read_form({"role": _ROLE, "is_active": Flag()}, call.payload(), call.db)
    accounts.edit_project_member(call.db, member, facts)
    return Reply(200, {"id": member.membership, "member": member.user.id, "role": facts.get("role", member.role)})


@endpoint("DELETE", PROJECT + "/project-members/{member_id}", permission=project_admin)
def remove_project_member(call: Call) -> Reply:
    accounts.edit_project_member(call.db, _member(call), {"is_active": False})
    return Reply(204)
