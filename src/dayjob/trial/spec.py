"""What a trial is made of, as plain data: the same spec gives the same trial wherever the files are the same."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dayjob.agent.names import slug
from dayjob.task.settings import egress_hosts

FORMAT = 1


class SpecError(ValueError):
    """A spec that cannot be read."""


@dataclass(frozen=True, slots=True)
class TrialSpec:
    """One attempt. Paths are absolute strings, so that a spec can travel as JSON."""

    task: str
    agent: str
    out: str
    """The folder for this trial's evidence."""
    sandbox: str = "embedded"
    world: str | None = None
    """Another world than the task's own."""
    attempt: int = 1
    seed: str = "0"
    seconds: float | None = None
    """Another time limit to work than the task's own."""
    egress: str | None = None
    """Another way out than the task's own: none, full, or host names with commas between them."""
    grader_egress: str | None = None
    """The same for graders."""
    clock: str | None = None
    """Another clock than the task's own: running or stepped."""
    model: str | None = None
    """The examinee's model, as `provider/model` or `script:FILE`; None takes what the settings say."""
    npc_model: str | None = None
    judge_model: str | None = None
    image: str | None = None
    """An image that somebody has built of the task, for docker; `{task}` in it stands for the task's name."""
    variant: int | None = None
    """Which variant of a family; None where the task is none, and in a family the canonical one, 0."""
    variant_set: str | None = None
    """The fingerprint of the key that its variant is drawn with; None: the public set."""
    score_every: str | None = None
    """When the work is graded along the way: `step`, `change`, or a number of steps; None: when it has ended."""
    score_judge: bool = False
    """Whether checks that ask a model are made along the way, too."""
    gradings: int = 1
    """How many times the same work is graded; more than one proves that grading repeats itself."""

    @property
    def name(self) -> str:
        return trial_name(Path(self.task).name, self.agent, self.attempt, self.variant, self.variant_set)

    @property
    def made(self) -> str:
        """The image's reference, empty when the task's own Dockerfile is to be carried out."""
        return (self.image or "").replace("{task}", Path(self.task).name)

    def check_score_every(self) -> None:
        """Raises `SpecError` for what `score_every` cannot mean."""
        said = self.score_every
        if said is not None and said not in ("step", "change") and not (said.isdecimal() and int(said) > 0):
            raise SpecError(f"'{said}' is no step to grade after. Write step, change, or a number of steps such as 5")

    @property
    def way_out(self) -> tuple[str, ...]:
        """The hosts that `egress` lets the examinee reach."""
        return _hosts(self.egress)

    @property
    def graders_way_out(self) -> tuple[str, ...]:
        """The hosts that `grader_egress` lets graders reach."""
        return _hosts(self.grader_egress)

    def to_json(self) -> str:
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> TrialSpec:
        facts: dict[str, Any] = json.loads(text)
        if facts.pop("format", None) != FORMAT:
            raise SpecError(f"this is not a trial of format {FORMAT}; update dayjob")
        return cls(**facts)


def trial_name(task: str, agent: str, attempt: int, variant: int | None = None, set: str | None = None) -> str:
    """What a trial and its folder are called."""
    drawn = "" if variant is None else f".v{variant}-{set[:8]}" if set else f".v{variant}"
    return f"{task}{drawn}.{slug(agent)}.{attempt}"


def _hosts(said: str | None) -> tuple[str, ...]:
    asked = said or "none"
    hosts = egress_hosts(asked if asked in ("none", "full") else [host.strip() for host in asked.split(",")])
    if hosts is None:
        raise SpecError(f"'{asked}' is no way out. Write none, full, or host names such as example.com,*.example.org")
    return hosts
