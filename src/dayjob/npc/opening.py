"""What a colleague may say and do at one moment, worked out before a model is asked for the words.

The engine takes in what was said, moves the steps, and keeps what is not open out of the prompt altogether.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from dayjob.npc.acquaintance import Acquaintance
from dayjob.npc.hearing import Conversation, Line
from dayjob.npc.part import Asked, Part
from dayjob.npc.understanding import understood
from dayjob.npc.words import content, likeness, numbers
from dayjob.task.colleague_sheet import Deed, Fact, Need, Step

_NEAR_LETTERS = 130
"""So many letters of facts are told of in full, and what is asked for beyond."""
_IN_ITS_WORDS = 0.6
"""So much of a fact must be in a message that does not say which facts it tells."""
_HALFWAY = 0.25
"""So much of it in one that does, where something else opens with it."""


@dataclass(slots=True)
class Opening:
    """What is open towards those who wrote."""

    people: dict[str, Acquaintance]
    """Who wrote, and how far the colleague is with each."""
    sender: str = ""
    """The first name of who wrote last."""
    facts: list[Fact] = field(default_factory=list)
    near: set[str] = field(default_factory=set)
    """Those that the words may be about; the others are known by name until somebody asks."""
    kept_back: list[Fact] = field(default_factory=list)
    reached: list[Step] = field(default_factory=list)
    """Steps that were reached by what was said now, and not spoken of yet."""
    next_step: tuple[Step, list[Need]] | None = None
    deeds: list[Deed] = field(default_factory=list)
    """What they may do when it is asked for."""
    at_once: list[Deed] = field(default_factory=list)
    """What is done because a step was reached."""
    asked: list[str] = field(default_factory=list)
    """The open facts that the words ask for, as far as can be told."""
    declines: bool = False
    """Something is asked for that is never told, or not here."""
    elsewhere: bool = False
    """In a channel they say no more than that it belongs into a direct message."""

    @property
    def by_name(self) -> list[str]:
        """Open facts whose words are not near."""
        return [one.id for one in self.facts if one.id not in self.near]

    def told_in(self, message: str, declared: tuple[str, ...] | None) -> list[str]:
        """The open facts that a message tells: those it names, else those in its words."""
        if declared is not None:
            return [one.id for one in self.facts if one.id in declared]
        return [one.id for one in self.facts if says(message, one)]

    def untold(self, message: str, told: list[str]) -> list[str]:
        """What comes with a step that was reached and is not in the message, in the sheet's own words."""
        texts: list[str] = []
        for step in self.reached:
            for fact in (one for one in self.facts if one.id in step.tells and one.id not in told):
                if not says(message, fact):
                    texts += fact.says
        return texts

    def keep(self, told: list[str], deeds: list[Deed], message: str) -> None:
        """Write down what was told and done. What other facts follow from was told only if it is in the message,
        whatever a model says of it."""
        bases = {id for one in (*self.facts, *self.kept_back) for id in one.follows}
        bare = {one.id for one in self.facts if one.id in bases and not says(message, one, _HALFWAY)}
        for known in self.people.values():
            for id in (one for one in told if one not in bare):
                known.told[id] = known.told.get(id, 0) + 1
            known.topic = told or known.topic
            known.raised = known.raised or bool(told)
            known.did += [one.id for one in deeds if one.id not in known.did]


def says(message: str, fact: Fact, enough: float = _IN_ITS_WORDS) -> bool:
    """Whether a fact is in the words of a message."""
    if not numbers(fact.text) <= numbers(message):
        return False
    return likeness(content(fact.text), content(message)) >= enough


def open_now(
    part: Part,
    people: dict[str, Acquaintance],
    conversation: Conversation,
    meant: list[Line],
    unsaid: list[str],
) -> Opening:
    """Take in what was said and see what is open. `unsaid` are steps that were reached before and never spoken of."""
    now = Opening(people, (meant[-1].name.split() or [meant[-1].sender])[0])
    direct = conversation.direct
    now.elsewhere = part.sheet.only_direct and not direct and not conversation.group
    if now.elsewhere:
        now.kept_back = list(part.facts.values())
        return now
    asked = Asked()
    for who, known in people.items():
        reading = understood("\n".join(one.text for one in meant if one.sender == who))
        unsaid += [step.id for step in part.hear(reading, known)]
        for segment in (*reading.asking, *reading.deeds):
            known.raised = known.raised or part.about_the_matter(segment.text)
            found = part.asked(segment, known, who=who, direct=direct)
            asked.open += found.open
            asked.kept += found.kept
    now.reached = [step for step in part.sheet.steps if step.id in unsaid]
    known = people[meant[-1].sender]
    open_to = [{fact.id for fact in part.unlocked(each, who=who, direct=direct)} for who, each in people.items()]
    # What they know in every task is told of where somebody comes to speak of it.
    spoken_of = {fact.id for fact in asked.open} | {id for each in people.values() for id in each.topic}
    every = {**part.facts, **{id: fact for id, fact in part.standing.items() if id in spoken_of}}
    now.facts = [fact for id, fact in every.items() if all(id in each for each in open_to)]
    now.kept_back = [fact for id, fact in every.items() if fact not in now.facts]
    now.near = _near(now.facts, asked, known, "\n".join(one.text for one in meant))
    now.near |= {id for step in now.reached for id in step.tells}
    now.next_step = part.pending(known)
    now.asked = list(dict.fromkeys(one.id for one in asked.open if one in now.facts))
    now.declines = bool(asked.kept) and not now.asked
    reached = {step.id for step in now.reached}
    for deed in part.sheet.may:
        way, _, step = deed.when.partition(":")
        if any(deed.id in each.did for each in people.values()):
            continue
        if any(deed.id in one.does for one in now.reached) or (way == "at" and step in reached):
            now.at_once.append(deed)
        elif way == "asked" or (way == "after" and step in known.reached):
            now.deeds.append(deed)
    return now


def _near(facts: list[Fact], asked: Asked, known: Acquaintance, text: str) -> set[str]:
    """What is asked for or spoken of; of the rest, what is most like the words, as far as there is room."""
    said = content(text)
    found = {one.id for one in facts if one in asked.open or one.id in known.topic}
    found |= {one.id for one in facts if one.first and one.id not in known.told}
    room = _NEAR_LETTERS - sum(len(one.text) for one in facts if one.id in found)
    alike = {one.id: likeness(said, content(" ".join((one.text, one.id.replace("-", " "))))) for one in facts}
    for one in sorted(facts, key=lambda fact: -alike[fact.id]):
        if one.id not in found and len(one.text) <= room:
            found.add(one.id)
            room -= len(one.text)
    return found
