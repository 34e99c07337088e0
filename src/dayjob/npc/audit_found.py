"""What the audit of a trial's colleagues knows of each, and what it finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from dayjob.task.colleague_sheet import ColleagueSheet, Fact

CAME_OF = ("answered", "unknown", "ignored", "withheld")
"""What can come of a question; every question is one of them."""
KINDS = ("repeated", "contradicted", "invented", "leaked", "promised")
"""What else is looked for in a colleague's words."""


@dataclass(frozen=True, slots=True)
class Audited:
    """One colleague of a task, as far as the audit needs to know them."""

    name: str
    username: str = ""
    sheet: ColleagueSheet | None = None
    standing: tuple[Fact, ...] = ()
    """What they can be asked in every task."""
    about: tuple[str, ...] = ()
    """What else they have from the world: character, knowledge, briefing."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The world as far as names in it are concerned."""

    people: Mapping[str, str] = field(default_factory=dict)
    """Full names, by everything somebody is called by, in small letters."""
    words: frozenset[str] = frozenset()
    """Every word of names of people, places and things, in small letters."""
    examinee: str = ""
    """Whose questions count; empty is everybody's who is no colleague."""


@dataclass(slots=True)
class Asked:
    """A plain question, and what came of it."""

    person: str
    message: str
    text: str
    facts: tuple[str, ...]
    """The facts it asks for that were open then."""
    came_of: str
    why: str = ""


@dataclass(slots=True)
class Finding:
    """Something that a colleague did, or did not do."""

    colleague: str
    kind: str
    fact: str
    """The fact or deed that it is about."""
    quote: str
    """The words that show it: of the fact, or of whoever asked."""
    said: str
    message: str
    """The message that it is shown beside."""
    person: str = ""
    material: bool = False
    """A fault that can have cost somebody a point."""
    second_look: dict[str, Any] | None = None
    """What a judge makes of it, where one was asked."""

    @property
    def stands(self) -> bool:
        return self.material and (self.second_look is None or self.second_look.get("verdict") != "no")

    @property
    def fault(self) -> dict[str, str]:
        """As the outcome has it."""
        told = ("colleague", "kind", "fact", "quote", "said", "message")
        return {name: str(getattr(self, name)) for name in told}


@dataclass(slots=True)
class ColleagueAudit:
    """One colleague's part of the audit."""

    name: str
    mind: str
    has_sheet: bool
    turns: int = 0
    questions: list[Asked] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """Of published tasks' colleagues, who have no sheet, what can be known of them."""
        found = {"asked": len(self.questions)}
        for name in CAME_OF if self.has_sheet else ("answered", "ignored"):
            found[name] = sum(one.came_of == name for one in self.questions)
        for name in KINDS if self.has_sheet else ("repeated",):
            found[name] = sum(one.kind == name for one in self.findings)
        return found

    @property
    def faults(self) -> list[Finding]:
        return [one for one in self.findings if one.stands]

    @property
    def asked_for(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for one in self.questions:
            for fact in one.facts:
                found[fact] = found.get(fact, 0) + 1
        return found

    def as_dict(self) -> dict[str, Any]:
        return {
            "colleague": self.name, "mind": self.mind, "sheet": self.has_sheet, "turns": self.turns,
            "counts": self.counts, "asked_for": self.asked_for, "questions": [asdict(one) for one in self.questions],
            "findings": [asdict(one) for one in self.findings],
        }  # fmt: skip
