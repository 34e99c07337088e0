"""Task folders in the published shape, unmodified, in a world imported from a checkout of the same shape."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from dayjob.cli import dayjob
from dayjob.importing import import_tac
from dayjob.trial.outcome import Label
from dayjob.trial.spec import TrialSpec
from dayjob.trial.workshop import run_trial
from tests.importing.checkouts import SOLUTIONS, TASKS, checkout, write


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout and the world made of it, with a cache that all tests here share."""
    folder = tmp_path_factory.mktemp("published")
    import_tac(checkout(folder), folder / "tac")
    return folder


def spec(home: Path, folder: Path, task: str, agent: str) -> TrialSpec:
    """A published folder as it is, plus the solution that only an oracle needs."""
    path = write(folder / task, TASKS[task])
    if agent == "oracle":
        write(path, dict([SOLUTIONS[task]]))
    return TrialSpec(task=str(path), agent=agent, out=str(folder / agent), world=str(home / "tac"), gradings=2)


@pytest.mark.parametrize("task", TASKS)
def test_a_solution_earns_full_marks_and_doing_nothing_none(home: Path, tmp_path: Path, task: str) -> None:
    solved = run_trial(spec(home, tmp_path, task, "oracle"), home / "cache")
    assert solved.label is Label.RESOLVED, solved.reason
    idle = run_trial(spec(home, tmp_path, task, "nop"), home / "cache")
    assert (idle.label, idle.result) == (Label.FAILED, 0)


@pytest.mark.parametrize("root", ["own", "host"])
def test_a_grader_that_needs_python_3_12_runs_where_there_is_one(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: str
) -> None:
    if root == "host":
        monkeypatch.setenv("DAYJOB_ROOT", "host")
    trial = spec(home, tmp_path, "start-channel", "oracle")
    evaluator = Path(trial.task, "evaluator.py")
    older, newer = '"there: %s", sorted(there)', 'f"there: {", ".join(sorted(there))}"'
    assert older in evaluator.read_text()
    evaluator.write_text(evaluator.read_text().replace(older, newer))
    outcome = run_trial(trial, home / "cache")
    asked = ["/usr/bin/python3", "-c", "import sys; print(sys.version_info >= (3, 12))"]
    if root == "own" or subprocess.run(asked, capture_output=True).stdout.strip() == b"True":
        assert outcome.label is Label.RESOLVED, outcome.reason
    else:
        assert outcome.label is Label.INIT_ERROR
        assert "evaluator.py:" in outcome.reason
        assert "which graders have here, cannot read it" in outcome.reason


@pytest.mark.parametrize("task", TASKS)
def test_check_finds_no_error_in_them(tmp_path: Path, task: str) -> None:
    path = write(tmp_path / task, TASKS[task])
    answer = CliRunner().invoke(dayjob, ["check", "--json", str(path)], catch_exceptions=False)
    [checked] = json.loads(answer.output)["tasks"]
    assert (answer.exit_code, checked["ok"]) == (0, True), checked["findings"]
