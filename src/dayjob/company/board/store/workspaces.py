"""Workspaces: what is switched on in them, and where somebody begins; and the settings of the board as a whole."""

from __future__ import annotations

import sqlite3

from dayjob.company import rows
from dayjob.company.board.rows import Workspace
from dayjob.company.board.store.base import Store, required
from dayjob.company.rows import count, first, insert, update


def by_id(db: sqlite3.Connection, id: str) -> Workspace | None:
    return rows.by_id(db, Workspace, id)


def by_slug(db: sqlite3.Connection, slug: str) -> Workspace | None:
    return first(db, Workspace, "WHERE slug = ?", (slug,))


def workspace(db: sqlite3.Connection, slug: str) -> Workspace:
    """The workspace of that name, which must be there."""
    return required(db, Workspace, "WHERE slug = ?", (slug,))


def home_of(db: sqlite3.Connection, user: str) -> Workspace | None:
    """The workspace a person begins in: the oldest they are in."""
    return first(
        db,
        Workspace,
        "JOIN workspace_members m ON m.workspace = workspaces.id WHERE m.member = ? AND m.is_active"
        " ORDER BY workspaces.created_at LIMIT 1",
        (user,),
    )


def member_count(db: sqlite3.Connection, workspace: str) -> int:
    return count(db, "SELECT count(*) FROM workspace_members WHERE workspace = ? AND is_active", (workspace,))


def create(store: Store, id: str, *, name: str, slug: str, owner: str) -> None:
    values = {"id": id, "name": name, "slug": slug, "owner": owner, "created_at": store.now}
    insert(store.db, "workspaces", values)


def switch(db: sqlite3.Connection, workspace: Workspace, features: dict[str, bool]) -> Workspace:
    """Switch features on and off; those that are not named stay as they are."""
    update(db, "workspaces", workspace.id, {"features": {**workspace.features, **features}})
    return by_id(db, workspace.id) or workspace


def rate_limit(db: sqlite3.Connection) -> str | None:
    """How many requests a key may make, such as 60/minute; None for as many as it likes."""
    row = db.execute("SELECT value FROM settings WHERE name = 'rate_limit'").fetchone()
    return str(row[0]) if row else None


def set_rate_limit(db: sqlite3.Connection, rate: str) -> None:
    db.execute("INSERT INTO settings (name, value) VALUES ('rate_limit', ?)", (rate,))
