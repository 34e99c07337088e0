"""What a store function works with: the board's database, its ids, the time and who is acting.

One store lives for one request (or one compilation of a world), so everything done in it carries one moment.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

from dayjob.company.board.errors import NotThere
from dayjob.company.ids import Ids
from dayjob.company.rows import AnyRow, first


def stored_moment(moment: datetime) -> str:
    """A moment as the tables keep it: UTC, always six decimals, so that text order is time's order."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")


def required(db: sqlite3.Connection, kind: type[AnyRow], tail: str, arguments: Iterable[Any] = ()) -> AnyRow:
    """The first row that matches; a refusal where there is none."""
    row = first(db, kind, tail, arguments)
    if row is None:
        raise NotThere
    return row


class Store:
    """`now` is a stored moment (`stored_moment`), or a function that reads one when it is first needed."""

    __slots__ = ("_now", "_read", "actor", "db", "ids")

    def __init__(self, db: sqlite3.Connection, ids: Ids, now: str | Callable[[], str], actor: str) -> None:
        self.db = db
        self.ids = ids
        self.actor = actor  # the id of the user who acts
        self._read = now
        self._now = now if isinstance(now, str) else None

    @property
    def now(self) -> str:
        if self._now is None:
            assert callable(self._read)
            self._now = self._read()
        return self._now

    @now.setter
    def now(self, moment: str) -> None:
        self._now = moment

    def birth(self) -> dict[str, Any]:
        """The columns every new row begins with."""
        return {
            "id": self.ids.uuid(),
            "created_at": self.now,
            "updated_at": self.now,
            "created_by": self.actor,
            "updated_by": self.actor,
        }

    def touch(self) -> dict[str, Any]:
        """The columns every change sets."""
        return {"updated_at": self.now, "updated_by": self.actor}
