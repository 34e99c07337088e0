"""A mind decides what to do about what was heard: speak, stay silent, or leave. Two kinds: `script` and `llm`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, ClassVar, Literal, Protocol

from dayjob.npc.evidence import Turn
from dayjob.npc.hearing import Conversation, Line
from dayjob.npc.persona import Persona
from dayjob.task.colleague_sheet import Deed
from dayjob.task.scenario import Scenario

Look = Callable[[str, str], Awaitable[str]]
"""Looks up what somebody's question asks about in the services, as both see it; empty when it is about nothing."""


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Briefing:
    """Everything a mind knows besides the conversation."""

    persona: Persona
    scenario: Scenario
    company: str = ""
    now: Callable[[], datetime] = _now
    """The company's time."""
    look: Look | None = None
    goes_to: Callable[[str], str] | None = None
    """Who of the company a question is for; empty when nobody is known for it."""
    people: tuple[Persona, ...] = ()
    """Everybody of the company."""
    own_work: Callable[[str], Awaitable[str]] | None = None
    """A line on what they have open, as far as whoever asks can see it; empty when it is nothing."""
    seed: str = "0"
    """The trial's."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a colleague does, and how it came about (for the evidence)."""

    action: Literal["speak", "silent", "leave"]
    messages: tuple[str, ...] = ()
    how: dict[str, Any] = field(default_factory=dict)
    deeds: tuple[Deed, ...] = ()
    """What they do after these words, each with a word of its own."""
    reaction: str = ""
    """An emoji on the newest line they heard."""


class Models(Protocol):
    """How a mind asks the model of the role `npc`: a pass of the gateway, here or in another process."""

    async def complete(self, body: dict[str, Any]) -> dict[str, Any]:
        """A chat completion. Raises `ModelFault` when there is none."""


class Mind(ABC):
    """One colleague's mind. It may keep state per conversation in the `Conversation` itself."""

    kind: ClassVar[str]
    recalls: ClassVar[bool] = False
    """Whether it wants to know what was said before the colleague came."""
    leaves_for_good: ClassVar[bool] = True
    """Whether a conversation that it leaves is over, whoever writes there again."""

    def __init__(self, briefing: Briefing) -> None:
        self.briefing = briefing
        self.conversations: Callable[[], Iterable[Conversation]] = tuple
        """All the conversations of this colleague."""

    @property
    def memory(self) -> dict[str, Any]:
        """What it keeps beside the conversations, as JSON takes it."""
        return {}

    def recall(self, memory: Mapping[str, Any]) -> None:  # noqa: B027  # one that keeps nothing has nothing to take up
        """Take up such a memory."""

    @property
    def prompt_digest(self) -> str:
        """By what the unchanging part of its prompt is known; empty for a mind without one."""
        return ""

    def word_for(self, kind: str, turn: Turn) -> str:
        """What is said about a deed that was `did` or `failed`; empty says nothing."""
        return ""

    async def able(self) -> bool:
        """Asked when a decision failed: whether it can decide at all, whatever this conversation says."""
        return False

    @abstractmethod
    async def decide(self, conversation: Conversation, meant: list[Line]) -> Decision:
        """What to do now. `meant` are the new lines addressed to the colleague; all new ones are `unanswered`."""
