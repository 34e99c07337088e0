"""One point of a score line, and the line as it is kept: what the work was worth, step by step, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dayjob.scoring import LEFT_OUT
from dayjob.trial.grade import Verdict

FORMAT = 1
FILE = "score-line.json"
EXTRA = "score_line"
"""What a step's `extra` has of it."""


@dataclass(slots=True)
class Point:
    """What the work was worth at one moment. `result` is None where it could not be graded, and `failed` says why."""

    at: float
    """Seconds since the trial began."""
    world: str
    """The company's time."""
    step: int | None
    """The last of the agent's steps by then, counted as in its trajectory; None before the first."""
    answered: int = 0
    """How many of its calls a model had answered by then."""
    held: float = 0.0
    """Seconds for which the examinee was kept from working."""
    result: int | None = None
    total: int | None = None
    checkpoints: list[dict[str, Any]] = field(default_factory=list)
    """`total`, `result` (None where the check was left out) and `reason`, as in an outcome."""
    seconds: float = 0.0
    """How long grading took, beside the work."""
    failed: str = ""

    def take(self, verdict: Verdict, *, withheld: bool) -> None:
        """What a grading said; `withheld`: marks alone."""
        if verdict.faults or verdict.result is None:
            said = dict.fromkeys(str(fault.get("sentence")) for fault in verdict.faults)
            self.failed = "; ".join(said) or "the grader gave no result"
            return
        score = verdict.result["final_score"]
        self.result, self.total = score["result"], score["total"]
        for row in verdict.result["checkpoints"]:
            left_out = row.get("reason") == LEFT_OUT
            point: dict[str, Any] = {"total": row["total"], "result": None if left_out else row["result"]}
            if row.get("reason") and not withheld:
                point["reason"] = row["reason"]
            self.checkpoints.append(point)

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {"step": self.step, "at": round(self.at, 3), "world": self.world}
        if self.failed:
            found["failed"] = self.failed
        else:
            found |= {"result": self.result, "total": self.total, "checkpoints": self.checkpoints}
        return found | {"held": round(self.held, 4), "seconds": round(self.seconds, 4)}

    def in_a_step(self) -> dict[str, Any]:
        """The same without words, for a trajectory."""
        if self.result is None:
            return {"at": round(self.at, 3), "result": None}
        marks = [row["result"] for row in self.checkpoints]
        return {"at": round(self.at, 3), "result": self.result, "total": self.total, "checkpoints": marks}


def assigned(points: Sequence[Point], agent_steps: Sequence[int], answered: int) -> None:
    """Say of each point which step it followed, once the whole trajectory is known (`agent_steps`: its agent's).

    An agent whose own record could be read along the way has told so itself. Otherwise, where it has a step for each
    answer of its model, the answers are counted.
    """
    for point in points:
        if answered and answered == len(agent_steps) and 0 < point.answered <= answered:
            point.step = agent_steps[point.answered - 1]
        elif point.step is not None:
            told = point.step
            point.step = max((one for one in agent_steps if one <= told), default=min(agent_steps, default=None))
