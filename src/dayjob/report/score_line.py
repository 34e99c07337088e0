"""The score line of a trial as readers want it: what the work was worth along the way, and where points came and went.

It is read from the trial's folder, where anything may have been written: what is no line is none.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median_low
from typing import TYPE_CHECKING, Any

from dayjob.scoring import clean_reason
from dayjob.trial.score_rows import FILE, FORMAT

if TYPE_CHECKING:
    from dayjob.report.trial_facts import Known

MOST_POINTS = 1001
MOST_REASONS = 3
_LARGEST = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Move:
    """Points of one checkpoint that came (above 0) or went, and what its check said then."""

    checkpoint: int
    points: int
    reason: str

    @property
    def words(self) -> str:
        said = f": {self.reason}" if self.reason else ""
        return f"{self.points:+d} checkpoint {self.checkpoint}{said}"


@dataclass(frozen=True, slots=True)
class Worth:
    """What the work was worth at one moment; `result` is None where nobody could say, and `failed` why."""

    at: float
    world: str
    step: int | None
    result: int | None
    total: int
    failed: str = ""
    moves: tuple[Move, ...] = ()
    """What is different from the last moment of which it is known."""


@dataclass(frozen=True, slots=True)
class Line:
    """All of one trial."""

    every: str
    points: tuple[Worth, ...]
    results: tuple[tuple[int | None, ...], ...]
    """What each checkpoint gave at each point; None where its check was left out or it is not known."""

    @property
    def best(self) -> Worth | None:
        """The first of those moments at which it was worth most."""
        known = [one for one in self.points if one.result is not None]
        return max(known, key=lambda one: one.result or 0, default=None)

    @property
    def lost(self) -> int:
        """Points that it was worth at its best and no longer at the end."""
        best, last = self.best, next((one for one in reversed(self.points) if one.result is not None), None)
        return (best.result or 0) - (last.result or 0) if best is not None and last is not None else 0


@dataclass(frozen=True, slots=True)
class CameAndWent:
    """How one checkpoint of one task fared along the way, over one entrant's trials that have a line."""

    task: str
    entrant: str
    number: int
    trials: int
    won: int
    """Trials in which it had points at some time."""
    step: int | None
    """The agent's step after which it had most for the first time: the middle one over these trials."""
    lost: int
    """Trials in which it had fewer points at the end than at its best."""
    reasons: list[tuple[str, int]] = field(default_factory=list)
    """What the check said when points went, with the number of trials, the most frequent first."""


def read_line(folder: Path) -> Line | None:
    """The line of the trial in a folder; None where there is none, or no telling."""
    place = folder / FILE
    try:
        if not place.is_file() or place.stat().st_size > _LARGEST:
            return None
        document = json.loads(place.read_text("utf-8"))
        if document["format"] != FORMAT:
            return None
        return _line(document)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _line(document: dict[str, Any]) -> Line:
    points, results = list[Worth](), list[tuple[int | None, ...]]()
    before: dict[int, int] = {}
    for row in document["points"][:MOST_POINTS]:
        checkpoints = row.get("checkpoints") or []
        marks = tuple(_whole(one["result"]) for one in checkpoints)
        moves = []
        for number, (one, mark) in enumerate(zip(checkpoints, marks, strict=True), 1):
            if mark is not None and (moved := mark - before.get(number, 0)):
                moves.append(Move(number, moved, clean_reason(one.get("reason") or "")))
            if mark is not None:
                before[number] = mark
        at, step = float(row["at"]), _whole(row["step"])
        if not math.isfinite(at):
            raise ValueError("no moment")
        points.append(
            Worth(
                at,
                clean_reason(row["world"]),
                step,
                _whole(row.get("result")),
                _whole(row.get("total")) or 0,
                clean_reason(row.get("failed") or ""),
                tuple(moves),
            )
        )
        results.append(marks)
    return Line(clean_reason(document["every"]), tuple(points), tuple(results))


def _whole(value: object) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r} is no number of points")
    return value


def came_and_went(known: Sequence[Known]) -> list[CameAndWent]:
    """A row for each checkpoint of each task and entrant, where trials have lines."""
    found: dict[tuple[str, str, int], list[Line]] = {}
    for one in known:
        if (line := one.line) is not None:
            for number in range(max(map(len, line.results), default=0)):
                found.setdefault((one.trial.outcome.task, one.entrant, number), []).append(line)
    rows = []
    for (task, entrant, number), lines in sorted(found.items()):
        won, lost, steps, reasons = 0, 0, list[int](), Counter[str]()
        for line in lines:
            marks = [
                (point, marks[number])
                for point, marks in zip(line.points, line.results, strict=True)
                if number < len(marks) and marks[number] is not None
            ]
            best = max((mark or 0 for _, mark in marks), default=0)
            if not best:
                continue
            won += 1
            first = next(point for point, mark in marks if mark == best)
            steps += [first.step] if first.step is not None else []
            if (marks[-1][1] or 0) < best:
                lost += 1
                reasons.update({_said_at_loss(line, number + 1): 1})
        middle = median_low(steps) if steps else None
        told = [(reason, count) for reason, count in reasons.most_common(MOST_REASONS) if reason]
        rows.append(CameAndWent(task, entrant, number + 1, len(lines), won, middle, lost, told))
    return rows


def _said_at_loss(line: Line, number: int) -> str:
    """What the check said the last time its points went."""
    moves = [move for point in line.points for move in point.moves if move.checkpoint == number and move.points < 0]
    return moves[-1].reason if moves else ""
