"""Days and moments as people write them, kept in one way: `2026-03-09`, `2026-03-09T09:00:00.000Z`."""

from __future__ import annotations

import re
from datetime import date

from dayjob.company.clock import moment, stamp
from dayjob.company.forge.errors import Refused


def moment_of(text: str | None, name: str) -> str | None:
    """The moment of the argument `name`, as a stamp; None for an empty one, which clears what was there."""
    if not text:
        return None
    try:
        return stamp(moment(text))
    except (ValueError, OverflowError):
        raise Refused(400, {"error": f"{name} is invalid"}) from None


def day(text: str | None, name: str) -> str | None:
    """The day of the argument `name`; None for an empty one, which clears what was there."""
    if not text:
        return None
    written = re.match(r"(\d{4})-(\d{1,2})-(\d{1,2})", text)
    if written is None:
        raise Refused(400, {"error": f"{name} is invalid"})
    try:
        return date(*(int(number) for number in written.groups())).isoformat()
    except ValueError:
        raise Refused(400, {"error": f"{name} is invalid"}) from None
