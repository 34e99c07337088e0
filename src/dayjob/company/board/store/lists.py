"""Lists that a reader pages through: which rows they hold, and in which orders they may be asked for."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic

from dayjob.company.board.errors import NotThere
from dayjob.company.rows import AnyRow, count, find, first

Order = Callable[[str | None], str]
"""The ORDER BY for the order a client asked for; the usual one when it asked for none, or one that is not known."""


@dataclass(frozen=True, slots=True)
class Listing(Generic[AnyRow]):
    """The rows of a table that meet a condition. The condition is the store's own; its values are arguments."""

    row: type[AnyRow]
    where: str
    arguments: tuple[Any, ...]
    order: Order

    def count(self, db: sqlite3.Connection) -> int:
        return count(db, f"SELECT count(*) FROM {self.row.table} WHERE {self.where}", self.arguments)

    def rows(self, db: sqlite3.Connection, order: str | None = None, limit: int = -1, offset: int = 0) -> list[AnyRow]:
        tail = f"WHERE {self.where} ORDER BY {self.order(order)} LIMIT ? OFFSET ?"
        return find(db, self.row, tail, (*self.arguments, limit, offset))

    def one(self, db: sqlite3.Connection, id: str) -> AnyRow:
        """The row of the list with this id."""
        row = first(db, self.row, f"WHERE {self.where} AND id = ?", (*self.arguments, id))
        if row is None:
            raise NotThere
        return row

    def narrowed(self, condition: str, *arguments: Any) -> Listing[AnyRow]:
        """Those that meet another condition too."""
        return replace(self, where=f"{self.where} AND {condition}", arguments=(*self.arguments, *arguments))

    def unless(self, empty: object) -> Listing[AnyRow]:
        """Nothing at all when `empty` holds, such as for an archived project."""
        return self.narrowed("0") if empty else self


def by(*columns: str, default: str = "-created_at") -> Order:
    """An order by one of these columns, downwards with a hyphen before it; ties by age."""

    def order(asked: str | None) -> str:
        chosen = asked if asked is not None and asked.removeprefix("-") in columns else default
        direction = "DESC" if chosen.startswith("-") else "ASC"
        return f'"{chosen.removeprefix("-")}" {direction}, rowid {direction}'

    return order


def always(order: str) -> Order:
    """The one order a list has."""
    return lambda asked: order


def members_only(row: type[AnyRow], project: str, user: str, order: Order) -> Listing[AnyRow]:
    """A project's rows for those in it, even where the workspace's administrators may pass."""
    inside = "SELECT 1 FROM project_members m WHERE m.project = ? AND m.member = ? AND m.is_active"
    return Listing(row, f"project = ? AND EXISTS ({inside})", (project, project, user), order)
