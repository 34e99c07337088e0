"""What a colleague is about to say, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dayjob.task.colleague_sheet import Deed

_SHORT = 320
"""What a turn says goes into one message up to so many letters."""
_AT_ONCE = 6
"""So many messages a colleague writes in one turn at most."""


@dataclass(slots=True)
class Reply:
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
