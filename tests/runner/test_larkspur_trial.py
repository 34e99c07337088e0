"""Larkspur's nine pipelines in a whole trial: an examinee pushes an empty commit to each and is graded."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from dayjob.trial.spec import TrialSpec
from tests.runner.test_larkspur import WORLD
from tests.trial.offices import Tried, task, trial

PROJECTS = sorted(
    str(path.parents[1].relative_to(WORLD / "forge" / "projects"))
    for path in WORLD.glob("forge/projects/**/source/.gitlab-ci.yml")
)

SOLUTION = f"""
    import json, subprocess, time, urllib.parse, urllib.request

    SERVER, ME, PASSWORD = "http://larkspur.test:8929", "sam.reed", "sam-reed-first-day"
    PROJECTS = {PROJECTS!r}

    def ask(path, body=None, **headers):
        with urllib.request.urlopen(urllib.request.Request(SERVER + path, body, headers)) as said:
            return json.load(said)

    form = {{"grant_type": "password", "username": ME, "password": PASSWORD}}
    token = ask("/oauth/token", urllib.parse.urlencode(form).encode())["access_token"]
    pushed = {{}}
    for path in PROJECTS:
        there = "/workspace/" + path.replace("/", "-")
        address = SERVER.replace("://", f"://{{ME}}:{{PASSWORD}}@") + f"/{{path}}.git"
        subprocess.run(["git", "clone", "-q", "--depth=1", address, there], check=True)
        git = ["git", "-C", there, "-c", "user.name=Sam", "-c", "user.email=sam.reed@larkspur.test"]
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "Try the pipeline"], check=True)
        subprocess.run([*git, "push", "-q", "origin", "HEAD:refs/heads/try"], check=True)
        pushed[path] = subprocess.check_output([*git, "rev-parse", "HEAD"], text=True).strip()
    found = dict.fromkeys(pushed, "")
    for _ in range(3000):
        for path, sha in pushed.items():
            if found[path] not in ("success", "failed", "canceled"):
                project = urllib.parse.quote(path, safe="")
                address = f"/api/v4/projects/{{project}}/pipelines?sha={{sha}}"
                listed = ask(address, None, Authorization=f"Bearer {{token}}")
                found[path] = listed[0]["status"] if listed else ""
        if set(found.values()) <= {{"success", "failed", "canceled"}}:
            break
        time.sleep(0.2)
    with open("/workspace/answer.txt", "w") as file:
        json.dump(found, file)
"""

# Sam is let into every project first.
PRE_INIT = f"""
    import json, os, urllib.parse, urllib.request

    server = f"http://{{os.environ['SERVER_HOSTNAME']}}:{{os.environ['GITLAB_PORT']}}/api/v4"
    headers = {{"PRIVATE-TOKEN": os.environ["GITLAB_ACCESS_TOKEN"], "Content-Type": "application/json"}}

    def ask(path, body=None):
        data = json.dumps(body).encode() if body else None
        with urllib.request.urlopen(urllib.request.Request(server + path, data, headers)) as said:
            return json.load(said)

    (sam,) = ask("/users?username=sam.reed")
    for path in {PROJECTS!r}:
        project = f"/projects/{{urllib.parse.quote(path, safe='')}}"
        if sam["id"] not in [one["id"] for one in ask(f"{{project}}/members?per_page=100")]:
            ask(f"{{project}}/members", {{"user_id": sam["id"], "access_level": 30}})
"""

EVALUATOR = f"""
    import json, os, urllib.parse, urllib.request
    from pathlib import Path
    from common import *
    from scoring import Checkpoint, Result

    PROJECTS = {PROJECTS!r}

    @grader
    def grade_them():
        seen = json.loads(Path("/workspace/answer.txt").read_text())
        green = 0
        for path in PROJECTS:
            server = f"http://{{os.environ['SERVER_HOSTNAME']}}:{{os.environ['GITLAB_PORT']}}/api/v4"
            address = f"{{server}}/projects/{{urllib.parse.quote(path, safe='')}}/pipelines?ref=try"
            request = urllib.request.Request(address, headers={{"PRIVATE-TOKEN": os.environ["GITLAB_ACCESS_TOKEN"]}})
            with urllib.request.urlopen(request) as said:
                status = [one["status"] for one in json.load(said)]
            print(path, status, seen[path])
            green += status == ["success"] == [seen[path]]
        return green

    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(len(PROJECTS), grade_them())])
    """


@pytest.mark.skipif(os.geteuid() != 0, reason="images with packages of Debian are made by root alone")
def test_nine_pipelines_are_green_in_a_trial(cache: Path, tmp_path: Path) -> None:
    folder = task(
        tmp_path,
        solution__py=SOLUTION,
        evaluator__py=EVALUATOR,
        pre_init__py=PRE_INIT,
        dependencies__yml="- gitlab\n",
        task__toml="format = 1\n[timeouts]\nwork = 900\n",
    )
    spec = TrialSpec(task=str(folder), agent="oracle", out=str(tmp_path / "out"), world=str(WORLD))
    tried = Tried(trial(spec, cache), tmp_path / "out")
    why = (tried.outcome.reason, tried.outcome.notes, tried.log("grade"))
    assert (tried.outcome.label, tried.outcome.result) == ("resolved", len(PROJECTS)), why
    rows = [json.loads(line) for line in tried.text("journal.jsonl").splitlines()]
    assert {row.get("role") for row in rows} >= {"examinee", "runner", "grader"}
