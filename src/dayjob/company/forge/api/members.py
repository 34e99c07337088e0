"""Members of projects and groups, direct and inherited; access requests and invitations stay out."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.routes import both, delete, get, post, put
from dayjob.company.forge.errors import bad, not_found
from dayjob.company.forge.rows.namespaces import Member
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.shapes import users as shape
from dayjob.company.forge.store import access, members, users
from dayjob.company.forge.store.members import Source


def _listed(call: Call, source: Source, *, inherited: bool) -> Any:
    listing = members.listed(
        call.store, source, inherited=inherited, search=call.text("query") or call.text("search"),
        user_ids=call.numbers("user_ids"),
    )  # fmt: skip
    return call.listing(listing, lambda rows: shape.members(call, rows))


def _member(call: Call, kind: str, *, inherited: bool = False) -> Member:
    return members.find(call.store, call.place(kind), call.number("user_id"), inherited=inherited)


def _shape(call: Call, member: Member) -> Any:
    return shape.members(call, [member])[0]


@both(get, "/members")
def listed(call: Call, kind: str) -> Any:
    return _listed(call, call.place(kind), inherited=False)


@both(get, "/members/all")
def listed_with_inherited(call: Call, kind: str) -> Any:
    return _listed(call, call.place(kind), inherited=True)


@both(get, "/members/{user_id}")
def member(call: Call, kind: str) -> Any:
    return _shape(call, _member(call, kind))


@both(get, "/members/all/{user_id}")
def inherited_member(call: Call, kind: str) -> Any:
    return _shape(call, _member(call, kind, inherited=True))


def _level(call: Call) -> int:
    call.need("access_level")
    return call.access_level("access_level")


@both(post, "/members")
def add(call: Call, kind: str) -> Any:
    source = call.place(kind)
    call.managed(kind)
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


@both(put, "/members/{user_id}")
def change(call: Call, kind: str) -> Any:
    member = _member(call, kind)
    call.managed(kind)
    level = _level(call)
    expiry = {"expires_at": call.text("expires_at")} if call.has("expires_at") else {}
    members.change(call.store, member, level, **expiry)
    return _shape(call, _member(call, kind))


@both(delete, "/members/{user_id}")
def remove(call: Call, kind: str) -> Any:
    member = _member(call, kind)
    if member.user_id != call.me.id:
        call.managed(kind)
    members.remove(call.store, member)
    return no_content()


@get("/groups/{id}/billable_members")
def billable_members(call: Call) -> Any:
    return _listed(call, call.group(access.OWNER), inherited=True)
