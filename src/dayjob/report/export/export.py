"""Writes a run out in a format: `tac`, `atif` or `jsonl`. Nothing half-written is left under a final name."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from dayjob.report.export.atif import VERSION, check
from dayjob.report.report_data import trial_row
from dayjob.report.results import Trial, load_trials
from dayjob.report.trial_facts import Known, know
from dayjob.whole_files import write_whole


@dataclass(slots=True)
class Exported:
    """What was written, what was left out and why, and what is wrong with trajectories."""

    written: list[Path] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def export_jsonl(folders: Sequence[Path], out: Path) -> Exported:
    """One line a trial: the report's flat rows, with the words of faults and notes."""
    rows = []
    for one in _known(folders):
        outcome = one.trial.outcome
        row = {**trial_row(one), "timings": outcome.timings, "faults": outcome.faults, "notes": outcome.notes}
        rows.append(json.dumps(row, ensure_ascii=False, separators=(",", ":")))
    write_whole(out, ("\n".join(rows) + "\n").encode("utf-8", "replace"))
    return Exported([out])


def export_atif(folders: Sequence[Path], out: Path) -> Exported:
    """Each trial's trajectory as `NAME.json`; one with a problem is named and not written."""
    found = Exported()
    for name, trial in _named(folders).items():
        document = _trajectory(trial, found)
        if document is not None:
            path = out / f"{name}.json"
            write_whole(path, _json({**document, **_with_faults(document, trial), "schema_version": VERSION}))
            found.written.append(path)
    return found


def export_tac(folders: Sequence[Path], out: Path, today: date | None = None) -> Exported:
    """TAC's submission layout: one folder per agent and model, with a result and a trajectory per task.

    The layout has room for one attempt at a task: the first that was scored is taken, never the best.
    """
    found = Exported()
    day = (today or datetime.now(UTC).date()).strftime("%Y%m%d")
    chosen: dict[tuple[str, str], dict[str, Known]] = {}
    for one in sorted(
        _known(folders),
        key=lambda one: (one.trial.outcome.task, one.trial.outcome.variant or 0, one.trial.outcome.attempt),
    ):
        outcome = one.trial.outcome
        tasks = chosen.setdefault((outcome.agent, one.effort.model or "none"), {})
        name = f"{outcome.task} · {one.entrant} {outcome.which}"
        if not outcome.scored:
            found.left_out.append(f"{name}: {outcome.label}, not scored")
        elif outcome.task in tasks:
            found.left_out.append(f"{name}: the layout holds one attempt a task, and an earlier one is there")
        else:
            tasks[outcome.task] = one
    for (agent, model), tasks in chosen.items():
        if tasks:
            _submission(
                out / "evaluation" / "1.0.0" / f"{day}_{_safe(agent)}-{_safe(model)}", agent, model, tasks, found
            )
    return found


FORMATS: dict[str, Callable[[Sequence[Path], Path], Exported]] = {
    "tac": export_tac,
    "atif": export_atif,
    "jsonl": export_jsonl,
}


def _submission(folder: Path, agent: str, model: str, tasks: dict[str, Known], found: Exported) -> None:
    for task, one in tasks.items():
        outcome = one.trial.outcome
        result = {
            "checkpoints": outcome.checkpoints,
            "final_score": {"total": outcome.total, "result": outcome.result},
        }
        found.written.append(folder / "results" / f"eval_{_safe(task)}.json")
        write_whole(found.written[-1], _json(result))
        document = _trajectory(one.trial, found)
        if document is not None:
            found.written.append(folder / "trajectories" / f"traj_{_safe(task)}.json.gz")
            write_whole(found.written[-1], gzip.compress(_json(document), mtime=0))
        shots = one.trial.folder / "screenshots"
        if shots.is_dir() and not shots.is_symlink():
            for shot in sorted(shots.iterdir()):
                if shot.is_file() and not shot.is_symlink():
                    place = folder / "screenshots" / _safe(task) / shot.name
                    place.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(shot, place)
                    found.written.append(place)
    (folder / "screenshots").mkdir(parents=True, exist_ok=True)
    scores = [one.trial.outcome.score or 0.0 for one in tasks.values()]
    full = sum(one.trial.outcome.result == one.trial.outcome.total for one in tasks.values())
    mean = sum(scores) / len(scores)
    at_fault = sum(bool(one.trial.outcome.colleague_fault) for one in tasks.values())
    faults = f"In {at_fault} of them a colleague was at fault; their scores stand.\n\n" if at_fault else ""
    text = (
        f"# {agent}, {model}\n\n{len(tasks)} tasks, {full} resolved, mean partial score {mean:.4f}.\n\n{faults}"
        "`results/eval_TASK.json` holds the checkpoints of a task, `trajectories/traj_TASK.json.gz` what the agent\n"
        f"did ({VERSION}). One attempt a task, the first that was scored. Made with Dayjob.\n"
    )
    found.written.append(folder / "README.md")
    write_whole(found.written[-1], text.encode())


def _known(folders: Sequence[Path]) -> list[Known]:
    return [know(trial) for folder in folders for trial in load_trials(folder)]


def _named(folders: Sequence[Path]) -> dict[str, Trial]:
    """Trials by a file name of their own; the same name from two runs gets the run's before it."""
    trials = [trial for folder in folders for trial in load_trials(folder)]
    names = [_safe(trial.folder.name) for trial in trials]
    found: dict[str, Trial] = {}
    for name, trial in zip(names, trials, strict=True):
        own = name if names.count(name) == 1 else f"{_safe(trial.folder.parent.name)}.{name}"
        while own in found:
            own += "_"
        found[own] = trial
    return found


def _trajectory(trial: Trial, found: Exported) -> dict[str, Any] | None:
    """The trial's trajectory when it is there and right; otherwise the reason is noted."""
    path = trial.folder / "trajectory.json"
    try:
        document = json.loads(path.read_bytes())
    except FileNotFoundError:
        found.left_out.append(f"{trial.folder.name}: it has no trajectory")
        return None
    except (OSError, ValueError) as error:
        found.problems.append(f"{path}: the document: is not JSON: {error}")
        return None
    problems = [f"{path}: {field}: {sentence}" for field, sentence in check(document)]
    found.problems += problems
    return document if not problems else None


def _with_faults(document: dict[str, Any], trial: Trial) -> dict[str, Any]:
    """What ATIF has no field for: the faults of colleagues that an agent had to do with."""
    if not (faults := trial.outcome.colleague_fault):
        return {}
    extra = document.get("extra")
    return {"extra": {**(extra if isinstance(extra, dict) else {}), "colleague_fault": faults}}


def _safe(name: str) -> str:
    """A name from evidence as one part of a path."""
    return re.sub(r"[^\w.@+-]", "-", name).lstrip(".-") or "unnamed"


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "replace")
