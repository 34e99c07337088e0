"""The outcomes of a run, read back from its folders. A folder without an `outcome.json` was cut short."""

from __future__ import annotations

import os
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
    for path in _outcome_files(folder):
        try:
            trials.append(Trial(path.parent, Outcome.from_json(path.read_text("utf-8"))))
        except (ValueError, TypeError, KeyError) as error:
            raise NoResults(f"{path} is not an outcome: {error}") from error
    if not trials:
        raise NoResults(f"no trial has ended in {folder}: there is no outcome.json below it")
    return trials


def _outcome_files(folder: Path) -> list[Path]:
    """Sorted by path. A folder that goes away meanwhile, or may not be read, has none."""
    found = []
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != "earlier"]  # attempts that were made again
        if "outcome.json" in files:
            found.append(Path(parent, "outcome.json"))
    return sorted(found)
