"""Members of projects and groups, direct and inherited; access requests and invitations stay out."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.arguments import bad
from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.errors import not_found
from dayjob.company.forge.rows.namespaces import Member
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.shapes import users as shape
from dayjob.company.forge.store import access, members, users
from dayjob.company.forge.store.members import Source


def _source(call: Call, kind: str, level: int = 0) -> Source:
    return call.project(level) if kind == "projects" else call.group(level)


def _managed(call: Call, kind: str) -> None:
    """Members are managed by maintainers of a project, owners of a group."""
    _source(call, kind, access.MAINTAINER if kind == "projects" else access.OWNER)


def _listed(call: Call, source: Source, *, inherited: bool) -> Any:
    listing = members.listed(
        call.store, source, inherited=inherited, search=call.text("query") or call.text("search"),
        user_ids=call.numbers("user_ids"),
    )  # fmt: skip
    return call.listing(listing, lambda rows: shape.members(call, rows))


def _member(call: Call, kind: str, *, inherited: bool = False) -> Member:
    return members.find(call.store, _source(call, kind), call.number("user_id"), inherited=inherited)


def _shape(call: Call, member: Member) -> Any:
    return shape.members(call, [member])[0]


def _level(call: Call) -> int:
    call.need("access_level")
    level: int = call.integer("access_level")
    if level not in access.LEVELS:
        raise bad("access_level does not have a valid value")
    return level


def _add(call: Call, kind: str) -> Any:
    source = _source(call, kind)
    _managed(call, kind)
    level = _level(call)
    if call.args.get("user_id") is None and call.args.get("username") is None:
        raise bad("user_id, username are missing, exactly one parameter must be provided")
    people: list[User] = []
    for name in call.names("user_id") or call.names("username") or []:
        user = users.find(call.store, name)
        if user is None:
            raise not_found("User")
        people.append(user)
    added = members.add(call.store, call.me, source, people, level, call.text("expires_at"))
    return created(_shape(call, added[0]) if len(added) == 1 else {"status": "success"})


def _change(call: Call, kind: str) -> Any:
    member = _member(call, kind)
    _managed(call, kind)
    level = _level(call)
    expiry = {"expires_at": call.text("expires_at")} if call.has("expires_at") else {}
    members.change(call.store, member, level, **expiry)
    return _shape(call, _member(call, kind))


def _remove(call: Call, kind: str) -> Any:
    member = _member(call, kind)
    if member.user_id != call.me.id:
        _managed(call, kind)
    members.remove(call.store, member)
    return no_content()


def _register(kind: str) -> None:
    base = f"/{kind}/{{id}}/members"
    get(base)(lambda call: _listed(call, _source(call, kind), inherited=False))
    get(f"{base}/all")(lambda call: _listed(call, _source(call, kind), inherited=True))
    get(f"{base}/{{user_id}}")(lambda call: _shape(call, _member(call, kind)))
    get(f"{base}/all/{{user_id}}")(lambda call: _shape(call, _member(call, kind, inherited=True)))
    post(base)(lambda call: _add(call, kind))
    put(f"{base}/{{user_id}}")(lambda call: _change(call, kind))
    delete(f"{base}/{{user_id}}")(lambda call: _remove(call, kind))


for _kind in ("projects", "groups"):
    _register(_kind)


@get("/groups/{id}/billable_members")
def billable_members(call: Call) -> Any:
    return _listed(call, call.group(access.OWNER), inherited=True)
