"""Members of projects and groups: direct and inherited, added, changed and removed."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.errors import forbidden, not_found, refused
from dayjob.company.forge.rows.namespaces import Member, Namespace
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, namespaces
from dayjob.company.forge.store.base import Listing, Store
from dayjob.company.rows import like, placeholders

Source = Project | Namespace
"""What somebody can be a member of, or what a group can be invited to."""


def source_type(source: Source) -> str:
    return "Project" if isinstance(source, Project) else "Namespace"


def listed(
    store: Store, source: Source, *, inherited: bool = False, search: str | None = None,
    user_ids: list[int] | None = None,
) -> Listing:  # fmt: skip
    """The members of a project or group; with those it inherits, each by their highest membership."""
    condition, args = _inherited(store, source) if inherited else _direct(source)
    where = f"FROM live_members m JOIN users u ON u.id=m.user_id WHERE {condition}"
    if search:
        where += " AND (u.name LIKE ? ESCAPE '\\' OR u.username LIKE ? ESCAPE '\\')"
        args += [like(search)] * 2
    if user_ids is not None:
        where += f" AND m.user_id IN ({placeholders(user_ids) or 'NULL'})"
        args += user_ids
    return Listing(Member, where, args, "m.user_id ASC", "m")


def find(store: Store, source: Source, user_id: int, *, inherited: bool = False) -> Member:
    condition, args = _inherited(store, source) if inherited else _direct(source)
    source_sql = f"FROM live_members m WHERE {condition} AND m.user_id=?"
    rows: list[Member] = store.page(Listing(Member, source_sql, [*args, user_id], "m.id ASC", "m"), 1, 0)
    if not rows:
        raise not_found("" if inherited else "Member")
    return rows[0]


def _direct(source: Source) -> tuple[str, list[Any]]:
    return "m.source_type=? AND m.source_id=?", [source_type(source), source.id]


def _inherited(store: Store, source: Source) -> tuple[str, list[Any]]:
    """Everyone with access, each by their highest membership."""
    above = groups_above(store, source)
    marks = placeholders(above) or "NULL"
    own = f"source_type='{source_type(source)}' AND source_id={source.id}"
    everywhere = f"({own} OR source_type='Namespace' AND source_id IN ({marks}))"
    highest = (
        f"m.id IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY user_id ORDER BY access_level DESC, "
        f"({own}) DESC) AS place FROM live_members WHERE {everywhere}) WHERE place=1)"
    )
    return highest, list(above)


def groups_above(store: Store, source: Source) -> list[int]:
    """The groups whose members a project or group inherits; a group's own id among them."""
    if isinstance(source, Namespace):
        return namespaces.ancestors(store, source.id)
    space = namespaces.find(store, source.namespace_id, "group")
    return namespaces.ancestors(store, space.id) if space is not None else []


def levels(store: Store, user: User, project: Project, space: Namespace) -> tuple[int | None, int | None]:
    """(somebody's level in the project itself, their highest one in its group `space` and above)"""
    own = store.value(
        "SELECT access_level FROM live_members WHERE source_type='Project' AND source_id=? AND user_id=?",
        project.id, user.id,
    )  # fmt: skip
    groups = namespaces.ancestors(store, space.id) if space.kind == "group" else []
    marks = placeholders(groups)
    above = store.value(
        f"SELECT max(access_level) FROM live_members WHERE source_type='Namespace' AND user_id=? "
        f"AND source_id IN ({marks})",
        user.id, *groups,
    )  # fmt: skip
    return own, above


def users_of(store: Store, project: Project, search: str | None = None) -> Listing:
    """The accounts that are members of a project or of a group above it."""
    above = namespaces.ancestors(store, project.namespace_id)
    where = (
        "FROM users WHERE id IN (SELECT user_id FROM live_members WHERE source_type='Project' AND source_id=? "
        f"OR source_type='Namespace' AND source_id IN ({placeholders(above)}))"
    )
    args: list[Any] = [project.id, *above]
    if search:
        where += " AND (instr(lower(name), lower(?)) OR instr(lower(username), lower(?)))"
        args += [search] * 2
    return Listing(User, where, args, "users.id ASC")


def count(store: Store, group: Namespace) -> int:
    members: int = store.value(
        "SELECT count(DISTINCT user_id) FROM live_members WHERE source_type='Namespace' AND source_id=?", group.id
    )
    return members


def memberships(user: User, kind: str | None = None) -> Listing:
    """What somebody is a member of: of projects (`Project`), of groups (`Namespace`), or both."""
    where = "FROM live_members WHERE user_id=?" + (" AND source_type=?" if kind else "")
    return Listing(Member, where, (user.id, kind) if kind else (user.id,), "live_members.id ASC")


def source_of(store: Store, member: Member) -> Source | None:
    row_class: type[Any] = Project if member.source_type == "Project" else Namespace
    source: Source | None = store.one(row_class, "id=?", member.source_id)
    return source


# -- changes -----------------------------------------------------------------------------------------------------


def insert(
    store: Store, creator: User, source: Source, user: User, level: int, expires_at: str | None = None
) -> Member:
    """Make somebody a member; whether that may be is asked before."""
    member_id = store.insert(
        "members", source_type=source_type(source), source_id=source.id, user_id=user.id, access_level=level,
        expires_at=expires_at, created_at=store.now(), created_by=creator.id,
    )  # fmt: skip
    return store.get(Member, member_id)


def add(
    store: Store, creator: User, source: Source, people: list[User], level: int, expires_at: str | None
) -> list[Member]:
    """Make people members, all or none. Only an owner makes others owners of a project."""
    if (
        isinstance(source, Project)
        and level == access.OWNER
        and access.project_level(store, creator, source) < access.OWNER
    ):
        raise forbidden()
    kind = source_type(source)
    for user in people:
        if store.one(Member, "source_type=? AND source_id=? AND user_id=?", kind, source.id, user.id):
            raise refused(409, "Member already exists")
    until = access.last_day(store, expires_at)
    with store.transaction():
        for user in people:
            access.forget_ended(store, "members", kind, source.id, user.id)
        return [insert(store, creator, source, user, level, until) for user in people]


def change(store: Store, member: Member, level: int, **expiry: str | None) -> None:
    """Another level, and with `expires_at` another last day."""
    if "expires_at" in expiry:
        expiry["expires_at"] = access.last_day(store, expiry["expires_at"])
    store.update("members", member.id, access_level=level, **expiry)


def remove(store: Store, member: Member) -> None:
    """End a membership; the last owner of a group at the top stays."""
    if member.source_type == "Namespace" and member.access_level == access.OWNER:
        owners = store.value(
            "SELECT count(*) FROM live_members WHERE source_type='Namespace' AND source_id=? AND access_level=50",
            member.source_id,
        )
        group = namespaces.find(store, member.source_id)
        if owners == 1 and group is not None and group.parent_id is None:
            raise forbidden()
    store.delete("members", member.id)
