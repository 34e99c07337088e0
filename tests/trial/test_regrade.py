"""Grading again: the same kept work, another evaluator, nothing of the work repeated."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import cast

import pytest

from dayjob.company.journal import Journal, Phase, Visit
from dayjob.trial.grading_archive import NotKept, unpack
from dayjob.trial.regrade import journal_before_grading
from tests.trial.offices import office, task
from tests.trial.test_colleagues import JUDGING

# Writes to the workspace and to the drive, so that both the files and the company have to come back.
SOLUTION = """
    import os, urllib.request
    open("/workspace/answer.txt", "w").write("shipshape\\n")
    url = f"http://{os.environ.get('SERVER_HOSTNAME', 'office.test')}:8092/remote.php/webdav/done.txt"
    import base64
    head = {"Authorization": "Basic " + base64.b64encode(b"sam.reed:sam-first-day").decode()}
    urllib.request.urlopen(urllib.request.Request(url, b"all done", head, method="PUT"))
    """

NEW_EVALUATOR = """
    from pathlib import Path
    from common import *
    from scoring import Checkpoint, Result

    @grader
    def grade_file():
        return Path("/workspace/answer.txt").read_text() == "shipshape\\n"

    @grader
    def grade_drive():
        return [one["words"] for one in changes("owncloud")] != [] and accessed(
            "owncloud", "/remote.php/webdav/done.txt", method="PUT"
        )

    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(1, int(grade_file())), Checkpoint(2, 2 * int(grade_drive())), Checkpoint(1, 0)])
    """


def dayjob(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from dayjob.cli import main; main()", *arguments]
    env = {**os.environ, "DAYJOB_CACHE": str(cache)}
    return subprocess.run(command, capture_output=True, text=True, env=env, cwd=cache)


@pytest.fixture(params=["embedded", pytest.param("docker", marks=pytest.mark.xdist_group("docker"))])
def sandbox(request: pytest.FixtureRequest) -> str:
    if request.param == "docker":
        request.getfixturevalue("daemon")
    return str(request.param)


def test_kept_work_is_graded_by_the_new_evaluator(cache: Path, tmp_path: Path, sandbox: str) -> None:
    path, run = task(tmp_path, solution__py=SOLUTION), tmp_path / "run"
    options = ["--world", str(office(tmp_path)), "-o", str(run), "-k", "2", "--sandbox", sandbox]
    first = dayjob(cache, "run", str(path), *options)
    assert first.returncode == 0, first.stdout + first.stderr
    trial = run / "small-task.oracle.1"
    journal = (trial / "journal.jsonl").read_bytes()
    task(tmp_path, solution__py="raise SystemExit('the work must not be done again')\n", evaluator__py=NEW_EVALUATOR)
    done = dayjob(cache, "regrade", str(run), "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["before"]["label"], row["after"]["label"]) for row in rows] == [("resolved", "partial")] * 2
    built = {row["after"]["made_of"]["image"].startswith("sha256:") for row in rows}
    assert built == {sandbox == "docker"}
    outcome = json.loads((trial / "outcome.json").read_text())
    assert [one["result"] for one in outcome["checkpoints"]] == [1, 2, 0]
    assert json.loads((trial / "result.json").read_text())["final_score"] == {"total": 4, "result": 3}
    assert json.loads((trial / "earlier" / "1" / "outcome.json").read_text())["label"] == "resolved"
    assert (trial / "journal.jsonl").read_bytes() == journal
    twice = dayjob(cache, "regrade", str(run), "--json")
    assert [json.loads(line)["after"]["result"] for line in twice.stdout.splitlines()] == [3, 3]


def test_what_the_first_grading_did_is_not_in_the_journal_of_the_second(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    for number, phase in enumerate(("init", "work", "grade", "grade")):
        visit = Visit("drive", "grader", cast("Phase", phase), "GET", f'/{number}"phase":"grade"')
        journal.record(visit, "2026-03-09T09:00:00.000Z")
    journal.close()
    again = Journal(journal_before_grading(tmp_path / "journal.jsonl", tmp_path / "copy.jsonl"))
    assert [one.phase for one in again.requests()] == ["init", "work"]
    again.close()


def test_a_broken_evaluator_is_said_and_the_earlier_outcome_kept(cache: Path, tmp_path: Path) -> None:
    path, run = task(tmp_path), tmp_path / "run"
    dayjob(cache, "run", str(path), "--world", str(office(tmp_path)), "-o", str(run))
    task(tmp_path, evaluator__py="def grade_checkpoints(trajectory=''):\n    raise ValueError('broken')\n")
    done = dayjob(cache, "regrade", str(run))
    assert done.returncode == 1
    assert "grader_error" in done.stdout
    assert json.loads((run / "small-task.oracle.1/earlier/1/outcome.json").read_text())["label"] == "resolved"
    assert not (run / "small-task.oracle.1/result.json").exists()


def test_work_that_cannot_be_put_back_keeps_its_outcome(cache: Path, tmp_path: Path) -> None:
    served = "cd /workspace && setsid python3 -m http.server 7070 >/dev/null 2>&1 &\nsleep 1\n"
    path = task(tmp_path, solution__sh=served, solution__py=None)
    world, run = office(tmp_path), tmp_path / "run"
    dayjob(cache, "run", str(path), "--world", str(world), "-o", str(run))
    outcome = (run / "small-task.oracle.1" / "outcome.json").read_text()
    done = dayjob(cache, "regrade", str(run))
    assert done.returncode == 1
    assert "left something running on port 7070" in done.stdout
    assert (run / "small-task.oracle.1" / "outcome.json").read_text() == outcome


def test_another_world_is_refused(cache: Path, tmp_path: Path) -> None:
    path, world, run = task(tmp_path), office(tmp_path), tmp_path / "run"
    dayjob(cache, "run", str(path), "--world", str(world), "-o", str(run))
    (world / "people" / "mara.lind.yml").unlink()
    done = dayjob(cache, "regrade", str(run))
    assert done.returncode == 1
    assert "is not the one the work was done in" in done.stdout


PUSHES = """
    import json, urllib.request
    def ask(path, body, token=""):
        head = {"Content-Type": "application/json", **({"Authorization": "Bearer " + token} if token else {})}
        url = "http://office.test:8929" + path
        return json.load(urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), head)))
    login = {"grant_type": "password", "username": "sam.reed", "password": "sam-first-day"}
    token = ask("/oauth/token", login)["access_token"]
    project = ask("/api/v4/projects", {"name": "notes", "initialize_with_readme": True}, token)["id"]
    commit = {"branch": "main", "content": "shipshape", "commit_message": "Say the word"}
    ask(f"/api/v4/projects/{project}/repository/files/answer.md", commit, token)
    """

READS_FORGE = """
    import requests
    from common import *
    from scoring import Checkpoint, Result

    @grader
    def grade_commit():
        place = "/api/v4/projects/sam.reed%2Fnotes/repository/files/answer.md/raw?ref=main"
        return requests.get(GITLAB_BASEURL + place, headers=GITLAB_HEADERS).text == "shipshape"

    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint({total}, 2 * int(grade_commit()))])
    """


def test_what_was_pushed_to_the_forge_is_graded_again(cache: Path, tmp_path: Path) -> None:
    files = {"dependencies__yml": "- gitlab\n", "solution__py": PUSHES}
    path = task(tmp_path, **files, evaluator__py=READS_FORGE.replace("{total}", "2"))
    run = tmp_path / "run"
    first = dayjob(cache, "run", str(path), "--world", str(office(tmp_path)), "-o", str(run))
    assert first.returncode == 0, first.stdout + first.stderr
    task(tmp_path, **files, evaluator__py=READS_FORGE.replace("{total}", "3"))
    done = dayjob(cache, "regrade", str(run), "--json")
    row = json.loads(done.stdout)
    assert (row["before"]["label"], row["after"]["label"], row["after"]["result"]) == ("resolved", "partial", 2)


def test_a_judge_is_asked_again(cache: Path, tmp_path: Path) -> None:
    rule = '- when: {anywhere: \'case(?: number)?:? (?P<case>\\w+)\'}\n  json: {case: "${case}", verdict: "%s", '
    rule += 'reason: because, quotes: [{number: 1, speaker: "", text: The grader should answer}]}\n'
    model = tmp_path / "model.yml"
    model.write_text("format: 1\nrules:\n" + rule % "no")
    path, run = task(tmp_path, evaluator__py=JUDGING), tmp_path / "run"
    options = ["--judge-model", f"script:{model}", "-o", str(run)]
    dayjob(cache, "run", str(path), "--world", str(office(tmp_path)), *options)
    model.write_text("format: 1\nrules:\n" + rule % "yes")
    row = json.loads(dayjob(cache, "regrade", str(run), "--json").stdout)
    assert (row["before"]["label"], row["after"]["label"]) == ("failed", "resolved")
    model.write_text("format: 1\nrules:\n- fault: {status: 400}\n")
    row = json.loads(dayjob(cache, "regrade", str(run), "--json").stdout)
    assert row["after"]["label"] == "ungraded", "a judge that does not answer is nobody's zero"


def add(tar: tarfile.TarFile, name: str, **facts: object) -> None:
    entry = tarfile.TarInfo(name)
    for key, value in facts.items():
        setattr(entry, key, value)
    tar.addfile(entry)


@pytest.mark.parametrize("way", ["../out", "/out", "frozen/link/out"])
def test_an_archive_that_would_write_elsewhere_is_refused(tmp_path: Path, way: str) -> None:
    (tmp_path / "trial").mkdir()
    with tarfile.open(tmp_path / "trial" / "kept.tar.gz", "w:gz") as tar:
        add(tar, "frozen", type=tarfile.DIRTYPE, mode=0o755)
        add(tar, "frozen/link", type=tarfile.SYMTYPE, linkname=str(tmp_path))
        add(tar, way)
    with pytest.raises(NotKept, match="would leave the folder"):
        unpack(tmp_path / "trial", tmp_path / "into")
    assert not (tmp_path / "out").exists()
