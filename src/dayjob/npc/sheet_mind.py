"""The offline mind: answers from a sheet, worked out from what the colleague knows, can see, and what was said.

A script's exact rules come first where a scenario has them. Nothing here asks a model, and nothing is random.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, ClassVar

from dayjob.npc.acquaintance import Acquaintance
from dayjob.npc.evidence import Turn
from dayjob.npc.hearing import Conversation, Line, is_called
from dayjob.npc.hours_said import Proposal, clashes, covers, hours_on, proposals
from dayjob.npc.minds import Briefing, Decision, Mind
from dayjob.npc.part import (
    Asked,
    Part,
    is_bare,
    is_general,
    own_words,
    wants_certainty,
    wants_consent,
    wants_more,
    wants_reason,
    wants_repetition,
    wants_something_given,
)
from dayjob.npc.script_mind import answer_by_rule
from dayjob.npc.understanding import Reading, Segment, content, each_of, understood
from dayjob.npc.voice import Voice, as_clause, filled
from dayjob.task.colleague_sheet import Deed, Fact, Step, any_in

_WORK = frozenset(["write", "create", "fix", "make", "prepare", "change", "update", "add", "remove", "delete"])
"""Deeds that are work of its own."""
_LONG = 60
"""Who writes so much at first has said what it is about."""
_SHORT = 320
"""What a turn says goes into one message up to so many letters."""
_FEW = 5
"""A question of so few words of its own goes on about what was said."""
_PRESSES = re.compile(
    r"\b(?:come on|exception|nobody (?:will|would|'ll|cares|needs|is going|has to)|no one (?:will|would)"
    r"|just (?:this once|say|tell|do|send|put|merge|"
    r"approve|forward|round|add)|nobody (?:will )?(?:mind|notice)|good enough|(?:can|could)(?:'t| ?not)? (?:we|you"
    r"|i) (?:not )?just|won'?t hurt|between us|trust me|don'?t tell|without (?:asking|telling|anybody)|"
    r"what if i|skip|make an exception|look the other way|after the merge|hurry up|a bit more|simpler without)\b",
    re.IGNORECASE,
)
_SUITS = re.compile(
    r"\b(?:suits?|works?|ok|okay|fine|possible|impossible|free|available|unavailable|convenient|make (?:it)?|do|good"
    r"|how about|"
    r"what about|attend|come|join|manage|be there)\b",
    re.IGNORECASE,
)
_CONFIRMS = re.compile(
    r"\b(?:confirm|agree|is that (?:ok|okay|fine|possible|all right)|would that|does (?:that|it)|will that)\b",
    re.IGNORECASE,
)
_IMPOSSIBLE = re.compile(
    r"\b(?:impossible|unavailable|busy|taken|out|cannot|can't|can not|not (?:ok|possible|free))\b", re.IGNORECASE
)
_WHICH_TIMES = re.compile(r"\b(?:when|(?:which|what) (?:day|time|hour|slot|moment)s?)\b", re.IGNORECASE)
_OF_THESE = re.compile(r"\b(?:of these|of those|suits you better|of the two|better)\b", re.IGNORECASE)
_SEEN = ":thumbsup:"
"""What is put on an announcement that names them."""
_CONSENT = each_of("approve merge review accept sign look check read allow agree confirm")
"""What they are asked for when somebody wants their yes."""
_AT_ONCE = 6
"""So many messages a colleague writes in one turn at most."""


@dataclass(slots=True)
class _Reply:
    """What is about to be said, and why."""

    messages: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    deeds: list[Deed] = field(default_factory=list)
    how: dict[str, Any] = field(default_factory=dict)
    handled: set[str] = field(default_factory=set)

    apart: set[str] = field(default_factory=set)
    """Messages that an author wants to stand by themselves."""

    def say(self, *texts: str) -> None:
        self.messages += [one for one in texts if one and one not in self.messages]

    @property
    def written(self) -> tuple[str, ...]:
        """What is said, short parts in one message."""
        found: list[str] = []
        for one in self.messages:
            if found and not {one, found[-1]} & self.apart and len(found[-1]) + len(one) < _SHORT:
                found[-1] = f"{found[-1]} {one}"
            else:
                found.append(one)
        return tuple(found[:_AT_ONCE])

    def note(self, name: str, value: Any) -> None:
        self.how.setdefault(name, []).append(value)


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
        reply = _Reply()
        for lines in _by_sender(meant):
            exact = answer_by_rule(self.briefing.scenario, conversation, lines)
            if exact.how["rules"]:
                if exact.action == "leave":
                    return exact
                reply.say(*exact.messages)
                reply.apart.update(exact.messages)
                reply.how.update(exact.how)
                continue
            await self._answer(_Turn(self, conversation, lines, reply))
        messages = reply.written
        how = {"facts": reply.facts, **reply.how}
        if reply.deeds:
            how["deeds"] = [one.id for one in reply.deeds]
        spoken = bool(messages or reply.deeds)
        named = any(self.briefing.persona.username in one.mentions for one in meant)
        seen = _SEEN if not spoken and named and "read" in reply.how else ""
        return Decision("speak" if spoken else "silent", messages, how, tuple(reply.deeds), seen)

    async def _answer(self, turn: _Turn) -> None:
        if turn.in_channel and not turn.wants_answer:
            turn.reply.note("read", turn.text[:80])  # an announcement is read, not answered
            return
        if turn.in_channel and self.part.sheet.only_direct:
            turn.phrase("channel")
            return
        shown = len(turn.known.shown)
        for step in self.part.hear(turn.reading, turn.known):
            turn.reach(step)
        for segment in turn.reading.segments:
            await self._take_in(turn, segment)
        if not turn.spoken and len(turn.known.shown) > shown and (waits := self.part.pending(turn.known)) is not None:
            self._ask_for(turn, waits[0])  # a part of the evidence is there: for the rest
        if not turn.spoken:
            self._react(turn)
        turn.known.raised = turn.known.raised or self.part.about_the_matter(turn.text)

    async def _take_in(self, turn: _Turn, segment: Segment) -> None:
        """Answer one sentence, if it wants an answer."""
        if segment.deed == "do" and self.part.sheet.busy and self._hours(turn, segment):
            return
        gives = wants_something_given(segment) and self.part.deed(segment) is not None
        if (segment.deed or gives) and self._deed(turn, segment):
            return
        if (segment.corrects and turn.asked_before) or (segment.asks and not segment.small_talk):
            await self._question(turn, segment)

    # -- questions -------------------------------------------------------------------------------------------

    async def _question(self, turn: _Turn, segment: Segment) -> None:
        part, known = self.part, turn.known
        for cues, who in part.sheet.refers:
            if any_in(cues, segment.text):
                turn.phrase("refer", who=who)
                turn.reply.note("refers", who)
                return
        if part.sheet.busy and self._hours(turn, segment):
            return
        if wants_more(segment) and not part.has_cue(segment.text) and self._more_on(turn, segment):
            return
        asked = part.asked(segment, known, who=turn.who, direct=turn.direct)
        if wants_reason(segment) and asked.open and any(one.why for one in asked.open):
            self._reason(turn, segment, asked.open)
            return
        if not asked and self._more_on(turn, segment):
            return
        waits = part.pending(known) if not asked and wants_consent(segment) else None
        if waits is not None and (known.raised or part.about_the_matter(segment.text)):
            self._ask_for(turn, waits[0])
            return
        if not asked and self._may_mean_the_matter(turn, segment):
            asked = part.first_facts(known, who=turn.who, direct=turn.direct)
            waits = part.pending(known)
            if waits is not None and not asked.open:
                self._ask_for(turn, waits[0])
                return
            if segment.corrects and not asked.open:
                asked.open = part.topic(known, who=turn.who, direct=turn.direct)
        told = bool(asked.open) and all(one.id in known.told for one in asked.open)
        if told and _PRESSES.search(turn.text) and self._holds(turn):
            return
        if asked:
            self._tell(turn, segment, asked)
        elif (turn.spoken and "?" not in segment.text) or (_PRESSES.search(segment.text) and self._holds(turn)):
            return
        elif not await self._looked_up(turn, segment):
            self._unknown(turn, segment)

    def _may_mean_the_matter(self, turn: _Turn, segment: Segment) -> bool:
        """A question without a fact of its own: whether it asks for what there is to say about the matter."""
        part, known = self.part, turn.known
        if not part.sheet.matter or segment.small_talk:
            return False
        if segment.corrects or is_general(segment, part.sheet.matter):
            return known.raised or part.about_the_matter(turn.text)
        # A first question about the matter with much of its own in it asks for that, and not for everything.
        return (
            not known.raised and part.about_the_matter(segment.text) and own_words(segment, part.sheet.matter) <= _FEW
        )

    def _hours(self, turn: _Turn, segment: Segment) -> bool:
        """Whether a day or an hour suits them."""
        text = segment.text
        found = proposals(text, turn.today)
        if not found and _CONFIRMS.search(text):
            found = proposals(turn.text, turn.today)
        if not found and turn.known.day and len(content(text)) <= _FEW:
            found = hours_on(date.fromisoformat(turn.known.day), text)
        if not found or (_WHICH_TIMES.search(text) and not _OF_THESE.search(text)):
            return False
        exact = any(not one.whole for one in found)
        if not (
            _SUITS.search(text)
            or _CONFIRMS.search(text)
            or ("?" in text and exact)
            or segment.corrects
            or len(content(text)) <= _FEW
        ):
            return False
        if self.part.has_cue(text) and not _SUITS.search(text):
            return False
        busy = self.part.sheet.busy
        free = [one for one in found if not clashes(one, busy)]
        partly = [one for one in found if one.whole and one not in free and not covers(clashes(one, busy))]
        taken = [one for one in found if one not in free and one not in partly]
        if free:
            turn.phrase("works", when=_listed(free))
        if taken and not _IMPOSSIBLE.search(text):
            turn.phrase("not_then", when=_listed(taken))
        reasons = [b.fact for one in (*taken, *partly) for b in clashes(one, busy) if b.fact]
        for id in dict.fromkeys(reasons):
            if self.part.open_to(self.part.facts[id], turn.known, who=turn.who, direct=turn.direct):
                turn.tell(self.part.facts[id])
        shown = {"free": free, "partly": partly, "taken": taken}
        turn.reply.note("hours", {name: [one.said for one in every] for name, every in shown.items()})
        turn.known.topic = list(dict.fromkeys(reasons)) or turn.known.topic
        turn.known.day = found[-1].day.isoformat()
        turn.known.raised = turn.spoken = True
        return True

    def _tell(self, turn: _Turn, segment: Segment, asked: Asked) -> None:
        known = turn.known
        known.raised = True
        fresh = [one for one in asked.open if one.id not in turn.reply.facts]
        for fact in fresh:
            verdict = self.part.verdict(fact, segment.text) if segment.yes_no or wants_certainty(segment) else ""
            if verdict == "right" and fact.id in known.told:
                turn.phrase("confirm")
                turn.reply.facts.append(fact.id)
                continue
            turn.tell(fact, "" if verdict == "right" else verdict)
        if asked.open:
            known.topic = [one.id for one in asked.open]
            turn.spoken = True
        for fact in asked.locked:
            step = self.part.pending(known, fact.tell.removeprefix("after:"))
            turn.reply.note("locked", fact.id)
            if step is not None:
                self._ask_for(turn, step[0])
        if asked.locked and not turn.spoken:
            turn.phrase("decline")  # nothing they could ask for leads to it
        if asked.kept and not asked.open:
            turn.reply.note("kept", [one.id for one in asked.kept])
            here = any(one.place == "direct" and one.tell != "never" for one in asked.kept) and not turn.direct
            turn.phrase("channel" if here else "decline")

    def _more_on(self, turn: _Turn, segment: Segment) -> bool:
        """A question that goes on about what was said last."""
        about = self.part.topic(turn.known, who=turn.who, direct=turn.direct)
        if wants_reason(segment):
            return self._reason(turn, segment, about)
        if wants_more(segment) and (about or turn.known.raised):
            rest = self.part.first_facts(turn.known, who=turn.who, direct=turn.direct).open
            rest = [one for one in rest if one.id not in turn.known.told]
            for one in rest:
                turn.tell(one)
            if not rest and not turn.told_now:
                turn.phrase("nothing_more")
            turn.reply.note("more", [one.id for one in rest])
            return True
        if about and (wants_repetition(segment) or is_bare(segment)):
            for one in about:
                turn.tell(one)
            return True
        figures = any(sign.isdigit() for sign in segment.text)
        repeats = wants_certainty(segment) or (segment.yes_no and figures)
        if about and repeats and len(content(segment.text)) <= _FEW and self.part.may_repeat(about, segment):
            said = segment.text if figures else turn.text
            if not any(sign.isdigit() for sign in said) or any(
                self.part.verdict(one, said) == "right" for one in about
            ):
                turn.phrase("confirm")
                turn.reply.facts += [one.id for one in about if one.id not in turn.reply.facts]
            else:
                for one in about:
                    turn.tell(one)
            return True
        return False

    def _reason(self, turn: _Turn, segment: Segment, about: list[Fact]) -> bool:
        reasons = [one.why for one in about if one.why]
        if not reasons:
            waits = self.part.pending(turn.known)
            reasons = [need.why for need in waits[1] if need.why][:1] if waits is not None else []
        if not reasons and (not about or len(content(segment.text)) > _FEW):
            return False
        for fact in about:
            if fact.id not in turn.known.told:
                turn.tell(fact)
        for one in reasons:
            turn.say_new(one, "again")
        if not reasons:
            turn.phrase("nothing_more")
        turn.reply.note("why", [one.id for one in about])
        return True

    def _holds(self, turn: _Turn) -> bool:
        """Somebody presses for what is not to be had: ask for what is missing, or say no."""
        waits = self.part.pending(turn.known)
        if waits is not None and (turn.known.raised or self.part.about_the_matter(turn.text)):
            self._ask_for(turn, waits[0])
            return True
        turn.phrase("decline" if "decline" in self.part.sheet.reacts else "cannot")
        turn.reply.note("presses", turn.text[:80])
        return True

    def _unknown(self, turn: _Turn, segment: Segment) -> None:
        if segment.small_talk or turn.puzzled:
            return
        turn.puzzled = True
        if (turn.in_channel and turn.others_meant) or (turn.grouped and not turn.called):
            turn.reply.note("left_to_others", segment.text)
            return
        who = self.briefing.goes_to(segment.text) if self.briefing.goes_to is not None else ""
        turn.phrase("unknown")
        if who:
            turn.phrase("refer", who=who)
        turn.reply.note("unknown", segment.text)

    async def _looked_up(self, turn: _Turn, segment: Segment) -> bool:
        if self.briefing.look is None:
            return False
        seen = await self.briefing.look(segment.text, turn.who)
        if not seen:
            return False
        turn.say_new(seen, "again")
        turn.reply.note("looked_up", seen)
        return True

    # -- steps and deeds -------------------------------------------------------------------------------------

    def _ask_for(self, turn: _Turn, step: Step) -> None:
        """Ask for what a step still needs."""
        turn.known.raised = True
        waits = self.part.pending(turn.known, step.id)
        if waits is None:
            return
        for need in waits[1]:
            if f"{step.id}/{need.id}" in turn.asked_now:
                continue
            turn.asked_now.add(f"{step.id}/{need.id}")
            turn.one_of(need.ask, "ask_what")
            turn.reply.note("asks_for", f"{step.id}/{need.id}")
            break

    def _deed(self, turn: _Turn, segment: Segment) -> bool:
        """Do what is asked for, ask for what is missing, or leave it; False when it is a question after all."""
        part, known = self.part, turn.known
        deed = part.deed(segment)
        if deed is not None:
            step = deed.when.partition(":")[2]
            if deed.id in known.did:
                turn.phrase("did")
            elif step and step not in known.reached:
                if (waits := part.pending(known, step)) is not None:
                    self._ask_for(turn, waits[0])
                else:
                    turn.phrase("decline")
            else:
                turn.do(deed)
            turn.spoken = True
            return True
        asked = part.asked(segment, known, who=turn.who, direct=turn.direct)
        if asked.open and (part.has_cue(segment.text) or segment.deed not in _WORK):
            self._tell(turn, segment, asked)
            return True
        waits = part.pending(known) if segment.deed in _CONSENT else None
        if waits is not None and (part.about_the_matter(turn.text) or known.raised):
            self._ask_for(turn, waits[0])
            return True
        if part.about_the_matter(segment.text) and not known.raised:
            first = part.first_facts(known, who=turn.who, direct=turn.direct)
            if first:
                self._tell(turn, segment, first)
                return True
        turn.phrase("cannot")
        turn.reply.note("cannot", segment.text)
        return True

    # -- reactions -------------------------------------------------------------------------------------------

    def _react(self, turn: _Turn) -> None:
        """Nothing was asked: what was told, done, thanked for or said in passing."""
        reading, known = turn.reading, turn.known
        concerned = self.part.sheet.facts and self.part.about_the_matter(turn.text) and reading.any("done")
        if turn.grouped and not (turn.called or concerned):
            turn.reply.note("read", turn.text[:80])
            return
        if (
            not (reading.any("done") or reading.any("thanks"))
            and _PRESSES.search(turn.text)
            and known.raised
            and self._holds(turn)
        ):
            return
        if reading.any("small_talk"):
            turn.phrase("small_talk")
            known.greeted = True
            return
        if reading.any("not_yet") and not reading.mostly("done", "not_yet"):
            turn.phrase("not_yet")
            return
        if reading.any("done"):
            if self.part.pending(known) is not None and self.part.about_the_matter(turn.text):
                if not self._early(turn):
                    turn.phrase("done")
            else:
                turn.phrase("done")
            known.raised = True
            return
        if reading.telling:
            if self._raise(turn) or self._pending_ask(turn):
                return
            if reading.any("thanks"):
                turn.phrase("thanks")
            else:
                met = known.raised or known.greeted or turn.in_channel or len(turn.text) > _LONG
                turn.phrase("noted" if met else "greeting")
            return
        if reading.any("thanks"):
            turn.phrase("thanks")
            return
        if reading.only("fine", "thanks"):
            return
        if reading.any("greets"):
            turn.phrase("greeting")
            known.greeted = True
            return
        if not reading.segments:
            turn.phrase("ask_what")

    def _early(self, turn: _Turn) -> bool:
        """Something is done that a step should have come before."""
        if "early" in self.part.sheet.reacts and turn.known.raised:
            turn.phrase("early")
            return True
        return self._pending_ask(turn)

    def _pending_ask(self, turn: _Turn) -> bool:
        waits = self.part.pending(turn.known)
        if waits is None or not self.part.about_the_matter(turn.text):
            return False
        self._ask_for(turn, waits[0])
        return turn.spoken

    def _raise(self, turn: _Turn) -> bool:
        """The matter comes up without a question: tell what is told then, once."""
        if turn.known.raised or not self.part.about_the_matter(turn.text):
            return False
        first = self.part.first_facts(turn.known, who=turn.who, direct=turn.direct)
        if not first:
            return False
        self._tell(turn, Segment(turn.text, asks=True), first)
        return True


class _Turn:
    """One turn of a colleague towards one person."""

    def __init__(self, mind: SheetMind, conversation: Conversation, lines: list[Line], reply: _Reply) -> None:
        self.mind, self.reply = mind, reply
        self.who = lines[0].sender
        self.known = mind.knows(self.who)
        self.direct = conversation.direct
        self.in_channel = conversation.kind != "d" and not conversation.group
        self.place = f"{conversation.room}/{conversation.thread}"
        self.text = "\n".join(one.text for one in lines)
        self.reading: Reading = understood(self.text)
        alone = any(set(one.mentions) == {mind.briefing.persona.username} for one in lines)
        first = (
            self.text.lstrip()
            .lower()
            .startswith((f"@{mind.briefing.persona.username}", mind.briefing.persona.first_name.lower()))
        )
        self.wants_answer = bool(self.reading.asking or self.reading.deeds) or (alone and first)
        self.grouped = conversation.group
        self.called = is_called(self.text, mind.briefing.persona) or any(
            mind.briefing.persona.username in one.mentions for one in lines
        )
        self.others_meant = any(set(one.mentions) - {mind.briefing.persona.username} for one in lines)
        self.today = mind.briefing.now().date()
        self.sender = lines[0].name.split()[0] if lines[0].name else self.who
        self.asked_before = self.known.asked
        self.known.asked = bool(self.reading.asking or self.reading.any("corrects"))
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
        for id in step.tells:
            if id not in self.known.told:
                self.tell(self.mind.part.facts[id])
                self.known.topic = [id]
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


def _by_sender(lines: list[Line]) -> Iterator[list[Line]]:
    """Lines in a row of one person are one message."""
    found: dict[str, list[Line]] = {}
    for line in lines:
        found.setdefault(line.sender, []).append(line)
    yield from found.values()


def _listed(found: list[Proposal]) -> str:
    return " and ".join(dict.fromkeys(one.said for one in found))
