"""The company's own time: it starts at the world's `now` and never goes back.

A running clock goes as fast as real time does, a stepped one only by `tick`, a fixed amount for every request. Both can
be taken forward with `skip_to`. Whoever keeps a `page` (programs in rooms read it) is told of every change.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import formatdate
from typing import Any, Protocol

STEP = timedelta(seconds=1)
"""How far a stepped clock goes with each request of somebody who works in the company."""
SHORT_STEP = timedelta(milliseconds=1)
"""The same for what colleagues and the timeline do: no two things happen in one millisecond."""


class Page(Protocol):
    """Where the time is written for programs in rooms; see `dayjob.clock_page`."""

    def write(self, now: int, stands: bool) -> None: ...


class Clock:
    """Tells the world's time; never goes back, whatever happens to the host's wall clock."""

    def __init__(
        self,
        start: datetime | None = None,
        origin: float | None = None,
        *,
        stepped: bool = False,
        page: Page | None = None,
    ) -> None:
        """`origin` is another clock's: two with the same start and origin tell the same time, in any process."""
        self.start = (start or datetime.now(UTC)).astimezone(UTC)
        self.origin = time.monotonic() - self.start.microsecond / 1e6 if origin is None else origin
        self.stepped = stepped
        self.skipped = timedelta()
        """What was skipped in all."""
        self._page = page
        self._steps = self.start.microsecond / 1e6
        self._stands: float | None = None
        self._second = -1
        self._text = ""
        self._tell_page()

    @property
    def runs(self) -> bool:
        """Whether it goes on by itself right now."""
        return not self.stepped and self._stands is None

    def reading(self) -> dict[str, Any]:
        """Where it is, for a copy of it."""
        return {"elapsed": self._elapsed(), "skipped": self.skipped.total_seconds(), "stands": self._stands is not None}

    def set(self, reading: Mapping[str, Any]) -> None:
        """Be where another clock with the same start was; only before anybody has looked at this one."""
        elapsed, now = float(reading["elapsed"]), time.monotonic()
        self.skipped = timedelta(seconds=reading["skipped"])
        self._steps, self.origin = elapsed, now - elapsed
        self._stands = now if reading["stands"] else None
        self._second = -1
        self._tell_page()

    def pause(self, still: bool) -> None:
        """Let time stand still, or go on from where it stood. A stepped clock stands between its steps anyway."""
        if still and self._stands is None:
            self._stands = time.monotonic()
        elif not still and self._stands is not None:
            self.origin += time.monotonic() - self._stands
            self._stands = None
        else:
            return
        self._tell_page()

    def skip_to(self, moment: datetime) -> timedelta:
        """Go on to a moment, and say how far that was; a moment that is over already changes nothing."""
        ahead = moment - self.now()
        if ahead <= timedelta():
            return timedelta()
        self.skip(ahead)
        return ahead

    def skip(self, ahead: timedelta) -> None:
        """Go on by so much, paused or not."""
        if ahead < timedelta():
            raise ValueError(f"a clock does not go back: {ahead}")
        if self.stepped:
            self._steps = round(self._steps + ahead.total_seconds(), 6)
        else:
            self.origin -= ahead.total_seconds()
        self.skipped += ahead
        self._tell_page()

    def tick(self, step: timedelta = STEP) -> None:
        """Something was done: a stepped clock goes on by `step`, a running one goes on by itself."""
        if self.stepped:
            self._steps = round(self._steps + step.total_seconds(), 6)
            self._tell_page()

    def _tell_page(self) -> None:
        if self._page is not None:
            self._page.write(int(self.now().timestamp() * 1_000_000) * 1000, self.stepped or self._stands is not None)

    def _elapsed(self) -> float:
        if self.stepped:
            return self._steps
        return (time.monotonic() if self._stands is None else self._stands) - self.origin

    def now(self) -> datetime:
        return self.start.replace(microsecond=0) + timedelta(seconds=self._elapsed())

    def seconds(self) -> float:
        """Now, in seconds since 1970."""
        return self.now().timestamp()

    def stamp(self) -> str:
        """Now, as the services write it: `2026-03-09T09:00:00.123Z`. Every request asks; a second is spelt out once."""
        elapsed = self._elapsed()
        second = int(elapsed)
        if second != self._second:
            self._text = (self.start.replace(microsecond=0) + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%S.")
            self._second = second
        return f"{self._text}{min(999, round((elapsed - second) * 1_000_000) // 1000):03d}Z"


def stamp(moment: datetime) -> str:
    """A moment as `2026-03-09T09:00:00.123Z`; such strings sort in time's order."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def http_date(text: str) -> str:
    """A stamp as HTTP writes dates."""
    return formatdate(moment(text).timestamp(), usegmt=True)


def moment(text: str) -> datetime:
    """The moment a stamp (or any ISO 8601 text; without a zone it means UTC) stands for."""
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
