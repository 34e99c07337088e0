"""What somebody said in chat while the examinee worked: where, to whom and in which order."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any

from dayjob.grading.chat import create_rocketchat_client
from dayjob.grading.journal import changes


@dataclass(frozen=True)
class Message:
    """One message. `speaker` is a username.

    `channel` is empty in a direct conversation; `people` are the others in one, and empty elsewhere.
    """

    speaker: str
    text: str
    at: str
    channel: str
    people: frozenset[str]
    thread: str | None
    """The id of the message it answers in a thread."""
    has_file: bool

    def is_to(self, username: str) -> bool:
        """Said to somebody: directly, or anywhere else with their `@username` or its part before the dot as a word."""
        name = re.escape(username.partition(".")[0])
        return username in self.people or re.search(rf"\b{name}\b", self.text, re.IGNORECASE) is not None


@functools.cache
def messages_from(username: str) -> tuple[Message, ...]:
    """Somebody's messages since the examinee started, oldest first; who joined or left a room is none."""
    rows = [row["after"] for row in changes("rocketchat") if row["table"] == "messages" and row["op"] == "added"]
    said = [row for row in rows if row["username"] == username and not row["type"]]
    rooms = _rooms() if said else {}
    return tuple(_message(row, rooms[row["room_id"]]) for row in sorted(said, key=lambda row: str(row["at"])))


def _message(row: dict[str, Any], room: dict[str, Any]) -> Message:
    people = frozenset(room.get("usernames") or ()) - {row["username"]} if room["t"] == "d" else frozenset[str]()
    channel = "" if room["t"] == "d" else str(room["name"])
    return Message(row["username"], row["text"], row["at"], channel, people, row["thread_id"], bool(row["files"]))


def _rooms() -> dict[str, dict[str, Any]]:
    answer = create_rocketchat_client().call_api_get("rooms.adminRooms", count=0)
    answer.raise_for_status()
    return {room["_id"]: room for room in answer.json()["rooms"]}
