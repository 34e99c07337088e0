"""Moments as people write them: `Tue 09:00`, `tomorrow 08:30`, `17:00`, `day 2 10:30`, or a date. All are in UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NAMED = re.compile(
    r"(?:(?P<day>today|tomorrow|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*|day\s+(?P<number>\d{1,4}))\s+)?"
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})",
    re.ASCII,
)


def parse_when(text: object, now: datetime, first_day: datetime | None = None) -> datetime | None:
    """The moment `text` means when it is `now`; None when it means none.

    A time of day or a weekday is the next one; `day 2` counts from `first_day`, which is day 1.
    """
    if not isinstance(text, str):
        return None
    found = _NAMED.fullmatch(text.strip().lower())
    if found is None:
        return _dated(text.strip())
    hour, minute = int(found["hour"]), int(found["minute"])
    if hour > 23 or minute > 59:
        return None
    now = now.astimezone(UTC)
    start = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    day = found["day"]
    if day is None:
        return start if start >= now else start + timedelta(days=1)
    if day in ("today", "tomorrow"):
        return start + timedelta(days=day == "tomorrow")
    if found["number"] is not None:
        if first_day is None or found["number"].strip("0") == "":
            return None
        first = first_day.astimezone(UTC)
        return first.replace(hour=hour, minute=minute, second=0, microsecond=0) + timedelta(
            days=int(found["number"]) - 1
        )
    if not NAMES[DAYS.index(day[:3])].lower().startswith(day):
        return None
    start += timedelta(days=(DAYS.index(day[:3]) - start.weekday()) % 7)
    return start if start >= now else start + timedelta(days=7)


def _dated(text: str) -> datetime | None:
    if not re.match(r"\d{4}-\d{2}-\d{2}[T ]", text):
        return None
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def shown(moment: datetime) -> str:
    """A moment for reading: `Tue 10 Mar 2026 09:00`."""
    return moment.astimezone(UTC).strftime("%a %d %b %Y %H:%M")
