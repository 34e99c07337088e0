"""`dayjob new`: every combination passes `check`, is graded by its own evaluator, and overwrites nothing."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from dayjob.task import Task
from dayjob.task.lint import check
from dayjob.task.scaffold import ScaffoldError, wish, write
from dayjob.trial.local_driver import run_trials
from dayjob.trial.proof import claims
from tests.grading.sandbox import SmallCompany, Utils
from tests.task.folders import LARKSPUR, SERVICES

COMBINATIONS = [
    (services, colleagues)
    for size in range(len(SERVICES) + 1)
    for services in combinations(SERVICES, size)
    for colleagues in ((), ("Tomas Okafor", "Mara Lindqvist"))
]


@pytest.mark.parametrize(("services", "colleagues"), COMBINATIONS)
def test_every_combination_of_services_and_colleagues_passes_check(
    tmp_path: Path, services: tuple[str, ...], colleagues: tuple[str, ...]
) -> None:
    folder = write(wish("pay-invoice", services, colleagues, LARKSPUR), tmp_path)
    assert check(folder) == []
    task = Task.load(folder)
    assert set(task.scenarios) == set(colleagues)
    assert ("chat" in task.services) == ("rocketchat" in services or bool(colleagues))
    assert [path.name for path in tmp_path.iterdir()] == ["pay-invoice"]


def test_the_scaffolds_evaluator_gives_partial_credit(tmp_path: Path, utils: Utils) -> None:
    folder = write(wish("pay-invoice", (), (), LARKSPUR), tmp_path)
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    evaluator = (folder / "evaluator.py").read_text().replace("/workspace", str(workspace))
    (utils.folder / "references").mkdir()
    (utils.folder / "references" / "answer.txt").write_bytes((folder / "references" / "answer.txt").read_bytes())

    def score() -> int:
        result = utils.grade(evaluator).result
        assert result is not None
        points: int = result["final_score"]["result"]
        return points

    assert score() == 0
    every_number = " ".join(map(str, range(100))) + " forty-two watering cans"
    for text, points in (("about forty", 0), ("We have 42.", 1), ("We have 142.", 0), (every_number, 0)):
        (workspace / "answer.txt").write_text(text)
        assert score() == points, text
    solution = (folder / "solution.py").read_text().replace("/workspace", str(workspace))
    (workspace / "solve.py").write_text(solution)
    utils.run(str(workspace / "solve.py"))
    assert score() == 2


def test_the_scaffolds_journal_checkpoint_asks_the_journal(tmp_path: Path, utils: Utils, company: SmallCompany) -> None:
    folder = write(wish("look-around", ("plane",), (), LARKSPUR), tmp_path)
    evaluator = (folder / "evaluator.py").read_text()
    row = {"service": "board", "role": "examinee", "account": "", "method": "GET", "path": "/", "status": 200}
    (utils.folder / "references").mkdir()
    (utils.folder / "references" / "answer.txt").write_bytes((folder / "references" / "answer.txt").read_bytes())

    def points(rows: list[dict[str, Any]], answer: str | None) -> int:
        company.on("GET", "/api/journal", {"rows": rows})
        place = tmp_path / "answer.txt"
        place.unlink(missing_ok=True)
        if answer is not None:
            place.write_text(answer)
        result = utils.grade(evaluator.replace("/workspace/answer.txt", str(place))).result
        assert result is not None
        found: int = result["final_score"]["result"]
        return found

    assert points([row], None) == 0, "looking alone is no achievement"
    assert points([], "forty-two watering cans") == 2
    assert points([row], "forty-two watering cans") == 3


def test_a_new_task_is_proven_at_once(tmp_path: Path) -> None:
    folder = write(wish("count-stock", SERVICES, ("Tomas Okafor",), LARKSPUR), tmp_path)
    found = claims(Task.load(folder), tmp_path / "out", world=str(LARKSPUR))
    outcomes = run_trials([claim.spec for claim in found], parallel=2)
    assert {c.sentence: why for c, one in zip(found, outcomes, strict=True) if (why := c.verdict(one))} == {}
    assert any("mutant" in claim.sentence for claim in found)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "pay-invoice").mkdir()
    (tmp_path / "pay-invoice" / "mine.txt").write_text("mine")
    with pytest.raises(ScaffoldError, match="exists already"):
        write(wish("pay-invoice", (), (), LARKSPUR), tmp_path)
    assert [path.name for path in (tmp_path / "pay-invoice").iterdir()] == ["mine.txt"]
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    with pytest.raises(ScaffoldError, match="exists already"):
        write(wish("dangling", (), (), LARKSPUR), tmp_path)


@pytest.mark.parametrize("name", ["", "Pay Invoice", "../escape", "a/b", "-a", "pay.invoice", "x" * 81, "é"])
def test_a_name_that_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(ScaffoldError, match="cannot be the name"):
        wish(name, (), (), LARKSPUR)


def test_an_unknown_service_is_refused() -> None:
    with pytest.raises(ScaffoldError, match="there is no service 'jira'"):
        wish("a", ("jira",), (), LARKSPUR)
