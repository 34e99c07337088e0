"""When the files of a world were made and last changed: `drive/times.yml`, paths below `drive/` to days.

A rule holds for a file, or for all that a folder holds; the nearest one wins, and a task's overlay may add to them.
What no rule reaches is four weeks older than the world's `now`. A folder has changed with the newest thing in it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import partial

from dayjob.company.drive.names import chain, parent_of
from dayjob.company.world import Located, World
from dayjob.company.world.yaml import parse_moment

TIMES = "drive/times.yml"
_AGE = timedelta(weeks=4)
_START = datetime(2026, 1, 1, tzinfo=UTC)  # for worlds that do not say what time it is
_KEYS = ("created", "modified")


@dataclass(frozen=True, slots=True)
class Span:
    """Since when something is on the drive, and when it last changed; in seconds since 1970."""

    created: int
    modified: int

    def __or__(self, other: Span) -> Span:
        return Span(min(self.created, other.created), max(self.modified, other.modified))


def place_of(account: str, owner: str, path: str) -> str:
    """Where a path of somebody's drive stands below `drive/`: `files/Orders`, `people/ada/notes.md`."""
    return ("files" if owner == account else f"people/{owner}") + path.rstrip("/")


def age(world: World) -> Span:
    """The time of what no rule reaches."""
    moment = int((world.info.now - _AGE if world.info.now else _START).timestamp())
    return Span(moment, moment)


def read_rules(world: World, places: Iterable[str]) -> dict[str, Span]:
    """Place → time, for every rule that is right; the others are the world's problems."""
    known = {folder.strip("/") for place in places for folder in chain(f"/{place}")} - {""}
    # A world's rule is not wrong because a task's overlay has taken the file away.
    gone = {folder.strip("/") for file in world.files.removed for folder in chain(_normal(f"/{file}"))}
    rules: dict[str, Span] = {}
    for listed in world.layers(TIMES):
        if listed is None:
            continue
        if not isinstance(listed, Located):
            _wrong(world, 1, "Times are a mapping of paths to days.", "Write 'files/Orders: 2026-03-05'.")
            continue
        for key in listed:
            place = _normal(key).rstrip("/")
            if place not in known:
                if f"drive/{place}" not in gone:
                    _unknown(world, listed.at(key), key, known)
            elif span := _span(world, listed.at(key), listed[key]):
                rules[place] = span
    return rules


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _wrong(world: World, line: int, message: str, fix: str) -> None:
    world.problems.add("drive-time", TIMES, line, message, fix)


def _unknown(world: World, line: int, key: str, known: set[str]) -> None:
    meant = f"files/{key.strip('/')}"
    fix = f"Write '{meant}'." if meant in known else "Name a file or folder as it stands below drive/."
    _wrong(world, line, f"There is no '{key}' in drive/.", fix)


def _span(world: World, line: int, value: object) -> Span | None:
    if not isinstance(value, Located):
        moment = moment_of(world, value, partial(_wrong, world, line))
        return None if moment is None else Span(moment, moment)
    given: dict[str, int] = {}
    for key in value:
        at = value.at(key)
        if key not in _KEYS:
            _wrong(world, at, f"'{key}' means nothing in a time.", "Known: created, modified.")
            return None
        moment = moment_of(world, value[key], partial(_wrong, world, at))
        if moment is None:
            return None
        given[key] = moment
    if not given:
        _wrong(world, line, "This time is empty.", "Write a day, or 'created' and 'modified'.")
        return None
    only = next(iter(given.values()))
    first, last = given.get("created", only), given.get("modified", only)
    if first > last:
        _wrong(world, line, "This changed before it was made.", "Exchange 'created' and 'modified'.")
        return None
    return Span(first, last)


def moment_of(world: World, value: object, wrong: Callable[[str, str], None]) -> int | None:
    """A day or a moment of the world's past, in seconds; a day means its noon, or `now` where that is earlier."""
    now = world.info.now.astimezone(UTC) if world.info.now else None
    try:
        moment = datetime.combine(date.fromisoformat(str(value)), time(12), UTC)
        if now is not None and moment.date() == now.date():
            moment = min(moment, now)
    except ValueError:
        parsed = parse_moment(value)
        if parsed is None:
            wrong(f"'{value}' is not a date.", "Write it as 2026-03-05, or as 2026-03-05T14:20:00Z.")
            return None
        moment = parsed
    if now is not None and moment > now:
        wrong(f"'{value}' is after the world's now, {now:%Y-%m-%dT%H:%M:%SZ}.", "Choose an earlier day.")
        return None
    if moment.timestamp() < 0:
        wrong(f"'{value}' is before 1970.", "Choose a later day.")
        return None
    return int(moment.timestamp())


def spans(place: str, tree: Mapping[str, object], rules: Mapping[str, Span], otherwise: Span) -> dict[str, Span]:
    """The time of everything in one drive, its root included; `tree` has None for folders."""
    found: dict[str, Span] = {}
    for path in sorted({*tree, "/"}, reverse=True):  # what a folder holds comes before it
        at = (place + path).rstrip("/")
        mine = _nearest(at, rules) or otherwise
        if path == "/" or tree[path] is None:
            inside = found.get(path)
            mine = mine if inside is None else inside | rules[at] if at in rules else inside
        found[path] = mine
        if path != "/":
            above = parent_of(path)
            found[above] = found[above] | mine if above in found else mine
    return found


def _nearest(place: str, rules: Mapping[str, Span]) -> Span | None:
    while place:
        if place in rules:
            return rules[place]
        place = place.rpartition("/")[0]
    return None
