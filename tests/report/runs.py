"""Run folders for tests: real evidence files, written as a trial writes them, with tasks beside them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dayjob.trial.evidence import Evidence
from dayjob.trial.outcome import Label, Outcome, label_for


def write_task(
    root: Path, name: str, *, role: str = "analyst", difficulty: str = "easy", tags: str = '"money"'
) -> Path:
    folder = root / "tasks" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "task.md").write_text("Tidy the drive.\n")
    (folder / "checkpoints.md").write_text(
        "## Checkpoint 1 (2 pts)\n\nThe drive is tidy.\n\n## Checkpoint 2 (1 pt)\n\nSaid so.\n"
    )
    (folder / "dependencies.yml").write_text("- rocketchat\n- owncloud\n")
    (folder / "task.toml").write_text(f'format = 1\nrole = "{role}"\ndifficulty = "{difficulty}"\ntags = [{tags}]\n')
    return folder


def step(number: int, source: str, message: str, **more: Any) -> dict[str, Any]:
    stamp = f"2026-11-15T08:57:{number % 60:02d}.000000+00:00"
    return {"step_id": number, "timestamp": stamp, "source": source, "message": message, **more}


def trajectory(steps: Sequence[dict[str, Any]], agent: str = "worker", **more: Any) -> dict[str, Any]:
    return {
        "schema_version": "ATIF-v1.8",
        "session_id": "session",
        "agent": {"name": agent, "version": "1"},
        "steps": list(steps),
        **more,
    }


def write_trial(
    run: Path,
    task: str,
    agent: str = "worker",
    attempt: int = 1,
    *,
    result: int = 3,
    label: Label | None = None,
    reason: str = "",
    how: str = "done",
    folder: Path | None = None,
    document: dict[str, Any] | None = None,
    journal: Sequence[dict[str, Any]] = (),
    changes: Sequence[dict[str, Any]] = (),
    ended: bool = True,
) -> Path:
    """One trial of three marks in two checkpoints (two, then one)."""
    evidence = Evidence(run / f"{task}.{agent}.{attempt}")
    evidence.json("spec.json", {"format": 1, "task": str(folder or run / "gone" / task), "agent": agent})
    evidence.text("journal.jsonl", "".join(json.dumps(row) + "\n" for row in journal))
    if not ended:
        return evidence.folder
    outcome = Outcome(
        task=task,
        agent=agent,
        attempt=attempt,
        label=label or label_for(result, 3),
        reason=reason,
        ended=how,
        timings={"start": 0.1, "init": 0.2, "work": 5.0, "grade": 1.0, "all": 6.5},
        made_of={"world": "larkspur", "sandbox": "embedded"},
    )
    if outcome.scored:
        outcome.result, outcome.total = result, 3
        outcome.checkpoints = [
            {"total": 2, "result": min(2, result)},
            {"total": 1, "result": max(0, result - 2)},
        ]
    evidence.json("changes.json", list(changes))
    evidence.json("trajectory.json", document if document is not None else trajectory([step(1, "agent", "hello")]))
    evidence.text("outcome.json", outcome.to_json())
    return evidence.folder
