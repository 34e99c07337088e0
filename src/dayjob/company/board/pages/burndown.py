"""How a cycle burns down: how much is left on each of its days, as a line beside the ideal one and as a table."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import date, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dayjob.company.board.rows import Cycle, Project
from dayjob.company.board.store import cycles
from dayjob.company.clock import moment

WIDTH, HEIGHT = 640, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 12, 12, 28
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    ideal: float
    left: int | None
    """What is left at the end of the day; None for days to come."""


@dataclass(frozen=True, slots=True)
class Chart:
    """The days, and their drawing as SVG coordinates."""

    total: int
    days: list[Day]
    today: date

    def x(self, at: int) -> float:
        return round(_LEFT + at * (WIDTH - _LEFT - _RIGHT) / max(1, len(self.days) - 1), 1)

    def y(self, value: float) -> float:
        return round(_TOP + (1 - value / max(1, self.total)) * (HEIGHT - _TOP - _BOTTOM), 1)

    @property
    def line(self) -> str:
        return " ".join(f"{self.x(at)},{self.y(one.left)}" for at, one in enumerate(self.days) if one.left is not None)

    @property
    def area(self) -> str:
        """The line, closed along the bottom."""
        drawn = [at for at, one in enumerate(self.days) if one.left is not None]
        if not drawn:
            return ""
        return f"{self.line} {self.x(drawn[-1])},{self.y(0)} {self.x(drawn[0])},{self.y(0)}"

    @property
    def ideal(self) -> str:
        return f"{self.x(0)},{self.y(self.total)} {self.x(len(self.days) - 1)},{self.y(0)}"

    @property
    def levels(self) -> list[tuple[float, int]]:
        """Where lines across stand, and for how many items."""
        step = max(1, -(-self.total // 4))
        return [(self.y(one), one) for one in range(0, self.total + 1, step)]

    @property
    def ticks(self) -> list[tuple[float, str]]:
        step = max(1, -(-len(self.days) // 7))
        return [(self.x(at), f"{one.day.day} {one.day:%b}") for at, one in enumerate(self.days) if at % step == 0]

    @property
    def words(self) -> str:
        known = [one for one in self.days if one.left is not None]
        if not known:
            return f"{self.total} items, not begun."
        last = known[-1]
        return f"{last.left} of {self.total} items left on {last.day:%-d %B}; {last.ideal:.0f} would be ideal."


def local_day(stamp: str, project: Project) -> date:
    """The day of a moment where the project is."""
    try:
        zone = ZoneInfo(project.timezone)
    except (ZoneInfoNotFoundError, ValueError):
        zone = ZoneInfo("UTC")
    return moment(stamp).astimezone(zone).date()


def chart(db: sqlite3.Connection, project: Project, cycle: Cycle, now: str) -> Chart | None:
    """The chart of a cycle with dates and items; None for others. What was cancelled is left out of it."""
    if cycle.start_date is None or cycle.end_date is None:
        return None
    total, moments = cycles.finished(db, cycle.id)
    if not total:
        return None
    begins, ends, today = (local_day(one, project) for one in (cycle.start_date, cycle.end_date, now))
    length = min((ends - begins).days, _LONGEST)
    finished = [local_day(moment, project) for moment in moments]
    days = []
    for at in range(length + 1):
        day = begins + timedelta(days=at)
        left = total - sum(one <= day for one in finished) if day <= today else None
        days.append(Day(day, total * (1 - at / max(1, length)), left))
    return Chart(total, days, today)
