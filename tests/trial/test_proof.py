"""`dayjob test` proves a task, and refutes one that pays for nothing, leaks its answers or changes what it grades."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dayjob.agent.searcher import secrets_of
from dayjob.task import Task
from dayjob.trial.local_driver import run_trials
from dayjob.trial.proof import claims
from tests.trial.offices import TASK, office, write

DRIVE = """
    from common import *
    from scoring import Checkpoint, Result

    @grader
    def grade():
        {body}

    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(1, int(grade()))])
    """


def refuted(tmp_path: Path, files: dict[str, str]) -> dict[str, str]:
    """What does not hold of a task with these files: the claim's sentence and why."""
    folder = write(tmp_path / "errand", {**TASK, **files})
    found = claims(Task.load(folder), tmp_path / "out", world=str(office(tmp_path / "office")))
    outcomes = run_trials([claim.spec for claim in found], parallel=2)
    verdicts = {claim.sentence: claim.verdict(outcome) for claim, outcome in zip(found, outcomes, strict=True)}
    return {sentence: why for sentence, why in verdicts.items() if why is not None}


def test_a_good_task_is_proven(tmp_path: Path) -> None:
    assert refuted(tmp_path, {}) == {}


def test_a_point_for_having_opened_something_is_refuted_by_clicking_about(tmp_path: Path) -> None:
    looked = 'return accessed("owncloud", "/", method="GET")'
    solution = 'import urllib.request\nurllib.request.urlopen("http://office.test:8092/index.php/login")\n'
    wrong = refuted(tmp_path, {"evaluator.py": DRIVE.format(body=looked), "solution.py": solution})
    assert wrong == {"clicking about gets no marks": "got 1 of 1, and 0 was expected"}


def test_a_claim_that_does_not_hold_says_what_the_check_and_the_solution_said(tmp_path: Path) -> None:
    body = """word = Path("/workspace/answer.txt").read_text().strip()
        if word == "explode":
            raise LookupError("no such word")
        return Points(word == "shipshape", f"the word is {word!r}; asked was the office's")"""
    evaluator = DRIVE.format(body=body).replace("int(grade())", "grade()").replace("Result\n", "Points, Result\n", 1)
    wrong = refuted(
        tmp_path,
        {
            "evaluator.py": evaluator.replace("from common", "from pathlib import Path\n    from common", 1),
            "Dockerfile": "FROM dayjob/task-base:1\nRUN echo nothing > /workspace/answer.txt\n",
            "solution.py": 'open("/workspace/answer.txt", "w").write("tidy")\nraise ValueError("the chat is shut")\n',
            "mutants/explodes.py": 'open("/workspace/answer.txt", "w").write("explode")\n',
            "mutants/expected.toml": "format = 1\n\n[explodes]\nresult = 0\n",
        },
    )
    assert wrong == {
        "the solution gets full marks, graded twice alike": "the solution got 0 of 1"
        "\n    solution.py ended with 1: ValueError: the chat is shut"
        "\n    checkpoint 1, 0/1: the word is 'tidy'; asked was the office's",
        "the mutant explodes gets 0": "a check failed by itself: grade raised LookupError: no such word "
        "(evaluator.py, line 9)",
    }


def test_a_reference_left_in_the_image_is_found(tmp_path: Path) -> None:
    answer = "the reference answer, which is long enough to be nobody else's words\n"
    leaky = {
        "references/answer.txt": answer,
        "Dockerfile": "FROM dayjob/task-base:1\nRUN echo 'the reference answer, which is long enough to be nobody else'"
        "\"'\"'s words' > /workspace/notes.txt\n",
        "solution.py": f'open("/workspace/answer.txt", "w").write({answer!r})\n',
    }
    wrong = refuted(tmp_path, leaky)
    assert list(wrong) == ["the sandbox holds nothing only graders may see"]
    assert "references/answer.txt in /workspace/notes.txt" in wrong["the sandbox holds nothing only graders may see"]


def test_a_grader_that_changes_the_company_is_refuted(tmp_path: Path) -> None:
    meddling = (
        "import requests\n"
        "        requests.put(OWNCLOUD_URL + '/remote.php/webdav/Notes/graded.txt', b'x', "
        "auth=HTTPBasicAuth(OWNCLOUD_USERNAME, OWNCLOUD_PASSWORD), timeout=10)\n"
        "        return Path('/workspace/answer.txt').exists()"
    )
    evaluator = DRIVE.format(body=meddling).replace("from common", "from pathlib import Path\n    from common", 1)
    wrong = refuted(tmp_path, {"evaluator.py": evaluator})
    assert "graded.txt" in wrong["the solution gets full marks, graded twice alike"]


def test_a_mutant_may_use_the_solution_and_do_one_thing_otherwise(tmp_path: Path) -> None:
    mutant = {
        "solution.py": """
            def solve(word):
                open("/workspace/answer.txt", "w").write(word + "\\n")

            if __name__ == "__main__":
                solve("shipshape")
            """,
        "mutants/guesses.py": 'from solution import solve\n\nsolve("tidy")\n',
        "mutants/expected.toml": "format = 1\n\n[guesses]\nresult = 0\n",
    }
    assert refuted(tmp_path, mutant) == {}


def test_the_clicker_wanders_through_every_service_and_the_same_way_again(tmp_path: Path) -> None:
    everything = {"dependencies.yml": "- rocketchat\n- gitlab\n- plane\n- owncloud\n"}
    folder = write(tmp_path / "errand", {**TASK, **everything})
    world = str(office(tmp_path / "office"))
    specs = [
        next(c.spec for c in claims(Task.load(folder), tmp_path / place, world=world) if c.spec.agent == "clicker")
        for place in ("first", "second")
    ]
    outcomes = run_trials(specs, parallel=1)
    assert [outcome.result for outcome in outcomes] == [0, 0]
    walks = []
    for spec in specs:
        trajectory = json.loads((Path(spec.out) / "trajectory.json").read_text("utf-8"))
        walks.append(trajectory["steps"][-1]["observation"]["results"][0]["content"])
    for service in ("chat", "forge", "board", "drive"):
        assert f"{service}:\n" in walks[0]
    visits = [
        line for line in (Path(specs[0].out) / "journal.jsonl").read_text("utf-8").splitlines() if "sam.reed" in line
    ]
    assert {json.loads(line).get("service") for line in visits} >= {"chat", "forge", "board", "drive"}
    assert walks[0].count("\n") == walks[1].count("\n")


@pytest.mark.parametrize("name", ["evaluator.py", "checkpoints.md", "references/a.csv", "mutants/x.py", "solution.sh"])
def test_what_only_graders_may_see_is_a_secret_of_the_task(tmp_path: Path, name: str) -> None:
    line = "a line that is certainly longer than forty characters"
    write(tmp_path, {name: f"short\n{line}\n", "task.md": "the task\n"})
    assert set(secrets_of(tmp_path).values()) == {name}
    write(tmp_path, {"task.md": f"{line}\n"})
    assert len(secrets_of(tmp_path)) == 1  # the line is public now, the file as a whole is not
