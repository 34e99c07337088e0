"""Spans of time as CI files write them: `1 week`, `3 mins 4 sec`, `2h20min`, `never`."""

from __future__ import annotations

import re

_UNITS = {
    "s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "m": 60, "min": 60, "mins": 60, "minute": 60,
    "minutes": 60, "h": 3600, "hr": 3600, "hrs": 3600, "hour": 3600, "hours": 3600, "d": 86400, "day": 86400,
    "days": 86400, "w": 604800, "wk": 604800, "wks": 604800, "week": 604800, "weeks": 604800, "mo": 2592000,
    "mos": 2592000, "month": 2592000, "months": 2592000, "y": 31557600, "yr": 31557600, "yrs": 31557600,
    "year": 31557600, "years": 31557600,
}  # fmt: skip
_PART = re.compile(r"\s*(?:and\s+|,\s*)?(\d{1,9}(?:\.\d{1,6})?)\s*([a-z]*)")
_LONGEST = 100


def seconds_of(text: str) -> int | None:
    """How many seconds; 0 for `never`, None for what is no span of time."""
    text = text.strip().lower()
    if text == "never":
        return 0
    place, total = 0, 0.0
    if not text or len(text) > _LONGEST:
        return None
    while place < len(text):
        found = _PART.match(text, place)
        if found is None or (found[2] and found[2] not in _UNITS):
            return None
        total += float(found[1]) * _UNITS.get(found[2] or "s", 1)
        place = found.end()
    return int(total)
