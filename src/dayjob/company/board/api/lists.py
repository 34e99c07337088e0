"""Answering with lists: count, page, shape, envelope."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from dayjob.company.board import shapes
from dayjob.company.board.api.call import Call, Reply
from dayjob.company.board.paging import envelope, window
from dayjob.company.board.refusals import NotThere
from dayjob.company.board.rows import Record, count, find, first
from dayjob.company.board.shapes import Shape

Row = TypeVar("Row", bound=Record)
ShapeAll = Callable[[list[Any]], list[Shape]]


def paged(
    call: Call,
    record: type[Row],
    where: str,
    arguments: Sequence[Any],
    order: str,
    shape: ShapeAll | None = None,
) -> Reply:
    """One page of the rows that match; `order` must be served by an index or by few rows."""
    asked = window(call.query)
    total = count(call.db, f"SELECT count(*) FROM {record.table} WHERE {where}", arguments)
    tail = f"WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?"
    rows = find(call.db, record, tail, (*arguments, asked.limit, asked.offset))
    return Reply(200, envelope(asked, total, shaped(call, rows, shape)))


def shaped(call: Call, rows: list[Row], shape: ShapeAll | None = None) -> list[Shape]:
    found = shape(rows) if shape else [shapes.plain(one) for one in rows]
    return shapes.each(found, call.db, call.words("fields"), call.words("expand"))


def ordered(call: Call, allowed: Sequence[str], default: str) -> str:
    """The ORDER BY a client asked for among `allowed`, else the default; ties by age."""
    asked = call.query.get("order_by", default)
    name = asked.removeprefix("-")
    if name not in allowed:
        asked = default
        name = asked.removeprefix("-")
    down = "DESC" if asked.startswith("-") else "ASC"
    return f'"{name}" {down}, rowid {down}'


def from_outside(call: Call, record: type[Row], place: str, of: str) -> Row | None:
    """The single row that `external_id` and `external_source` in the query name; None when they are not both there."""
    id, source = call.query.get("external_id"), call.query.get("external_source")
    if not id or not source:
        return None
    found = first(call.db, record, f"WHERE {place} = ? AND external_id = ? AND external_source = ?", (of, id, source))
    if found is None:
        raise NotThere
    return found
