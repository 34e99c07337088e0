"""`dayjob run`, `test`, `report` and `doctor` as a person uses them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.trial.offices import office, task

COMMAND = [sys.executable, "-c", "from dayjob.cli import main; main()"]


def dayjob(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "DAYJOB_CACHE": str(cache)},
        cwd=cache,
    )


def test_a_run_tells_each_outcome_and_can_be_reported_again(cache: Path, tmp_path: Path) -> None:
    world, out = str(office(tmp_path)), str(tmp_path / "out")
    done = dayjob(cache, "run", str(task(tmp_path)), "--world", world, "-o", out, "-k", "2")
    assert done.returncode == 0, done.stderr
    assert "small-task · oracle" in done.stdout
    assert "2 of 2 trials scored: 100% resolved" in done.stdout
    again = dayjob(cache, "report", out)
    assert again.returncode == 0, again.stderr
    assert "small-task · oracle" in again.stdout
    summary = json.loads(dayjob(cache, "report", out, "--json").stdout)["summary"]
    assert (summary["trials"], summary["scored"], summary["resolved"]) == (2, 2, 1.0)


def test_a_run_with_a_trial_that_could_not_be_scored_ends_with_one(cache: Path, tmp_path: Path) -> None:
    path = task(tmp_path, pre_init__sh="exit 5\n")
    done = dayjob(cache, "run", str(path), "--world", str(office(tmp_path)), "-o", str(tmp_path / "out"), "--json")
    assert done.returncode == 1
    row = json.loads(done.stdout)
    assert (row["label"], row["score"]) == ("init_error", None)


def test_a_run_of_nothing_ends_with_two(cache: Path, tmp_path: Path) -> None:
    done = dayjob(cache, "run", str(tmp_path))
    assert done.returncode == 2
    assert "not a task folder" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_good_task_is_proven(cache: Path, tmp_path: Path) -> None:
    mutants = {"mutants/guess.py": "open('/workspace/answer.txt', 'w').write('done')\n",
               "mutants/expected.toml": 'format = 1\n[guess]\nresult = 0\nwhy = "guesses"\n'}  # fmt: skip
    done = dayjob(cache, "test", str(task(tmp_path, **mutants)), "--world", str(office(tmp_path)))
    assert done.returncode == 0, done.stdout
    assert "6 of 6 claims hold." in done.stdout


JUDGING = """
    from pathlib import Path
    from common import *
    from scoring import Checkpoint, Result

    @grader
    def grade_answer():
        answer = Path("/workspace/answer.txt")
        said = [("sam.reed", answer.read_text())] if answer.exists() else []
        return judge("Sam says that everything is shipshape.", said, of="sam.reed")

    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(1, grade_answer())])
    """
JUDGE = """
format: 1
rules:
  - when: {system: 'Case number: (?P<case>\\w+)'}
    json: {quotes: [], reason: Nothing says so., verdict: "no", case: "${case}"}
    once: true
  - when: {system: 'Case number: (?P<case>\\w+)', last: '"number": 1, "speaker": "sam.reed", "text": "shipshape'}
    json:
      quotes: [{number: 1, speaker: sam.reed, text: shipshape}]
      reason: Sam wrote it.
      verdict: "yes"
      case: "${case}"
  - when: {system: 'Case number: (?P<case>\\w+)'}
    json: {quotes: [], reason: Nothing says so., verdict: "no", case: "${case}"}
