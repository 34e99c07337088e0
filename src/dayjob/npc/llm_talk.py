"""A conversation as the messages of a model's prompt: what was said by whom and when, and what was said elsewhere.

What others write is quoted as JSON and cannot speak for anybody else. The messages of `user` and `assistant` take
turns, and the last one is always a `user`'s.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime

from dayjob.npc.hearing import Conversation, Line

_DIRECT = 60
"""Lines of a direct message, a group or a thread; fewer of a channel, where most are about something else."""
_LETTERS = 24_000
_OWN_TALK = 12
_BESIDE = 5
"""Lines of a channel between the colleague and whoever writes, and others'."""
_SHORT = 140
_ELSEWHERE = 4

Message = dict[str, str]


class Telling:
    """Tells one colleague's model what was said."""

    def __init__(self, username: str, usual: Collection[str], now: datetime) -> None:
        """`usual` are those whose full name the model knows already."""
        self._username, self._usual, self._now = username, usual, now

    def talk(
        self, conversation: Conversation, senders: Collection[str], elsewhere: Iterable[str] = ()
    ) -> list[Message]:
        """The conversation so far, newest last, cut at the old end."""
        lines = conversation.known
        chosen = self._chosen(conversation, lines, senders)
        found: list[Message] = []
        pending = [self._place(conversation, len(chosen) < len(lines))]
        if said := list(elsewhere):
            pending += ["Lately, elsewhere:", *said, "Here:"]
        for line, text in chosen:
            if line.sender == self._username:
                _answered(found, pending, "speak", text)
                continue
            pending.append(self.quoted(line, text))
            if line.id in conversation.silent_after:
                _answered(found, pending, "silent", "")
        if pending or not found:
            found.append({"role": "user", "content": "\n".join(pending)})
        elif found[-1]["role"] != "user":
            found.append({"role": "user", "content": "Nothing has been said since."})
        return found

    def quoted(self, line: Line, text: str, place: str = "") -> str:
        """One line as data."""
        facts = {"in": place} if place else {}
        facts |= {"at": self._moment(line.at), "from": line.sender}
        if line.sender not in self._usual:
            facts["name"] = line.name
        return json.dumps({**facts, "text": text}, ensure_ascii=False)

    def elsewhere(
        self, here: Conversation, every: Iterable[Conversation], senders: Collection[str], may: Callable[[str], bool]
    ) -> list[str]:
        """The last lines between the colleague and whoever writes, in their other conversations; those of which
        nothing may be told here are left out."""
        found: list[tuple[Line, str]] = []
        for other in every:
            if (other.room, other.thread) == (here.room, here.thread):
                continue
            place = other.place + (", in a thread" if other.thread else "")
            found += [(line, place) for line in self._between(other, senders)]
        latest = sorted(found, key=lambda one: one[0].at)[-_ELSEWHERE:]
        return [self.quoted(line, short(line.text), place) for line, place in latest if may(line.text)]

    # -- choosing --------------------------------------------------------------------------------------------

    def _chosen(
        self, conversation: Conversation, lines: list[Line], senders: Collection[str]
    ) -> list[tuple[Line, str]]:
        """The lines that are told, with as much of each as is told."""
        if conversation.direct or conversation.group or conversation.thread:
            kept = lines[-_DIRECT:]
            while len(kept) > 1 and sum(len(one.text) for one in kept) > _LETTERS:
                kept = kept[1:]
            return [(one, one.text) for one in kept]
        own = {line.id for line in self._between(conversation, senders, lines)}
        left = {True: _OWN_TALK, False: _BESIDE}
        found: list[tuple[Line, str]] = []
        for line in reversed(lines):
            near = line.id in own or not found
            if left[near]:
                left[near] -= 1
                found.append((line, line.text if near else short(line.text)))
        return found[::-1]

    def _between(
        self, conversation: Conversation, senders: Collection[str], lines: list[Line] | None = None
    ) -> list[Line]:
        """What the colleague and these people said to each other: all of a direct message, else the lines that call
        the colleague and the answers to them."""
        lines = conversation.lines if lines is None else lines
        if not any(one.sender in senders for one in lines):
            return []
        if conversation.direct:
            return lines
        found: list[Line] = []
        called = False
        for one in lines:
            if one.sender == self._username:
                if called:
                    found.append(one)
            elif one.sender in senders:
                called = called or self._calls(one)
                if called:
                    found.append(one)
        return found

    def _calls(self, line: Line) -> bool:
        first = self._username.partition(".")[0]
        return self._username in line.mentions or first in line.text.casefold() or bool(line.thread)

    # -- words -----------------------------------------------------------------------------------------------

    def _place(self, conversation: Conversation, cut: bool) -> str:
        place = f"You are in {conversation.place}{', in a thread' if conversation.thread else ''}."
        if here := conversation.members:
            shown, more = here[:12], len(here) - 12
            place += f" Here too: {', '.join(shown)}{f' and {more} more' if more > 0 else ''}."
        return place + (" Older messages are left out." if cut else "")

    def _moment(self, at: int) -> str:
        moment = datetime.fromtimestamp(at / 1000, UTC)
        passed = self._now.date() - moment.date()
        day = "" if not passed.days else f"{moment:%a} " if 0 < passed.days < 7 else f"{moment:%Y-%m-%d} "
        return f"{day}{moment:%H:%M}"


def _answered(found: list[Message], pending: list[str], action: str, message: str) -> None:
    """Add what the colleague did; two things in a row are one."""
    if pending:
        found.append({"role": "user", "content": "\n".join(pending)})
        pending.clear()
    elif found and found[-1]["role"] == "assistant":
        before = json.loads(found.pop()["content"])["message"]
        message = "\n".join(one for one in (before, message) if one)
        action = "speak" if message else action
    said = json.dumps({"action": action, "message": message}, ensure_ascii=False)
    found.append({"role": "assistant", "content": said})


def short(text: str, letters: int = _SHORT) -> str:
    """The beginning of a text on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= letters else flat[: letters - 1] + "…"
