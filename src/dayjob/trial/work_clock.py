"""The clock of the examinee's work: it stands still while its provider keeps it waiting.

What counts as waiting is `dayjob.llm.waiting`'s to say. Two limits, each of the length `patience`: held up by a failing
provider for longer, and the trial cannot be judged (`out_of_patience`); waiting for a turn for longer, and the clock
goes on, because how long a turn takes depends on how much is asked, by this examinee too.

Where the time is up while a call has brought nothing yet, the end waits for that call (for a provider's time-out at
most): an answer shows that it was thinking, and the time was up; silence shows that it was not, and the clock goes on.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from dayjob.llm.waiting import Waited, Waits


@dataclass(slots=True, eq=False)
class WorkClock:
    """`seconds` of work. `on_pause` is told when the clock stops (True) and when it goes on (False)."""

    seconds: float
    waits: Waits | None
    patience: float
    on_pause: Callable[[bool], None] | None = None
    out_of_patience: bool = field(default=False, init=False)
    _began: float = field(default_factory=lambda: time.monotonic(), init=False)
    _ended: float | None = field(default=None, init=False)
    _limit: asyncio.Timeout | None = field(default=None, init=False)
    _timer: asyncio.TimerHandle | None = field(default=None, init=False)
    _stands: bool = field(default=False, init=False)
    _held: float = field(default=0.0, init=False)
    _held_since: float | None = field(default=None, init=False)

    @property
    def waited(self) -> float:
        """Seconds that did not count as work because of the provider."""
        if self.waits is None:
            return 0.0
        return self._counted(self.waits.total)

    def left(self) -> float:
        """Seconds of work that are left."""
        return self.seconds + self.waited + self.held - self._passed()

    @property
    def held(self) -> float:
        """Seconds for which somebody else kept the examinee from working."""
        return self._held + (time.monotonic() - self._held_since if self._held_since is not None else 0.0)

    @contextmanager
    def still(self) -> Iterator[None]:
        """What is done meanwhile takes no time from the work. One at a time."""
        self._held_since = time.monotonic()
        try:
            yield
        finally:
            self._held, self._held_since = self.held, None

    def _counted(self, waited: Waited) -> float:
        return waited.held_up + min(waited.turn, self.patience)

    def _passed(self) -> float:
        return (time.monotonic() if self._ended is None else self._ended) - self._began

    @asynccontextmanager
    async def limited(self) -> AsyncIterator[None]:
        """Let the block work until its time is up; then `TimeoutError`, and `out_of_patience` says whose doing."""
        self._began = time.monotonic()
        if self.waits is not None:
            self.waits.on_change = self._look
        try:
            async with asyncio.timeout(None) as self._limit:
                self._look()
                yield
        finally:
            self._ended = time.monotonic()
            self._limit = None
            if self.waits is not None:
                self.waits.on_change = None
            if self._timer is not None:
                self._timer.cancel()
            self._tell(False)

    def _look(self) -> None:
        """Decide whether the clock stands, and when to look again."""
        if self._limit is None or self._limit.expired():
            return
        if self._timer is not None:
            self._timer.cancel()
        waits = self.waits
        stands = waits is not None and waits.paused
        if waits is not None and stands:
            total = waits.total
            if waits.held_up:
                again = self.patience - total.held_up
                if again <= 0:
                    self.out_of_patience = True
                    self._end()
                    return
            else:
                again = self.patience - total.turn
                stands = again > 0
        if not stands:
            again = self.left()
            if again <= 0:
                if waits is None or self.seconds + self._counted(waits.at_most) + self.held <= self._passed():
                    self._end()
                    return
                again = 1.0  # an answer or its provider's time-out decides it; looking now and then costs nothing
        self._tell(stands)
        # A little late rather than early: a timer that came too soon would only be set again.
        self._timer = asyncio.get_running_loop().call_later(again + 0.001, self._look)

    def _end(self) -> None:
        assert self._limit is not None
        self._limit.reschedule(asyncio.get_running_loop().time())

    def _tell(self, stands: bool) -> None:
        if stands != self._stands:
            self._stands = stands
            if self.on_pause is not None:
                self.on_pause(stands)
