"""Whether an examinee ever began. One that did not was not set up right, and nothing was learnt about how good it is.

It began with the first answer of its model, the first thing it asked of a service, or the first file it wrote in its
workspace. All of that comes before an examinee can know how it will fare, so it cannot take back a trial by pretending
that it never began: killing its own shell, crashing or breaking its model's requests later on changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dayjob.agent import Agent, Trajectory

# How soon a program must have failed for its set-up to be the reason.
FIRST_MOMENTS = 30.0


@dataclass(frozen=True, slots=True)
class Traces:
    """What an examinee left of its work."""

    seconds: float
    """How long it worked."""
    asked: int
    """What it asked of its model."""
    answered: int
    """How much of that was answered."""
    requests: bool
    """Whether it asked anything of the company's services."""
    wrote: bool
    """Whether anything in its workspace is different."""
    error: Exception | None = None
    """What its driver ended with."""

    @property
    def any(self) -> bool:
        return bool(self.answered or self.requests or self.wrote)


def never_began(agent: Agent, trajectory: Trajectory | None, traces: Traces) -> str | None:
    """A sentence when the agent never began; None when it did, or when it ended as if there was nothing to do."""
    if traces.any:
        return None
    who = f"the agent {agent.name}"
    if traces.error is not None:
        return f"{who} failed before it asked or wrote anything: {type(traces.error).__name__}: {traces.error}"
    if traces.asked:
        why = f": {trajectory.stopped}" if trajectory and trajectory.stopped else ""
        return f"{who} asked its model {traces.asked} times and was never answered{why}; see models.jsonl"
    last = trajectory.steps[-1] if trajectory and trajectory.steps else None
    code = last.extra.get("exit_code") if last else None
    if last is None or not code or not agent.is_program or traces.seconds > FIRST_MOMENTS:
        return None
    printed = (last.tool_calls[-1].observation or "") if last.tool_calls else str(last.extra.get("printed", ""))
    said = printed.strip().splitlines()[-1:] or ["it printed nothing"]
    return f"{who} ended with {code} before it asked or wrote anything: {said[0][:300]}; see trajectory.json"


def changed_since(folder: Path, moment: float) -> bool:
    """Whether anything in a folder is newer than this."""
    return any(path.lstat().st_mtime > moment for path in (folder, *folder.rglob("*")))
