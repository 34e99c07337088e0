"""Who may come in: users, their keys, passwords and sessions, and their roles in the workspace and its projects."""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
from dataclasses import dataclass
from typing import Any

from dayjob.company.board.errors import BadRequest, Invalid, NotThere
from dayjob.company.board.rows import Project, User
from dayjob.company.board.store.base import Store
from dayjob.company.passwords import hash_password, password_fits
from dayjob.company.rows import by_id, count, find, first, insert, placeholders, reader, update

ADMIN, MEMBER, GUEST = 20, 15, 5
ROLE_SLUGS = {ADMIN: "admin", MEMBER: "member", GUEST: "guest"}

_USER = reader(User)
_USER_BY_KEY = (
    "SELECT "
    + ", ".join(f'users."{name}"' for name in _USER.columns)
    + " FROM api_keys JOIN users ON users.id = api_keys.user WHERE api_keys.hash = ? AND users.is_active"
)


def secret_hash(secret: str) -> bytes:
    """Keys and session tokens are long and random, so one plain hash hides them."""
    return hashlib.blake2b(secret.encode("utf-8", "surrogateescape"), digest_size=32).digest()


def user_by_key(db: sqlite3.Connection, key: str) -> User | None:
    row = db.execute(_USER_BY_KEY, (secret_hash(key),)).fetchone()
    return None if row is None else User(*_USER.values(row))


def add_user(
    store: Store,
    *,
    username: str,
    email: str,
    name: str,
    password: str | None,
    id: str | None = None,
    display_name: str | None = None,
) -> str:
    """A new user; the id comes back. Plane keeps first and last names apart."""
    given, _, family = name.partition(" ")
    drawn = store.ids.uuid()  # also where it is not used, so that other ids stay what they are
    id = id or drawn
    insert(
        store.db,
        "users",
        {
            "id": id, "username": username, "email": email, "first_name": given, "last_name": family,
            "display_name": display_name or username, "created_at": store.now,
        },
    )  # fmt: skip
    if password is not None:
        set_password(store, id, password)
    return id


def set_password(store: Store, user: str, password: str) -> None:
    kept = hash_password(password, store.ids.hex(16))
    store.db.execute("INSERT OR REPLACE INTO passwords (user, hash) VALUES (?, ?)", (user, kept))


def user(db: sqlite3.Connection, id: str | None) -> User | None:
    return by_id(db, User, id)


def user_by_email(db: sqlite3.Connection, email: str) -> User | None:
    return first(db, User, "WHERE email = ?", (email.strip(),))


def user_by_name(db: sqlite3.Connection, username: str) -> User | None:
    """The active user with this username."""
    return first(db, User, "WHERE username = ? AND is_active", (username,))


def check_password(db: sqlite3.Connection, email: str, password: str) -> User | None:
    """The active user with this address and password."""
    user = user_by_email(db, email)
    if user is None or not user.is_active:
        return None
    row = db.execute("SELECT hash FROM passwords WHERE user = ?", (user.id,)).fetchone()
    return user if row is not None and password_fits(password, row[0]) else None


def add_key(db: sqlite3.Connection, user: str, key: str) -> None:
    db.execute("INSERT OR IGNORE INTO api_keys (hash, user) VALUES (?, ?)", (secret_hash(key), user))


def mint_key(db: sqlite3.Connection, email: str) -> str:
    """A fresh API key for the user with this address; `KeyError` when there is none."""
    user = user_by_email(db, email)
    if user is None:
        raise KeyError(email)
    key = f"plane_api_{secrets.token_hex(16)}"
    add_key(db, user.id, key)
    return key


def replace_secrets(db: sqlite3.Connection, email: str, *, password: str | None, key: str | None) -> None:
    """Give a user this password and this API key in place of all they have, and end their sessions."""
    user = user_by_email(db, email)
    if user is None:
        return
    for table in ("passwords", "api_keys", "sessions"):
        db.execute(f"DELETE FROM {table} WHERE user = ?", (user.id,))
    if password is not None:
        db.execute("INSERT INTO passwords (user, hash) VALUES (?, ?)", (user.id, hash_password(password)))
    if key is not None:
        add_key(db, user.id, key)


def open_session(db: sqlite3.Connection, user: str) -> str:
    token = secrets.token_urlsafe(32)
    db.execute("INSERT INTO sessions (hash, user) VALUES (?, ?)", (secret_hash(token), user))
    return token


def close_session(db: sqlite3.Connection, token: str) -> None:
    db.execute("DELETE FROM sessions WHERE hash = ?", (secret_hash(token),))


