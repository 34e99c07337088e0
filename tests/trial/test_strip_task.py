"""What an agent was told is not what it did: the task's text, however it comes back, never reaches an evaluator."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest

from dayjob.trial.outcome import Label
from dayjob.trial.strip_task import without_task
from tests.trial.offices import attempt, task

TOLD = """# Quarterly report

Please read the figures at http://office.test:8092/remote.php/webdav/Notes/plan.txt and write a summary
of no more than two pages to /workspace/report.md.

- Name the *three* largest customers.
- Sign it "Mara".
"""
MARK = "largest customers"


@pytest.mark.parametrize(
    "echoed",
    [
        TOLD,
        TOLD.upper(),
        textwrap.fill(" ".join(TOLD.split()), 40),
        "\n".join(f"│ {line:<40} │" for line in textwrap.wrap(" ".join(TOLD.split()), 40)),
        "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(TOLD.splitlines(), 1)),
        textwrap.indent(TOLD, "> "),
        json.dumps({"task": TOLD}),
        "".join(f"\x1b[1;32m{word}\x1b[0m " for word in TOLD.split()),
        TOLD.replace("\n", "\r\n"),
    ],
    ids=["plain", "capitals", "wrapped", "framed", "numbered", "quoted", "json", "coloured", "windows"],
)
def test_the_task_s_text_is_left_out_in_any_dress(echoed: str) -> None:
    left = without_task(f"I begin.\n{echoed}\nI am done.\n", TOLD)
    assert MARK.casefold() not in " ".join(left.replace("│", " ").split()).casefold()
    assert "I begin." in left
    assert "I am done." in left


@pytest.mark.parametrize(
    "own",
    [
        "curl http://office.test:8092/remote.php/webdav/Notes/plan.txt",
        'run {"command": "cat /workspace/report.md"}',
        "The largest customers are Fernhill and Dunmore.",
        "Name the three smallest customers instead? Sign it how?",
        "",
    ],
)
def test_what_the_agent_did_stays(own: str) -> None:
    assert without_task(own, TOLD) == own


def test_a_very_short_task_is_known_too() -> None:
    assert "harbour" not in without_task("You said: close the harbour project. Done.", "Close the harbour project.")


LOOKS = """
    from common import *
    from scoring import Checkpoint, Result
    @grader
    def grade_words(trajectory):
        return "finished work" in trajectory
    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(2, 2 * int(grade_words(trajectory)))])
    """


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("cat {instruction_file}", Label.FAILED),
        ("fold -w 30 {instruction_file}", Label.FAILED),
        ("echo {instruction}", Label.FAILED),
        ("echo this is finished work", Label.RESOLVED),
    ],
)
def test_a_command_that_prints_its_task_has_said_nothing(cache: Path, tmp_path: Path, line: str, label: Label) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path, evaluator__py=LOOKS), f"command:{line}")
    assert tried.outcome.label is label


def test_an_agent_that_fails_before_it_begins_is_not_scored(cache: Path, tmp_path: Path) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path), "command:python3 -c 'import surely_missing'")
    assert tried.outcome.label is Label.INFRA_ERROR
    assert tried.outcome.reason == (
        "the agent command ended with 1 before it asked or wrote anything: "
        "ModuleNotFoundError: No module named 'surely_missing'; see trajectory.json"
    )
    assert tried.outcome.result is None


ASKS = "import sys, urllib.request as u; u.urlopen('http://office.test:8092/status.php').read(); sys.exit(4)"


@pytest.mark.parametrize("line", [f'command:python3 -c "{ASKS}"', "command:true", "command:sh -c 'echo x > y; exit 4'"])
def test_an_agent_that_did_something_or_ended_well_is_scored(cache: Path, tmp_path: Path, line: str) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path), line)
    assert tried.outcome.label is Label.FAILED
