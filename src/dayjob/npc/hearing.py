"""What a colleague hears: messages, which of them are meant for them, and the conversation they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from dayjob.npc.persona import Persona

_GREETING = r"(?:hi|hello|hey|hallo|dear|morning|good (?:morning|afternoon|evening)|thanks|thank you|ok|okay|so|and)"


_NAME = 80
"""A name has so many letters at most."""
_ENDS = 200
"""Who is called is called in so many letters at the beginning or the end."""
_BEHIND_MENTIONS = re.compile(r"^(?:\s*@[\w.]+[,\s]*(?:and\s+)?)+")


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
    def recalled_from(cls, kept: dict[str, Any]) -> Line:
        """From what `asdict` and JSON made of one."""
        return cls(**{**kept, "mentions": tuple(kept["mentions"])})

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
            " ".join(str(user.get("name") or "").split())[:_NAME] or str(user.get("username")),
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
    """`d` for a direct room of two, `g` for one of more; anything else is a channel."""
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
    members: list[str] = field(default_factory=list)
    """Who is in the room beside the colleague, once that was read."""
    seen: str = ""
    """The last line that the decision under way knows."""
    own_after: dict[str, str] = field(default_factory=dict)
    """The colleague's own messages, each with the last line that its decision knew."""

    @classmethod
    def recalled_from(cls, kept: dict[str, Any]) -> Conversation:
        """From what JSON made of its memory."""
        lines = {name: [Line.recalled_from(line) for line in kept[name]] for name in ("lines", "unanswered")}
        sets = {name: set(kept[name]) for name in ("silent_after", "used", "met")}
        return cls(**{**kept, **lines, **sets})

    @property
    def memory(self) -> dict[str, Any]:
        """As JSON takes it."""
        sets = {"silent_after": sorted(self.silent_after), "used": sorted(self.used), "met": sorted(self.met)}
        return {**asdict(self), **sets}

    def take_in(self, line: Line, most: int) -> None:
        """Remember a line: what others say as it comes, an own one after what its decision knew."""
        at = len(self.lines)
        if (after := self.own_after.get(line.id)) is not None:
            at = 1 + next((place for place, one in enumerate(self.lines) if one.id == after), -1)
            while at < len(self.lines) and self.own_after.get(self.lines[at].id) == after:
                at += 1  # said before it, in the same turn
        self.lines.insert(at, line)
        for old in self.lines[:-most]:
            self.own_after.pop(old.id, None)
        del self.lines[:-most]

    @property
    def known(self) -> list[Line]:
        """What the decision under way knows: nothing that came after it had begun."""
        at = next((place for place, one in enumerate(self.lines) if one.id == self.seen), None)
        return list(self.lines) if at is None else self.lines[: at + 1]

    @property
    def direct(self) -> bool:
        return self.kind == "d"

    @property
    def group(self) -> bool:
        return self.kind == "g"

    @property
    def place(self) -> str:
        if self.group:
            return "a direct message with several"
        return "direct messages" if self.direct else f"#{self.name}"


def is_addressed(line: Line, who: Persona, *, takes_part: bool, beside: Iterable[Persona] = ()) -> bool:
    """In a room of several: is this message meant for them? By mention, by name, or because they are in the thread.

    `beside` are others in a direct room of several: there what is meant for nobody in particular is meant for all.
    """
    if who.username in line.mentions:
        return True
    if is_called(line.text, who):
        return True
    if {"all", "here"} & set(line.mentions):
        return True
    if line.mentions and is_called(_BEHIND_MENTIONS.sub("", line.text), who):
        return True
    if beside and not line.mentions:
        first = [word.casefold() for word in re.findall(r"\w+", line.text)[:6]]
        if who.first_name.casefold() in first:
            return True
        others = [one for one in beside if one.username != who.username]
        return not any(is_called(line.text, one) or one.first_name.casefold() in first[:4] for one in others)
    # Who is mentioned instead is meant instead.
    return bool(line.thread) and takes_part and not line.mentions


def is_called(text: str, who: Persona) -> bool:
    """A name at the start ("Hi Mara, …") or the end ("…, Mara?") calls somebody; one in between speaks of them."""
    for name in (who.name, who.first_name, who.username):
        bare = rf"@?{re.escape(name)}"
        called = (
            rf"\s*{_GREETING}\b[\s,!.]*{bare}\b",
            rf"\s*{bare}\s*(?:[,:;!?–—-]|$)",
            rf".*[,–—-]\s*{bare}\s*[?.!]*\s*$",
        )
        ends = (text[:_ENDS], text[:_ENDS], text[-_ENDS:])
        if any(re.match(one, end, re.IGNORECASE | re.DOTALL) for one, end in zip(called, ends, strict=True)):
            return True
    return False
