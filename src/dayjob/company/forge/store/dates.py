"""Days as people write them, kept in one way: `2026-03-09`."""

from __future__ import annotations

import re

from dayjob.company.forge.errors import Refused


def day(text: str | None, name: str) -> str | None:
    """The day of the argument `name`; None for an empty one, which clears what was there."""
    if not text:
        return None
    if not re.match(r"\d{4}-\d{1,2}-\d{1,2}", text):
        raise Refused(400, {"error": f"{name} is invalid"})
    year, month, rest = text.split("-", 2)
    number = re.match(r"\d+", rest)
    assert number is not None
    if not (1 <= int(month) <= 12 and 1 <= int(number[0]) <= 31):
        raise Refused(400, {"error": f"{name} is invalid"})
    return f"{year}-{int(month):02d}-{int(number[0]):02d}"
