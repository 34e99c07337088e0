"""What was said in chat during a trial, room by room, from the journal: everyone's messages, edits and removals."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

_ROOM = re.compile(r" in (#[\w.-]+|the direct messages of [^\"]+|[^\"]+)$")
MOST_MESSAGES = 2000


@dataclass(slots=True)
class Message:
    """One message as it stood at the end. `mine`: the examinee wrote it."""

    id: str
    author: str
    name: str
    text: str
    time: str
    mine: bool
    role: str
    edited: bool = False
    removed: bool = False


@dataclass(slots=True)
class Room:
    id: str
    name: str
    messages: list[Message] = field(default_factory=list)


def rooms(journal: Iterable[dict[str, Any]], changes: Iterable[dict[str, Any]]) -> list[Room]:
    """Rooms in the order of their first message; a room's name is what the differences call it."""
    found: dict[str, Room] = {}
    messages: dict[str, Message] = {}
    names = _names(changes)
    for row in journal:
        if row.get("kind") != "change" or row.get("service") != "chat" or row.get("table") != "messages":
            continue
        after, before = row.get("after"), row.get("before")
        values = after if isinstance(after, dict) else before if isinstance(before, dict) else {}
        key, room = str(row.get("key")), str(values.get("room_id"))
        if row.get("op") == "added" and len(messages) < MOST_MESSAGES:
            message = Message(
                key,
                str(values.get("username") or row.get("account") or "?"),
                str(values.get("user_name") or values.get("username") or "?"),
                str(values.get("text") or ""),
                str(values.get("at") or row.get("time") or ""),
                row.get("role") == "examinee",
                str(row.get("role")),
            )
            messages[key] = message
            found.setdefault(room, Room(room, names.get(room, ""))).messages.append(message)
        elif key in messages and row.get("op") == "removed":
            messages[key].removed = True
        elif key in messages and values.get("text") is not None and values["text"] != messages[key].text:
            messages[key].text, messages[key].edited = str(values["text"]), True
    for room in found:
        if not found[room].name:
            people = dict.fromkeys(message.author for message in found[room].messages)
            found[room].name = "A room with " + " and ".join(people)
    return list(found.values())


def _names(changes: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Room names as the words of the differences give them: `… posted "…" in #launch`."""
    found: dict[str, str] = {}
    for change in changes:
        after = change.get("after")
        if change.get("service") != "chat" or not isinstance(after, dict):
            continue
        words = str(change.get("words") or "")
        if change.get("table") == "messages" and (match := _ROOM.search(words)):
            found.setdefault(str(after.get("room_id")), match.group(1).removeprefix("the ").capitalize())
        elif change.get("table") == "rooms" and after.get("name"):
            found[str(after.get("id"))] = f"#{after['name']}"
    return found


def pretty(value: Any) -> str:
    """Any JSON value as text a person reads."""
    return value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False)
