"""Lengths of time as people write them: `45m`, `1h30m`, `2d`."""

from __future__ import annotations

import re
from datetime import timedelta

_UNITS = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
_WHOLE = re.compile(r"(?:\d{1,9}\s*[wdhms]\s*)+", re.ASCII)
_PART = re.compile(r"(\d+)\s*([wdhms])", re.ASCII)
LONGEST = timedelta(days=3650)


def parse_duration(text: object) -> timedelta | None:
    """The length that `text` says; None when it says none, or more than ten years."""
    if not isinstance(text, str) or not _WHOLE.fullmatch(spelt := text.strip().lower()):
        return None
    found = timedelta()
    for number, unit in _PART.findall(spelt):
        found += timedelta(**{_UNITS[unit]: int(number)})
        if found > LONGEST:
            return None
    return found


def spell_duration(length: timedelta) -> str:
    """The two largest units that are in it: `2d 3h`, `45m`, `0s`."""
    seconds = int(length.total_seconds())
    parts = []
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        if seconds >= size:
            parts.append(f"{seconds // size}{unit}")
            seconds %= size
    return " ".join(parts[:2]) or "0s"