def user_by_session(db: sqlite3.Connection, token: str) -> User | None:
    return first(
        db,
        User,
        "JOIN sessions ON sessions.user = users.id WHERE sessions.hash = ? AND users.is_active",
        (secret_hash(token),),
    )


# -- membership --------------------------------------------------------------------------------------------------


def workspace_role(db: sqlite3.Connection, slug: str, user: str) -> int:
    """The user's role in the workspace; 0 for none."""
    row = db.execute(
        "SELECT role FROM workspace_members JOIN workspaces ON workspaces.id = workspace_members.workspace"
        " WHERE member = ? AND slug = ? AND is_active",
        (user, slug),
    ).fetchone()
    return int(row[0]) if row else 0


def project_role(db: sqlite3.Connection, project: str, user: str) -> int:
    """The user's role in the project; 0 for none."""
    row = db.execute(
        "SELECT role FROM project_members WHERE project = ? AND member = ? AND is_active", (project, user)
    ).fetchone()
    return int(row[0]) if row else 0


def sees_project(db: sqlite3.Connection, slug: str, project: str, user: str) -> bool:
    """Whether the user is in the project, or administers its workspace."""
    return project_role(db, project, user) > 0 or workspace_role(db, slug, user) == ADMIN


def in_some_project(db: sqlite3.Connection, slug: str, user: str) -> bool:
    """Whether the user is in any project of the workspace."""
    row = db.execute(
        "SELECT 1 FROM project_members JOIN workspaces ON workspaces.id = project_members.workspace"
        " WHERE member = ? AND is_active AND slug = ? LIMIT 1",
        (user, slug),
    ).fetchone()
    return row is not None


def add_workspace_member(store: Store, workspace: str, user: str, role: int) -> None:
    """Join a workspace, or come back to it."""
    back = store.db.execute(
        "UPDATE workspace_members SET role = ?, is_active = 1 WHERE workspace = ? AND member = ?",
        (role, workspace, user),
    )
    if back.rowcount:
        return
    values = {"id": store.ids.uuid(), "workspace": workspace, "member": user, "role": role, "created_at": store.now}
    insert(store.db, "workspace_members", values)


def add_project_member(store: Store, workspace: str, project: str, user: str, role: int) -> str:
    """Join a project, or come back to it; newer projects stand before older ones in a person's list."""
    row = store.db.execute(
        "SELECT id FROM project_members WHERE project = ? AND member = ?", (project, user)
    ).fetchone()
    if row is not None:
        store.db.execute("UPDATE project_members SET role = ?, is_active = 1 WHERE id = ?", (role, row[0]))
        return str(row[0])
    smallest = store.db.execute(
        "SELECT min(sort_order) FROM project_members WHERE member = ? AND workspace = ?", (user, workspace)
    ).fetchone()[0]
    values = {
        **store.birth(), "workspace": workspace, "project": project, "member": user, "role": role,
        "sort_order": 65535.0 if smallest is None else smallest - 10000,
    }  # fmt: skip
    insert(store.db, "project_members", values)
    return str(values["id"])


def invite_to_project(
    store: Store, slug: str, project: Project, role: int, *, email: str, display_name: str, name: str
) -> User:
    """Bring someone in by address; an address nobody has becomes a new, still inactive, user."""
    db = store.db
    known = user_by_email(db, email)
    if known is None:
        id = add_user(store, username=email, email=email, name=name, password=None)
        update(db, "users", id, {"display_name": display_name, "is_active": False})
        known = user(db, id)
        assert known is not None
    if not workspace_role(db, slug, known.id):
        add_workspace_member(store, project.workspace, known.id, role)
    elif project_role(db, project.id, known.id):
        raise BadRequest("User is already part of the workspace and project")
    add_project_member(store, project.workspace, project.id, known.id, role)
    return known


def remove_from_workspace(db: sqlite3.Connection, slug: str, workspace: str, email: str) -> None:
    """Take someone out of the workspace and all its projects."""
    leaving = user_by_email(db, email)
    if leaving is None or not workspace_role(db, slug, leaving.id):
        raise NotThere
    last_admin_stays(db, workspace, leaving.id)
    for table in ("workspace_members", "project_members"):
        db.execute(f"UPDATE {table} SET is_active = 0 WHERE workspace = ? AND member = ?", (workspace, leaving.id))


def edit_project_member(db: sqlite3.Connection, member: Member, facts: dict[str, Any]) -> None:
    """Give a member of a project another role, or let them go or come back (`is_active`)."""
    update(db, "project_members", member.membership, facts)


