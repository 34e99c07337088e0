"""Rows with no rule beyond their own fields: made, changed and removed by one function each."""

from __future__ import annotations

import sqlite3
from typing import Any, TypeVar

from dayjob.company.board.errors import Invalid, NotThere
from dayjob.company.board.rows import InProject, Record
from dayjob.company.board.store.base import Store
from dayjob.company.rows import by_id, first, insert, update

Row = TypeVar("Row", bound=Record)


def add(store: Store, record: type[Row], facts: dict[str, Any]) -> Row:
    values = {**store.birth(), **facts}
    insert(store.db, record.table, values)
    made = by_id(store.db, record, str(values["id"]))
    assert made is not None
    return made


def change(store: Store, row: Row, facts: dict[str, Any]) -> Row:
    update(store.db, row.table, row.id, {**facts, **store.touch()})
    changed = by_id(store.db, type(row), row.id)
    assert changed is not None
    return changed


def remove(store: Store, row: Record) -> None:
    store.db.execute(f"DELETE FROM {row.table} WHERE id = ?", (row.id,))


def one(store: Store, record: type[Row], id: str, **where: str) -> Row:
    """The row with this id, if the columns named in `where` have these values."""
    conditions = "".join(f" AND {column} = ?" for column in where)
    found = first(store.db, record, f"WHERE id = ?{conditions}", (id, *where.values()))
    if found is None:
        raise NotThere
    return found


def last_order(
    store: Store, record: type[Record], column: str = "sort_order", step: int = 10000, /, **where: str
) -> float:
    """The place after all rows whose columns have these values."""
    conditions = " AND ".join(f"{column} = ?" for column in where)
    last = store.db.execute(
        f"SELECT max({column}) FROM {record.table} WHERE {conditions}", tuple(where.values())
    ).fetchone()[0]
    return 65535.0 if last is None else float(last) + step


def must_be_in(db: sqlite3.Connection, record: type[InProject], project: str, id: str | None, sentence: str) -> None:
    """Refuse with this sentence an id that is not one of the project's; None is nobody's."""
    if id is not None:
        row = by_id(db, record, id)
        if row is None or row.project != project:
            raise Invalid.whole(sentence)


def exists(db: sqlite3.Connection, table: str, id: str) -> bool:
    return db.execute(f"SELECT 1 FROM {table} WHERE id = ?", (id,)).fetchone() is not None
