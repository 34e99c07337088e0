"""How Trellis is used: a SQLite file of the last quarter of 2025, and two lists of Engineering.

An active site has saved at least one plan in the last 28 days, an active customer has at least one active site. On
31 December 2025 that is all but the nine customers that close in winter.
"""

from __future__ import annotations

import random
import re
import sqlite3
import tempfile
from datetime import date, timedelta
from pathlib import Path

from tools.larkspur.attendance import WORKED, sheet_of
from tools.larkspur.containers import csv_text
from tools.larkspur.customers import Customer, active
from tools.larkspur.facts import days, facts, person, weekdays
from tools.larkspur.office import CALENDARS

FOLDER = "drive/files/Engineering"
FIRST, LAST = date(2025, 10, 1), date(2025, 12, 31)
ENGINEERS = (
    "jonas.weber",
    "lena.fischer",
    "arjun.mehta",
    "chidi.eze",
    "sofia.papadaki",
    "mateo.vargas",
    "ewa.kowalska",
)
_SCHEMA = """
CREATE TABLE customers (
  number TEXT PRIMARY KEY, -- as in the customer list
  name TEXT NOT NULL,
  country TEXT NOT NULL    -- BE, NL, DE or FR
);
CREATE TABLE sites (
  id INTEGER PRIMARY KEY,
  customer TEXT NOT NULL REFERENCES customers (number),
  name TEXT NOT NULL
);
CREATE TABLE weeks (       -- one row for each site and week in which something was done
  site INTEGER NOT NULL REFERENCES sites (id),
  monday TEXT NOT NULL,    -- the week's first day, ISO
  plans_saved INTEGER NOT NULL,
  swaps INTEGER NOT NULL,  -- shifts swapped between two people
  people INTEGER NOT NULL, -- different people who opened a plan
  PRIMARY KEY (site, monday)
);
"""


def _asleep() -> set[str]:
    """The customers that close in winter: no plan in December."""
    return {one.number for one in random.Random("larkspur winter").sample(active(LAST), 9)}


def rows() -> tuple[list[Customer], list[tuple[int, str, str]], list[tuple[int, str, int, int, int]]]:
    """Customers, sites and weeks as the file has them."""
    dice = random.Random("larkspur usage")
    found = active(LAST)
    asleep = _asleep()
    sites: list[tuple[int, str, str]] = []
    weeks: list[tuple[int, str, int, int, int]] = []
    mondays = [day for day in days(FIRST, LAST) if day.weekday() == 0]
    for one in found:
        for n in range(one.sites):
            site = len(sites) + 1
            sites.append((site, one.number, f"{one.city} {n + 1}" if one.sites > 1 else one.city))
            for monday in mondays:
                sleeping = one.number in asleep and monday > LAST - timedelta(31)
                if monday < one.start or sleeping or (monday != mondays[-1] and dice.random() < 0.06):
                    continue
                people = max(1, round(one.people / one.sites * dice.uniform(0.4, 0.9)))
                weeks.append(
                    (site, monday.isoformat(), dice.randint(1, 9), dice.randint(0, max(1, people // 6)), people)
                )
    return found, sites, weeks


def _sqlite() -> bytes:
    customers, sites, weeks = rows()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "usage.sqlite"
        with sqlite3.connect(path) as db:
            db.executescript(_SCHEMA)
            db.executemany(
                "INSERT INTO customers VALUES (?,?,?)", [(one.number, one.name, one.country) for one in customers]
            )
            db.executemany("INSERT INTO sites VALUES (?,?,?)", sites)
            db.executemany("INSERT INTO weeks VALUES (?,?,?,?,?)", weeks)
        db.close()
        content = bytearray(path.read_bytes())
    # Which SQLite wrote the file stands in its header; it is no part of the document.
    content[96:100] = (3_040_000).to_bytes(4, "big")
    return bytes(content)


def _away(name: str) -> set[date]:
    """The days on which an engineer is not there: by the attendance sheets, then by what is announced."""
    found = {
        one.day for n in (1, 2) for one in sheet_of(2026, n) if one.person.username == name and one.kind not in WORKED
    }
    for announced, who in facts()["away"].items():
        leave = re.match(r"leave, (\S+) to (\S+)", announced)
        if leave and name in who:
            found |= set(weekdays(date.fromisoformat(leave[1]), date.fromisoformat(leave[2])))
    if person(name).located == "Athens":
        found |= {day for day in map(date.fromisoformat, CALENDARS["athens"]) if day.month > 2}
    return found


def _capacity() -> bytes:
    """Days each engineer has in a sprint, and what for."""
    table = []
    for sprint in facts()["sprints"]:
        for name in ENGINEERS:
            support = 2 if name == "mateo.vargas" else 1
            away = sum(sprint["start"] <= day <= sprint["end"] for day in _away(name))
            table.append((sprint["name"], sprint["start"], sprint["end"], name, person(name).name, 10, away, support,
                          10 - away - support))  # fmt: skip
    return csv_text(("sprint", "start", "end", "username", "name", "days", "away", "support", "left_for_sprint"), table)


def _hosts() -> bytes:
    """The two hosts, one row a day: disk, memory, plans saved. The disk of greenhouse-1 fills up before 17 February."""
    dice = random.Random("larkspur hosts")
    table = []
    for day in days(date(2026, 1, 5), date(2026, 3, 6)):
        for host, disk, plans in (("greenhouse-1", 46.0, 410), ("greenhouse-2", 38.0, 150)):
            used = disk + (day - date(2026, 1, 5)).days * 0.11 + dice.uniform(-0.4, 0.4)
            if host == "greenhouse-1" and date(2026, 2, 12) <= day <= date(2026, 2, 16):
                used += (day - date(2026, 2, 11)).days * 9.2
            full = 100.0 if (host, day) == ("greenhouse-1", date(2026, 2, 17)) else round(used, 1)
            saved = round(
                plans * (0.35 if day.weekday() == 6 else 1.4 if day.weekday() == 0 else 1.0) * dice.uniform(0.9, 1.1)
            )
            table.append((day, host, full, round(dice.uniform(52, 71), 1), saved))
    return csv_text(("date", "host", "disk_percent", "memory_percent", "plans_saved"), table)


def files() -> dict[str, bytes]:
    return {
        f"{FOLDER}/Usage/2025-q4-usage.sqlite": _sqlite(),
        f"{FOLDER}/Usage/2026-q1-hosts.csv": _hosts(),
        f"{FOLDER}/2026-q1-capacity.csv": _capacity(),
    }
