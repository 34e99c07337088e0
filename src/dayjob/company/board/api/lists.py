"""Answering with lists: count, page, shape, envelope."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from dayjob.company.board import shapes
from dayjob.company.board.api.call import Call, Reply
from dayjob.company.board.paging import envelope, window
from dayjob.company.board.rows import Record
from dayjob.company.board.shapes import Shape
from dayjob.company.board.store import outside
from dayjob.company.board.store.lists import Listing

AnyRecord = TypeVar("AnyRecord", bound=Record)
ShapeAll = Callable[[list[Any]], list[Shape]]


def paged(call: Call, listing: Listing[Any], shape: ShapeAll | None = None) -> Reply:
    """One page of a list, in the order asked for."""
    asked = window(call.query)
    rows = listing.rows(call.db, call.query.get("order_by"), asked.limit, asked.offset)
    return Reply(200, envelope(asked, listing.count(call.db), shaped(call, rows, shape)))


def shaped(call: Call, rows: list[AnyRecord], shape: ShapeAll | None = None) -> list[Shape]:
    found = shape(rows) if shape else [shapes.plain(one) for one in rows]
    return shapes.each(found, call.db, call.words("fields"), call.words("expand"))


def from_outside(call: Call, record: type[AnyRecord], of: str) -> AnyRecord | None:
    """The single row that `external_id` and `external_source` in the query name; None when they are not both there."""
    id, source = call.query.get("external_id"), call.query.get("external_source")
    if not id or not source:
        return None
    return outside.brought(call.db, record, of, source, id)
