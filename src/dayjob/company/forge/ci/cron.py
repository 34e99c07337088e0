"""Cron lines: when they come next, in a time zone."""

from __future__ import annotations

import zoneinfo
from datetime import UTC, datetime, timedelta

_FIELDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_NAMES: tuple[dict[str, int], ...] = (
    {},
    {},
    {},
    {
        name: number
        for number, name in enumerate(
            ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1
        )
    },
    {name: number for number, name in enumerate(["sun", "mon", "tue", "wed", "thu", "fri", "sat"])},
)
_SHORT = {
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
}  # fmt: skip
_DAYS_AHEAD = 366 * 8 + 3
"""A line for the 29th of February comes within eight years, or never."""


class InvalidCron(ValueError):
    """The line or the time zone cannot be read."""


def zone(name: str) -> zoneinfo.ZoneInfo:
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidCron(f"{name} is no time zone") from None


class Cron:
    """A line of five fields."""

    def __init__(self, line: str) -> None:
        line = _SHORT.get(line.strip().lower(), line)
        parts = line.split()
        if len(parts) != 5 or len(line) > 200:
            raise InvalidCron(f"'{line}' is not five fields")
        self._minutes, self._hours, self._days, self._months, weekdays = (
            _numbers(part, number) for number, part in enumerate(parts)
        )
        self._weekdays = {number % 7 for number in weekdays}
        self._any_day, self._any_weekday = parts[2].startswith("*"), parts[4].startswith("*")

    def _on(self, day: datetime) -> bool:
        if day.month not in self._months:
            return False
        in_month, in_week = day.day in self._days, day.isoweekday() % 7 in self._weekdays
        # As cron has it: where both are named, one of them is enough.
        return (in_month and in_week) if self._any_day or self._any_weekday else (in_month or in_week)

    def after(self, now: datetime, timezone: str) -> datetime | None:
        """The first moment past `now`; None for a day that never comes."""
        here = zone(timezone)
        local = now.astimezone(here).replace(second=0, microsecond=0, tzinfo=None)
        for days in range(_DAYS_AHEAD):
            day = local.replace(hour=0, minute=0) + timedelta(days=days)
            if not self._on(day):
                continue
            for hour in sorted(self._hours):
                for minute in sorted(self._minutes):
                    found = day.replace(hour=hour, minute=minute, tzinfo=here).astimezone(UTC)
                    # An hour that a change of clocks leaves out is none.
                    if found > now and found.astimezone(here).hour == hour:
                        return found
        return None


def _numbers(part: str, field: int) -> set[int]:
    low, high = _FIELDS[field]
    found: set[int] = set()
    for piece in part.lower().split(","):
        span, slash, step_text = piece.partition("/")
        step = _number(step_text, field) if slash else 1
        if step < 1:
            raise InvalidCron(f"'{piece}' has no step")
        if span == "*":
            first, last = low, high
        elif "-" in span:
            begin, _, end = span.partition("-")
            first, last = _number(begin, field), _number(end, field)
        else:
            first = _number(span, field)
            last = high if slash else first
        if not low <= first <= last <= high:
            raise InvalidCron(f"'{piece}' is not between {low} and {high}")
        found.update(range(first, last + 1, step))
    return found


def _number(text: str, field: int) -> int:
    if text in _NAMES[field]:
        return _NAMES[field][text]
    if not (text.isascii() and text.isdigit()) or len(text) > 4:
        raise InvalidCron(f"'{text}' is no number")
    return int(text)
