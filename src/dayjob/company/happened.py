"""What of the timeline has happened already, written down in the database it happened in.

The mark is part of the act's own transaction. So a company that is killed, kept, packed or forked has both or neither,
and a service that is put back to its start has neither.
"""

from __future__ import annotations

import sqlite3

SCHEMA = """
CREATE TABLE timeline_done (mark TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE timeline_due (mark TEXT PRIMARY KEY, at TEXT NOT NULL) WITHOUT ROWID;
"""
"""In every service's database: what was done, and when what follows an event is due."""


def mark(db: sqlite3.Connection, name: str) -> None:
    """It has happened, and will not happen again."""
    db.execute("INSERT OR IGNORE INTO timeline_done VALUES (?)", (name,))
    db.execute("DELETE FROM timeline_due WHERE mark = ?", (name,))


def marked(db: sqlite3.Connection) -> set[str]:
    """Everything that has happened."""
    return {name for (name,) in db.execute("SELECT mark FROM timeline_done")}


def expect(db: sqlite3.Connection, name: str, at: str) -> None:
    """What it waits for has come: it is due then. The first time counts."""
    db.execute("INSERT OR IGNORE INTO timeline_due VALUES (?, ?)", (name, at))


def expected(db: sqlite3.Connection) -> dict[str, str]:
    """What is due, and when, because what it waited for has come."""
    return dict(db.execute("SELECT mark, at FROM timeline_due").fetchall())
