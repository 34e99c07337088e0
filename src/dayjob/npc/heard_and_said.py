"""What colleagues heard and said in a trial, read back from its evidence: colleagues.jsonl and chat in the journal.

Evidence may have any shape: what cannot be read is passed over, and nothing here raises.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from dayjob.npc.hearing import Line

LONGEST = 4000
"""So many letters of a message are read."""
_NO_NAMES: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Taken:
    """One turn that a colleague took."""

    number: int
    colleague: str
    mind: str
    place: str
    thread: str
    heard: tuple[Line, ...]
    said: tuple[str, ...]
    how: Mapping[str, Any]
    did: tuple[str, ...] = ()
    """The deeds that were done, without those that were refused."""
    tried: tuple[str, ...] = ()
    """Those that were refused."""
    fault: str = ""

    @property
    def direct(self) -> bool:
        return self.place == "direct messages"

    def noted(self, name: str) -> list[str]:
        """The texts that the mind noted under a name."""
        return list(_texts(self.how.get(name)))


@dataclass(frozen=True, slots=True)
class Posted:
    """One message of chat, as the journal has it."""

    id: str
    room: str
    username: str
    text: str
    at: int
    thread: str = ""
    direct_with: tuple[str, ...] = ()
    """Who is in its room, where that is a direct one of two and known."""
    mentions: tuple[str, ...] = ()
    role: str = "examinee"


@dataclass(frozen=True, slots=True)
class Done:
    """Something a colleague changed under their own account."""

    username: str
    service: str
    at: int


@dataclass(slots=True)
class Journalled:
    """What the journal tells of chat and of colleagues' doing."""

    posted: list[Posted] = field(default_factory=list)
    done: list[Done] = field(default_factory=list)


def read_turns(lines: Iterable[str | bytes]) -> list[Taken]:
    """The turns of a colleagues.jsonl, in their order."""
    found: list[Taken] = []
    for line in lines:
        row = _json(line)
        if isinstance(row, dict) and row.get("kind") == "turn" and isinstance(row.get("colleague"), str):
            found.append(_taken(len(found), row))
    return found


def _taken(number: int, row: Mapping[str, Any]) -> Taken:
    how = row.get("how")
    deeds = [one for one in _list(row.get("did")) if isinstance(one, dict)]
    return Taken(
        number,
        str(row["colleague"]),
        _text(row.get("mind")),
        _text(row.get("place")),
        _text(row.get("thread")),
        tuple(line for one in _list(row.get("heard")) if (line := _line(one)) is not None),
        tuple(one[:LONGEST] for one in _list(row.get("said")) if isinstance(one, str)),
        how if isinstance(how, dict) else {},
        tuple(_text(one.get("deed")) for one in deeds if not one.get("refused")),
        tuple(_text(one.get("deed")) for one in deeds if one.get("refused")),
        _text(row.get("fault")),
    )


def _line(found: Any) -> Line | None:
    if not isinstance(found, dict) or not isinstance(found.get("text"), str):
        return None
    at = found.get("at")
    return Line(
        _text(found.get("id")),
        _text(found.get("room")),
        _text(found.get("sender")),
        _text(found.get("name")),
        found["text"][:LONGEST],
        at if isinstance(at, int) else 0,
        _text(found.get("thread")),
        tuple(one for one in _list(found.get("mentions")) if isinstance(one, str)),
    )


def read_journal(lines: Iterable[str | bytes], usernames: Mapping[str, str] = _NO_NAMES) -> Journalled:
    """Chat of the time of work, and what colleagues changed; `usernames` are those of chat's user ids."""
    found = Journalled()
    rooms: dict[str, tuple[str, ...]] = {}
    for line in lines:
        # Most of a long journal is requests, which are not worth being parsed.
        mark = b'"change"' if isinstance(line, bytes) else '"change"'
        row = _json(line) if mark in line[:80] else None  # type: ignore[operator]  # both are bytes, or both text
        if not isinstance(row, dict) or row.get("phase") != "work" or row.get("op") not in ("added", "changed"):
            continue
        after, role = row.get("after"), row.get("role")
        at = _moment(row.get("time"))
        if role == "npc" and row.get("service") != "chat":
            found.done.append(Done(_text(row.get("account")), _text(row.get("service")), at))
        if row.get("service") != "chat" or not isinstance(after, dict) or row.get("op") != "added":
            continue
        if row.get("table") == "rooms" and after.get("type") == "d":
            ids = [one for one in _list(_json(_text(after.get("uids")))) if isinstance(one, str)]
            rooms[_text(after.get("id"))] = tuple(usernames.get(one, "") for one in ids)
        elif row.get("table") == "messages" and not after.get("type"):
            room = _text(after.get("room_id"))
            people = rooms.get(room) or tuple(name for id, name in usernames.items() if id and id in room)
            found.posted.append(
                Posted(
                    _text(after.get("id")), room, _text(after.get("username")), _text(after.get("text"))[:LONGEST], at,
                    _text(after.get("thread_id")), people if len(people) == 2 else (), _mentioned(after), _text(role),
                )
            )  # fmt: skip
    return found


def _mentioned(after: Mapping[str, Any]) -> tuple[str, ...]:
    found = _json(_text(after.get("mentions")))
    return tuple(name for one in _list(found) if (name := _text(one.get("username") if isinstance(one, dict) else one)))


def _json(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # a line that was cut short, or is none of ours
        return None


def _moment(value: Any) -> int:
    """Milliseconds of a stamp; 0 where it is none."""
    try:
        return round(datetime.fromisoformat(value).timestamp() * 1000) if isinstance(value, str) else 0
    except (ValueError, OverflowError):
        return 0


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> Iterable[str]:
    """Every text in a note, however it is nested."""
    waiting = [value]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, str):
            yield one
        elif isinstance(one, list | tuple):
            waiting = [*one, *waiting]
        elif isinstance(one, dict):
            waiting = [*one.values(), *waiting]
