"""Rows in and out of the forge's database: typed on the way out, plain SQL on the way in.

A row class is a dataclass whose fields are the table's columns. `Store` is what every function of this
package works on: the company's database, its clock and its repositories.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from dayjob.company import rows
from dayjob.company.database import Database
from dayjob.company.forge.errors import not_found
from dayjob.company.forge.rows import ForgeRow
from dayjob.company.rows import columns, placeholders

if TYPE_CHECKING:
    from dayjob.company.company import Company
    from dayjob.company.forge.git.repositories import Repositories
    from dayjob.company.forge.service import Forge

AnyRow = TypeVar("AnyRow", bound=ForgeRow)


@dataclass(slots=True)
class Listing:
    """A list that can be paged: what to select, from where, in which order.

    `source` is everything from FROM up to ORDER BY; `key` is the table's alias, so that the ids of a page can be
    found in an index before any row is read.
    """

    row_class: type[ForgeRow]
    source: str
    args: Sequence[Any] = ()
    order: str = "id DESC"
    key: str = ""

    @property
    def alias(self) -> str:
        """What the table is called in `source`."""
        return self.key or self.row_class.table

    def after(self, row_id: int | None, *, down: bool) -> Listing:
        """The same rows by id, down or up, those behind a row alone."""
        column = f"{self.alias}.id"
        source, args = self.source, self.args
        if row_id is not None:
            source, args = f"{source} AND {column} {'<' if down else '>'} ?", (*args, row_id)
        return Listing(self.row_class, source, args, f"{column} {'DESC' if down else 'ASC'}", self.key)


class Store:
    """The state of one company's forge."""

    def __init__(self, forge: Forge) -> None:
        self.forge = forge
        self._counts: dict[tuple[str, tuple[Any, ...]], tuple[tuple[int, str], int]] = {}

    @property
    def company(self) -> Company:
        return self.forge.company

    @property
    def db(self) -> Database:
        return self.forge.db

    @property
    def repos(self) -> Repositories:
        return self.forge.repositories

    def now(self) -> str:
        return self.forge.company.clock.stamp()

    def transaction(self) -> AbstractContextManager[Database]:
        return self.forge.transaction()

    # -- reading -------------------------------------------------------------------------------------------------

    def one(self, row_class: type[AnyRow], where: str, *args: Any) -> AnyRow | None:
        """The row of the class's table that matches, or None."""
        found = self.db.execute(f"SELECT {columns(row_class)} FROM {row_class.table} WHERE {where}", args).fetchone()
        return row_class(*found) if found is not None else None

    def required(self, row_class: type[AnyRow], where: str, *args: Any, name: str = "") -> AnyRow:
        """The row that matches; where there is none, a refusal says that there is no such thing (`name`)."""
        row = self.one(row_class, where, *args)
        if row is None:
            raise not_found(name)
        return row

    def get(self, row_class: type[AnyRow], row_id: int) -> AnyRow:
        """The row with this id, which is known to be there."""
        row = self.one(row_class, "id=?", row_id)
        assert row is not None
        return row

    def all(self, row_class: type[AnyRow], where: str, *args: Any) -> list[AnyRow]:
        """Every row of the class's table that matches; `where` may end with ORDER BY and LIMIT."""
        found = self.db.execute(f"SELECT {columns(row_class)} FROM {row_class.table} WHERE {where}", args)
        return [row_class(*row) for row in found]

    def by_ids(self, row_class: type[AnyRow], ids: Iterable[int | None]) -> dict[int, AnyRow]:
        wanted = [one for one in set(ids) if one is not None]
        if not wanted:
            return {}
        marks = placeholders(wanted)
        return {row.id: row for row in self.all(row_class, f"id IN ({marks})", *wanted)}

    def value(self, sql: str, *args: Any) -> Any:
        found = self.db.execute(sql, args).fetchone()
        return found[0] if found is not None else None

    def values(self, sql: str, *args: Any) -> list[Any]:
        return [row[0] for row in self.db.execute(sql, args)]

    def page(self, listing: Listing, limit: int, offset: int) -> list[Any]:
        """One page: ids from the index first, then only the page's own rows. A page nearer to the end than to the
        beginning is counted from the end, so that the last one costs what the first one does."""
        name, key = listing.row_class.table, listing.alias
        if offset == 0:
            sql = f"SELECT {columns(listing.row_class, key)} {listing.source} ORDER BY {listing.order} LIMIT ?"
            return [listing.row_class(*row) for row in self.db.execute(sql, (*listing.args, limit))]
        order, total = listing.order, self.count(listing)
        if offset >= total:
            return []
        wanted = min(limit, total - offset)
        backwards = reversed_order(order) if offset > total // 2 else None
        skip = total - offset - wanted if backwards else offset
        ids = f"SELECT {key}.id {listing.source} ORDER BY {backwards or order} LIMIT ? OFFSET ?"
        sql = f"SELECT {columns(listing.row_class, key)} FROM {name} {key} WHERE {key}.id IN ({ids}) ORDER BY {order}"
        return [listing.row_class(*row) for row in self.db.execute(sql, (*listing.args, wanted, skip))]

    def count(self, listing: Listing) -> int:
        """How many rows the listing has; remembered until anything in the database changes, or the day."""
        name = (listing.source, tuple(listing.args))
        version = (self.db.total_changes, self.now()[:10])
        known = self._counts.get(name)
        if known is not None and known[0] == version:
            return known[1]
        found: int = self.value(f"SELECT count(*) {listing.source}", *listing.args)
        if len(self._counts) > 200:
            self._counts.clear()
        self._counts[name] = (version, found)
        return found

    def forget(self) -> None:
        """The database was put back."""
        self._counts.clear()

    # -- writing -------------------------------------------------------------------------------------------------

    def insert(self, name: str, /, **values: Any) -> int:
        return rows.insert(self.db, name, values)

    def update(self, name: str, row_id: int, /, **values: Any) -> None:
        rows.update(self.db, name, row_id, values)

    def delete(self, name: str, row_id: int) -> None:
        self.db.execute(f"DELETE FROM {name} WHERE id=?", (row_id,))

    def next_iid(self, name: str, row_id: int, column: str) -> int:
        """The next number of a project's (or group's) own sequence: dense, and never given twice."""
        found: int = self.value(f"UPDATE {name} SET {column}={column}+1 WHERE id=? RETURNING {column}", row_id)
        return found


def reversed_order(order: str) -> str | None:
    """The opposite of an ORDER BY whose every part says its direction; None for any other."""
    parts = [part.rpartition(" ") for part in order.split(", ")]
    if any(direction.lower() not in ("asc", "desc") for _, _, direction in parts):
        return None
    return ", ".join(f"{column} {'DESC' if direction.lower() == 'asc' else 'ASC'}" for column, _, direction in parts)
