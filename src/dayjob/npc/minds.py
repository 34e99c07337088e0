"""A mind decides what to do about what was heard: speak, stay silent, or leave. Two kinds: `script` and `llm`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol

from dayjob.npc.hearing import Conversation, Line
from dayjob.npc.persona import Persona
from dayjob.task.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Briefing:
    """Everything a mind knows besides the conversation."""

    persona: Persona
    scenario: Scenario
    company: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a colleague does, and how it came about (for the evidence)."""

    action: Literal["speak", "silent", "leave"]
    messages: tuple[str, ...] = ()
    how: dict[str, Any] = field(default_factory=dict)


class Models(Protocol):
    """How a mind asks the model of the role `npc`: a pass of the gateway, here or in another process."""

    async def complete(self, body: dict[str, Any]) -> dict[str, Any]:
        """A chat completion. Raises `ModelFault` when there is none."""


class Mind(ABC):
    """One colleague's mind. It may keep state per conversation in the `Conversation` itself."""

    kind: ClassVar[str]
    recalls: ClassVar[bool] = False
    """Whether it wants to know what was said before the colleague came."""

    def __init__(self, briefing: Briefing) -> None:
        self.briefing = briefing

    async def able(self) -> bool:
        """Asked when a decision failed: whether it can decide at all, whatever this conversation says."""
        return False

    @abstractmethod
    async def decide(self, conversation: Conversation, meant: list[Line]) -> Decision:
        """What to do now. `meant` are the new lines addressed to the colleague; all new ones are `unanswered`."""
