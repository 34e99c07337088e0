"""eval.py in a placed folder, run the way a sandbox runs it: a verdict, or a clear failure and no verdict."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from dayjob import grading
from dayjob.grading.eval import _write
from tests.grading.sandbox import Answer, SmallCompany, Utils

GOOD = """
from typing import List
from scoring import Checkpoint, Result, bonus_for_completing_final
from common import *

@grader
def grade_checkpoint1(trajectory):
    return "opened" in trajectory

@grader
def grade_checkpoint2():
    return 1

def grade_checkpoints(trajectory="") -> Result:
    checkpoints: List[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(1, int(grade_checkpoint1(trajectory))))
    checkpoints.append(Checkpoint(2, grade_checkpoint2()))
    return result
"""


def test_an_evaluator_is_graded_and_the_result_has_the_documented_shape(utils: Utils) -> None:
    trajectory = utils.folder / "trajectory.txt"
    trajectory.write_bytes(b"opened \xff the page")
    graded = utils.grade(GOOD, "--trajectory_path", str(trajectory))
    assert graded.code == 0, graded.log
    assert graded.result == {
        "checkpoints": [{"total": 1, "result": 1}, {"total": 2, "result": 1}],
        "final_score": {"total": 3, "result": 2},
    }
    assert graded.faults == []


def test_output_path_is_another_name_for_result_path(utils: Utils, tmp_path: Path) -> None:
    (utils.folder / "evaluator.py").write_text(GOOD)
    target = tmp_path / "out.json"
    assert utils.run(str(utils.folder / "eval.py"), "--output_path", str(target)).returncode == 0
    assert target.exists()


@pytest.mark.parametrize("arguments", [[], ["--trajectory_path", "/nowhere/at/all"], ["--trajectory_path", "/"]])
def test_a_missing_trajectory_is_an_empty_one_with_a_warning(utils: Utils, arguments: list[str]) -> None:
    graded = utils.grade(GOOD, *arguments)
    assert graded.code == 0, graded.log
    assert graded.result is not None
    assert graded.result["final_score"]["result"] == 1
    assert "WARNING" in graded.log
    assert "empty one" in graded.log


@pytest.mark.parametrize(
    ("evaluator", "sentence"),
    [
        ("def grade_checkpoints(trajectory=''):\n    return 3\n", "must return a Result, not int"),
        (
            "from scoring import *\ndef grade_checkpoints(trajectory=''):\n    return Result([])\n",
            "a task has at least one",
        ),
        ("def grade_checkpoints(trajectory=''):\n    raise KeyError('x')\n", "grade_checkpoints failed: KeyError('x')"),
        ("def grade_checkpoints(trajectory=''):\n    raise SystemExit(0)\n", "grade_checkpoints failed: SystemExit(0)"),
        ("import nothing_like_this\n", "could not be imported"),
        ("def grade_checkpoints(:\n", "could not be imported"),
        ("x = 1\n", "no function grade_checkpoints"),
        (
            "from scoring import *\ndef grade_checkpoints(trajectory=''):\n"
            "    return Result([Checkpoint(1, 1)], lambda c: 7)\n",
            "cannot be scored",
        ),
    ],
)
def test_anything_but_a_result_is_a_clear_failure_without_a_result_file(
    utils: Utils, evaluator: str, sentence: str
) -> None:
    (utils.folder / "result.json").write_text('{"forged": true}')
    graded = utils.grade(evaluator)
    assert graded.code == 1
    assert graded.result is None
    assert sentence in graded.log


def test_no_evaluator_is_a_clear_failure(utils: Utils) -> None:
    done = utils.run(str(utils.folder / "eval.py"))
    assert done.returncode == 1
    assert "there is no evaluator.py" in done.stderr


def test_nothing_is_left_beside_the_result_but_the_faults(utils: Utils, tmp_path: Path) -> None:
    (utils.folder / "evaluator.py").write_text(GOOD)
    target = tmp_path / "verdict"
    target.mkdir()
    utils.run(str(utils.folder / "eval.py"), "--result_path", str(target / "result.json"))
    assert sorted(path.name for path in target.iterdir()) == ["result.json", "result.json.faults.json"]


SWALLOWS = """
from scoring import Checkpoint, Result
from common import *

