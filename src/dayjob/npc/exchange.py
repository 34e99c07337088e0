"""One turn of a colleague towards one person: what was said to them, and what they say to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dayjob.npc.addressing import said_to
from dayjob.npc.hearing import Conversation, Line, is_called
from dayjob.npc.linking import last_question, linked
from dayjob.npc.reply import Reply
from dayjob.npc.understanding import Reading, Segment, understood
from dayjob.npc.voice import as_clause, filled
from dayjob.task.colleague_sheet import Deed, Fact, Step

if TYPE_CHECKING:
    from dayjob.npc.sheet_mind import SheetMind


class Exchange:
    """One turn of a colleague towards one person."""

    def __init__(self, mind: SheetMind, conversation: Conversation, lines: list[Line], reply: Reply) -> None:
        self.mind, self.reply, self.part = mind, reply, mind.part
        self.who = lines[0].sender
        self.known = mind.knows(self.who)
        self.direct = conversation.direct
        self.in_channel = conversation.kind != "d" and not conversation.group
        self.place = f"{conversation.room}/{conversation.thread}"
        self.text = "\n".join(one.text for one in lines)
        if conversation.kind != "d":
            people = mind.briefing.people
            self.text = "\n".join(said_to(one.text, mind.briefing.persona, people) for one in lines)
        self.reading: Reading = understood(self.text)
        before = _asked_in(conversation, lines) or self.known.asked
        self.segments = linked(self.reading, before, answered=self.known.answered)
        """What it says, sentence by sentence, with what a question refers to."""
        alone = any(set(one.mentions) == {mind.briefing.persona.username} for one in lines)
        first = (
            lines[0]
            .text.lstrip()
            .lower()
            .startswith((f"@{mind.briefing.persona.username}", mind.briefing.persona.first_name.lower()))
        )
        self.wants_answer = any(one.asks or one.deed for one in self.segments) or (alone and first)
        self.grouped = conversation.group
        self.called = is_called(self.text, mind.briefing.persona) or any(
            mind.briefing.persona.username in one.mentions for one in lines
        )
        self.others_meant = any(set(one.mentions) - {mind.briefing.persona.username} for one in lines)
        self.today = mind.briefing.now().date()
        self.sender = lines[0].name.split()[0] if lines[0].name else self.who
        self.asked_before = before
        self.known.asked = last_question(self.text) or before
        self.spoken = False
        self.told_now: set[str] = set()
        self.verdict = ""
        """The yes or no that this turn began with."""
        self.puzzled = False
        """Whether they have said already that they do not know something."""
        self.asked_now: set[str] = set()

    def general(self, segment: Segment) -> bool:
        """Whether a first question may mean the matter as a whole."""
        return self.direct and not segment.small_talk and len(segment.text) > 12 and not segment.yes_no

    def say_new(self, text: str, otherwise: str) -> None:
        """A text, or what it can be put as when it was written here before."""
        shown = filled(text, {"sender": self.sender})
        if not self.known.is_new(self.place, shown) or shown in self.reply.messages:
            shown = self.mind.voice.pick(otherwise, self.known, self.place, fact=as_clause(shown), sender=self.sender)
        self._write(shown)

    def one_of(self, texts: tuple[str, ...], otherwise: str) -> None:
        """The first of some texts that was not written here yet; else the first, put in other words."""
        for one in texts:
            shown = filled(one, {"sender": self.sender})
            if self.known.is_new(self.place, shown):
                self._write(shown)
                return
        self._write(
            self.mind.voice.pick("again", self.known, self.place, fact=as_clause(texts[-1]), sender=self.sender)
            or self.mind.voice.pick(otherwise, self.known, self.place, sender=self.sender)
        )

    def phrase(self, kind: str, **fills: str) -> None:
        taken = tuple(self.reply.messages)
        self._write(self.mind.voice.pick(kind, self.known, self.place, taken, **{"sender": self.sender, **fills}))
        self.reply.note("phrases", kind)

    def tell(self, fact: Fact, verdict: str = "") -> None:
        """Tell a fact, each time in other words; `verdict` is the yes or no before it."""
        if fact.id in self.told_now:
            return
        self.told_now.add(fact.id)
        times = self.known.told.get(fact.id, 0)
        texts = fact.says if not times else fact.again[times - 1 : times]
        shown = [filled(one, {"sender": self.sender}) for one in texts]
        if not shown or not all(self.known.is_new(self.place, one) for one in shown):
            base = as_clause(
                filled((fact.again or fact.says)[-1] if fact.again else fact.text, {"sender": self.sender})
            )
            shown = [self.mind.voice.pick("again", self.known, self.place, fact=base, sender=self.sender)]
            if not shown[0]:
                shown = [f"I have said it {times} times now: {base}."]
        if verdict and shown[0] and verdict != self.verdict:
            self.verdict = verdict  # one yes is enough for what it is said to
            first = self.mind.voice.pick(verdict, self.known, self.place, sender=self.sender) or f"{verdict.title()}."
            shown[0] = f"{first} {shown[0]}"
        for one in shown:
            self._write(one)
        if len(shown) > 1:
            self.reply.apart.update(shown)
        self.known.told[fact.id] = times + 1
        if fact.id not in self.reply.facts:
            self.reply.facts.append(fact.id)

    def reach(self, step: Step) -> None:
        self.reply.note("reached", step.id)
        self.known.raised = True
        for one in step.says:
            self._write(filled(one, {"sender": self.sender}))
        tells = [self.part.facts[id] for id in step.tells]
        open_here = [one for one in tells if self.part.open_to(one, self.known, who=self.who, direct=self.direct)]
        again = not step.says and all(one.id in self.known.told for one in open_here)
        for fact in open_here:
            if again or fact.id not in self.known.told:
                self.tell(fact)
                self.known.topic = [fact.id]
        if len(open_here) < len(tells) and any(one.place == "direct" for one in tells) and not self.direct:
            self.phrase("channel")
        for deed in self.mind.part.sheet.may:
            if deed.id in step.does or deed.when == f"at:{step.id}":
                self.do(deed)

    def do(self, deed: Deed) -> None:
        if deed.id not in self.known.did:
            self.known.did.append(deed.id)
            self.reply.deeds.append(deed)
            self.spoken = True

    def _write(self, text: str) -> None:
        if text and text not in self.reply.messages:
            self.known.wrote(self.place, text)
            self.reply.say(text)
        self.spoken = True


def _asked_in(conversation: Conversation, lines: list[Line]) -> str:
    """What was asked last in a room of several, of whomever."""
    new = {one.id for one in lines}
    earlier = (one for one in reversed(conversation.lines) if one.id not in new and one.sender == lines[0].sender)
    return (
        next((asked for one in earlier if (asked := last_question(one.text))), "") if conversation.kind != "d" else ""
    )
