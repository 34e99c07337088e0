"""CI in whole trials: an examinee pushes, waits for its pipeline as anybody would, and is graded on what it left."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent, indent

import pytest

from tests.trial.offices import attempt, task

# A test that fails, then one that does not, each pushed and waited for; then whatever a test adds.
SOLUTION = """
    import json, subprocess, time, urllib.parse, urllib.request

    SERVER = "http://office.test:8929"

    def ask(path, body=None, **headers):
        request = urllib.request.Request(SERVER + path, body, headers)
        with urllib.request.urlopen(request) as said:
            return json.load(said)

    def git(*words):
        me = ["-c", "user.name=Sam", "-c", "user.email=sam@office.test"]
        return subprocess.check_output(["git", "-C", "/workspace/app", *me, *words], text=True)

    def push(**files):
        for name, text in files.items():
            with open("/workspace/app/" + name.replace("__", "."), "w") as file:
                file.write(text)
        git("add", "-A")
        git("commit", "-qm", "Test it")
        git("push", "-q", "origin", "HEAD:main")
        return git("rev-parse", "HEAD").strip()

    def status(sha):
        for _ in range(1200):
            found = ask(f"/api/v4/projects/{PROJECT}/pipelines?sha={sha}", None, **ME)
            if found and found[0]["status"] in ("success", "failed", "canceled"):
                return found[0]["status"]
            time.sleep(0.05)

    def testing(what):
        return f"import unittest\\nclass T(unittest.TestCase):\\n    def test_it(self): self.assertEqual(4, {what})\\n"

    form = {"grant_type": "password", "username": "sam.reed", "password": "sam-first-day"}
    ME = {"Authorization": "Bearer " + ask("/oauth/token", urllib.parse.urlencode(form).encode())["access_token"]}
    PROJECT = ask("/api/v4/projects", b'{"name": "app"}', **ME, **{"Content-Type": "application/json"})["id"]
    address = "http://sam.reed:sam-first-day@office.test:8929/sam.reed/app.git"
    subprocess.run(["git", "clone", "-q", address, "/workspace/app"], check=True)
    CI = "test: {image: 'python:3.13', script: [python -m unittest]}"
    red = status(push(_gitlab_ci=CI, test_app__py=testing(3)))
    green = status(push(test_app__py=testing(4)))
    with open("/workspace/answer.txt", "w") as file:
        file.write(f"{red} {green}")
""".replace("_gitlab_ci=CI", '**{"__gitlab-ci__yml": CI}')

EVALUATOR = """
    import json, os, urllib.request
    from pathlib import Path
    from common import *
    from scoring import Checkpoint, Result

    def ask(path):
        server = f"http://{os.environ['SERVER_HOSTNAME']}:{os.environ['GITLAB_PORT']}/api/v4"
        request = urllib.request.Request(server + path, headers={"PRIVATE-TOKEN": os.environ["GITLAB_ACCESS_TOKEN"]})
        with urllib.request.urlopen(request) as said:
            return said.read().decode()

    @grader
    def grade_it():
        jobs = json.loads(ask("/projects/sam.reed%2Fapp/jobs"))
        print([job["status"] for job in jobs])
        log = ask(f"/projects/sam.reed%2Fapp/jobs/{jobs[-1]['id']}/trace")
        return Path("/workspace/answer.txt").read_text() == "failed success" and "AssertionError: 4 != 3" in log

    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(2, 2 * int(grade_it()))])
    """


def pushing(folder: Path, more: str = "") -> Path:
    solution = SOLUTION + indent(dedent(more), "    ")
    return task(folder, solution__py=solution, evaluator__py=EVALUATOR, dependencies__yml="- gitlab\n")


def test_a_commit_that_breaks_a_test_goes_red_and_one_that_mends_it_green(cache: Path, tmp_path: Path) -> None:
    tried = attempt(cache, tmp_path, pushing(tmp_path))
    assert tried.outcome.label == "resolved", (tried.outcome.reason, tried.outcome.notes)
    assert tried.outcome.resources["ci"]["jobs"] == 2
    rows = [json.loads(line) for line in tried.text("journal.jsonl").splitlines()]
    asked = {row.get("path") for row in rows if row.get("role") == "runner"}
    assert "/api/v4/jobs/request" in asked


def test_jobs_that_run_when_the_work_ends_may_end_too(cache: Path, tmp_path: Path) -> None:
    slow = """push(**{"__gitlab-ci__yml": "slow: {script: [sleep 2, echo done]}"})\n"""
    tried = attempt(cache, tmp_path, pushing(tmp_path, slow))
    assert tried.outcome.label == "resolved", tried.outcome.reason
    assert "['success', 'success', 'failed']" in tried.log("grade")


def test_an_examinee_finds_neither_the_runners_door_nor_its_token(cache: Path, tmp_path: Path) -> None:
    """What the examinee can see of the runner is what any user of a forge can."""
    look = """
        seen = ask("/api/v4/runners", None, **ME)
        assert all("token" not in one for one in seen), seen
        for path in ("/run", "/tmp", "/var/run"):
            found = subprocess.run(["find", path, "-type", "s"], capture_output=True, text=True).stdout
            assert "runner" not in found, found
        """
    tried = attempt(cache, tmp_path, pushing(tmp_path, look))
    assert tried.outcome.label == "resolved", (tried.outcome.reason, tried.outcome.stopped)


@pytest.mark.xdist_group("docker")
def test_the_same_in_docker(daemon: str, cache: Path, tmp_path: Path) -> None:
    tried = attempt(cache, tmp_path, pushing(tmp_path), sandbox="docker")
    assert tried.outcome.label == "resolved", (tried.outcome.reason, tried.outcome.notes)
