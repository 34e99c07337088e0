"""When each document of the drive came there: `drive/times.yml`, from the days in names and contents and times.toml.

A document about a day is saved on it, or on the first working day after; a policy a week before it comes into force; a
contract of employment five weeks before its first day. Hours are drawn with a seed, within those of the office.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from tools.larkspur.facts import HERE, WORLD, facts, holidays, slug
from tools.larkspur.hiring import CANDIDATES
from tools.larkspur.hiring import FOLDER as HIRING
from tools.larkspur.unsorted import FOLDER as UNSORTED
from tools.larkspur.unsorted import RIGHT

FILE = "drive/times.yml"
FILES = "drive/files"
_GHENT = ZoneInfo("Europe/Brussels")
_EVERY_YEAR = ((1, 1), (5, 1), (7, 21), (8, 15), (11, 1), (11, 11), (12, 25))  # holidays of other years than 2026
# Felix counts nine applications on 20 February and all fourteen on 2 March.
_APPLIED = (11, 12, 13, 16, 17, 17, 18, 19, 20, 23, 24, 25, 26, 27)
_HEAD = """# When the documents of the drive came there and last changed; `make world` writes it.
# The first line is for what a task adds and gives no day of its own.
files: 2026-03-06T16:15:00Z
people/sam.reed/notes.md: 2026-03-09T08:45:00Z
"""
Span = tuple[datetime, datetime]


def works(day: date) -> bool:
    return day.weekday() < 5 and day not in holidays() and (day.month, day.day) not in _EVERY_YEAR


def _working(day: date, step: int = 1) -> date:
    """The day, or the next (or last) one on which somebody works."""
    while not works(day):
        day += timedelta(step)
    return day


def _moment(path: str, at: date | datetime, part: str = "") -> datetime:
    """A moment as it is; a day with an hour between nine and half past four in Ghent."""
    if isinstance(at, datetime):
        return at.astimezone(UTC)
    minutes = random.Random(f"larkspur time {path}{part}").randrange(9 * 60, 16 * 60 + 30)
    return datetime.combine(at, time(minutes // 60, minutes % 60), _GHENT).astimezone(UTC)


def _told() -> dict[str, Span]:
    """What times.toml says, by path below the world's folder."""
    found: dict[str, Span] = {}
    for folder, listed in tomllib.loads((HERE / "times.toml").read_text("utf-8")).items():
        for name, value in listed.items():
            path = f"{FILES}/{folder}/{name}"
            first, last = value if isinstance(value, list) else (value, value)
            last_moment = _moment(path, last)
            found[path] = (last_moment if first == last else _moment(path, first, " first"), last_moment)
    return found


def _applications() -> dict[str, date]:
    return {
        f"{HIRING}/Applications/cv-{slug(one.name)}.{'docx' if n % 2 == 0 else 'pdf'}": date(2026, 2, _APPLIED[n])
        for n, one in enumerate(CANDIDATES)
    }


def _day(path: str) -> date:
    """The day that a document's name or content gives it; `ValueError` when neither does."""
    folder, _, name = path.rpartition("/")
    if folder == UNSORTED:
        name = RIGHT.get(name, name)
    if (applied := _applications().get(path)) is not None:
        return applied
    if (about := re.match(r"\d{4}-\d\d-\d\d", name)) is not None:
        day = date.fromisoformat(about[0])
        if folder.endswith("People/Contracts"):
            return _working(day - timedelta(weeks=5), -1)
        return _working(day + timedelta(1) if "/Visits" in folder or "/Photos" in folder else day)
    if path.endswith(".md"):
        text = (WORLD / path).read_text("utf-8")
        if (force := re.search(r"in force since (\d+ \w+ \d{4})", text, re.IGNORECASE)) is not None:
            return _working(datetime.strptime(force[1], "%d %B %Y").date() - timedelta(weeks=1), -1)
    raise ValueError(f"Neither its name nor times.toml says when {path} came to the drive.")


def times(paths: Iterable[str]) -> dict[str, Span]:
    """When each of the company's documents came to the drive, and when it last changed."""
    told, now = _told(), facts()["dates"]["now"]
    wanted = sorted(path for path in paths if path.startswith(f"{FILES}/"))
    if unknown := sorted(set(told) - set(wanted)):
        raise ValueError(f"times.toml names {unknown[0]}, which is not in the world.")
    found: dict[str, Span] = {}
    for path in wanted:
        found[path] = told[path] if path in told else (_moment(path, _day(path)),) * 2
        first, last = found[path]
        if not first <= last <= now or not works(first.date()) or not works(last.date()):
            raise ValueError(f"{path} cannot be from {first} and {last}.")
    return found


def _line(path: str, span: Span) -> str:
    first, last = (f"{one:%Y-%m-%dT%H:%M:%SZ}" for one in span)
    return f"{path.removeprefix('drive/')}: {last if first == last else f'{{created: {first}, modified: {last}}}'}\n"


def text(found: Mapping[str, Any]) -> bytes:
    """The file, for the documents that generators have made and those that stand in the world beside them."""
    written = {path.relative_to(WORLD).as_posix() for path in (WORLD / FILES).rglob("*") if path.is_file()}
    return (_HEAD + "".join(_line(*one) for one in times({*written, *found}).items())).encode()
