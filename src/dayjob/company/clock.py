"""The company's own time: it starts at the world's `now` and then runs as fast as real time does, unless it stands."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta


class Clock:
    """Tells the world's time; never goes back, whatever happens to the host's wall clock."""

    def __init__(self, start: datetime | None = None, origin: float | None = None) -> None:
        """`origin` is another clock's: two with the same start and origin tell the same time, in any process."""
        self.start = (start or datetime.now(UTC)).astimezone(UTC)
        self.origin = time.monotonic() - self.start.microsecond / 1e6 if origin is None else origin
        self._stands: float | None = None
        self._second = -1
        self._text = ""

    def pause(self, still: bool) -> None:
        """Let time stand still, or go on from where it stood."""
        if still and self._stands is None:
            self._stands = time.monotonic()
        elif not still and self._stands is not None:
            self.origin += time.monotonic() - self._stands
            self._stands = None

    def _elapsed(self) -> float:
        return (time.monotonic() if self._stands is None else self._stands) - self.origin

    def now(self) -> datetime:
        return self.start.replace(microsecond=0) + timedelta(seconds=self._elapsed())

    def stamp(self) -> str:
        """Now, as the services write it: `2026-03-09T09:00:00.123Z`. Every request asks; a second is spelt out once."""
        elapsed = self._elapsed()
        second = int(elapsed)
        if second != self._second:
            self._text = (self.start.replace(microsecond=0) + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%S.")
            self._second = second
        return f"{self._text}{int((elapsed - second) * 1000):03d}Z"


def stamp(moment: datetime) -> str:
    """A moment as `2026-03-09T09:00:00.123Z`; such strings sort in time's order."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def moment(text: str) -> datetime:
    """The moment a stamp (or any ISO 8601 text; without a zone it means UTC) stands for."""
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
