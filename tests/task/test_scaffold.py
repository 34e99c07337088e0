"""`dayjob new`: every combination passes `check`, is graded by its own evaluator, and overwrites nothing."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from dayjob.task import Task
from dayjob.task.lint import check
from dayjob.task.scaffold import ScaffoldError, wish, write
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
    (workspace / "answer.txt").write_text("about forty")
    assert score() == 1
    solution = (folder / "solution.py").read_text().replace("/workspace", str(workspace))
    (workspace / "solve.py").write_text(solution)
    utils.run(str(workspace / "solve.py"))
    assert score() == 2


def test_the_scaffolds_journal_checkpoint_asks_the_journal(tmp_path: Path, utils: Utils, company: SmallCompany) -> None:
    folder = write(wish("look-around", ("plane",), (), LARKSPUR), tmp_path)
    evaluator = (folder / "evaluator.py").read_text()
    row = {"service": "board", "role": "examinee", "account": "", "method": "GET", "path": "/", "status": 200}
    company.on("GET", "/api/journal", {"rows": []})
    before = utils.grade(evaluator).result
    company.on("GET", "/api/journal", {"rows": [row]})
    after = utils.grade(evaluator).result
    assert before is not None
    assert after is not None
    assert (before["final_score"]["result"], after["final_score"]["result"]) == (0, 1)


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
