"""What ids are called when a change is told to people."""

from __future__ import annotations

import sqlite3
from typing import Any, Literal


def _look(db: sqlite3.Connection, sql: str, id: Any) -> str | None:
    row = db.execute(sql, (id,)).fetchone()
    return str(row[0]) if row else None


def project(db: sqlite3.Connection, id: Any) -> str:
    return _look(db, "SELECT identifier FROM projects WHERE id = ?", id) or "a deleted project"


def person(db: sqlite3.Connection, id: Any) -> str:
    return _look(db, "SELECT username FROM users WHERE id = ?", id) or "nobody"


def item(db: sqlite3.Connection, id: Any) -> str:
    """Such as TREL-12 "Weeds"."""
    sql = (
        "SELECT identifier || '-' || sequence_id || ' \"' || items.name || '\"' FROM items"
        " JOIN projects ON projects.id = items.project WHERE items.id = ?"
    )
    return _look(db, sql, id) or "a deleted work item"


def named(db: sqlite3.Connection, table: Literal["states", "labels", "cycles", "modules"], id: Any) -> str:
    if id is None:
        return "none"
    return _look(db, f"SELECT name FROM {table} WHERE id = ?", id) or "one that is gone"


def milestone(db: sqlite3.Connection, id: Any) -> str:
    return _look(db, "SELECT title FROM milestones WHERE id = ?", id) or "one that is gone"


def relation(db: sqlite3.Connection, definition: Any) -> str:
    """How a relation that a workspace defined reads."""
    return _look(db, "SELECT outward FROM relation_definitions WHERE id = ?", definition) or "is related to"
