"""What passed between a colleague and one other person, in whatever room: steps, facts told, what was shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(slots=True)
class Acquaintance:
    """How far the two of them are."""

    reached: list[str] = field(default_factory=list)
    """Steps, in the order in which they were reached."""
    shown: list[str] = field(default_factory=list)
    """Needs that were met, as STEP/NEED."""
    told: dict[str, int] = field(default_factory=dict)
    """How often each fact was told."""
    topic: list[str] = field(default_factory=list)
    """The facts spoken of last."""
    raised: bool = False
    """Whether the matter was spoken of."""
    greeted: bool = False
    did: list[str] = field(default_factory=list)
    """Deeds done for them."""
    day: str = ""
    """The day that was proposed last, for "and at two?"."""
    minute: int = 0
    """The minute of that day, for "and an hour later?"."""
    asked: str = ""
    """What their last message with a question asked."""
    answered: bool = False
    """Whether it was answered with a fact."""
    said: dict[str, list[str]] = field(default_factory=dict)
    """Sentences already written, by room and thread, so that none is written twice."""

    @property
    def memory(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def recalled_from(cls, kept: Mapping[str, Any]) -> Acquaintance:
        return cls(**kept)

    def is_new(self, place: str, text: str) -> bool:
        """Whether nothing of the text has been written there."""
        before = set(self.said.get(place, ()))
        return not any(one in before for one in sentences(text))

    def wrote(self, place: str, text: str) -> None:
        self.said.setdefault(place, []).extend(sentences(text))


def sentences(text: str) -> list[str]:
    """The sentences of a text as they are compared; a word or two is no sentence."""
    parts = re.split(r"(?<=[.?!…])\s+|\n+", text.casefold())
    return [flat for one in parts if len((flat := " ".join(re.findall(r"\w+", one))).split()) > 1]
