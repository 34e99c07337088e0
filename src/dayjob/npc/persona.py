"""Who a colleague is, whatever the task: name, title, character and standing knowledge, from the world's people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dayjob.company.world.model import Person, WorldInfo
from dayjob.company.world.voices import read_about, read_facts, read_voice
from dayjob.task.colleague_sheet import Fact, standing_fact


@dataclass(frozen=True, slots=True)
class Persona:
    """A colleague as every task knows them."""

    name: str
    username: str
    title: str = ""
    character: str = ""
    knows: tuple[str, ...] = ()
    voice: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """How they put things, by kind."""
    facts: tuple[Fact, ...] = ()
    """What they can be asked in every task."""
    about: tuple[str, ...] = ()
    """What one goes to them for."""

    @property
    def first_name(self) -> str:
        return self.name.split()[0]

    @classmethod
    def of(cls, person: Person) -> Persona:
        knows = person.more.get("knows") or ()
        lines = (knows,) if isinstance(knows, str) else tuple(str(one) for one in knows)
        return cls(
            person.name,
            person.username,
            person.title,
            person.persona.strip(),
            lines,
            read_voice(person.more).phrases,
            tuple(standing_fact(one.id, one.says, one.again, one.asked) for one in read_facts(person.more)),
            read_about(person.more),
        )


def persona_named(world: WorldInfo, name: str) -> Persona | None:
    """The colleague a full name or a username means."""
    for person in world.people:
        if name in (person.name, person.username):
            return Persona.of(person)
    return None


def examinee_of(world: WorldInfo) -> str | None:
    """The examinee's username, when the world says who that is."""
    return next((person.username for person in world.people if person.more.get("examinee") is True), None)
