"""What is due at moments of the company's time, carried out in order, each once, when the clock has passed it.

It does not matter how the clock came there: by running, by a step or by a wait. Nobody polls: a running clock has one
timer of the event loop, for the next thing that is due, and every request that comes in looks first.
"""

from __future__ import annotations

import asyncio
import heapq
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import count

from dayjob.company.clock import Clock

log = logging.getLogger("dayjob.company")

Act = Callable[[], Awaitable[None]]
LAST_ACT = 30.0
"""Real seconds that the last act has to come to its end."""


@dataclass(slots=True)
class Due:
    """One thing on the agenda."""

    at: datetime
    act: Act
    owed: bool
    """Somebody waits for it: a colleague's answer, to which the clock may go on when it is looked for."""
    gone: bool = False


class Agenda:
    """The agenda of one company. It must be used on one event loop."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._queue: list[tuple[datetime, str, int, Due]] = []
        self._numbers = count()
        self._turn = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._firing: asyncio.Task[None] | None = None
        self.begun = False
        """Whether things happen yet."""
        self.on_owed: Callable[[], None] = lambda: None
        """Called when something was added that somebody waits for."""

    def add(self, at: datetime, order: str, act: Act, *, owed: bool = False) -> Due:
        """Have something carried out at a moment; of two at the same moment the smaller `order` comes first."""
        due = Due(at, act, owed)
        heapq.heappush(self._queue, (at, order, next(self._numbers), due))
        self.arm()
        if owed:
            self.on_owed()
        return due

    def drop(self, due: Due) -> None:
        """It will not happen."""
        due.gone = True

    def begin(self) -> None:
        """From now on things happen; what is over already happens at once."""
        self.begun = True
        self.arm()

    @asynccontextmanager
    async def at_rest(self) -> AsyncIterator[None]:
        """Meanwhile nothing is carried out; what is happening comes to its end first."""
        async with self._turn:
            yield

    async def finish(self) -> None:
        """Nothing more happens; what is happening right now comes to its end, if it does so in time."""
        self.begun = False
        self.arm()
        try:
            async with asyncio.timeout(LAST_ACT), self._turn:
                pass
        except TimeoutError:
            log.warning("something that was due did not come to an end")

    def end(self) -> None:
        """Nothing more happens, at once."""
        self.begun = False
        for one in (self._timer, self._firing):
            if one is not None:
                one.cancel()

    @property
    def next_at(self) -> datetime | None:
        """When the next thing is due; None while there is none."""
        while self._queue and self._queue[0][-1].gone:
            heapq.heappop(self._queue)
        return self._queue[0][0] if self.begun and self._queue else None

    @property
    def owed_at(self) -> datetime | None:
        """When the next of those things is due that somebody waits for."""
        return min((due.at for *_, due in self._queue if due.owed and not due.gone), default=None)

    @property
    def late(self) -> bool:
        """Whether something is due that has not happened yet; on a stepped clock also while it happens."""
        at = self.next_at
        happening = self._clock.stepped and self._turn.locked()
        return happening or (at is not None and at <= self._clock.now())

    async def carry_out(self) -> None:
        """Do everything that is due by now. When this returns it has happened, whoever did it."""
        async with self._turn:
            while (at := self.next_at) is not None and at <= self._clock.now():
                *_, due = heapq.heappop(self._queue)
                try:
                    await due.act()
                except Exception:
                    # One act that fails must not keep the others from happening.
                    log.exception("something that was due at %s failed", at)
        self.arm()

    def arm(self) -> None:
        """Set the one timer, for the next thing due; a clock that stands or steps needs none."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        at = self.next_at
        if at is None or not self._clock.runs:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return  # added before anybody serves; `begin` comes later
        # A thousandth later, since a loop may wake a moment early.
        self._timer = loop.call_later(max(0.0, (at - self._clock.now()).total_seconds()) + 0.001, self._fire)

    def _fire(self) -> None:
        self._timer = None
        self._firing = asyncio.ensure_future(self.carry_out())
