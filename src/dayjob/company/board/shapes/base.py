"""A row as Plane's serializers show it when nothing is added to it."""

from __future__ import annotations

from typing import Any

from dayjob.company.board.rows import Record
from dayjob.company.rows import reader

Shape = dict[str, Any]


def wire(row: Record) -> Shape:
    """The row as the JSON object a client gets; Plane writes a moment without a fraction that is zero."""
    how = reader(type(row))
    shape = dict(zip(how.columns, how.read(row), strict=True))
    for name in how.stamps:
        stamp = shape[name]
        if stamp is not None and stamp.endswith(".000000Z"):
            shape[name] = stamp[:19] + "Z"
    return shape


def picked(row: Record, *names: str) -> Shape:
    """Some columns of a row."""
    return {name: getattr(row, name) for name in names}


def plain(row: Record) -> Shape:
    """A row that is shown as it is kept."""
    return {**wire(row), "deleted_at": None}
