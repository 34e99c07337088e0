"""An examinee that attacks its company, its room and its host at once: it gains nothing, and nobody else notices."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from dayjob import owned
from dayjob.sandbox import cgroups
from tests.trial import hostile
from tests.trial.offices import office, task
from tests.trial.test_trouble import DAYJOB

SECONDS = 8


def hostile_task(folder: Path) -> Path:
    return task(
        folder,
        solution__py=hostile.solution("office.test", "sam.reed", "sam-first-day", "mara.lind", SECONDS),
        dependencies__yml=hostile.SERVICES,
        scenarios__json=hostile.scenarios("Mara Lind"),
        task__toml=f"format = 1\n[timeouts]\nwork = {SECONDS + 20}\n",
    )


def run(folder: Path, cache: Path, tasks: list[Path], *options: str) -> dict[str, dict[str, Any]]:
    out = folder / "run"
    command = [*DAYJOB, "run", *map(str, tasks), "--world", str(office(folder)), "-o", str(out), *options]
    done = subprocess.run(
        command, env={**os.environ, "DAYJOB_CACHE": str(cache)}, cwd=folder, capture_output=True, text=True, timeout=600
    )
    assert "Traceback" not in done.stdout + done.stderr, done.stderr
    return {path.parent.name.partition(".")[0]: json.loads(path.read_text()) for path in out.glob("*/outcome.json")}


def gained_nothing_and_was_scored(outcome: dict[str, Any]) -> None:
    assert (outcome["label"], outcome["result"]) == ("failed", 0), outcome["reason"]


def test_honest_trials_beside_a_hostile_one_get_full_marks(cache: Path, tmp_path: Path) -> None:
    enemy = hostile_task(tmp_path / "enemy")
    enemy = enemy.rename(enemy.with_name("enemy"))
    honest = [task(tmp_path / name).rename(tmp_path / name / name) for name in ("one", "two", "three", "four")]
    before = set(cgroups.abandoned())
    found = run(tmp_path, cache, [enemy, *honest], "-n", "3", "--processes", "2")
    gained_nothing_and_was_scored(found.pop("enemy"))
    assert {one["label"] for one in found.values()} == {"resolved"}
    assert len(found) == len(honest)
    assert set(cgroups.abandoned()) <= before
    assert not [path for path in owned.abandoned_folders() if "-trial-" in path.name]


@pytest.mark.xdist_group("docker")
@pytest.mark.usefixtures("daemon")
def test_a_hostile_trial_in_docker_gains_nothing_and_is_scored(cache: Path, tmp_path: Path) -> None:
    found = run(tmp_path, cache, [hostile_task(tmp_path)], "--sandbox", "docker")
    gained_nothing_and_was_scored(found["small-task"])
