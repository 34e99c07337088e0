"""What a colleague hears: messages, which of them are meant for them, and the conversation they belong to."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from dayjob.npc.persona import Persona

_GREETING = r"(?:hi|hello|hey|hallo|dear|morning|good (?:morning|afternoon|evening)|thanks|thank you|ok|okay|so|and)"


@dataclass(frozen=True, slots=True)
class Line:
    """One message, as everybody in the room sees it."""

    id: str
    room: str
    sender: str
    """The sender's username."""
    name: str
    text: str
    at: int
    """Milliseconds of the company's clock."""
    thread: str = ""
    mentions: tuple[str, ...] = ()

    @classmethod
    def of(cls, found: dict[str, Any]) -> Line | None:
        """From the wire; None for what nobody said (somebody joined, a topic was changed) or what is misshapen."""
        user, at = found.get("u"), found.get("ts")
        if found.get("t") or not isinstance(user, dict) or not isinstance(found.get("msg"), str):
            return None
        moment = at.get("$date") if isinstance(at, dict) else None
        mentions, attachments = found.get("mentions"), found.get("attachments")
        text = found["msg"]
        for one in attachments if isinstance(attachments, list) else ():
            if isinstance(one, dict) and (title := one.get("title") or one.get("description")):
                text += f"\n[attached: {title}]"
        return cls(
            str(found.get("_id")),
            str(found.get("rid")),
            str(user.get("username")),
            str(user.get("name") or user.get("username")),
            text.strip(),
            moment if isinstance(moment, int) else 0,
            str(found.get("tmid") or ""),
            tuple(str(one.get("username")) for one in mentions if isinstance(one, dict))
            if isinstance(mentions, list)
            else (),
        )


@dataclass(slots=True)
class Conversation:
    """A room, or one thread in it, as a colleague remembers it."""

    room: str
    kind: str
    """`d` for a direct room; anything else is a channel."""
    name: str = ""
    thread: str = ""
    lines: list[Line] = field(default_factory=list)
    unanswered: list[Line] = field(default_factory=list)
    """Everything since the colleague's last decision, addressed or not."""
    addressed: bool = False
    """Whether something of it was meant for the colleague."""
    recalled: bool = False
    """Whether what was said before the colleague came has been read."""
    silent_after: set[str] = field(default_factory=set)
    """Lines after which the colleague chose to say nothing."""
    step: str = ""
    left: bool = False
    used: set[int] = field(default_factory=set)
    """Rules that are used up here."""
    met: set[str] = field(default_factory=set)
    """Who the colleague has answered before."""

    @property
    def direct(self) -> bool:
        return self.kind == "d"

    @property
    def place(self) -> str:
        return "direct messages" if self.direct else f"#{self.name}"


def is_addressed(line: Line, who: Persona, *, takes_part: bool) -> bool:
    """In a channel: is this message meant for them? By mention, by name, or because they are in the thread."""
    if who.username in line.mentions:
        return True
    if _called(line.text, who):
        return True
    if {"all", "here"} & set(line.mentions):
        return True
    # Who is mentioned instead is meant instead.
    return bool(line.thread) and takes_part and not line.mentions


def _called(text: str, who: Persona) -> bool:
    """A name at the start ("Hi Mara, …") or the end ("…, Mara?") calls somebody; one in between speaks of them."""
    for name in (who.name, who.first_name, who.username):
        bare = rf"@?{re.escape(name)}"
        called = (
            rf"\s*{_GREETING}\b[\s,!.]*{bare}\b",
            rf"\s*{bare}\s*(?:[,:;!?–—-]|$)",
            rf".*[,–—-]\s*{bare}\s*[?.!]*\s*$",
        )
        if any(re.match(one, text, re.IGNORECASE | re.DOTALL) for one in called):
            return True
    return False
