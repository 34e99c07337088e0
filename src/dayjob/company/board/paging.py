"""Plane's cursor paging: `per_page`, `cursor=100:2:0` (page size, page, direction), and the envelope of results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dayjob.company.board.errors import Unreadable

MOST = 1000


@dataclass(frozen=True, slots=True)
class Window:
    """The stretch of a list that a client asked for."""

    limit: int
    page: int

    @property
    def offset(self) -> int:
        return self.page * self.limit


def window(query: dict[str, str]) -> Window:
    """Read `per_page` and `cursor`."""
    limit = _number(query.get("per_page", str(MOST)), "Invalid per_page parameter.")
    if limit > MOST:
        raise Unreadable(f"Invalid per_page value. Cannot exceed {MOST}.")
    if limit < 1:
        raise Unreadable("Invalid per_page parameter.")
    cursor = query.get("cursor")
    if cursor is None:
        return Window(limit, 0)
    parts = cursor.split(":")
    if len(parts) != 3:
        raise Unreadable("Invalid cursor parameter.")
    size, page, _ = (_number(part, "Invalid cursor parameter.") for part in parts)
    if page < 0 or size < 0:
        raise Unreadable("Error in parsing")
    return Window(limit, page)


def envelope(window: Window, total: int, results: list[Any]) -> dict[str, Any]:
    """What every paged list answers with."""
    return {
        "grouped_by": None,
        "sub_grouped_by": None,
        "total_count": total,
        "next_cursor": f"{window.limit}:{window.page + 1}:0",
        "prev_cursor": f"{window.limit}:{window.page - 1}:1",
        "next_page_results": window.offset + window.limit < total,
        "prev_page_results": window.page > 0,
        "count": len(results),
        "total_pages": -(-total // window.limit),
        "total_results": total,
        "extra_stats": None,
        "results": results,
    }


def _number(text: str, complaint: str) -> int:
    digits = text.removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 12:
        raise Unreadable(complaint)
    return int(text)
