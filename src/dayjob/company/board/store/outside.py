"""Ids that other systems gave: a thing brought from outside may be brought once."""

from __future__ import annotations

import sqlite3
from typing import Any, TypeVar

from dayjob.company.board.errors import Conflict
from dayjob.company.board.rows import Project, Record
from dayjob.company.board.store.base import required

AnyRecord = TypeVar("AnyRecord", bound=Record)


def taken(db: sqlite3.Connection, table: str, place: str, of: str, source: Any, id: Any) -> str | None:
    """The row of `table`, within the project (or workspace) `of`, that came from there under that id."""
    if not source or not id or not isinstance(source, str) or not isinstance(id, str):
        return None
    row = db.execute(
        f"SELECT id FROM {table} WHERE {place} = ? AND external_source = ? AND external_id = ?", (of, source, id)
    ).fetchone()
    return str(row[0]) if row else None


def brought(db: sqlite3.Connection, record: type[AnyRecord], of: str, source: str, id: str) -> AnyRecord:
    """The row within the project `of` (for a project: the workspace) that came from there under that id."""
    place = "workspace" if record is Project else "project"
    where = f"WHERE {place} = ? AND external_id = ? AND external_source = ?"
    return required(db, record, where, (of, id, source))


def refuse_second(
    db: sqlite3.Connection, table: str, noun: str, project: str, facts: dict[str, Any], place: str = "project"
) -> None:
    """Creating: the pair must be new."""
    found = taken(db, table, place, project, facts.get("external_source"), facts.get("external_id"))
    if found is not None:
        raise Conflict(f"{noun} with the same external id and external source already exists", found)


def refuse_clash(
    db: sqlite3.Connection, table: str, noun: str, project: str, row: Any, facts: dict[str, Any], place: str = "project"
) -> None:
    """Changing: the pair must be new, or this row's own."""
    if not facts.get("external_id") or facts["external_id"] == row.external_id:
        return
    source = facts.get("external_source", row.external_source)
    if taken(db, table, place, project, source, facts["external_id"]) is not None:
        raise Conflict(f"{noun} with the same external id and external source already exists", row.id)
