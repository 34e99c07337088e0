"""When somebody is at work and how soon they answer: `hours`, `days`, `away` and `answers` of a person's file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from dayjob.company.moments import DAYS
from dayjob.durations import parse_duration

KEYS = ("hours", "days", "away", "answers")
_HOURS = re.compile(r"(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})")
_FURTHEST = 400
"""How many days ahead the next working day is looked for."""

Wrong = Callable[[str, str, str], None]
"""Told which key is wrong, why, and how to mend it."""


@dataclass(frozen=True, slots=True)
class Hours:
    """Somebody's working time, in UTC as everything is here."""

    start: time = time(9)
    end: time = time(17)
    days: frozenset[int] = frozenset(range(5))
    off: frozenset[date] = frozenset()
    soonest: timedelta = timedelta(minutes=2)
    latest: timedelta = timedelta(minutes=10)

    def works_on(self, day: date) -> bool:
        return day.weekday() in self.days and day not in self.off

    def there(self, moment: datetime) -> bool:
        """Whether they are at work then."""
        return self.works_on(moment.date()) and self.start <= moment.time() < self.end

    def next_start(self, moment: datetime) -> datetime | None:
        """When they next begin to work; None for somebody who never does."""
        for ahead in range(_FURTHEST):
            day = moment.date() + timedelta(days=ahead)
            begins = datetime.combine(day, self.start, UTC)
            if self.works_on(day) and begins >= moment:
                return begins
        return None

    def answer_at(self, heard: datetime, chance: float) -> datetime | None:
        """When they answer what they heard then: within minutes, or when they are back. `chance` is from 0 to 1.

        What would be answered after work is answered the next morning; None for somebody who never comes back.
        """
        heard = heard.astimezone(UTC)
        takes = self.soonest + (self.latest - self.soonest) * chance
        if self.there(heard) and (heard + takes).time() < self.end and (heard + takes).date() == heard.date():
            return heard + takes
        back = self.next_start(heard)
        return None if back is None else back + takes


def read_hours(facts: Mapping[str, Any], wrong: Wrong | None = None) -> Hours:
    """From a person's file; what is wrong there is told, and counts as not written."""
    tell: Wrong = wrong or (lambda key, message, fix: None)
    given: dict[str, Any] = {}
    if "hours" in facts:
        found = _HOURS.fullmatch(str(facts["hours"]).strip())
        numbers = [int(one) for one in found.groups()] if found else []
        if not numbers or max(numbers[::2]) > 23 or max(numbers[1::2]) > 59 or numbers[:2] >= numbers[2:]:
            tell("hours", f"'{facts['hours']}' are no working hours.", "Write 'hours: 09:00-17:30'.")
        else:
            given |= {"start": time(numbers[0], numbers[1]), "end": time(numbers[2], numbers[3])}
    if "days" in facts:
        days = _days(facts["days"])
        if days is None:
            tell("days", f"'{facts['days']}' are no days of the week.", "Write 'days: Mon-Fri' or 'days: [Mon, Wed]'.")
        else:
            given["days"] = days
    if "away" in facts:
        try:
            listed = facts["away"] if isinstance(facts["away"], list) else [facts["away"]]
            given["off"] = frozenset(date.fromisoformat(str(one)) for one in listed)
        except ValueError:
            tell("away", "'away' must be a list of dates.", "Write 'away: [2026-03-12]'.")
    if "answers" in facts:
        parts = [parse_duration(part) for part in str(facts["answers"]).split("-")]
        if len(parts) > 2 or None in parts or (len(parts) == 2 and parts[0] > parts[1]):  # type: ignore[operator]  # no None
            tell("answers", f"'{facts['answers']}' is no speed.", "Write 'answers: 5m' or 'answers: 2m-15m'.")
        else:
            given |= {"soonest": parts[0], "latest": parts[-1]}
    return Hours(**given)


def _days(value: Any) -> frozenset[int] | None:
    names = value if isinstance(value, list) else str(value).split(",")
    found: set[int] = set()
    for name in names:
        ends = [str(end).strip().lower()[:3] for end in str(name).split("-")]
        if not all(end in DAYS for end in ends) or len(ends) > 2:
            return None
        first, last = DAYS.index(ends[0]), DAYS.index(ends[-1])
        found.update((first + ahead) % 7 for ahead in range((last - first) % 7 + 1))
    return frozenset(found) or None
