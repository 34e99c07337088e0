"""Graders that want the internet: with a way out, without one, and made to want it by an examinee."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from dayjob.cli import dayjob
from dayjob.task import TaskError
from dayjob.task.settings import parse_settings
from dayjob.trial.egress import Policy
from dayjob.trial.grader_network import GraderNetwork
from dayjob.trial.outcome import Label
from dayjob.trial.spec import TrialSpec
from tests.trial.offices import attempt, task

EVALUATOR = """
    import os, subprocess
    from pathlib import Path
    import requests
    from common import *
    from scoring import Checkpoint, Result

    @grader
    def grade_answer():
        print("proxy:", os.environ.get("https_proxy"))
        {act}
        return Path("/workspace/answer.txt").read_text().strip() == "shipshape"

    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(2, 2 * int(grade_answer()))])
    """
PIP = 'subprocess.run(["pip", "install", "--retries=0", "--index-url=https://packages.test/simple", "nothing"])'
LINK = """try:
            print(requests.get(Path("/workspace/link.txt").read_text().strip(), timeout=5).status_code)
        except OSError:
            print("not reached")"""
LINKS = """
    open("/workspace/answer.txt", "w").write("shipshape")
    open("/workspace/link.txt", "w").write("http://elsewhere.test/")
    """


def test_a_grader_that_needs_the_internet_and_has_no_way_there_is_a_fault(cache: Path, tmp_path: Path) -> None:
    path = task(tmp_path, evaluator__py=EVALUATOR.format(act=PIP))
    tried = attempt(cache, tmp_path, path)
    assert tried.outcome.label is Label.UNGRADED
    assert tried.outcome.reason == (
        "while grading: evaluator.py has 'pip install', which asked for packages.test, and graders have no way out; "
        "allow it with --grader-egress, or with egress under [grading] in task.toml"
    )
    assert {one["label"] for one in tried.outcome.faults} == {"no_network"}
    asked = json.loads(tried.text("grader-egress.json"))
    assert asked[0] == {"host": "packages.test", "port": 443, "allowed": False}


@pytest.mark.parametrize(
    ("toml", "egress"), [('format = 1\n[grading]\negress = ["listed.test"]\n', None), ("format = 1\n", "listed.test")]
)
def test_a_grader_with_a_way_out_has_the_proxy_and_its_list_is_kept(
    cache: Path, tmp_path: Path, toml: str, egress: str | None
) -> None:
    path = task(tmp_path, evaluator__py=EVALUATOR.format(act=PIP), task__toml=toml)
    tried = attempt(cache, tmp_path, path, grader_egress=egress)
    assert (tried.outcome.label, tried.outcome.faults) == (Label.RESOLVED, [])
    assert "proxy: http://127.0.0.1:3128" in tried.text("logs/grade.log")
    assert {one["host"] for one in json.loads(tried.text("grader-egress.json"))} == {"packages.test"}


def test_a_run_may_take_the_way_out_away(cache: Path, tmp_path: Path) -> None:
    toml = 'format = 1\n[grading]\negress = "full"\n'
    path = task(tmp_path, evaluator__py=EVALUATOR.format(act="pass"), task__toml=toml)
    assert "proxy: http" in attempt(cache, tmp_path, path).text("logs/grade.log")
    assert "proxy: None" in attempt(cache, tmp_path, path, grader_egress="none").text("logs/grade.log")


def test_an_examinee_cannot_have_itself_not_graded_by_a_link_outside(cache: Path, tmp_path: Path) -> None:
    path = task(tmp_path, evaluator__py=EVALUATOR.format(act=LINK), solution__py=LINKS)
    tried = attempt(cache, tmp_path, path)
    assert (tried.outcome.label, tried.outcome.faults) == (Label.RESOLVED, [])
    log = tried.text("logs/grade.log")
    assert "proxy: None" in log
    assert "not reached" in log


ASKED = [
    {"host": "a.test", "allowed": False},
    {"host": "b.test", "allowed": True},
    {"host": "a.test", "allowed": False},
]


@pytest.mark.parametrize(
    ("hosts", "needed", "seen", "fault"),
    [
        ((), "'pip install'", ASKED, True),
        ((), "'pip install'", ASKED[1:2], False),
        ((), "'pip install'", [], False),
        ((), "", ASKED, False),
        (("c.test",), "'pip install'", ASKED, False),
    ],
)
def test_only_what_the_evaluator_itself_needs_and_nobody_allowed_is_a_fault(
    hosts: tuple[str, ...], needed: str, seen: list[dict[str, object]], fault: bool
) -> None:
    network = GraderNetwork(Policy(hosts), needed)
    assert bool(network) is (bool(hosts) or bool(needed))
    found = network.faults(seen)
    assert bool(found) is fault
    if fault:
        assert "which asked for a.test, and" in found[0]["sentence"]


def test_what_is_no_way_out_is_said_before_anything_is_written(tmp_path: Path) -> None:
    spec = TrialSpec(task="t", agent="nop", out="o", grader_egress="a.test, *.b.test")
    assert TrialSpec.from_json(spec.to_json()).graders_way_out == ("a.test", "*.b.test")
    given = ["run", str(task(tmp_path)), "--grader-egress", "http://x", "-o", str(tmp_path / "run")]
    answer = CliRunner().invoke(dayjob, given)
    assert answer.exit_code == 2
    assert "Invalid value for --grader-egress: 'http://x' is no way out." in " ".join(answer.output.split())
    assert not (tmp_path / "run").exists()
    with pytest.raises(TaskError, match="'egress' must be none, full or a list of host names"):
        parse_settings("format = 1\n[grading]\negress = 5\n")
