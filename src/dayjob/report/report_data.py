"""Everything a report says, as one value; each format is a way of writing it down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dayjob.report.breakdown import CheckpointRow, Group, breakdown, checkpoints, group, resolved_by_task
from dayjob.report.colleague_rates import Rates, Standing, colleague_rates, with_and_without
from dayjob.report.compare import Comparison, compare
from dayjob.report.repeats import Repeats, repeats
from dayjob.report.results import load_trials
from dayjob.report.score_line import CameAndWent, came_and_went
from dayjob.report.trial_facts import Known, know

# Content keys differ from task to task and say nothing to a reader.
_KEYS = ("image", "snapshot", "prompts")

FORMAT = 1


@dataclass(frozen=True, slots=True)
class ReportData:
    """The whole of it: `trials` as they are, and what they come to."""

    folders: list[str]
    trials: list[Known]
    whole: Group
    by: dict[str, list[Group]]
    repeats: dict[str, list[Repeats]]
    """For each entrant."""
    checkpoints: list[CheckpointRow]
    made_of: dict[str, list[str]]
    """What the trials were made of: every value of every ingredient that a reader may ask about."""
    colleagues: list[Rates] = field(default_factory=list)
    standings: list[Standing] = field(default_factory=list)
    """The score with and without trials in which a colleague was at fault, where there are any."""
    comparison: Comparison | None = None
    along_the_way: list[CameAndWent] = field(default_factory=list)
    """How checkpoints fared before the end, where trials have a score line."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "folders": self.folders,
            "summary": asdict(self.whole),
            "by": {name: [asdict(one) for one in groups] for name, groups in self.by.items()},
            "repeats": {name: [asdict(one) for one in rows] for name, rows in self.repeats.items()},
            "checkpoints": [asdict(one) for one in self.checkpoints],
            "made_of": self.made_of,
            "colleagues": [asdict(one) for one in self.colleagues],
            "along_the_way": [asdict(one) for one in self.along_the_way],
            "with_and_without_colleague_faults": [asdict(one) for one in self.standings],
            "comparison": asdict(self.comparison) if self.comparison else None,
            "trials": [trial_row(one) for one in self.trials],
        }


def report_data(folders: Sequence[Path], *, comparing: bool = False) -> ReportData:
    """Read the trials at or below the folders and add them up. Raises `NoResults`."""
    parts = [[know(trial) for trial in load_trials(folder)] for folder in folders]
    known = [one for part in parts for one in part]
    by = breakdown(known)
    entrants: dict[str, list[Known]] = {}
    for one in known:
        entrants.setdefault(one.entrant, []).append(one)
    return ReportData(
        folders=[str(folder) for folder in folders],
        trials=known,
        whole=group("all", known),
        by=by,
        repeats={name: repeats(resolved_by_task(members)) for name, members in sorted(entrants.items())},
        checkpoints=checkpoints(known),
        made_of=_made_of(known),
        colleagues=colleague_rates(known),
        standings=with_and_without(known),
        along_the_way=came_and_went(known),
        comparison=compare(str(folders[0]), parts[0], str(folders[1]), parts[1]) if comparing else None,
    )


def trial_row(one: Known) -> dict[str, Any]:
    """One trial as a flat row, the same in JSON, CSV and JSONL."""
    outcome = one.trial.outcome
    return {
        "folder": str(one.trial.folder),
        "task": outcome.task,
        "agent": outcome.agent,
        "model": one.effort.model,
        "attempt": outcome.attempt,
        "variant": outcome.variant,
        "variant_set": outcome.variant_set,
        "label": str(outcome.label),
        "scored": outcome.scored,
        "result": outcome.result,
        "total": outcome.total,
        "score": outcome.score,
        "ended": outcome.ended,
        "stopped": outcome.stopped,
        "reason": outcome.reason,
        "step": outcome.step,
        "seconds": outcome.timings.get("all"),
        "work_seconds": outcome.timings.get("work"),
        "waited_for_model": outcome.waited_for_model,
        "grade_seconds": outcome.timings.get("grade"),
        "steps": one.effort.steps,
        "prompt_tokens": one.effort.prompt_tokens,
        "completion_tokens": one.effort.completion_tokens,
        "cost_usd": one.effort.cost,
        "others_cost_usd": one.effort.others_cost,
        "memory_peak": outcome.resources.get("memory_peak"),
        "cpu_seconds": _seconds(outcome.resources.get("cpu_nanoseconds")),
        "role": one.traits.role,
        "difficulty": one.traits.difficulty,
        "services": list(one.traits.services),
        "tags": list(one.traits.tags),
        "checkpoints": outcome.checkpoints,
        "score_line": outcome.score_line,
        "judged": outcome.judged,
        "colleagues": outcome.colleagues,
        "colleague_fault": outcome.colleague_fault,
        "raised": outcome.raised,
        "made_of": outcome.made_of,
    }


def _seconds(nanoseconds: int | None) -> float | None:
    return nanoseconds / 1e9 if nanoseconds is not None else None


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _made_of(known: Sequence[Known]) -> dict[str, list[str]]:
    found: dict[str, set[str]] = {}
    for one in known:
        for name, value in one.trial.outcome.made_of.items():
            if name == "minds" and isinstance(value, dict):
                values = {str(mind) for mind in value.values()}
            elif isinstance(value, dict):
                each = [(role, one) for role, which in value.items() for one in _listed(which)]
                values = {f"{role}: {model}" for role, model in each}
            else:
                values = {", ".join(map(str, value)) if isinstance(value, list) else str(value)}
            found.setdefault(name, set()).update(values)
    shown = {name: sorted(values) for name, values in sorted(found.items()) if name not in _KEYS}
    return {name: values for name, values in shown.items() if values}
