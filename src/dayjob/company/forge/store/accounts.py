"""What is done with accounts: listed, changed, blocked, removed."""

from __future__ import annotations

import json
from typing import Any

from dayjob.company.forge.errors import forbidden, invalid, refused
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import namespaces, projects, tokens, users
from dayjob.company.forge.store.base import Listing, Store
from dayjob.company.rows import like, packed

ORDERS = {"id": "id", "name": "name", "username": "username", "created_at": "created_at", "updated_at": "created_at"}
_AUTHORS = (
    ("issues", "author_id"),
    ("merge_requests", "author_id"),
    ("notes", "author_id"),
    ("releases", "author_id"),
    ("snippets", "author_id"),
    ("award_emoji", "user_id"),
    ("resource_events", "user_id"),
    ("pipelines", "user_id"),
    ("jobs", "user_id"),
)
"""Where the one who wrote something is named: table and column."""


def listed(
    *, username: str | None = None, search: str | None = None, active: bool = False, blocked: bool | None = None,
    external: bool = False, humans: bool = False, admins: bool = False, order: str = "id", sort: str = "desc",
    also: str = "",
) -> Listing:  # fmt: skip
    """Accounts; `also` is a further condition, such as that of custom attributes."""
    where, args = "1", list[Any]()
    if username:
        where += " AND username=?"
        args.append(username)
    if search:
        where += " AND (username LIKE ? ESCAPE '\\' OR name LIKE ? ESCAPE '\\' OR email=?)"
        args += [like(search), like(search), search]
    if active:
        where += " AND state='active'"
    if blocked is not None:
        where += f" AND state{'=' if blocked else '<>'}'blocked'"
    if external:
        where += " AND external=1"
    if humans:
        where += " AND bot=0"
    if admins:
        where += " AND admin=1"
    return Listing(User, f"FROM users WHERE {where}{also}", args, f"users.{ORDERS[order]} {sort}")


def active_since(store: Store, day: str) -> list[User]:
    """Whoever did something on that day or later."""
    return store.all(User, "last_activity_on IS NOT NULL AND last_activity_on>=? ORDER BY last_activity_on", day)


def associations(store: Store, user: User) -> dict[str, int]:
    """How many groups and projects somebody belongs to, and how much they opened."""
    membership = "SELECT count(*) FROM live_members WHERE source_type=? AND user_id=?"
    return {
        "groups": store.value(membership, "Namespace", user.id),
        "projects": store.value(membership, "Project", user.id),
        "issues": store.value("SELECT count(*) FROM issues WHERE author_id=?", user.id),
        "merge_requests": store.value("SELECT count(*) FROM merge_requests WHERE author_id=?", user.id),
    }


# -- changes -----------------------------------------------------------------------------------------------------


def change(
    store: Store, user: User, values: dict[str, Any], profile: dict[str, Any], password: str | None = None
) -> User:
    """Change an account's columns and profile. Another username takes the account's projects along."""
    username = values.get("username", user.username)
    if "email" in values and users.is_address_taken(store, values["email"], by_others_than=user):
        raise refused(409, "Email has already been taken")
    if username != user.username:
        if not users.USERNAME.fullmatch(username):
            raise invalid(username=["is invalid"])
        if _is_username_taken(store, username, user):
            raise refused(409, "Username has already been taken")
    if password and len(password) < 8:
        raise invalid(password=["is too short (minimum is 8 characters)"])
    if profile:
        values = {**values, "profile": packed({**user.facts, **profile})}
    with store.transaction():
        store.update("users", user.id, **values)
        if username != user.username:
            _move_own_projects(store, user, username)
        if password:
            users.set_password(store, user.id, password)
    return users.again(store, user)


def _is_username_taken(store: Store, username: str, user: User) -> bool:
    """By another account, a bot among them, or by a group."""
    taken = (
        "SELECT 1 FROM users WHERE username=? AND id<>? "
        "UNION SELECT 1 FROM namespaces WHERE full_path=? AND owner_id IS NOT ?"
    )
    return bool(store.value(taken, username, user.id, username, user.id))


def _move_own_projects(store: Store, user: User, username: str) -> None:
    space = namespaces.own(store, user)
    if space is None:
        return
    store.update("namespaces", space.id, path=username, full_path=username)
    store.db.execute(
        "UPDATE projects SET full_path=? || substr(full_path, ?) WHERE namespace_id=?",
        (username, len(user.username) + 1, space.id),
    )


def with_identity(user: User, provider: str, uid: str) -> list[dict[str, Any]]:
    """An account's identities elsewhere, with the one of this provider set."""
    others = [identity for identity in user.facts.get("identities", []) if identity["provider"] != provider]
    return [*others, {"provider": provider, "extern_uid": uid, "saml_provider_id": None}]


def set_state(store: Store, user: User, state: str) -> None:
    store.update("users", user.id, state=state)


def switch(store: Store, user: User, before: str, after: str) -> None:
    """From one state to another, and from no other."""
    if user.state != before:
        raise forbidden(f"A user that is {user.state} cannot be made {after}")
    set_state(store, user, after)


def remove(store: Store, user: User) -> None:
    """Remove an account with its own projects; what it wrote elsewhere passes to the ghost."""
    with store.transaction():
        ghost = users.find(store, "ghost") or users.create(
            store, username="ghost", name="Ghost User", email=f"ghost@{store.company.world.host}", password=None,
            bot=True,
        )  # fmt: skip
        for project in store.all(Project, "namespace_id IN (SELECT id FROM namespaces WHERE owner_id=?)", user.id):
            projects.delete(store, project)
        for table, column in _AUTHORS:
            store.db.execute(f"UPDATE {table} SET {column}=? WHERE {column}=?", (ghost.id, user.id))
        store.db.execute("DELETE FROM events WHERE author_id=?", (user.id,))
        store.db.execute("DELETE FROM records WHERE scope='user' AND scope_id=?", (user.id,))
        _take_off_items(store, user)
        store.delete("users", user.id)


def _take_off_items(store: Store, user: User) -> None:
    """Issues and merge requests repeat the ids of their people: take somebody's out."""
    for kind, table, columns in (
        ("Issue", "issues", ("assignees",)),
        ("MergeRequest", "merge_requests", ("assignees", "reviewers")),
    ):
        for item_id in store.values("SELECT item_id FROM people WHERE user_id=? AND item_type=?", user.id, kind):
            for column in columns:
                ids = json.loads(store.value(f"SELECT {column} FROM {table} WHERE id=?", item_id) or "[]")
                store.update(table, item_id, **{column: packed([user_id for user_id in ids if user_id != user.id])})


def set_secrets(store: Store, username: str, password: str | None, token: str | None) -> None:
    """Replace an account's password, tokens and sessions."""
    user = store.one(User, "username=?", username)
    if user is None:
        return
    with store.transaction():
        store.db.execute("DELETE FROM sessions WHERE user_id=?", (user.id,))
        if password is not None:
            users.set_password(store, user.id, password)
        if token is not None:
            kept = store.db.execute("SELECT scopes FROM tokens WHERE user_id=? ORDER BY id", (user.id,)).fetchone()
            scopes = json.loads(kept[0]) if kept else ["api", "sudo"]
            store.db.execute("DELETE FROM tokens WHERE user_id=?", (user.id,))
            tokens.issue(store, "personal", f"{username}'s token", scopes, "", user_id=user.id, secret=token)
