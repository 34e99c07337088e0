"""What reports say of colleagues: rates by task, mind and model, and scores with and without their faults."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dayjob.report.export.export import export_atif, export_tac
from dayjob.report.report_data import ReportData, report_data
from dayjob.report.results import NoResults, load_trials
from dayjob.report.summary import summarise
from dayjob.report.tables import tables
from dayjob.report.text import summary_lines
from tests.report.furnished import furnish


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    return furnish(tmp_path)


def titles(found: ReportData) -> list[str]:
    return [one.title for one in tables(found)]


def test_rates_are_by_task_mind_and_model(runs: tuple[Path, Path]) -> None:
    model, script = report_data([runs[1]]).colleagues
    assert (model.task, model.mind, model.model, model.trials) == ("roof", "model", "acme/small", 2)
    assert (model.counts["asked"], model.share("answered"), model.share("unknown")) == (8, 0.5, 0.25)
    assert (model.faults, model.trials_with_faults) == (1, 1)
    assert (script.mind, script.model, script.sheets, script.share("answered")) == ("script", "", False, 1.0)


def test_the_score_stands_and_is_shown_without_such_trials_beside_it(runs: tuple[Path, Path]) -> None:
    found = report_data([runs[1]])
    (large,) = [one for one in found.standings if one.entrant == "worker · acme/large"]
    assert (large.every.scored, large.without.scored) == (2, 1)
    (usual,) = [one for one in found.by["agent"] if one.name == "worker · acme/large"]
    assert (large.every.resolved, large.every.partial) == (usual.resolved, usual.partial)
    assert large.without.partial == 1.0
    assert "With and without colleagues' faults" in titles(found)


def test_without_any_fault_nothing_is_shown_of_one(runs: tuple[Path, Path]) -> None:
    found = report_data([runs[0]])
    assert found.standings == []
    assert not [one for one in titles(found) if "olleague" in one]
    assert "a colleague was at fault" not in "".join(
        summary_lines(summarise([one.outcome for one in load_trials(runs[0])]))
    )


def test_the_end_of_a_run_says_in_how_many_trials_a_colleague_was_at_fault(runs: tuple[Path, Path]) -> None:
    said = list(summary_lines(summarise([one.outcome for one in load_trials(runs[1])])))
    assert "In 1 a colleague was at fault; the scores stand, and dayjob report says more." in said


def test_exports_carry_the_fault(runs: tuple[Path, Path], tmp_path: Path) -> None:
    export_atif([runs[1]], tmp_path / "atif")
    with_fault = json.loads((tmp_path / "atif" / "roof.worker.2.json").read_text())
    assert with_fault["extra"]["colleague_fault"][0]["fact"] == "ladder"
    assert "colleague_fault" not in (tmp_path / "atif" / "roof.worker.1.json").read_text()
    readmes = export_tac([runs[1] / "roof.worker.2"], tmp_path / "tac").written
    assert (
        "In 1 of them a colleague was at fault" in next(one for one in readmes if one.name == "README.md").read_text()
    )


@pytest.mark.parametrize("strange", [{"colleagues": {"Maya": {"asked": "many"}}}, {"colleague_fault": [{"kind": 1}]}])
def test_an_outcome_of_another_shape_is_named(runs: tuple[Path, Path], strange: dict[str, object]) -> None:
    path = runs[1] / "roof.worker.2" / "outcome.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **strange}))
    with pytest.raises(NoResults, match=r"roof\.worker\.2"):
        load_trials(runs[1])
