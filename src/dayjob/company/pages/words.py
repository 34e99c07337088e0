"""Small facts as people write them: how long ago, how large, which initials."""

from __future__ import annotations

import zlib
from datetime import datetime, timedelta

_UNITS = ((365 * 86400, "year"), (30 * 86400, "month"), (7 * 86400, "week"), (86400, "day"), (3600, "hour"),
          (60, "minute"))  # fmt: skip
HUES = 12


def ago(moment: datetime, now: datetime) -> str:
    """`3 hours ago`, `in 2 days`, `just now`."""
    seconds = int((now - moment) / timedelta(seconds=1))
    for size, unit in _UNITS:
        count = abs(seconds) // size
        if count:
            text = f"{count} {unit}{'s' if count > 1 else ''}"
            return f"{text} ago" if seconds > 0 else f"in {text}"
    return "just now"


def size(count: int | float) -> str:
    """`812 B`, `4.2 MB`."""
    number = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "B" or number >= 100 else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} TB"


def initials(name: str) -> str:
    """Two letters of a name: the first of its first and of its last word."""
    parts = [one for one in name.replace(".", " ").replace("_", " ").replace("-", " ").split() if one[0].isalnum()]
    if not parts:
        return (name.strip()[:1] or "?").upper()
    return (parts[0][0] + (parts[-1][0] if len(parts) > 1 else "")).upper()


def hue(name: str) -> int:
    """The number of a colour, always the same for the same name."""
    return zlib.crc32(name.encode("utf-8", "replace")) % HUES


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 file`, `3 files`."""
    return f"{number} {one if number == 1 else many or one + 's'}"
