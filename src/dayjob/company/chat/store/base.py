"""The store: one connection, the world's clock and ids, the parts, and what happened for those who listen.

`with store.change():` makes several writes one; whatever was announced inside is told when it is over, or never if it
failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from dayjob.company import rows
from dayjob.company.rows import columns
from dayjob.company.service import Service

if TYPE_CHECKING:
    from dayjob.company.chat.store.access import Access
    from dayjob.company.chat.store.accounts import Accounts
    from dayjob.company.chat.store.administration import Administration
    from dayjob.company.chat.store.history import History
    from dayjob.company.chat.store.livechat import Livechat
    from dayjob.company.chat.store.members import Members
    from dayjob.company.chat.store.messages import Messages
    from dayjob.company.chat.store.moderation import Moderation
    from dayjob.company.chat.store.rooms import Rooms
    from dayjob.company.chat.store.settings import Settings
    from dayjob.company.chat.store.statistics import Statistics
    from dayjob.company.chat.store.teams import Teams
    from dayjob.company.chat.store.unread import Unread
    from dayjob.company.chat.store.uploads import Uploads

_REMEMBERED = 256

Row = TypeVar("Row")
Announce = Callable[[str, dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of a list is wanted: `count` 0 means all of it. `order` is SQL made from known columns only."""

    offset: int = 0
    count: int = 50
    order: str = ""

    @property
    def limit(self) -> int:
        return self.count or -1


class Store:
    """Everything chat knows about one company."""

    accounts: Accounts
    access: Access
    settings: Settings
    rooms: Rooms
    members: Members
    unread: Unread
    messages: Messages
    history: History
    uploads: Uploads
    teams: Teams
    administration: Administration
    moderation: Moderation
    livechat: Livechat
    statistics: Statistics

    def __init__(self, service: Service) -> None:
        from dayjob.company.chat.store import (
            access,
            accounts,
            administration,
            history,
            livechat,
            members,
            messages,
            moderation,
            rooms,
            settings,
            statistics,
            teams,
            unread,
            uploads,
        )

        self._service = service
        self._told: list[tuple[str, dict[str, Any]]] = []
        self._depth = 0
        self._remembered: dict[tuple[Any, ...], Any] = {}
        self._remembered_at = -1
        self.listener: Announce | None = None
        self.ids = service.company.ids
        self.clock = service.company.clock
        self.accounts = accounts.Accounts(self)
        self.access = access.Access(self)
        self.settings = settings.Settings(self)
        self.rooms = rooms.Rooms(self)
        self.members = members.Members(self)
        self.unread = unread.Unread(self)
        self.messages = messages.Messages(self)
        self.history = history.History(self)
        self.uploads = uploads.Uploads(self)
        self.teams = teams.Teams(self)
        self.administration = administration.Administration(self)
        self.moderation = moderation.Moderation(self)
        self.livechat = livechat.Livechat(self)
        self.statistics = statistics.Statistics(self)

    def forget(self) -> None:
        """Drop what is remembered outside the database: it was put back."""
        self._remembered.clear()
        self.access.forget()
        self.settings.forget()

    # -- asking --------------------------------------------------------------------------------------------------

    def one(self, row: type[Row], rest: str, *arguments: Any) -> Row | None:
        """The first row of `SELECT <columns of row> FROM <rest>`; remembered until anything is written."""
        db = self._service.db
        if db.total_changes != self._remembered_at:
            self._remembered.clear()
            self._remembered_at = db.total_changes
        key = (row, rest, arguments)
        if key in self._remembered:
            known: Row | None = self._remembered[key]
            return known
        found = db.execute(_select(row, rest), arguments).fetchone()
        answer = row(*found) if found is not None else None
        if len(self._remembered) < _REMEMBERED:
            self._remembered[key] = answer
        return answer

    def many(self, row: type[Row], rest: str, *arguments: Any) -> list[Row]:
        return [row(*found) for found in self._service.db.execute(_select(row, rest), arguments)]

    def page(self, row: type[Row], rest: str, page: Page, order: str, *arguments: Any) -> tuple[list[Row], int]:
        """A page of `SELECT <columns of row> FROM <rest>` in this order, and how many rows there are in all."""
        total = self.value(f"SELECT count(*) FROM {rest}", *arguments)
        rest = f"{rest} ORDER BY {order} LIMIT ? OFFSET ?"
        return self.many(row, rest, *arguments, page.limit, page.offset), total

    def value(self, sql: str, *arguments: Any) -> Any:
        """The first column of the first row, or None."""
        found = self._service.db.execute(sql, arguments).fetchone()
        return found[0] if found is not None else None

    def rows(self, sql: str, *arguments: Any) -> list[tuple[Any, ...]]:
        return self._service.db.execute(sql, arguments).fetchall()

    # -- changing ------------------------------------------------------------------------------------------------

    def run(self, sql: str, *arguments: Any) -> int:
        """Execute one statement; how many rows it touched."""
        return self._service.db.execute(sql, arguments).rowcount

    def insert(self, table: str, **values: Any) -> int:
        return rows.insert(self._service.db, table, values)

    def update(self, table: str, key: str, **values: Any) -> int:
        """Set columns of the row with this id."""
        return rows.update(self._service.db, table, key, values)

    @contextmanager
    def change(self) -> Iterator[None]:
        """All or nothing; announcements leave when the outermost change is done."""
        mark = len(self._told)
        self._depth += 1
        try:
            with self._service.transaction():
                yield
        except BaseException:
            del self._told[mark:]
            self._remembered.clear()  # what was read of a change that did not happen
            raise
        finally:
            self._depth -= 1
        if self._depth == 0:
            self._tell()

    def announce(self, topic: str, **facts: Any) -> None:
        """Say that something happened: at once, or when the change it belongs to is done."""
        self._told.append((topic, facts))
        if self._depth == 0:
            self._tell()

    def _tell(self) -> None:
        told, self._told = self._told, []
        if self.listener is not None:
            for topic, facts in told:
                self.listener(topic, facts)

    def now(self) -> str:
        return self.clock.stamp()


_selects: dict[tuple[type[Any], str], str] = {}


def _select(row: type[Any], rest: str) -> str:
    found = _selects.get((row, rest))
    if found is None:
        # "rooms r JOIN …": the columns are those of the first table, by its alias when it has one.
        words = rest.split(None, 2)
        alias = words[1] if len(words) > 1 and len(words[1]) == 1 else words[0]
        found = f"SELECT {columns(row, alias)} FROM {rest}"
        if len(_selects) < 2000:
            _selects[row, rest] = found
    return found


class Part:
    """One idea of the store; knows the others through it."""

    def __init__(self, store: Store) -> None:
        self.store = store
