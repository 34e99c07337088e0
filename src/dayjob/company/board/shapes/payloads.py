"""Reading what a client sends, field by field, with the complaints Django REST framework would make.

A form maps a field's name to its kind. `read_form` gives the values of the fields that were sent, each checked; what
the form does not name is ignored, as Plane ignores it.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, ClassVar
from uuid import UUID
from zoneinfo import ZoneInfo

from dayjob.company import rows
from dayjob.company.board.errors import Invalid
from dayjob.company.board.store.base import stored_moment
from dayjob.company.board.store.plain import exists

_WHOLE = range(-(2**31), 2**31)
_UUID = re.compile(r"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}")


class Wrong(ValueError):
    """A value its field does not take; the text is the complaint."""


@dataclass(frozen=True)
class Kind:
    """What a field takes. `null` says whether it may be emptied."""

    null: bool = False

    def clean(self, value: Any, db: sqlite3.Connection) -> Any:
        raise NotImplementedError


@dataclass(frozen=True)
class Text(Kind):
    limit: int | None = None
    blank: bool = False

    def clean(self, value: Any, db: sqlite3.Connection) -> str:
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise Wrong("Not a valid string.")
        text = str(value).strip()
        if "\0" in text:
            raise Wrong("Null characters are not allowed.")
        if not text and not self.blank:
            raise Wrong("This field may not be blank.")
        if self.limit is not None and len(text) > self.limit:
            raise Wrong(f"Ensure this field has no more than {self.limit} characters.")
        return text


@dataclass(frozen=True)
class Flag(Kind):
    _words: ClassVar[Mapping[Any, bool]] = {
        "true": True, "True": True, "1": True, "false": False, "False": False, "0": False,
    }  # fmt: skip

    def clean(self, value: Any, db: sqlite3.Connection) -> bool:
        if isinstance(value, bool):
            return value
        if value in (0, 1) and isinstance(value, (int, float)):
            return bool(value)
        found = self._words.get(value) if isinstance(value, str) else None
        if found is None:
            raise Wrong("Must be a valid boolean.")
        return found


@dataclass(frozen=True)
class Whole(Kind):
    low: int | None = None
    high: int | None = None

    def clean(self, value: Any, db: sqlite3.Connection) -> int:
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise Wrong("A valid integer is required.")
        try:
            number = int(value) if not isinstance(value, float) or value.is_integer() else None
        except (ValueError, OverflowError):
            number = None
        if number is None:
            raise Wrong("A valid integer is required.")
        if number > (high := _WHOLE[-1] if self.high is None else self.high):
            raise Wrong(f"Ensure this value is less than or equal to {high}.")
        if number < (low := _WHOLE[0] if self.low is None else self.low):
            raise Wrong(f"Ensure this value is greater than or equal to {low}.")
        return number


@dataclass(frozen=True)
class Number(Kind):
    def clean(self, value: Any, db: sqlite3.Connection) -> float:
        try:
            number = float(value) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else math.nan
        except (ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            raise Wrong("A valid number is required.")
        return number


@dataclass(frozen=True)
class Choice(Kind):
    of: tuple[Any, ...] = ()

    def clean(self, value: Any, db: sqlite3.Connection) -> Any:
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            for one in self.of:
                if value == one or str(value) == str(one):
                    return one
        raise Wrong(f'"{_excerpt(value)}" is not a valid choice.')


@dataclass(frozen=True)
class Zone(Kind):
    """The name of a time zone."""

    def clean(self, value: Any, db: sqlite3.Connection) -> str:
        try:
            return ZoneInfo(value).key
        except (KeyError, ValueError, TypeError, OSError):
            raise Wrong(f'"{_excerpt(value)}" is not a valid choice.') from None


@dataclass(frozen=True)
class Day(Kind):
    def clean(self, value: Any, db: sqlite3.Connection) -> str:
        try:
            return date.fromisoformat(value).isoformat()
        except (TypeError, ValueError):
            raise Wrong("Date has wrong format. Use one of these formats instead: YYYY-MM-DD.") from None


@dataclass(frozen=True)
class Moment(Kind):
    def clean(self, value: Any, db: sqlite3.Connection) -> str:
        try:
            found = datetime.fromisoformat(value)
            return stored_moment(found if found.tzinfo else found.replace(tzinfo=UTC))
        except (TypeError, ValueError, OverflowError):
            raise Wrong(
                "Datetime has wrong format. Use one of these formats instead: "
                "YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."
            ) from None


@dataclass(frozen=True)
class Document(Kind):
    """Any JSON."""

    def clean(self, value: Any, db: sqlite3.Connection) -> rows.Document:
        if _has_nul(value):
            raise Wrong("Null characters are not allowed.")
        return rows.Document(value)


@dataclass(frozen=True)
class Id(Kind):
    """The id of a row of `table`; with no table, any UUID."""

    table: str = ""

    def clean(self, value: Any, db: sqlite3.Connection) -> str:
        if not isinstance(value, str) or not _UUID.fullmatch(value):
            raise Wrong(f"“{_excerpt(value)}” is not a valid UUID.")
        id = str(UUID(value))
        if self.table and not exists(db, self.table, id):
            raise Wrong(f'Invalid pk "{id}" - object does not exist.')
        return id


@dataclass(frozen=True)
class Several(Kind):
    """A list of one kind."""

    of: Kind = Kind()
    empty: bool = True

    def clean(self, value: Any, db: sqlite3.Connection) -> list[Any]:
        if not isinstance(value, list):
            raise Wrong(f'Expected a list of items but got type "{type(value).__name__}".')
        if not value and not self.empty:
            raise Wrong("This list may not be empty.")
        known: dict[str, Any] = {}  # a long list of one id is looked up once
        cleaned = []
        for one in value:
            if not isinstance(one, str):
                cleaned.append(self.of.clean(one, db))
                continue
            if one not in known:
                known[one] = self.of.clean(one, db)
            cleaned.append(known[one])
        return cleaned


Form = Mapping[str, Kind]


def read_form(form: Form, payload: Any, db: sqlite3.Connection, required: Iterable[str] = ()) -> dict[str, Any]:
    """The fields of `form` that `payload` has. Raises `Invalid` with every complaint at once."""
    if not isinstance(payload, dict):
        raise Invalid.whole(f"Invalid data. Expected a dictionary, but got {type(payload).__name__}.")
    found: dict[str, Any] = {}
    errors: dict[str, Any] = {}
    for name in required:
        if name not in payload:
            errors[name] = ["This field is required."]
    for name, kind in form.items():
        if name not in payload:
            continue
        value = payload[name]
        if value is None:
            if kind.null:
                found[name] = None
            else:
                errors[name] = ["This field may not be null."]
            continue
        try:
            found[name] = kind.clean(value, db)
        except Wrong as wrong:
            errors[name] = [str(wrong)]
    if errors:
        raise Invalid(errors)
    return found


def is_uuid(text: str) -> bool:
    return len(text) == 36 and _UUID.fullmatch(text) is not None


def _excerpt(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 100 else f"{text[:100]}…"


def _has_nul(value: Any) -> bool:
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, list):
        return any(_has_nul(one) for one in value)
    if isinstance(value, dict):
        return any("\0" in str(name) or _has_nul(one) for name, one in value.items())
    return False
