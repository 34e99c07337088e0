"""The story of one trial, for a person to read."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from dayjob.report.results import load_trials
from dayjob.report.story import tell
from dayjob.trial.outcome import Label, Outcome


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A finished trial's evidence, and its task beside it."""
    task = tmp_path / "tasks" / "tidy-up"
    task.mkdir(parents=True)
    (task / "task.md").write_text("Tidy the drive.\n\nLeave the rest alone.\n")
    (task / "checkpoints.md").write_text(
        "## Checkpoint 1 (2 pts)\n\nThe drive is tidy.\n\n## Checkpoint 2 (1 pt)\n\nSaid so.\n"
    )
    trial = tmp_path / "run" / "tidy-up.oracle.1"
    trial.mkdir(parents=True)
    (trial / "spec.json").write_text(json.dumps({"task": str(task)}))
    (trial / "changes.json").write_text(json.dumps([{"service": "drive", "words": "sam.reed removed /[old].txt"}]))
    outcome = Outcome(
        task="tidy-up",
        agent="oracle",
        attempt=1,
        label=Label.PARTIAL,
        result=2,
        total=3,
        checkpoints=[{"total": 2, "result": 2}, {"total": 1, "result": 0}],
        timings={"work": 0.5, "grade": 0.25, "all": 1.0},
    )
    (trial / "outcome.json").write_text(outcome.to_json())
    return trial


def told(folder: Path) -> str:
    console = Console(file=io.StringIO(), width=100)
    tell(console, load_trials(folder)[0])
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_it_says_what_was_asked_what_happened_and_what_it_was_worth(folder: Path) -> None:
    text = told(folder)
    for words in (
        "tidy-up · oracle · partial",
        "Tidy the drive. Leave the rest alone.",
        "sam.reed removed /[old].txt",
        "✓ 2/2  The drive is tidy.",
        "✗ 0/1  Said so.",
        "= 2/3",
        "500 ms",
    ):
        assert words in text


def test_evidence_stands_without_its_task_and_its_changes(folder: Path) -> None:
    (folder / "spec.json").write_text(json.dumps({"task": "/nowhere"}))
    (folder / "changes.json").unlink()
    text = told(folder)
    assert "✓ 2/2  Checkpoint 1" in text
    assert "What was asked" not in text