def project_member(db: sqlite3.Connection, project: str, id: str) -> Member:
    """The member that a membership's id, or a user's, names."""
    for member in members(db, "project", project, {})[0]:
        if id in (member.membership, member.user.id):
            return member
    raise NotThere


@dataclass(frozen=True, slots=True)
class RoleCount:
    """How many memberships of open projects have a role, and how many people those are."""

    role: int
    memberships: int
    people: int


def role_counts(db: sqlite3.Connection, workspace: str) -> tuple[list[RoleCount], int]:
    """The roles that people have in a workspace's open projects, and how many people have any."""
    within = (
        "FROM project_members m JOIN projects ON projects.id = m.project"
        " WHERE m.workspace = ? AND is_active AND archived_at IS NULL"
    )
    rows = db.execute(
        f"SELECT role, count(*), count(DISTINCT member) {within} GROUP BY role ORDER BY role DESC", (workspace,)
    )
    return [RoleCount(*row) for row in rows], count(db, f"SELECT count(DISTINCT member) {within}", (workspace,))


@dataclass(slots=True)
class Member:
    """Someone in a workspace or a project, with the membership's own facts."""

    user: User
    role: int
    is_active: bool
    membership: str


def members(
    db: sqlite3.Connection, where: str, place: str, filters: dict[str, Any], limit: int = -1, offset: int = 0
) -> tuple[list[Member], int]:
    """Members of a `workspace` or `project`, oldest first, and how many there are in all."""
    table = f"{where}_members"
    conditions, arguments = [f"m.{where} = ?"], [place]
    for column in ("first_name", "last_name", "email", "display_name"):
        if filters.get(column):
            conditions.append(f"instr(lower(u.{column}), lower(?)) > 0")
            arguments.append(filters[column])
    if filters.get("role_slug"):
        role = next((number for number, slug in ROLE_SLUGS.items() if slug == filters["role_slug"]), -1)
        conditions.append(f"m.role = {role}")
    for column, owner in (("is_active", "m"), ("is_bot", "u")):
        if column in filters:
            conditions.append(f"{owner}.{column} = {int(bool(filters[column]))}")
    if "is_active" not in filters:
        conditions.append("m.is_active = 1")
    tail = f" FROM {table} m JOIN users u ON u.id = m.member WHERE {' AND '.join(conditions)}"
    total = int(db.execute(f"SELECT count(*){tail}", arguments).fetchone()[0])
    columns = ", ".join(f"u.{name}" for name in _USER.columns)
    rows = db.execute(
        f"SELECT m.role, m.is_active, m.id, {columns}{tail} ORDER BY m.created_at, m.rowid LIMIT ? OFFSET ?",
        (*arguments, limit, offset),
    )
    return [Member(User(*_USER.values(row[3:])), row[0], bool(row[1]), row[2]) for row in rows], total


def users(db: sqlite3.Connection, ids: list[str]) -> list[User]:
    """The users with these ids, in that order."""
    marks = placeholders(ids)
    found = {one.id: one for one in find(db, User, f"WHERE id IN ({marks})", ids)} if ids else {}
    return [found[id] for id in ids if id in found]


def rename(db: sqlite3.Connection, user: User, *, first_name: str, last_name: str, display_name: str) -> None:
    """Give someone other names; a first and a display name they must have."""
    names = {"first_name": first_name, "last_name": last_name, "display_name": display_name}
    for column, value in names.items():
        if "\0" in value or len(value) > 255:
            raise Invalid({column: ["Ensure this field has no more than 255 characters."]})
        if not value and column != "last_name":
            raise Invalid({column: ["This field may not be blank."]})
    update(db, "users", user.id, names)


def set_workspace_role(db: sqlite3.Connection, workspace: str, user: str, role: int) -> None:
    """Give a member another role; a workspace keeps an administrator."""
    if role != ADMIN:
        last_admin_stays(db, workspace, user)
    db.execute("UPDATE workspace_members SET role = ? WHERE workspace = ? AND member = ?", (role, workspace, user))


def last_admin_stays(db: sqlite3.Connection, workspace: str, user: str) -> None:
    """Refuse to take the only administrator out of a workspace."""
    others = db.execute(
        "SELECT 1 FROM workspace_members WHERE workspace = ? AND member != ? AND role = ? AND is_active LIMIT 1",
        (workspace, user, ADMIN),
    ).fetchone()
    if others is None:
        raise BadRequest("You cannot remove the only admin of the workspace")
