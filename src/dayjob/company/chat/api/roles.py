"""roles.* and permissions.*: what administrators allow."""

from __future__ import annotations

from typing import Any

from dayjob.company.chat import shapes
from dayjob.company.chat.api.call import Call
from dayjob.company.chat.api.endpoints import Answer, endpoint, listed
from dayjob.company.chat.errors import ChatError, invalid
from dayjob.company.chat.rows import Role
from dayjob.company.chat.store import Page


@endpoint("GET", "roles.list")
def listing(call: Call) -> Answer:
    return {"roles": [shapes.role(role) for role in call.store.access.roles()]}


@endpoint("GET", "roles.sync", takes="updatedSince")
def sync(call: Call) -> Answer:
    since = call.moment("updatedSince")
    if since is None:
        raise ChatError('The "updatedSince" query parameter must be a valid date.', "error-updatedSince-param-invalid")
    return {"roles": {"update": [shapes.role(role) for role in call.store.access.roles(since)], "remove": []}}


@endpoint("POST", "roles.create", takes="name scope description mandatory2fa:bool", needs="access-permissions")
def create(call: Call) -> Answer:
    role = call.store.access.create_role(
        call.need("name"), call.text("scope") or "Users", call.text("description") or "", call.flag("mandatory2fa")
    )
    return {"role": shapes.role(role)}


@endpoint("POST", "roles.update", takes="roleId name scope description mandatory2fa:bool", needs="access-permissions")
def update(call: Call) -> Answer:
    role = call.store.access.role(call.need("roleId"))
    changed = call.store.access.update_role(
        role.id, name=call.text("name") or role.name, scope=call.text("scope"),
        description=call.text("description") or role.description, mandatory_2fa=call.flag("mandatory2fa"),
    )  # fmt: skip
    return {"role": shapes.role(changed)}


@endpoint("POST", "roles.delete", takes="roleId", needs="access-permissions")
def delete(call: Call) -> Answer:
    call.store.access.delete_role(call.need("roleId"))
    return {}


def _role(call: Call) -> Role:
    name = call.text("roleId", "roleName", "role")
    if not name:
        raise ChatError('The "roleId" param is required', "error-invalid-role-properties")
    return call.store.access.role(name)


@endpoint("POST", "roles.addUserToRole", takes="roleId roleName username roomId")
def add_user(call: Call) -> Answer:
    role = _role(call)
    call.store.access.require(call.user, "assign-roles")
    if role.id == "admin":
        call.store.access.require(call.user, "assign-admin-role")
    call.store.access.give(role, call.the_user(), call.text("roomId", "scope"))
    return {"role": shapes.role(role)}


@endpoint("POST", "roles.removeUserFromRole", takes="roleId roleName username scope roomId")
def remove_user(call: Call) -> Answer:
    role = _role(call)
    call.store.access.require(call.user, "access-permissions")
    call.store.access.take(role, call.the_user(), call.text("roomId", "scope"))
    return {"role": shapes.role(role)}


@endpoint("GET", "roles.getUsersInRole", takes="role roomId count:int offset:int", needs="access-permissions")
def users_in_role(call: Call) -> Answer:
    name = call.text("role")
    if not name:
        raise ChatError('Query param "role" is required', "error-param-not-provided")
    page = call.page()
    found, total = call.store.access.users_in(call.store.access.role(name), call.text("roomId"), page)
    return listed("users", [shapes.seen_by(call.store, call.user, user) for user in found], total, page.offset)


@endpoint("GET", "roles.getUsersInPublicRoles")
def users_in_public_roles(call: Call) -> Answer:
    found: dict[str, dict[str, Any]] = {}
    for role in call.store.access.roles():
        if role.scope == "Users" and role.description:
            for user in call.store.access.users_in(role, None, Page(count=0))[0]:
                entry = found.setdefault(user.id, {"_id": user.id, "username": user.username, "roles": []})
                entry["roles"].append(role.id)
    return {"users": list(found.values())}


@endpoint("GET", "permissions.listAll", takes="updatedSince")
def permissions(call: Call) -> Answer:
    found = call.store.access.permissions(call.since())
    return {"update": [shapes.permission(one) for one in found], "remove": []}


@endpoint("POST", "permissions.update", takes="permissions:list", needs="access-permissions")
def update_permissions(call: Call) -> Answer:
    wanted: dict[str, list[str]] = {}
    given = call.items("permissions")
    if not given:
        raise invalid("Invalid body params")
    for one in given:
        if not isinstance(one, dict) or not isinstance(one.get("_id"), str) or not isinstance(one.get("roles"), list):
            raise invalid("Invalid body params")
        if not all(isinstance(role, str) for role in one["roles"]):
            raise invalid("Invalid body params")
        wanted[one["_id"]] = one["roles"]
    call.store.access.grant(wanted)
    return {"permissions": [shapes.permission(one) for one in call.store.access.permissions()]}


def _change_role(call: Call, held: bool) -> Answer:
    permission, role = call.need("permissionId", "permission"), call.need("role", "roleId")
    roles = [one for one in sorted(call.store.access.granted(permission)) if one != role]
    call.store.access.grant({permission: [*roles, role] if held else roles})
    return {}


@endpoint("POST", "permissions.addRole", takes="permissionId role", needs="access-permissions")
def add_role(call: Call) -> Answer:
    return _change_role(call, True)


@endpoint("POST", "permissions.removeRole", takes="permissionId role", needs="access-permissions")
def remove_role(call: Call) -> Answer:
    return _change_role(call, False)