"""


def test_a_task_with_a_judge_is_proven_with_a_judge_from_a_file(cache: Path, tmp_path: Path) -> None:
    path = task(tmp_path, evaluator__py=JUDGING, checkpoints__md="## Checkpoint 1 (1 pt)\n\nSaid so.\n")
    (tmp_path / "judge.yml").write_text(JUDGE)
    (tmp_path / "dayjob.toml").write_text("format = 1\n[llm.roles.judge]\nvotes = 3\n")
    words = ["test", str(path), "--world", str(office(tmp_path)), "-o", "out", "--judge-model", "script:judge.yml"]
    env = {**os.environ, "DAYJOB_CACHE": str(cache)}
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, env=env, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    outcomes = [json.loads(file.read_text()) for file in (tmp_path / "out").glob("**/outcome.json")]
    (solved,) = [one for one in outcomes if one["agent"] == "oracle"]
    (decided,) = solved["judged"]
    assert (decided["question"], decided["verdict"], decided["agreement"]) == (
        "Sam says that everything is shipshape.", "yes", "2 of 3",
    )  # fmt: skip
    assert sorted(one["reason"] for one in decided["votes"]) == ["Nothing says so.", "Sam wrote it.", "Sam wrote it."]
    assert solved["checkpoints"][0]["reason"].startswith("Yes by 2 of 3 votes. ")
    (idle,) = [one for one in outcomes if one["agent"] == "nop"]
    assert idle["checkpoints"][0]["reason"] == "There are no words of sam.reed in the evidence."


def test_a_proof_tells_what_it_knows_and_can_be_stopped(cache: Path, tmp_path: Path) -> None:
    mutants = {"mutants/waits.py": "import time\ntime.sleep(600)\n",
               "mutants/expected.toml": "format = 1\n[waits]\nresult = 0\n"}  # fmt: skip
    command = [*COMMAND, "test", str(task(tmp_path, **mutants)), "--world", str(office(tmp_path))]
    env = {**os.environ, "DAYJOB_CACHE": str(cache), "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, text=True) as proving:
        assert proving.stdout is not None
        told = [proving.stdout.readline() for _ in range(5)]
        proving.send_signal(signal.SIGINT)
        rest, problems = proving.communicate(timeout=60)
    assert all(line.startswith("✓ small-task: ") for line in told), (told, problems)
    assert (rest, problems, proving.returncode) == ("", "Stopped.\n", 130)
    assert not list(tmp_path.glob("dayjob-*"))


@pytest.mark.parametrize(
    "command", [["run", "-a", "nop", "-k", "4", "--processes", "1"], ["run", "-a", "nop", "-k", "4"], ["test"]]
)
def test_a_reader_that_goes_away_ends_the_work_without_a_word(cache: Path, tmp_path: Path, command: list[str]) -> None:
    begin = [*COMMAND, *command, str(task(tmp_path)), "--world", str(office(tmp_path)), "-o", str(tmp_path / "out")]
    env = {**os.environ, "DAYJOB_CACHE": str(cache)}
    with subprocess.Popen(begin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, text=True) as working:
        assert working.stdout is not None
        assert working.stderr is not None
        assert "small-task" in working.stdout.readline()
        working.stdout.close()
        assert working.stderr.read() == ""
    assert working.returncode == 1


def test_a_task_that_pays_for_nothing_is_caught(cache: Path, tmp_path: Path) -> None:
    evaluator = """
        from scoring import Checkpoint, Result
        def grade_checkpoints(trajectory=""):
            return Result([Checkpoint(1, 1), Checkpoint(1, int("office" in trajectory))])
        """
    path = task(tmp_path, evaluator__py=evaluator)
    done = dayjob(cache, "test", str(path), "--world", str(office(tmp_path)), "--json")
    assert done.returncode == 1
    claims = [json.loads(line) for line in done.stdout.splitlines()]
    refuted = {claim["claim"]: claim["why"] for claim in claims if not claim["holds"]}
    assert refuted["doing nothing gets no marks"] == "got 1 of 2, and 0 was expected"
    assert refuted["echoing the task gets no marks"] == "got 2 of 2, and 0 was expected"
    assert "clicking about gets no marks" in refuted


@pytest.mark.parametrize(("said", "code"), [("It takes 3 days.", 0), ("It takes 4 days.", 1)])
def test_a_key_that_the_company_contradicts_is_caught(cache: Path, tmp_path: Path, said: str, code: int) -> None:
    world = office(tmp_path)
    (world / "drive/files/Notes/plan.txt").write_text(f"The plan. {said}\n", "utf-8")
    key = "- what: the plan's length\n  is: 3\n  about: [plan, days]\n"
    done = dayjob(cache, "test", str(task(tmp_path, key__yml=key)), "--world", str(world))
    assert done.returncode == code, done.stdout
    sentence = "small-task: what the key rests on is contradicted nowhere in the company"
    if code:
        assert (
            f"✗ {sentence}: \n    drive/files/Notes/plan.txt:1 speaks of the plan's length, which is 3" in done.stdout
        )
        assert "5 of 6 claims hold." in done.stdout
    else:
        assert f"✓ {sentence}\n" in done.stdout
        assert "6 of 6 claims hold." in done.stdout


def test_a_report_of_nothing_ends_with_two(cache: Path, tmp_path: Path) -> None:
    done = dayjob(cache, "report", str(tmp_path))
    assert done.returncode == 2
    assert "no trial has ended" in done.stderr


def test_the_doctor_says_what_works_here(cache: Path) -> None:
    done = dayjob(cache, "doctor", "--json")
    facts = json.loads(done.stdout)
    assert done.returncode == (0 if all(one["works"] for one in facts["findings"] if one["needed"]) else 1)
    assert {"bubblewrap", "user namespaces", "control groups", "docker"} <= {one["name"] for one in facts["findings"]}
    assert all(one["works"] or one["fix"] for one in facts["findings"])
    assert facts["capabilities"]["embedded"]["disk"] is not None


def test_the_doctor_names_what_to_install(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = dayjob(cache, "doctor")
    assert done.returncode == 1
    assert "apt-get install bubblewrap" in done.stdout
    assert "does not work here yet" in done.stdout
