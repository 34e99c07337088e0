"""Rows with no rule beyond their own fields: made, changed and removed by one function each."""

from __future__ import annotations

from typing import Any, TypeVar

from dayjob.company.board.ledger import Ledger
from dayjob.company.board.refusals import NotThere
from dayjob.company.board.rows import Record, by_id, first, insert, update

Row = TypeVar("Row", bound=Record)


def add(ledger: Ledger, record: type[Row], facts: dict[str, Any]) -> Row:
    values = {**ledger.birth(), **facts}
    insert(ledger.db, record.table, values)
    made = by_id(ledger.db, record, str(values["id"]))
    assert made is not None
    return made


def change(ledger: Ledger, row: Row, facts: dict[str, Any]) -> Row:
    update(ledger.db, row.table, row.id, {**facts, **ledger.touch()})
    changed = by_id(ledger.db, type(row), row.id)
    assert changed is not None
    return changed


def remove(ledger: Ledger, row: Record) -> None:
    ledger.db.execute(f"DELETE FROM {row.table} WHERE id = ?", (row.id,))


def one(ledger: Ledger, record: type[Row], id: str, **where: str) -> Row:
    """The row with this id, if the columns named in `where` have these values."""
    conditions = "".join(f" AND {column} = ?" for column in where)
    found = first(ledger.db, record, f"WHERE id = ?{conditions}", (id, *where.values()))
    if found is None:
        raise NotThere
    return found
