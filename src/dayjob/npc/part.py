"""The engine behind a colleague's part: which facts are open to whom, which steps are reached, what is asked for.

Both minds stand on it. It owns the state of the conversation and its gates; a mind only finds the words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from dayjob.npc.acquaintance import Acquaintance
from dayjob.npc.figures import Figure, at_odds, figures
from dayjob.npc.question_kinds import GENERAL
from dayjob.npc.stating import stated_in
from dayjob.npc.understanding import Reading, Segment
from dayjob.npc.words import content, likeness, numbers
from dayjob.task.colleague_sheet import ColleagueSheet, Deed, Fact, Need, Step, any_in, words_of

_ENOUGH = 0.6
"""So much of a question must be spoken of in a fact that shares no cue with it."""
_NEARLY_ALL = 0.9
_TWO = 2
_MANY = 3


@dataclass(slots=True)
class Asked:
    """What a message asks of a colleague, held against what they know."""

    open: list[Fact] = field(default_factory=list)
    """Facts that may be told now."""
    locked: list[Fact] = field(default_factory=list)
    """Facts that wait for a step."""
    kept: list[Fact] = field(default_factory=list)
    """Facts that are never told, or not here."""

    def __bool__(self) -> bool:
        return bool(self.open or self.locked or self.kept)


class Part:
    """One colleague's part in a task, as far as it can be worked out without words."""

    def __init__(self, sheet: ColleagueSheet, standing: Iterable[Fact] = ()) -> None:
        self.sheet = sheet
        self.facts = dict(sheet.facts)
        self.standing = {one.id: one for one in standing}
        """What they know in every task."""
        asks = [one for step in sheet.steps for need in step.needs for one in need.ask]
        self._asks = {tuple(words_of(one)) for text in asks for one in (text, *re.split(r"(?<=[.!?])\s+", text))}
        self._cues = {id: content(" ".join(" ".join(cue.words) for cue in one.asked)) for id, one in self.facts.items()}
        opens = [*(one.tell for one in self.facts.values()), *(one.when for one in sheet.may)]
        self._gates = {one.partition(":")[2] for one in opens} | {one for step in sheet.steps for one in step.after}
        """Steps that open something."""
        self._said = {
            id: content(" ".join([one.text, *one.again, *(" ".join(cue.words) for cue in one.asked)]))
            for id, one in {**self.standing, **self.facts}.items()
        }

    # -- state -----------------------------------------------------------------------------------------------

    def open_to(self, fact: Fact, known: Acquaintance, *, who: str, direct: bool) -> bool:
        """Whether this fact may be told to this person, here and now."""
        if fact.tell == "never" or (fact.to and who not in fact.to) or (fact.place == "direct" and not direct):
            return False
        if fact.tell.startswith("after:") and fact.tell.removeprefix("after:") not in known.reached:
            return False
        return all(one in known.told for one in fact.follows)

    def unlocked(self, known: Acquaintance, *, who: str, direct: bool) -> list[Fact]:
        """Everything that may be told now."""
        every = [*self.facts.values(), *self.standing.values()]
        return [one for one in every if self.open_to(one, known, who=who, direct=direct)]

    def hear(self, reading: Reading, known: Acquaintance) -> list[Step]:
        """Take what was shown and said into account; the steps reached by it, in order."""
        new: list[Step] = []
        while True:
            step = next((one for one in self.sheet.steps if self._reached(one, reading, known)), None)
            if step is None:
                return new
            known.reached.append(step.id)
            new.append(step)

    def _reached(self, step: Step, reading: Reading, known: Acquaintance) -> bool:
        if step.id in known.reached or not all(one in known.reached for one in step.after):
            return False
        # What is asked, wished for, missing or still to come shows nothing.
        empty = ("asks", "deed", "not_yet", "lacks", "greets")
        stated = [one.text for one in reading.segments if not any(getattr(one, name) for name in empty)]
        if step.needs or step.id in self._gates:
            stated = [said for one in stated if not self._is_ours(one) and (said := stated_in(one))]
        whole = "\n".join(stated)
        for need in step.needs:
            name = f"{step.id}/{need.id}"
            if name not in known.shown and stated and any_in(need.shown, whole):
                known.shown.append(name)
        if step.heard and stated and any(any_in(step.heard, one) for one in [*stated, whole]):
            return True
        return bool(step.needs) and all(f"{step.id}/{need.id}" in known.shown for need in step.needs)

    def _is_ours(self, text: str) -> bool:
        """What they asked for themselves, given back as they said it, shows nothing."""
        return tuple(words_of(text)) in self._asks

    def pending(self, known: Acquaintance, step: str | None = None) -> tuple[Step, list[Need]] | None:
        """The step that comes next (or leads to the one named) and what it still needs."""
        for one in self.sheet.steps:
            if one.id in known.reached or not one.needs:
                continue
            if step is not None and one.id != step and step not in self._behind(one.id):
                continue
            if all(before in known.reached for before in one.after):
                return one, [need for need in one.needs if f"{one.id}/{need.id}" not in known.shown]
        return None

    def _behind(self, step: str) -> set[str]:
        """Steps that can only be reached after this one."""
        found = {step}
        for _ in self.sheet.steps:
            found |= {one.id for one in self.sheet.steps if found & set(one.after)}
        return found - {step}

    # -- what is meant ---------------------------------------------------------------------------------------

    def about_the_matter(self, text: str) -> bool:
        return any_in(self.sheet.matter, text)

    def asked(self, segment: Segment, known: Acquaintance, *, who: str, direct: bool) -> Asked:
        """The facts a segment asks for: by their cues, else by their own words, else what was spoken of last."""
        every = list(self.facts.values())
        closed = {one.id for one in every if self._is_closed(one, known, who=who)}
        hits = self._by_cues(every, segment.text, closed)
        hits = hits or self._by_cues(list(self.standing.values()), segment.text, closed)
        if not hits:
            # A first question about the matter is for all there is to say, unless it is nearly a fact's own words.
            opens = not known.raised and self.about_the_matter(segment.text) and any(one.first for one in every)
            hits = self._by_words(segment, _NEARLY_ALL if opens else _ENOUGH, closed)
        return self._sorted(hits, known, who=who, direct=direct)

    def _is_closed(self, fact: Fact, known: Acquaintance, *, who: str) -> bool:
        """Whether a fact is asked for by its `asked` alone, and not by what it says.

        A guess at what is kept back must be taken like a guess at nothing, or guessing finds it. What follows from
        other facts is no secret, nor what is told elsewhere.
        """
        return not fact.follows and not self.open_to(fact, known, who=who, direct=True)

    @staticmethod
    def _by_cues(facts: list[Fact], text: str, closed: Collection[str]) -> list[Fact]:
        """The facts with a cue in the text; of many, those whose cue says the most."""
        weights = {}
        for one in facts:
            cues = one.asked if one.id in closed else (*one.asked, *one.yes_to, *one.no_to)
            weights[one.id] = max((cue.weight for cue in cues if cue.found_in(text)), default=0)
        found = [one for one in facts if weights[one.id]]
        if len(found) < _MANY:
            return found
        best = max(weights.values())
        nearest = [one for one in found if weights[one.id] == best]
        return nearest if len(nearest) < len(found) else found

    def has_cue(self, text: str) -> bool:
        """Whether some fact is asked for by its cues."""
        plain = (one for one in self.facts.values() if one.tell == "asked" and not one.to)
        return any(any_in(one.asked, text) for one in self.facts.values()) or any(
            any_in((*one.yes_to, *one.no_to), text) for one in plain
        )

    def has_standing_cue(self, text: str) -> bool:
        """Whether something they know in every task is asked for by its cues."""
        return any(any_in(one.asked, text) for one in self.standing.values())

    def first_facts(self, known: Acquaintance, *, who: str, direct: bool) -> Asked:
        """What is told when the matter is raised at all."""
        return self._sorted([one for one in self.facts.values() if one.first], known, who=who, direct=direct)

    def topic(self, known: Acquaintance, *, who: str, direct: bool) -> list[Fact]:
        """The facts spoken of last, as far as they may be told here."""
        facts = (self.facts.get(id) or self.standing.get(id) for id in known.topic)
        return [one for one in facts if one is not None and self.open_to(one, known, who=who, direct=direct)]

    def _sorted(self, hits: list[Fact], known: Acquaintance, *, who: str, direct: bool) -> Asked:
        found = Asked()
        for one in hits:
            if self.open_to(one, known, who=who, direct=direct):
                found.open.append(one)
            elif one.tell.startswith("after:") and one.tell.removeprefix("after:") not in known.reached:
                found.locked.append(one)
            elif one.follows and one.tell != "never":
                # What follows is for the other to work out; what it follows from may be told.
                bases = self._sorted([self.facts[id] for id in one.follows], known, who=who, direct=direct)
                found.open += [base for base in bases.open if base not in found.open]
                found.locked += bases.locked
            else:
                found.kept.append(one)
        return found

    def _by_words(self, segment: Segment, enough: float, closed: Collection[str]) -> list[Fact]:
        asked = content(segment.text)
        if not asked:
            return []
        scores = {id: likeness(asked, self._cues[id] if id in closed else said) for id, said in self._said.items()}
        best = max(scores.values(), default=0.0)
        every = {**self.standing, **self.facts}
        found = [every[id] for id, score in scores.items() if score >= max(enough, best - 0.05)]
        most = _MANY if len(asked) >= _TWO else _TWO
        return found if len(found) < most else []  # what fits everything means nothing of it

    @staticmethod
    def verdict(fact: Fact, text: str) -> str:
        """`yes` or `no` where the question can be answered so from this fact; `right` where it repeats its figures."""
        if any_in(fact.yes_to, text):
            return "yes"
        if any_in(fact.no_to, text):
            return "no"
        said = numbers(text)
        told = re.split(r"(?<=[.!?;])\s+", " ".join((*fact.says, *fact.again)))
        if said and any(said <= numbers(one) for one in told):
            return "right"
        return "no" if at_odds(_telling(text), _telling(" ".join(told))) is not None else ""

    def may_repeat(self, about: list[Fact], segment: Segment) -> bool:
        """Whether a question with figures is about these facts: it has nothing but figures, or a word of theirs."""
        own = frozenset(one for one in content(segment.text) if not one.isdigit())
        if not numbers(segment.text) or not own - GENERAL:
            return True
        return any(likeness(own, self._said[one.id]) > 0 for one in about)

    def deed(self, segment: Segment) -> Deed | None:
        """What they may do that is asked for here."""
        for one in self.sheet.may:
            if any_in(one.asked, segment.text) or (not one.asked and one.act == segment.deed):
                return one
        return None


def _telling(text: str) -> list[Figure]:
    """The figures of a text that stand for one thing: money, dates, shares, counts with their unit."""
    return [
        one for one in figures(text) if one.kind in ("money", "date", "share") or (one.kind == "count" and one.unit)
    ]
