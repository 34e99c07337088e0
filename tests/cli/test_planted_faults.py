"""A small sound task, and the faults that `dayjob check` and `dayjob test` are there to find in one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from dayjob.cli.check import check
from dayjob.cli.test import test as prove
from tests.trial.offices import office, write

WORDS = "shipshape and in good order, down to the last plank"
BODY = """said = ANSWER.read_text() if ANSWER.exists() else ""
    return Points(WORDS in said, f"the answer is {said!r}")"""
RUBRIC = "# Checkpoints\n\nThis task has 1 point in total.\n\n## Checkpoint 1 (1 pt)\n\nThe words are there.\n"
SOUND = {
    "task.md": "Write the words that the office uses for finished work to /workspace/answer.txt.\n",
    "checkpoints.md": RUBRIC,
    "Dockerfile": "FROM dayjob/task-base:1\n",
    "dependencies.yml": "",
    "task.toml": 'format = 1\nworld = "larkspur"\n[[ignore]]\nrule = "DJ714"\nreason = "three say enough here"\n',
    "references/answer.txt": f"{WORDS}\n",
    "solution.py": f'def tell():\n    open("/workspace/answer.txt", "w").write("{WORDS}")\n\n\ntell()\n',
    "evaluator.py": f"""\
from pathlib import Path

from common import grader
from scoring import Checkpoint, Points, Result

ANSWER = Path("/workspace/answer.txt")
WORDS = "{WORDS}"


@grader
def grade_answer():
    {BODY}


def grade_checkpoints(trajectory="") -> Result:
    return Result([Checkpoint(1, grade_answer())])
""",
    "key.yml": f"- what: the words for finished work\n  is: {WORDS}\n  about: [finished work]\n",
    "paraphrases.yml": f"""
        format: 1
        without: [tell]
        deliverables: {{answer: {{file: /workspace/answer.txt}}}}
        right:
          - {WORDS}
          - We say "{WORDS}".
        near:
          - {{wrong: other words, text: tidy}}
        """,
    "world/drive/files/Notes/words.txt": f"Finished work is {WORDS}.\n",
}


SOLVED = "the solution gets full marks, graded twice alike"
NOTHING = ("doing nothing gets no marks", "echoing the task gets no marks", "clicking about gets no marks")
UNSEEN = "the sandbox holds nothing only graders may see"
UNDELIVERED = "all but delivering the answer gets less than full marks"
KEY = "what the key rests on is contradicted nowhere in the company"
RIGHT, NEAR = "2 right answers in other words get full marks", "1 near miss gets less"
ALL = {KEY, SOLVED, *NOTHING, UNSEEN, UNDELIVERED, RIGHT, NEAR}
RAISED = "a check failed by itself: grade_answer raised FileNotFoundError"


def found_by_check(folder: Path) -> list[tuple[str, str]]:
    """The rules that do not hold, each with its file."""
    done = CliRunner().invoke(check, [str(folder), "--json"], catch_exceptions=False)
    (task,) = json.loads(done.output)["tasks"]
    return [(one["rule"], one["file"]) for one in task["findings"]]


def found_by_test(folder: Path, world: Path) -> dict[str, str]:
    """What does not hold, and why. Where nothing is delivered, nothing is said of other words."""
    done = CliRunner().invoke(prove, [str(folder), "--world", str(world), "--json"], catch_exceptions=False)
    claims = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    refuted = {one["claim"]: one["why"] for one in claims if not one["holds"]}
    tried = ALL if UNDELIVERED not in refuted else ALL - {RIGHT, NEAR}
    assert {one["claim"] for one in claims} == tried
    assert done.exit_code == bool(refuted)
    return refuted


def test_a_sound_task_has_no_fault(tmp_path: Path) -> None:
    folder = write(tmp_path / "sound", SOUND)
    assert found_by_check(folder) == []
    assert found_by_test(folder, office(tmp_path)) == {}


@pytest.mark.parametrize(
    ("file", "old", "new", "checked", "tested"),
    [
        pytest.param(
            "world/drive/files/Notes/old.txt", "", "Of finished work we say that it is tidy.\n", [],
            {KEY: "drive/files/Notes/old.txt:1 speaks of the words for finished work"}, id="a contradicted key",
        ),
        pytest.param(
            "task.md", "the words that", f"“{WORDS}”, the words that", [("DJ203", "task.md")], {},
            id="a value in task.md",
        ),
        pytest.param(
            "Dockerfile", "task-base:1\n", f"task-base:1\nRUN echo '{WORDS}' > /workspace/notes.txt\n",
            [], {UNSEEN: "references/answer.txt in /workspace/notes.txt"},
            id="a value in the image",
        ),
        pytest.param(
            "evaluator.py", "WORDS in said", "WORDS == said", [],
            {RIGHT: "paraphrases.yml:6 (right 2) “We say \"" + WORDS}, id="a grader that refuses a paraphrase",
        ),
        pytest.param(
            "evaluator.py", BODY, 'return Points(1, "thank you")', [("DJ306", "evaluator.py")],
            dict.fromkeys([*NOTHING, UNSEEN], "got 1 of 1, and 0 was expected")
            | {UNDELIVERED: "got 1 of 1: the answer is not among what is graded"}, id="a point for everybody",
        ),
        pytest.param(
            "evaluator.py", 'else ""', "else WORDS", [],
            dict.fromkeys([*NOTHING, UNSEEN], "got 1 of 1, and 0 was expected")
            | {UNDELIVERED: "got 1 of 1: the answer is not among what is graded"}, id="a point for nothing",
        ),
        pytest.param(
            "evaluator.py", ' if ANSWER.exists() else ""', "", [],
            dict.fromkeys([*NOTHING, UNSEEN, UNDELIVERED], RAISED), id="a grader that raises",
        ),
    ],
)  # fmt: skip
def test_a_planted_fault_is_found(
    tmp_path: Path, file: str, old: str, new: str, checked: list[tuple[str, str]], tested: dict[str, str]
) -> None:
    folder = write(tmp_path / "sound", SOUND)
    text = (folder / file).read_text("utf-8") if old else ""
    assert old in text
    write(folder, {file: text.replace(old, new, 1) if old else new})
    assert found_by_check(folder) == checked
    found = found_by_test(folder, office(tmp_path))
    assert found.keys() == tested.keys()
    assert [why for claim, why in found.items() if tested[claim] not in why] == []
