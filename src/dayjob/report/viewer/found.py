"""Trials as they lie on disk, before any index: where they are, whether they changed, what words they hold."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dayjob.report.trajectory_file import TrajectoryError, TrajectoryFile
from dayjob.trial.colleague_rows import fault_in_words
from dayjob.trial.judged import vote_in_words
from dayjob.trial.outcome import MEANINGS, Label, Outcome

# Words of one trial that the search knows: enough for what was said, not for a log of megabytes.
MOST_WORDS = 100_000


def is_trial(folder: Path) -> bool:
    return (folder / "outcome.json").is_file() or (folder / "spec.json").is_file()


def trial_folders(top: Path) -> Iterator[Path]:
    """Trial folders at or below a folder; what is inside a trial is its own affair."""
    waiting = [str(top)]
    while waiting:
        folder = waiting.pop()
        inside: list[str] = []
        trial = False
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name in ("outcome.json", "spec.json"):
                        trial = True
                    elif entry.is_dir(follow_symlinks=False) and entry.name != "earlier" and entry.name[0] != ".":
                        inside.append(entry.path)
        except OSError:  # it went away while we looked
            continue
        if trial:
            yield Path(folder)
        else:
            waiting += sorted(inside, reverse=True)


def seen_mark(folder: Path) -> str:
    """A mark that differs when the trial does: by its outcome, or by its journal while it has none."""
    for name in ("outcome.json", "journal.jsonl", "spec.json"):
        try:
            found = os.stat(folder / name)
        except OSError:
            continue
        return f"{name} {found.st_mtime_ns} {found.st_size}"
    return "nothing"


def read_outcome(folder: Path) -> Outcome | None:
    """A trial's outcome; one that cannot be read is shown as a fault with the reason, not as a running trial."""
    try:
        return _shaped(Outcome.from_json((folder / "outcome.json").read_text("utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        reason = f"outcome.json cannot be read: {error}"
        return Outcome(folder.name, "?", 1, Label.INFRA_ERROR, reason=reason)


def _shaped(outcome: Outcome) -> Outcome:
    """The outcome, when each part is of the kind that pages rely on."""
    figures = (*outcome.timings.values(), outcome.waited_for_model)
    marks = [mark[name] for mark in outcome.checkpoints for name in ("total", "result")]
    marks += [mark for mark in (outcome.result, outcome.total) if mark is not None]
    if not all(isinstance(one, int | float) for one in figures) or not all(isinstance(one, int) for one in marks):
        raise ValueError("a time or a mark is not a number")
    texts = (outcome.task, outcome.agent, outcome.reason, outcome.ended, outcome.stopped, *outcome.raised)
    if not all(isinstance(one, str) for one in texts) or not isinstance(outcome.attempt, int):
        raise ValueError("a name is not text")
    if not isinstance(outcome.variant, int | None) or not isinstance(outcome.variant_set, str | None):
        raise ValueError("a variant is no number, or its set no text")
    if (
        not isinstance(outcome.made_of, dict)
        or not isinstance(outcome.notes, list)
        or not isinstance(outcome.faults, list)
    ):
        raise ValueError("made_of, notes or faults is not of its kind")
    return outcome


def read_spec(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / "spec.json").read_text("utf-8"))
    except (OSError, ValueError):  # a trial that is just beginning
        return {}
    return found if isinstance(found, dict) else {}


def read_began(folder: Path) -> str:
    """When the trial began by the host's clock, as its evidence says; empty where it does not."""
    try:
        found = json.loads((folder / "began.json").read_text("utf-8"))
        return datetime.fromisoformat(found["host"]).astimezone(UTC).isoformat(timespec="seconds")
    except (OSError, ValueError, KeyError, TypeError):  # cut short, or of an earlier format
        return ""


def words_of(folder: Path, outcome: Outcome) -> Iterator[str]:
    yield f"{outcome.task} {outcome.agent} {outcome.label} {MEANINGS[outcome.label].sentence}"
    yield from (outcome.reason, *map(str, outcome.notes))
    yield from (str(one.get("reason") or "") for one in outcome.checkpoints)
    for one in outcome.judged:
        yield one["question"]
        yield from map(vote_in_words, one["votes"])
    yield from map(fault_in_words, outcome.colleague_fault)
    try:
        changes = json.loads((folder / "changes.json").read_text("utf-8"))
    except (OSError, ValueError):  # nothing to find in it
        changes = []
    for change in changes if isinstance(changes, list) else ():
        if isinstance(change, dict):
            yield str(change.get("words") or "")
    if not (folder / "trajectory.json").is_file():
        return
    try:
        with TrajectoryFile(folder / "trajectory.json") as file:
            for step in file.every_step():
                yield from _texts(step.get("message"))
                yield from _texts(step.get("tool_calls"))
                yield from _texts(step.get("observation"))
    except TrajectoryError:  # said where the trajectory is shown
        return


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def limited(texts: Iterable[str]) -> Iterator[str]:
    left = MOST_WORDS
    for text in texts:
        if left <= 0:
            return
        yield text[:left]
        left -= len(text)
