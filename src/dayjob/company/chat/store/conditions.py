"""Which rows a list holds: a condition with its arguments. They are made in the store, from known columns only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dayjob.company.chat.errors import ChatError
from dayjob.company.rows import like, placeholders


@dataclass(frozen=True, slots=True)
class Condition:
    """A part of a WHERE. `&` and `|` join two; all rows meet `ALL`."""

    sql: str = "1"
    arguments: tuple[Any, ...] = ()

    def __and__(self, other: Condition) -> Condition:
        if ALL in (self, other):
            return other if self == ALL else self
        return Condition(f"({self.sql}) AND ({other.sql})", (*self.arguments, *other.arguments))

    def __or__(self, other: Condition) -> Condition:
        return Condition(f"({self.sql}) OR ({other.sql})", (*self.arguments, *other.arguments))


ALL = Condition()


def among(column: str, values: Sequence[Any]) -> Condition:
    return Condition(f"{column} IN ({placeholders(values)})", tuple(values))


def holding(text: str, *columns: str) -> Condition:
    """The text stands somewhere in one of the columns."""
    return Condition(" OR ".join(f"{column} LIKE ? ESCAPE '\\'" for column in columns), (like(text),) * len(columns))


# -- what clients ask for ----------------------------------------------------------------------------------------

_DEEPEST = 8


def asked(wanted: dict[str, Any], columns: dict[str, str], depth: int = 0) -> Condition:
    """A small part of Mongo's query language: equality, $ne, $in, $exists, literal $regex, $and, $or."""
    if depth > _DEEPEST:
        raise ChatError("Invalid query parameter provided", "error-invalid-query")
    found = ALL
    for key, value in wanted.items():
        if key in ("$and", "$or") and isinstance(value, list) and all(isinstance(one, dict) for one in value):
            parts = [asked(one, columns, depth + 1) for one in value]
            word = " AND " if key == "$and" else " OR "
            sql = word.join(f"({part.sql})" for part in parts) or "1"
            found &= Condition(sql, tuple(argument for part in parts for argument in part.arguments))
        elif key not in columns:
            raise ChatError(f"Invalid attribute: {key}", "error-invalid-query")
        else:
            found &= _compared(columns[key], value)
    return found


def _compared(column: str, value: Any) -> Condition:
    if isinstance(value, str | int | float | None):
        return Condition(f"{column} IS ?", (value,))
    if isinstance(value, dict):
        if "$regex" in value and set(value) <= {"$regex", "$options"} and isinstance(value["$regex"], str):
            return Condition(f"{column} LIKE ? ESCAPE '\\'", (_literal(value["$regex"]),))
        if set(value) == {"$in"} and isinstance(value["$in"], list):
            return among(column, [one for one in value["$in"] if isinstance(one, str | int | float)])
        if set(value) == {"$ne"} and isinstance(value["$ne"], str | int | float | None):
            return Condition(f"{column} IS NOT ?", (value["$ne"],))
        if set(value) == {"$exists"}:
            return Condition(f"{column} IS NOT NULL" if value["$exists"] else f"{column} IS NULL")
    raise ChatError("Invalid query parameter provided", "error-invalid-query")


def _literal(pattern: str) -> str:
    """A regular expression without special signs, as a LIKE pattern; anything cleverer is refused, not guessed."""
    body = pattern.removeprefix("^").removesuffix("$").removeprefix(".*").removesuffix(".*")
    body = re.sub(r"\\(.)", r"\1", body) if not re.search(r"\\[a-zA-Z0-9]", body) else body
    if re.search(r"[*+?()\[\]{}|^$]", body) or "\\" in body:
        raise ChatError("Invalid query parameter provided: only literal patterns are understood", "error-invalid-query")
    found = like(body)
    if pattern.startswith("^"):
        found = found[1:]
    return found[:-1] if pattern.endswith("$") else found
