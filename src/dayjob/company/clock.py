"""The company's own time: it starts at the world's `now` and then runs as fast as real time does."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta


class Clock:
    """Tells the world's time; never goes back, whatever happens to the host's wall clock."""

    def __init__(self, start: datetime | None = None) -> None:
        self.start = (start or datetime.now(UTC)).astimezone(UTC)
        self._origin = time.monotonic() - self.start.microsecond / 1e6
        self._second = -1
        self._text = ""

    def now(self) -> datetime:
        return self.start.replace(microsecond=0) + timedelta(seconds=time.monotonic() - self._origin)

    def stamp(self) -> str:
        """Now, as the services write it: `2026-03-09T09:00:00.123Z`. Every request asks; a second is spelt out once."""
        elapsed = time.monotonic() - self._origin
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