@grader
def grade_nothing_was_posted():
    try:
        return requests.get(ROCKETCHAT_URL + "/api/v1/channels.list", timeout=5).json()["channels"] == []
    except Exception:
        return True

def grade_checkpoints(trajectory="") -> Result:
    return Result([Checkpoint(1, grade_nothing_was_posted())])
"""


def test_an_outage_an_evaluator_swallows_is_still_a_fault(utils: Utils, company: SmallCompany) -> None:
    company.stop()
    graded = utils.grade(SWALLOWS)
    assert graded.result is not None
    assert [(fault["checkpoint"], fault["source"]) for fault in graded.faults] == [("grade_nothing_was_posted", "chat")]


def test_a_broken_service_is_a_fault_and_a_working_one_is_not(utils: Utils, company: SmallCompany) -> None:
    company.on("GET", "/api/v1/channels.list", Answer({"success": False}, 502))
    assert [fault["source"] for fault in utils.grade(SWALLOWS).faults] == ["chat"]
    company.on("GET", "/api/v1/channels.list", {"channels": []})
    graded = utils.grade(SWALLOWS)
    assert graded.faults == []
    assert graded.result is not None
    assert graded.result["final_score"] == {"total": 1, "result": 1}


def test_a_service_down_at_import_is_a_failure_with_a_fault(utils: Utils, company: SmallCompany) -> None:
    company.stop()
    graded = utils.grade("from common import *\nrocket = create_rocketchat_client()\n" + GOOD)
    assert graded.code == 1
    assert graded.result is None
    assert [fault["source"] for fault in graded.faults] == ["chat"]


def test_a_result_is_written_whole_for_everybody_to_read_or_not_at_all(tmp_path: Path) -> None:
    place = tmp_path / "result.json"
    place.write_text("before")
    _write(place, {"a": 1})
    assert place.read_text() == '{\n  "a": 1\n}'
    assert stat.S_IMODE(place.stat().st_mode) == 0o644
    with pytest.raises(TypeError):
        _write(place, {"a": object()})
    assert place.read_text() == '{\n  "a": 1\n}'
    assert [one.name for one in tmp_path.iterdir()] == ["result.json"]


def test_a_placed_set_is_the_same_again_and_its_git_can_be_started(tmp_path: Path) -> None:
    for _ in range(2):
        grading.place(tmp_path / "deep" / "utils")
    placed = tmp_path / "deep" / "utils"
    found = {str(one.relative_to(placed)) for one in placed.rglob("*") if one.is_file()}
    modules = {f"dayjob/grading/{one.name}" for one in (grading.PACKAGE / "grading").glob("*.py")}
    doors = {"scoring.py", "common.py", "config.py", "eval.py", "bin/git", "bin/installed"}
    shared = {f"dayjob/{name}.py" for name in ("__init__", "scoring", "service_names", "whole_files")}
    assert found == modules | doors | shared | {f"standins/{name}" for name in grading.STANDINS}
    for name, module in {"git": "git", "installed": "installed"}.items():
        assert stat.S_IMODE((placed / "bin" / name).stat().st_mode) == 0o755
        text = (placed / "bin" / name).read_text()
        assert text.startswith("#!/usr/local/bin/python_default -I\n")
        assert f"from dayjob.grading.{module} import main" in text


def test_flat_modules_are_the_packages_own(utils: Utils) -> None:
    answer = utils.ask(
        "import scoring, common, config, dayjob.scoring\n"
        "answer = [scoring.Checkpoint is dayjob.scoring.Checkpoint, common.__file__, config.SERVER_HOSTNAME]"
    )
    assert answer == [True, str(utils.folder / "dayjob" / "grading" / "common.py"), "larkspur.test"]


def test_names_that_existing_evaluators_import_without_using_are_there(utils: Utils) -> None:
    imports = "from litellm import logging\nfrom sotopia.database import AgentProfile\nlogging.info('hello')\n"
    assert utils.grade(imports + GOOD).code == 0


def test_a_library_the_task_installs_wins_over_a_stand_in(utils: Utils) -> None:
    (utils.folder / "litellm.py").write_text("real = True\n")
    assert utils.grade("from litellm import real\n" + GOOD).code == 0
