"""What starts by itself when its time has come: schedules and delayed jobs, by the company's clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dayjob.company import agenda
from dayjob.company.clock import moment
from dayjob.company.forge.ci import scheduling
from dayjob.company.forge.store import jobs, schedules

if TYPE_CHECKING:
    from dayjob.company.forge.service import Forge


class Due:
    """The next moment of one company at which something starts; looked up once, until something changes it."""

    def __init__(self, forge: Forge) -> None:
        self._forge = forge
        self._known = False
        self._next: str | None = None
        self._planned: agenda.Due | None = None

    @property
    def planned(self) -> bool:
        """Whether something is on the company's agenda."""
        return self._planned is not None

    def look_again(self) -> None:
        """What waits for its time is not what it was; the company's agenda is told."""
        self._known = False
        if self._planned is not None:
            self._forge.company.agenda.drop(self._planned)
            self._planned = None
        if (at := self.next()) is not None:
            self._planned = self._forge.company.agenda.add(moment(at), "forge", self._forge.run_due)

    def forget(self) -> None:
        """The database was put back; it is looked at when somebody next asks."""
        self._known = False

    def next(self) -> str | None:
        if not self._known:
            store = self._forge.store
            found = [one for one in (jobs.next_due(store), schedules.next_due(store)) if one is not None]
            self._next = min(found, default=None)
            self._known = True
        return self._next

    def has_come(self) -> bool:
        if not self._known:
            self.look_again()
        due = self.next()
        return due is not None and due <= self._forge.store.now()

    def run(self) -> None:
        """Start what is due, once, however long ago its moment was."""
        store = self._forge.store
        now = store.now()
        jobs.start_due(store, now)
        scheduling.start_due(store, now)
        self.look_again()
