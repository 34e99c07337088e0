"""Whom one goes to for what: everybody of the company, with the topics that are theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dayjob.npc.persona import Persona
from dayjob.npc.words import content, stem, words

if TYPE_CHECKING:
    from dayjob.company.company import Company


@dataclass(frozen=True, slots=True)
class Directory:
    """The company's people."""

    people: tuple[Persona, ...]

    def for_question(self, text: str, apart_from: str = "") -> str:
        """The name of whoever a question is for; empty when nobody's topics are in it."""
        said = {stem(one) for one in words(text)}
        best, found = 0, ""
        for one in self.people:
            if one.username == apart_from:
                continue
            for topic in one.about:
                wanted = content(topic) or frozenset(stem(word) for word in words(topic))
                if wanted <= said and len(wanted) > best:
                    best, found = len(wanted), one.name
        return found


def directory_of(company: Company) -> Directory:
    return Directory(
        tuple(Persona.of(person) for person in company.world.people if person.more.get("examinee") is not True)
    )
