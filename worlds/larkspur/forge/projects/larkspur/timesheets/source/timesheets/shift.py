"""A shift: when somebody clocked in and out, and how long they worked."""

from dataclasses import dataclass
from datetime import datetime, timedelta

LONG = timedelta(hours=6)
BREAK = timedelta(minutes=30)
QUARTER = timedelta(minutes=15)


class BadShift(Exception):
    """The times of a shift make no sense."""


@dataclass(frozen=True)
class Shift:
    """One stretch of work. `start` and `end` are moments with a time zone."""

    person: str
    start: datetime
    end: datetime
    pause: timedelta = timedelta()

    def __post_init__(self):
        if self.start.tzinfo is None or self.end.tzinfo is None:
            raise BadShift(f"{self.person}: a shift needs a time zone")
        if self.end <= self.start:
            raise BadShift(f"{self.person}: the shift of {self.start:%d %B} ends before it begins")

    @property
    def length(self):
        """From clocking in to clocking out."""
        return self.end - self.start

    @property
    def worked(self):
        """The length without the break: what was clocked, at least half an hour on a long shift."""
        pause = max(self.pause, BREAK) if self.length >= LONG else self.pause
        return self.length - pause

    @property
    def day(self):
        return self.start.date()
