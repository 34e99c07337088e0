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
from dayjob.company.board.paging import envelope, window
from dayjob.company.board.payloads import Choice, Flag, Form, Id, Text, read_form
from dayjob.company.board.refusals import BadRequest, NotThere, Refused
from dayjob.company.board.store import accounts
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
    found = accounts.workspace(call.db, call.slug)
    if found is None:
        raise BadRequest("Provided workspace does not exist")
    return found.id


@endpoint("POST", WORKSPACE + "/members/remove", permission=workspace_admin)
def remove_workspace_member(call: Call) -> Reply:
    """Take someone out of the workspace and all its projects."""
    facts = read_form({"email": Text()}, call.payload(), call.db, required=("email",))
    user, workspace = accounts.user_by_email(call.db, facts["email"]), _workspace(call)
    if user is None or not accounts.workspace_role(call.db, call.slug, user.id):
        raise NotThere
    accounts.last_admin_stays(call.db, workspace, user.id)
    call.db.execute(
        "UPDATE workspace_members SET is_active = 0 WHERE workspace = ? AND member = ?", (workspace, user.id)
    )
    call.db.execute("UPDATE project_members SET is_active = 0 WHERE workspace = ? AND member = ?", (workspace, user.id))
    return Reply(204)


@endpoint("GET", WORKSPACE + "/project-role-distribution", permission=workspace_member)
def role_distribution(call: Call) -> Reply:
    rows = call.db.execute(
        "SELECT role, count(*), count(DISTINCT member) FROM project_members m"
        " JOIN projects ON projects.id = m.project WHERE m.workspace = ? AND is_active AND archived_at IS NULL"
        " GROUP BY role ORDER BY role DESC",
        (_workspace(call),),
    ).fetchall()
    people = call.db.execute(
        "SELECT count(DISTINCT member) FROM project_members m JOIN projects ON projects.id = m.project"
        " WHERE m.workspace = ? AND is_active AND archived_at IS NULL",
        (_workspace(call),),
    ).fetchone()[0]
    roles = [
        {
            "role_id": None,
            "name": accounts.ROLE_SLUGS.get(role, str(role)).title(),
            "slug": accounts.ROLE_SLUGS.get(role),
            "is_system": True,
            "level": role,
            "membership_count": memberships,
            "distinct_member_count": distinct,
        }
        for role, memberships, distinct in rows
    ]
    total = sum(row[1] for row in rows)
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
    user = accounts.user_by_email(call.db, facts["email"])
    if user is None:
        full = f"{facts.get('first_name', '')} {facts.get('last_name', '')}".strip() or facts["display_name"]
        accounts.add_user(call.ledger, username=facts["email"], email=facts["email"], name=full, password=None)
        call.db.execute(
            "UPDATE users SET display_name = ?, is_active = 0 WHERE email = ?", (facts["display_name"], facts["email"])
        )
        user = accounts.user_by_email(call.db, facts["email"])
        assert user is not None
    if not accounts.workspace_role(call.db, call.slug, user.id):
        accounts.add_workspace_member(call.ledger, project.workspace, user.id, role)
    elif accounts.project_role(call.db, project.id, user.id):
        raise BadRequest("User is already part of the workspace and project")
    accounts.add_project_member(call.ledger, project.workspace, project.id, user.id, role)
    return Reply(201, shapes.user(user))


@endpoint("POST", PROJECT + "/project-members", permission=project_admin)
def add_project_member(call: Call) -> Reply:
    form: Form = {"member": Id(table="users"), "role": _ROLE}
    facts = read_form(form, call.payload(), call.db, required=("member",))
    project = call.project()
    if not accounts.workspace_role(call.db, call.slug, facts["member"]):
        raise Refused(400, {"member": ["User is not a member of the workspace"]})
    role = facts.get("role", accounts.GUEST)
    id = accounts.add_project_member(call.ledger, project.workspace, project.id, facts["member"], role)
    return Reply(201, {"id": id, "member": facts["member"], "role": role})


def _membership(call: Call) -> Member:
    """The member that a membership's id, or a user's, names."""
    rows, _ = accounts.members(call.db, "project", call.project().id, {})
    for one in rows:
        if call.params["member_id"] in (one.membership, one.user.id):
            return one
    raise NotThere


@endpoint("GET", PROJECT + "/project-members/{member_id}", permission=project_admin)
def read_project_member(call: Call) -> Reply:
    return Reply(200, shapes.member(_membership(call)))


@endpoint("PATCH", PROJECT + "/project-members/{member_id}", permission=project_admin)
def edit_project_member(call: Call) -> Reply:
    found = _membership(call)
    facts = read_form({"role": _ROLE, "is_active": Flag()}, call.payload(), call.db)
    for name, value in facts.items():
        call.db.execute(f"UPDATE project_members SET {name} = ? WHERE id = ?", (int(value), found.membership))
    role = facts.get("role", found.role)
    return Reply(200, {"id": found.membership, "member": found.user.id, "role": role})


@endpoint("DELETE", PROJECT + "/project-members/{member_id}", permission=project_admin)
def remove_project_member(call: Call) -> Reply:
    call.db.execute("UPDATE project_members SET is_active = 0 WHERE id = ?", (_membership(call).membership,))
    return Reply(204)
