"""Reading and writing rows as typed values, for all services.

A row class names its table; its fields are the table's columns (those a reader may see). `bool` fields are kept as 0
and 1, `Json` fields as text, `Stamp` fields as moments with six decimals, so that they sort.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence, Sized
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, ClassVar, Generic, TypeVar

Stamp = str
Json = Any

AnyRow = TypeVar("AnyRow", bound="Row")
Value = TypeVar("Value")


class Row:
    """A row of a table, which its class names: `class User(Row, table="users")`."""

    __slots__ = ()
    table: ClassVar[str]

    def __init_subclass__(cls, table: str = "") -> None:
        if table:
            cls.table = table


@dataclass(frozen=True, slots=True)
class _Reader:
    columns: tuple[str, ...]
    flags: tuple[int, ...]
    documents: tuple[int, ...]
    stamps: tuple[str, ...]
    select: str
    read: attrgetter[tuple[Any, ...]]

    def values(self, row: Sequence[Any]) -> Sequence[Any]:
        if not self.flags and not self.documents:
            return row
        values = list(row)
        for at in self.flags:
            values[at] = bool(values[at])
        for at in self.documents:
            values[at] = None if values[at] is None else json.loads(values[at])
        return values


_readers: dict[type[Row], _Reader] = {}


def reader(record: type[Row]) -> _Reader:
    found = _readers.get(record)
    if found is None:
        found = _readers[record] = _reader(record)
    return found


def _reader(record: type[Row]) -> _Reader:
    kinds = [(one.name, str(one.type)) for one in fields(record)]  # type: ignore[arg-type]  # all are dataclasses
    names = tuple(name for name, _ in kinds)
    return _Reader(
        names,
        tuple(at for at, (_, kind) in enumerate(kinds) if kind.startswith("bool")),
        tuple(at for at, (_, kind) in enumerate(kinds) if kind == "Json"),
        tuple(name for name, kind in kinds if kind.startswith("Stamp")),
        "SELECT " + ", ".join(f'{record.table}."{name}"' for name in names) + f" FROM {record.table} ",
        attrgetter(*names),
    )


_columns: dict[tuple[type[Any], str], str] = {}


def columns(row: type[Any], table: str = "") -> str:
    """The column list that fills a row class, for statements that `find` does not write."""
    found = _columns.get((row, table))
    if found is None:
        prefix = f"{table}." if table else ""
        found = _columns[row, table] = ", ".join(f'{prefix}"{field.name}"' for field in fields(row))
    return found


class Parsed(Generic[Value]):
    """What a column of JSON says, read when it is asked for: `names = Parsed[list[str]]("labels")`."""

    def __init__(self, column: str) -> None:
        self._text = attrgetter(column)

    def __get__(self, row: object, _: type[Any]) -> Value:
        text = self._text(row)
        found: Any = json.loads(text) if text else None
        value: Value = found
        return value


def packed(value: object) -> str:
    """A list or map as text for a column that keeps JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def placeholders(values: Sized) -> str:
    """A question mark for each: `f"id IN ({placeholders(ids)})"`."""
    return ", ".join("?" * len(values))


# SQLite refuses patterns of 50,000 bytes; a character has at most four, or two with the escape in front.
_LONGEST_PATTERN = 12_000


def like(text: str) -> str:
    """A LIKE pattern (ESCAPE '\\') that finds `text` anywhere; of a very long one its beginning."""
    escaped = text[:_LONGEST_PATTERN].replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def find(db: sqlite3.Connection, kind: type[AnyRow], tail: str, arguments: Iterable[Any] = ()) -> list[AnyRow]:
    """Every row that `tail` (joins, WHERE, ORDER BY, LIMIT) leaves."""
    how = reader(kind)
    return [kind(*how.values(row)) for row in db.execute(how.select + tail, tuple(arguments))]


def first(db: sqlite3.Connection, kind: type[AnyRow], tail: str, arguments: Iterable[Any] = ()) -> AnyRow | None:
    how = reader(kind)
    row = db.execute(how.select + tail, tuple(arguments)).fetchone()
    return None if row is None else kind(*how.values(row))


def by_id(db: sqlite3.Connection, kind: type[AnyRow], id: str | None) -> AnyRow | None:
    return None if id is None else first(db, kind, f"WHERE {kind.table}.id = ?", (id,))


def count(db: sqlite3.Connection, sql: str, arguments: Iterable[Any] = ()) -> int:
    """The single number a query gives; nothing is 0."""
    return int(db.execute(sql, tuple(arguments)).fetchone()[0] or 0)


def insert(db: sqlite3.Connection, table: str, values: dict[str, Any]) -> int:
    """Add a row; its number."""
    names = ", ".join(f'"{name}"' for name in values)
    marks = placeholders(values)
    sql = f"INSERT INTO {table} ({names}) VALUES ({marks})"
    return db.execute(sql, [_stored(one) for one in values.values()]).lastrowid or 0


def update(db: sqlite3.Connection, table: str, id: str | int, values: dict[str, Any]) -> int:
    """Set columns of the row with this id; how many rows have it."""
    if not values:
        return 0
    sets = ", ".join(f'"{name}" = ?' for name in values)
    sql = f"UPDATE {table} SET {sets} WHERE id = ?"
    return db.execute(sql, [*(_stored(one) for one in values.values()), id]).rowcount


@dataclass(frozen=True, slots=True)
class Document:
    """A value for a JSON column, whatever JSON it is."""

    value: Json


def _stored(value: Any) -> Any:
    if isinstance(value, Document):
        return json.dumps(value.value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else value
