"""`dayjob report` and `dayjob export` as commands."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dayjob.cli import dayjob
from dayjob.trial.outcome import Label
from tests.report.runs import step, trajectory, write_task, write_trial

HOSTILE = "<script>alert(1)</script>|=cmd()"


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(dayjob, [str(word) for word in words])


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "first"
    for name in ("alpha", "beta"):
        task = write_task(tmp_path, name)
        write_trial(folder, name, attempt=1, result=3, folder=task)
        write_trial(folder, name, attempt=2, result=1, folder=task)
    write_trial(folder, "gamma", label=Label.INFRA_ERROR, reason=HOSTILE)
    return folder


def test_the_terminal_shows_rates_intervals_and_faults_apart(run: Path) -> None:
    said = call("report", run).stdout
    assert "4 of 5 trials scored, 3 tasks: 50% (" in said
    assert "Wilson, clustered by task" in said
    for title in ("By agent", "By role", "By service", "By difficulty", "By tag", "By checkpoint", "Not scored"):
        assert title in said
    assert "pass^k" in said
    assert "the machinery failed" in said


def test_json_holds_everything_the_other_formats_show(run: Path) -> None:
    found = json.loads(call("report", run, "--json").stdout)
    assert found["summary"]["scored"] == 4
    assert found["summary"]["faults"] == {"infra_error": 1}
    assert found["repeats"]["worker"][1]["at_least_one"] == 1.0
    assert found["repeats"]["worker"][1]["all_of_them"] == 0.0
    assert len(found["trials"]) == 5


def test_csv_has_a_row_a_trial_and_no_formula(run: Path) -> None:
    outcome = json.loads((run / "gamma.worker.1" / "outcome.json").read_text())
    (run / "gamma.worker.1" / "outcome.json").write_text(json.dumps({**outcome, "reason": "=HYPERLINK(1)"}))
    rows = list(csv.DictReader(io.StringIO(call("report", run, "--format", "csv").stdout)))
    assert [row["label"] for row in rows] == ["resolved", "partial", "resolved", "partial", "infra_error"]
    assert rows[-1]["reason"] == "'=HYPERLINK(1)"


def test_markdown_keeps_a_hostile_reason_plain(run: Path) -> None:
    said = call("report", run, "--format", "markdown").stdout
    assert r"\<script\>" in said
    rows = [line for line in said.splitlines() if line.startswith(r"| gamma · worker \#1")]
    assert [len(re.findall(r"(?<!\\)\|", line)) for line in rows] == [5]


def test_the_page_is_self_contained_and_escapes_what_evidence_says(run: Path, tmp_path: Path) -> None:
    assert call("report", run, "--format", "html", "-o", tmp_path / "r.html").exit_code == 0
    page = (tmp_path / "r.html").read_text()
    assert "<svg" in page
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert not re.findall(r'(?:src|href)="', page)


def test_two_runs_are_compared_by_task(run: Path, tmp_path: Path) -> None:
    other = tmp_path / "second"
    write_trial(other, "alpha", result=3)
    write_trial(other, "beta", result=3)
    found = json.loads(call("report", run, other, "--compare", "--json").stdout)["comparison"]
    resolved = found["differences"][1]
    assert (resolved["mean"], resolved["better"], resolved["worse"]) == (0.5, 2, 0)
    said = call("report", run, other, "--compare").stdout
    assert "sign test" in said
    assert "+0.50" in said


def test_comparing_takes_two_folders(run: Path) -> None:
    answer = call("report", run, "--compare")
    assert answer.exit_code == 2
    assert "exactly two folders" in answer.stderr


def test_an_empty_folder_is_an_error_with_a_sentence(tmp_path: Path) -> None:
    for answer in (call("report", tmp_path), call("export", "jsonl", tmp_path, "-o", tmp_path / "x")):
        assert answer.exit_code == 2
        assert "no trial has ended" in answer.stderr


def test_a_single_trial_is_told_in_full(run: Path) -> None:
    assert "What it was worth" in call("report", run / "alpha.worker.1").stdout


def test_an_export_with_a_broken_trajectory_says_no_and_names_the_field(run: Path, tmp_path: Path) -> None:
    write_trial(run, "delta", document=trajectory([step(1, "agent", "a", mood=1)]))
    answer = call("export", "atif", run, "-o", tmp_path / "out")
    assert answer.exit_code == 1
    assert "steps[0].mood: is not a field of ATIF-v1.8" in answer.stderr
    assert "5 files written" in answer.stdout
    assert call("export", "tac", run / "alpha.worker.1", "-o", tmp_path / "tac").exit_code == 0
