"""What an environment gives back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dayjob.agent import Account


class EnvError(Exception):
    """What an environment cannot do; the sentence says what, and what to do instead."""


class CallError(EnvError):
    """A tool that there is not, or arguments that it does not take; nothing has been done."""


@dataclass(frozen=True, slots=True)
class Start:
    """What whoever works is told."""

    instruction: str
    time: str
    """The company's."""
    services: Mapping[str, str]
    """Their addresses inside the sandbox, by name."""
    account: Account | None
    """Who works here, where the world says so."""


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended."""

    exit_code: int
    output: str
    """What it printed, then what it complained of."""
    seconds: float
    timed_out: bool
    time: str
    """The company's, when it had ended."""

    @property
    def ok(self) -> bool:
        return self.exit_code == 0 and not self.timed_out


@dataclass(frozen=True, slots=True)
class Answer:
    """What a service answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    time: str
    """The company's, when it had answered."""

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """The body as JSON. Raises `EnvError` where it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            raise EnvError(f"The answer ({self.status}) is not JSON: {self.text[:200]!r}.") from None


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """A tool as a model is told of it."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """A JSON schema of its arguments."""
    reads: bool
    """It changes nothing."""

    @property
    def function(self) -> dict[str, Any]:
        """As chat completions take it."""
        told = {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}
        return {"type": "function", "function": told}


@dataclass(frozen=True, slots=True)
class Used:
    """What a tool answered."""

    text: str
    """For the model."""
    failed: bool
    """Whether that is a refusal, such as a service's."""
    time: str
    """The company's, when it had answered."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One of the task's checkpoints."""

    result: int
    total: int
    reason: str


@dataclass(frozen=True, slots=True)
class Marks:
    """What the work is worth right now."""

    result: int
    total: int
    checkpoints: tuple[Checkpoint, ...]
    notes: tuple[str, ...] = ()
    log: str = ""
    """What the grader printed."""

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.result / self.total if self.total else 0.0

    @property
    def resolved(self) -> bool:
        """Whether these are full marks."""
        return self.result == self.total


@dataclass(frozen=True, slots=True)
class Waited:
    """What a wait came to."""

    time: str
    text: str
    """What is new, in words."""
    notices: tuple[Mapping[str, str], ...]
    """The same as data: `kind`, `at`, `from`, `where`, `text`."""
