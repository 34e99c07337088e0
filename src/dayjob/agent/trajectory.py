"""What an agent did, step by step, as ATIF v1.8; and the text of it that an evaluator gets.

The evaluator's text holds the agent's actions and what it observed, never the task text it was prompted with, so that
a checkpoint that looks for a word of the task is not passed by having been told it.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

SCHEMA_VERSION = "ATIF-v1.8"
PICTURES = "screenshots"
_DEEPEST = 100


@dataclass(slots=True)
class ToolCall:
    """Something the agent did, and what came back."""

    name: str
    arguments: dict[str, Any]
    observation: str | None = None
    picture: Picture | None = None
    """What was to be seen beside what was to be read."""

    def __post_init__(self) -> None:
        if _deep(self.arguments):
            self.arguments = {"text": f"[arguments nested more than {_DEEPEST} deep]"}


@dataclass(frozen=True, slots=True)
class Picture:
    """A file beside the trajectory's, by its path from there."""

    path: str
    media_type: str


@dataclass(slots=True)
class Step:
    """One turn of the conversation."""

    source: Literal["system", "user", "agent"]
    message: str = ""
    tool_calls: list[ToolCall] = field(default_factory=list)
    timestamp: str = field(default_factory=lambda: datetime.now(UTC).isoformat())
    extra: dict[str, Any] = field(default_factory=dict)
    metrics: dict[str, Any] = field(default_factory=dict)
    """What this turn of the model took: `prompt_tokens`, `completion_tokens`."""


@dataclass(slots=True)
class Trajectory:
    """The whole of it."""

    agent: str
    version: str
    model: str | None = None
    steps: list[Step] = field(default_factory=list)
    notes: str = ""
    stopped: str = ""
    """Why the agent stopped, in a few words; goes into the outcome."""
    tools: list[dict[str, Any]] = field(default_factory=list)
    """The tools as the model was told of them."""
    refresh: Callable[[], Awaitable[None]] | None = None
    """Brings the steps up to date, where they are read from what an agent writes about itself while it works."""
    folder: Path | None = None
    """Where pictures are kept, as they come; without one they are not."""

    def keep_picture(self, data: bytes, media_type: str) -> Picture | None:
        if self.folder is None:
            return None
        place = self.folder / PICTURES
        place.mkdir(exist_ok=True)
        number = 1 + sum(1 for _ in place.iterdir())
        path = place / f"{number:04}.{media_type.rpartition('/')[2]}"
        path.write_bytes(data)
        return Picture(f"{PICTURES}/{path.name}", media_type)

    def as_atif(self, session: str) -> dict[str, Any]:
        """The document ATIF v1.8 describes; no field that it does not know."""
        agent: dict[str, Any] = {"name": self.agent, "version": self.version}
        if self.model:
            agent["model_name"] = self.model
        if self.tools:
            agent["tool_definitions"] = self.tools
        document: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION,
            "session_id": session,
            "agent": agent,
            "steps": [_step(number, step) for number, step in enumerate(self.steps, 1)],
        }
        if self.notes:
            document["notes"] = self.notes
        return document

    def for_evaluators(self) -> str:
        """The agent's own words, actions and observations, in order."""
        lines = []
        for step in self.steps:
            if step.source != "agent":
                continue
            if step.message:
                lines.append(step.message)
            for call in step.tool_calls:
                lines.append(f"{call.name} {json.dumps(call.arguments, ensure_ascii=False)}")
                if call.observation:
                    lines.append(call.observation)
        text = "\n".join(lines) + ("\n" if lines else "")
        # Half a character, which JSON can say and a file cannot hold, must not keep the work from being graded.
        return text.encode("utf-8", "replace").decode("utf-8")


def _deep(value: Any) -> bool:
    """Whether a value is nested deeper than anything that can be written down; a model may say anything."""
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            inner
            for one in level
            for inner in (one.values() if isinstance(one, dict) else one if isinstance(one, list) else ())
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def _content(call: ToolCall) -> str | list[dict[str, Any]]:
    if call.picture is None:
        return call.observation or ""
    source = {"media_type": call.picture.media_type, "path": call.picture.path}
    return [{"type": "text", "text": call.observation or ""}, {"type": "image", "source": source}]


def _step(number: int, step: Step) -> dict[str, Any]:
    found: dict[str, Any] = {
        "step_id": number,
        "timestamp": step.timestamp,
        "source": step.source,
        "message": step.message,
    }
    if step.tool_calls:
        ids = [f"call_{number}_{place}" for place in range(1, len(step.tool_calls) + 1)]
        found["tool_calls"] = [
            {"tool_call_id": name, "function_name": call.name, "arguments": call.arguments}
            for name, call in zip(ids, step.tool_calls, strict=True)
        ]
        results = [
            {"source_call_id": name, "content": _content(call)}
            for name, call in zip(ids, step.tool_calls, strict=True)
            if call.observation is not None
        ]
        if results:
            found["observation"] = {"results": results}
    if step.metrics:
        found["metrics"] = step.metrics
    if step.extra:
        found["extra"] = step.extra
    return found
