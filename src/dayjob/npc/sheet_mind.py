"""The offline mind: answers from a sheet, worked out from what the colleague knows, can see, and what was said.

A script's exact rules come first where a scenario has them. Nothing here asks a model, and nothing is random.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from dayjob.npc.acquaintance import Acquaintance
from dayjob.npc.answering import take_in
from dayjob.npc.evidence import Turn
from dayjob.npc.exchange import Exchange
from dayjob.npc.facts_told import ask_for
from dayjob.npc.hearing import Conversation, Line
from dayjob.npc.minds import Briefing, Decision, Mind
from dayjob.npc.part import (
    Part,
)
from dayjob.npc.reacting import react
from dayjob.npc.reply import Reply
from dayjob.npc.script_mind import answer_by_rule
from dayjob.npc.voice import Voice

_SEEN = ":thumbsup:"
"""What is put on an announcement that names them."""


class SheetMind(Mind):
    """Answers from a sheet."""

    kind: ClassVar[str] = "script"

    def __init__(self, briefing: Briefing) -> None:
        super().__init__(briefing)
        sheet = briefing.scenario.sheet
        assert sheet is not None
        self.part = Part(sheet, briefing.persona.facts)
        self.voice = Voice(sheet.reacts, briefing.persona.voice)
        self._known: dict[str, Acquaintance] = {}

    # -- memory ----------------------------------------------------------------------------------------------

    @property
    def memory(self) -> dict[str, Any]:
        return {who: one.memory for who, one in self._known.items()}

    def recall(self, memory: Mapping[str, Any]) -> None:
        self._known = {who: Acquaintance.recalled_from(one) for who, one in memory.items()}

    def knows(self, who: str) -> Acquaintance:
        """What passed between them and somebody."""
        return self._known.setdefault(who, Acquaintance())

    async def able(self) -> bool:
        return True  # as of a script: what keeps it from a decision is what it was told, or looks at for it

    def word_for(self, kind: str, turn: Turn) -> str:
        who = turn.heard[-1].sender if turn.heard else ""
        place = f"{turn.heard[-1].room}/{turn.thread}" if turn.heard else ""
        known = self.knows(who)
        if kind == "failed" and turn.did and (deed := turn.did[-1]["deed"]) in known.did:
            known.did.remove(deed)  # it may work another time
        text = self.voice.pick(kind, known, place, sender=turn.heard[-1].name.split()[0] if turn.heard else "")
        known.wrote(place, text)
        return text

    # -- deciding --------------------------------------------------------------------------------------------

    async def decide(self, conversation: Conversation, meant: list[Line]) -> Decision:
        reply = Reply()
        for lines in _by_sender(meant):
            exact = answer_by_rule(self.briefing.scenario, conversation, lines)
            if exact.how["rules"]:
                if exact.action == "leave":
                    return exact
                reply.say(*exact.messages)
                reply.apart.update(exact.messages)
                reply.how.update(exact.how)
                continue
            await self._answer(Exchange(self, conversation, lines, reply))
        messages = reply.written
        how = {"facts": reply.facts, **reply.how}
        if reply.deeds:
            how["deeds"] = [one.id for one in reply.deeds]
        spoken = bool(messages or reply.deeds)
        named = any(self.briefing.persona.username in one.mentions for one in meant)
        seen = _SEEN if not spoken and named and "read" in reply.how else ""
        return Decision("speak" if spoken else "silent", messages, how, tuple(reply.deeds), seen)

    async def _answer(self, turn: Exchange) -> None:
        if turn.in_channel and not turn.wants_answer:
            turn.reply.note("read", turn.text[:80])  # an announcement is read, not answered
            return
        if turn.in_channel and self.part.sheet.only_direct:
            turn.phrase("channel")
            return
        shown = len(turn.known.shown)
        for step in self.part.hear(turn.reading, turn.known):
            turn.reach(step)
        for segment in turn.segments:
            await take_in(turn, segment)
        if not turn.spoken and len(turn.known.shown) > shown and (waits := self.part.pending(turn.known)) is not None:
            ask_for(turn, waits[0])  # a part of the evidence is there: for the rest
        if not turn.spoken:
            react(turn)
        if any(one.asks or one.corrects for one in turn.segments):
            turn.known.answered = bool(turn.told_now)
        turn.known.raised = turn.known.raised or self.part.about_the_matter(turn.text)


def _by_sender(lines: list[Line]) -> Iterator[list[Line]]:
    """Lines in a row of one person are one message."""
    found: dict[str, list[Line]] = {}
    for line in lines:
        found.setdefault(line.sender, []).append(line)
    yield from found.values()
