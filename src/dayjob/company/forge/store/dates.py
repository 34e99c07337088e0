"""Days as people write them, kept in one way: `2026-03-09`."""

from __future__ import annotations

import re
from datetime import date

from dayjob.company.forge.errors import Refused


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
