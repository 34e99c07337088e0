"""What a report needs to know of a trial beyond its outcome: its cost, tokens and steps, and what kind of task it was.

Tokens and cost are what the gateway metered, or else what the trajectory says; traits come from the task's folder where
it still is. What is not there stays unknown.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from dayjob.report.results import Trial
from dayjob.report.score_line import Line, read_line
from dayjob.report.trajectory_file import TrajectoryError, TrajectoryFile
from dayjob.task.family import is_family
from dayjob.task.findings import TaskError
from dayjob.task.model import load_settings, parse_dependencies
from dayjob.task.reading import read_text


@dataclass(frozen=True, slots=True)
class Effort:
    """What a trial took of the examinee. None: nobody says."""

    steps: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    model: str = ""
    others_cost: float | None = None
    """What colleagues and judges asked of models."""

    @property
    def tokens(self) -> int | None:
        if self.prompt_tokens is None and self.completion_tokens is None:
            return None
        return (self.prompt_tokens or 0) + (self.completion_tokens or 0)


@dataclass(frozen=True, slots=True)
class Traits:
    """What kind of task this is, by its own words."""

    role: str = ""
    difficulty: str = ""
    tags: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()
    """The first words of each checkpoint."""


@dataclass(frozen=True, slots=True)
class Known:
    """A trial with everything known about it."""

    trial: Trial
    effort: Effort = field(default_factory=Effort)
    traits: Traits = field(default_factory=Traits)
    line: Line | None = None
    """What its work was worth along the way, where that was asked for."""

    @property
    def entrant(self) -> str:
        """Who sat the exam: the agent, and its model when it has one."""
        agent = self.trial.outcome.agent
        return f"{agent} · {self.effort.model}" if self.effort.model else agent


def know(trial: Trial) -> Known:
    line = read_line(trial.folder) if trial.outcome.score_line else None
    return Known(trial, effort_of(trial), traits_of(trial), line)


def effort_of(trial: Trial, largest: int | None = None) -> Effort:
    """Figures of a trial: the gateway's, the trajectory's own totals, or the sum over its steps.

    A trajectory above `largest` bytes is not read for them.
    """
    outcome = trial.outcome
    metered = _dict(_dict(outcome.resources.get("models")).get("examinee"))
    told = _told(trial.folder / "trajectory.json", largest)
    models = outcome.made_of.get("models")
    model = str(_dict(models).get("examinee") or outcome.made_of.get("model") or told.model or "")
    return Effort(
        steps=told.steps,
        prompt_tokens=_whole(_number(metered.get("prompt_tokens"), told.prompt_tokens)),
        completion_tokens=_whole(_number(metered.get("completion_tokens"), told.completion_tokens)),
        cost=_number(metered.get("cost_usd"), told.cost),
        model=model,
        others_cost=_others(_dict(outcome.resources.get("models"))),
    )


def _others(usage: dict[str, Any]) -> float | None:
    costs = [_number(_dict(one).get("cost_usd"), None) for role, one in usage.items() if role != "examinee"]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known else None


def _told(path: Path, largest: int | None) -> Effort:
    """What the trajectory itself says."""
    if not path.is_file() or (largest is not None and path.stat().st_size > largest):
        return Effort()
    steps = 0
    sums: dict[str, float | None] = dict.fromkeys(("prompt_tokens", "completion_tokens", "cost_usd"))
    try:
        with TrajectoryFile(path) as file:
            document = file.rest()
            for step in file.every_step():
                if not step.get("is_copied_context"):
                    steps += step.get("source") == "agent"
                    _add(sums, step.get("metrics"))
    except TrajectoryError:  # a figure that cannot be read is unknown; `export atif` says what is wrong with the file
        return Effort()
    final = _dict(document.get("final_metrics"))
    found = {name: _number(final.get(f"total_{name}"), sums[name]) for name in sums}
    named = _dict(document.get("agent")).get("model_name")
    return Effort(
        steps=steps,
        prompt_tokens=_whole(found["prompt_tokens"]),
        completion_tokens=_whole(found["completion_tokens"]),
        cost=found["cost_usd"],
        model=named if isinstance(named, str) else "",
    )


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _add(sums: dict[str, float | None], metrics: Any) -> None:
    if isinstance(metrics, dict):
        for name in sums:
            value = _number(metrics.get(name), None)
            if value is not None:
                sums[name] = (sums[name] or 0) + value


def _number(value: Any, otherwise: float | None) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else otherwise


def traits_of(trial: Trial) -> Traits:
    folder = task_folder(trial.folder)
    return _traits(folder) if folder is not None else Traits()


def task_folder(folder: Path) -> Path | None:
    """Where the trial's task was, when its spec says so."""
    try:
        spec = json.loads((folder / "spec.json").read_text("utf-8"))
        return _variant_folder(spec) if "\0" not in spec["task"] else None
    except (OSError, ValueError, KeyError, TypeError):  # evidence without a spec stands by itself
        return None


def _variant_folder(spec: dict[str, Any]) -> Path:
    """The task as it was made, where it is a variant that everybody may know and it is still here; else its folder."""
    task = Path(spec["task"])
    if spec.get("variant_set") is not None or not is_family(task):
        return task
    from dayjob.trial.spec import TrialSpec  # late: most reports are about tasks that are no families
    from dayjob.trial.variants import found_folder

    asked = TrialSpec(str(task), "", "", variant=spec.get("variant"), world=spec.get("world"))
    return found_folder(asked) or task


@lru_cache(maxsize=4096)
def _traits(folder: Path) -> Traits:
    from dayjob.report.story import meanings

    try:
        settings = load_settings(folder)
        return Traits(
            settings.role,
            settings.difficulty,
            settings.tags,
            parse_dependencies(read_text(folder, "dependencies.yml")),
            tuple(meanings(read_text(folder, "checkpoints.md"))),
        )
    except (TaskError, OSError):  # the task has moved or changed since: the evidence stands without it
        return Traits()
