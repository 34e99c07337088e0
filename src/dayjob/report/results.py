"""The outcomes of a run, read back from its folders. A folder without an `outcome.json` was cut short."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dayjob.trial.outcome import Outcome


class NoResults(Exception):
    """A folder in which no trial has ended."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial on disk."""

    folder: Path
    outcome: Outcome


def load_trials(folder: Path) -> list[Trial]:
    """Every trial at or below a folder, in the order of their names."""
    trials = []
    for path in sorted(folder.rglob("outcome.json")):
        if "earlier" in path.relative_to(folder).parts:
            continue  # an attempt that was made again
        try:
            trials.append(Trial(path.parent, Outcome.from_json(path.read_text("utf-8"))))
        except (ValueError, TypeError, KeyError) as error:
            raise NoResults(f"{path} is not an outcome: {error}") from error
    if not trials:
        raise NoResults(f"no trial has ended in {folder}: there is no outcome.json below it")
    return trials
