"""Members of projects and groups, direct and inherited; access requests and invitations stay out."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.arguments import bad
from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.shapes import users as shape
from dayjob.company.forge.store import access, namespaces, users
from dayjob.company.forge.store.access import Member
from dayjob.company.forge.store.base import Listing, Refused, forbidden, like, not_found, refused
from dayjob.company.forge.store.users import User


def _source(call: Call, kind: str, level: int = 0) -> tuple[str, int, list[int]]:
    """(source type, id, the groups it inherits from)"""
    if kind == "projects":
        project = call.project(level)
        space = namespaces.find(call.store, project.namespace_id)
        above = namespaces.ancestors(call.store, project.namespace_id) if space and space.kind == "group" else []
        return "Project", project.id, above
    group = call.group(level)
    return "Namespace", group.id, namespaces.ancestors(call.store, group.id)


def _listing(call: Call, condition: str, args: list[Any]) -> Any:
    where = f"FROM live_members m JOIN users u ON u.id=m.user_id WHERE {condition}"
    if call.text("query") or call.text("search"):
        text = like(call.text("query") or call.text("search"))
        where += " AND (u.name LIKE ? ESCAPE '\\' OR u.username LIKE ? ESCAPE '\\')"
        args += [text, text]
    ids = call.numbers("user_ids")
    if ids is not None:
        where += f" AND m.user_id IN ({','.join('?' * len(ids)) or 'NULL'})"
        args += ids
    listing = Listing(Member, where, args, "m.user_id ASC", "m")
    return call.listing(listing, lambda rows: shape.members(call, rows))


def _inherited(kind: str, source: int, above: list[int]) -> tuple[str, list[Any]]:
    """Everyone with access, each by their highest membership."""
    marks = ",".join("?" * len(above)) or "NULL"
    places = f"(source_type='{kind}' AND source_id={source} OR source_type='Namespace' AND source_id IN ({marks}))"
    best = (
        f"m.id IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY user_id ORDER BY access_level DESC, "
        f"(source_type='{kind}' AND source_id={source}) DESC) AS place FROM live_members WHERE {places}) WHERE place=1)"
    )
    return best, list(above)


def _member(call: Call, kind: str, *, inherited: bool = False) -> Member:
    source_type, source, above = _source(call, kind)
    user_id = call.number("user_id")
    if inherited:
        condition, args = _inherited(source_type, source, above)
        row = call.store.db.execute(
            f"SELECT m.id FROM live_members m WHERE {condition} AND m.user_id=?", (*args, user_id)
        ).fetchone()
        found = call.store.one(Member, "id=?", row[0]) if row else None
    else:
        found = call.store.one(Member, "source_type=? AND source_id=? AND user_id=?", source_type, source, user_id)
    if found is None:
        raise not_found("Member" if not inherited else "")
    return found


def _shape(call: Call, member: Member) -> Any:
    return shape.members(call, [member])[0]


def _level(call: Call) -> int:
    call.need("access_level")
    level: int = call.integer("access_level")
    if level not in access.LEVELS:
        raise bad("access_level does not have a valid value")
    return level


def _may_manage(call: Call, kind: str, source: int) -> None:
    """Members are managed by maintainers of a project, owners of a group."""
    if kind == "projects":
        call.project(access.MAINTAINER)
    else:
        call.group(access.OWNER)


def _add(call: Call, kind: str) -> Any:
    source_type, source, _ = _source(call, kind)
    _may_manage(call, kind, source)
    level = _level(call)
    wanted: list[User] = []
    if call.args.get("user_id") is None and call.args.get("username") is None:
        raise bad("user_id, username are missing, exactly one parameter must be provided")
    for name in call.names("user_id") or call.names("username") or []:
        user = users.find(call.store, name)
        if user is None:
            raise not_found("User")
        wanted.append(user)
    if (
        kind == "projects"
        and level == access.OWNER
        and access.project_level(call.store, call.me, call.project()) < access.OWNER
    ):
        raise forbidden()
    for user in wanted:
        if call.store.value(
            "SELECT 1 FROM live_members WHERE source_type=? AND source_id=? AND user_id=?", source_type, source, user.id
        ):
            raise refused(409, "Member already exists")
    until = access.last_day(call.store, call.text("expires_at"))
    with call.store.transaction():
        for user in wanted:
            access.forget_ended(call.store, "members", source_type, source, user.id)
        ids = [
            call.store.insert(
                "members", source_type=source_type, source_id=source, user_id=user.id, access_level=level,
                expires_at=until, created_at=call.store.now(), created_by=call.me.id,
            )
            for user in wanted
        ]  # fmt: skip
    if len(ids) != 1:
        return created({"status": "success"})
    found = call.store.one(Member, "id=?", ids[0])
    assert found is not None
    return created(_shape(call, found))


def _change(call: Call, kind: str) -> Any:
    member = _member(call, kind)
    _may_manage(call, kind, member.source_id)
    values: dict[str, Any] = {"access_level": _level(call)}
    if call.has("expires_at"):
        values["expires_at"] = access.last_day(call.store, call.text("expires_at"))
    call.store.update("members", member.id, **values)
    return _shape(call, _member(call, kind))


def _remove(call: Call, kind: str) -> Any:
    member = _member(call, kind)
    if member.user_id != call.me.id:
        _may_manage(call, kind, member.source_id)
    if kind == "groups" and member.access_level == access.OWNER:
        owners = call.store.value(
            "SELECT count(*) FROM live_members WHERE source_type='Namespace' AND source_id=? AND access_level=50",
            member.source_id,
        )
        top = call.store.value("SELECT parent_id IS NULL FROM namespaces WHERE id=?", member.source_id)
        if owners == 1 and top:
            raise Refused(403, {"message": "403 Forbidden"})
    call.store.delete("members", member.id)
    return no_content()


def _register(kind: str) -> None:
    base = f"/{kind}/{{id}}/members"

    def listed(call: Call) -> Any:
        source_type, source, _ = _source(call, kind)
        return _listing(call, "m.source_type=? AND m.source_id=?", [source_type, source])

    def everyone(call: Call) -> Any:
        return _listing(call, *_inherited(*_source(call, kind)))

    get(base)(listed)
    get(f"{base}/all")(everyone)
    get(f"{base}/{{user_id}}")(lambda call: _shape(call, _member(call, kind)))
    get(f"{base}/all/{{user_id}}")(lambda call: _shape(call, _member(call, kind, inherited=True)))
    post(base)(lambda call: _add(call, kind))
    put(f"{base}/{{user_id}}")(lambda call: _change(call, kind))
    delete(f"{base}/{{user_id}}")(lambda call: _remove(call, kind))


for _kind in ("projects", "groups"):
    _register(_kind)


@get("/groups/{id}/billable_members")
def billable_members(call: Call) -> Any:
    return _listing(call, *_inherited(*_source(call, "groups", access.OWNER)))
