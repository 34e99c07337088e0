"""Attendance in January and February 2026: who came and went when, and what the policy in force makes of it.

`summary(2026, 1)` is the report that the policy asks for; the world holds only the sheets.
"""

from __future__ import annotations

import functools
import random
from dataclasses import dataclass
from datetime import date, time

from tools.larkspur.containers import saved, sheet, workbook
from tools.larkspur.facts import Person, facts, holidays, month, staff_on, weekdays

FOLDER = "drive/files/People/Attendance"
WORKED = ("office", "remote", "travel")
_GREEK = {date(2026, 1, 6): "Epiphany", date(2026, 2, 24): "Clean Monday, a day later"}
# How likely somebody is to come after 10:05, in percent; most people are in long before.
_SLOW = {"mateo.vargas": 38, "yusuf.demir": 24, "jonas.weber": 14, "marek.nowak": 22, "aoife.byrne": 2}
_EARLY_BIRDS = ("noor.haddad", "mara.lindqvist", "chidi.eze", "tomas.okafor")
_LEAVE = {
    "hana.sato": ("2026-02-03", "2026-02-06"),
    "arjun.mehta": ("2026-01-02", "2026-01-09"),
    "sofia.papadaki": ("2026-01-02", "2026-01-05"),
    "beatriz.ramos": ("2026-02-12", "2026-02-13"),
    "yusuf.demir": ("2026-02-19", "2026-02-20"),
    "marek.nowak": ("2026-02-09", "2026-02-10"),
    "noor.haddad": ("2026-02-16", "2026-02-18"),
}
_SICK = {
    "lena.fischer": ("2026-01-26", "2026-01-28"),
    "aoife.byrne": ("2026-02-04", "2026-02-05"),
    "ewa.kowalska": ("2026-02-05", "2026-02-06"),
    "priya.nair": ("2026-01-29", "2026-01-30"),
}


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    person: Person
    kind: str
    arrival: time | None = None
    departure: time | None = None
    pause: int | None = None
    note: str = ""


@dataclass(slots=True)
class Total:
    days: int = 0
    late: int = 0
    early: int = 0
    incomplete: int = 0
    minutes: int = 0


def _clock(minutes: int) -> time:
    return time(minutes // 60, minutes % 60)


def _minutes(moment: time) -> int:
    return moment.hour * 60 + moment.minute


@functools.cache
def sheet_of(year: int, number: int) -> tuple[Day, ...]:
    dice = random.Random(f"larkspur attendance {year}-{number}")
    first, last = month(year, number)
    return tuple(_day(dice, day, one) for day in weekdays(first, last) for one in staff_on(day))


def _day(dice: random.Random, day: date, one: Person) -> Day:
    if day in holidays() or (one.located == "Athens" and day in _GREEK):
        return Day(day, one, "holiday", note=_GREEK.get(day, holidays().get(day, "")))
    for kind, spans in (("leave", _LEAVE), ("sick", _SICK)):
        if one.username in spans and spans[one.username][0] <= day.isoformat() <= spans[one.username][1]:
            return Day(day, one, kind)
    for event in facts()["events"]:
        if one.username in event.get("who", ()) and event["start"] <= day <= event["end"]:
            start = dice.randint(7 * 60, 8 * 60 + 30)
            return Day(day, one, "travel", _clock(start), _clock(start + dice.randint(540, 660)), 45, event["name"])
    return _ordinary(dice, day, one)


def _ordinary(dice: random.Random, day: date, one: Person) -> Day:
    kind = "remote" if one.located != "Ghent" or dice.random() < 0.16 else "office"
    note = ""
    if dice.random() * 100 < _SLOW.get(one.username, 4):
        arrival = dice.choice((605, 606, 606, 607, 609, 611, 614, 618, 622, 627, 635, 648))
        if arrival > 605 and dice.random() < 0.22:
            note = "announced"
    else:
        middle = 505 if one.username in _EARLY_BIRDS else 540
        arrival = min(604, max(420, round(dice.gauss(middle, 24))))
    pause = dice.choices((20, 25, 30, 40, 45, 60), (7, 6, 40, 15, 20, 12))[0]
    departure = max(962 + dice.randint(0, 25), arrival + 456 + max(30, pause) + round(dice.gauss(4, 22)))
    if dice.random() < 0.025:
        departure = dice.randint(14 * 60 + 30, 15 * 60 + 55)
        if dice.random() < 0.5 and not note:
            note = "agreed"
    missing = dice.random()
    if missing < 0.012:
        return Day(day, one, kind, _clock(arrival), None, None, note if note == "announced" else "")
    if missing < 0.015:
        return Day(day, one, kind, None, _clock(departure), None)
    return Day(day, one, kind, _clock(arrival), _clock(departure), pause, note)


def summary(year: int, number: int) -> dict[str, Total]:
    """By the policy in force: days worked, late, early, incomplete and minutes, for each username."""
    rules = facts()["rules"]
    late_after = time.fromisoformat(rules["late_after"])
    found: dict[str, Total] = {}
    for one in sheet_of(year, number):
        total = found.setdefault(one.person.username, Total())
        if one.kind not in WORKED:
            continue
        total.days += 1
        if one.arrival is None or one.departure is None:
            total.incomplete += 1
            continue
        if one.kind != "travel":
            total.late += one.arrival > late_after and one.note != "announced"
            total.early += one.departure < time(16) and one.note != "agreed"
        total.minutes += _minutes(one.departure) - _minutes(one.arrival) - max(rules["break_minutes"], one.pause or 0)
    return found


def files() -> dict[str, bytes]:
    found = {}
    for number in (1, 2):
        first, _ = month(2026, number)
        book = workbook(f"Attendance {first:%B %Y}")
        page = sheet(
            book, f"{first:%Y-%m}",
            ("date", "username", "name", "team", "kind", "arrival", "departure", "break_minutes", "note"),
            [(one.day, one.person.username, one.person.name, one.person.team, one.kind, one.arrival, one.departure,
              one.pause, one.note or None) for one in sheet_of(2026, number)],
        )  # fmt: skip
        for row in page.iter_rows(min_row=2, min_col=6, max_col=7):
            for cell in row:
                cell.number_format = "hh:mm"
        found[f"{FOLDER}/{first:%Y-%m}-attendance.xlsx"] = saved(book)
    return found
