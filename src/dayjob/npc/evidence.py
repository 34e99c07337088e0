"""What colleagues did, for the record: every turn, fault and note, one line of JSON each.

A fault leaves the trial without a score. A note does not: it tells of what a colleague could not do because of what
others did in chat or wrote to them, and of a model that chose to say nothing to a question.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dayjob.npc.hearing import Line


@dataclass(frozen=True, slots=True)
class NpcFault:
    """A colleague who could not do their part: the trial is an `infra_error`, never a zero."""

    time: str
    colleague: str
    label: str
    """`dead`, `no_decision`, `mind_failed`, or the label of the model's fault."""
    sentence: str


@dataclass(slots=True)
class Turn:
    """One decision: what was heard, how it was decided, what was said."""

    colleague: str
    mind: str
    place: str
    thread: str
    heard: list[Line]
    action: str = ""
    said: list[str] = field(default_factory=list)
    withheld: list[str] = field(default_factory=list)
    """What was decided but not sent, because it would have given a secret away."""
    how: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    """From hearing the last line to the decision."""
    fault: str = ""
    time: str = ""
    did: list[dict[str, str]] = field(default_factory=list)
    """What they did beside writing, and what was refused to them."""


class Evidence:
    """Turns and faults of one cast, in memory and, with a file (or a descriptor of one), on disk as they happen."""

    def __init__(self, file: Path | int | None = None) -> None:
        self.file = file
        self.turns: list[Turn] = []
        self.faults: list[NpcFault] = []
        self.notes: list[str] = []
        self.trouble = ""
        """Why something could not be written down; the colleagues went on."""

    def turn(self, turn: Turn) -> None:
        turn.time = _now()
        turn.seconds = round(turn.seconds, 4)
        self.turns.append(turn)
        self._write("turn", asdict(turn))

    def fault(self, colleague: str, label: str, sentence: str) -> None:
        fault = NpcFault(_now(), colleague, label, sentence)
        self.faults.append(fault)
        self._write("fault", asdict(fault))

    def note(self, colleague: str, sentence: str) -> None:
        self.notes.append(sentence)
        self._write("note", {"time": _now(), "colleague": colleague, "sentence": sentence})

    def _write(self, kind: str, facts: dict[str, Any]) -> None:
        if self.file is not None:
            line = json.dumps({"kind": kind, **facts}, ensure_ascii=False, separators=(",", ":"))
            try:
                if isinstance(self.file, Path):
                    self.file.parent.mkdir(parents=True, exist_ok=True)
                with open(self.file, "ab", closefd=isinstance(self.file, Path)) as out:
                    out.write(line.encode("utf-8", "backslashreplace") + b"\n")
            except OSError as error:
                self.trouble = f"what colleagues did cannot be written down: {error.strerror}"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
