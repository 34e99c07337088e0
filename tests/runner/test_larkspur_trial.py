"""Larkspur's nine pipelines in a whole trial: an examinee pushes an empty commit to each and is graded."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from dayjob.trial.spec import TrialSpec
from tests.runner.test_larkspur import WORLD
from tests.trial.offices import Tried, task, trial
from tests.trial.three_days import contents

PROJECTS = sorted(
    str(path.parents[1].relative_to(WORLD / "forge" / "projects"))
    for path in WORLD.glob("forge/projects/**/source/.gitlab-ci.yml")
)

SOLUTION = f"""
    import json, subprocess, urllib.error, urllib.parse, urllib.request

    SERVER, ME, PASSWORD = "http://larkspur.test:8929", "sam.reed", "sam-reed-first-day"
    PROJECTS = {PROJECTS!r}

    def ask(path, body=None, method=None, **headers):
        form = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        kind = {{"Content-Type": "application/json"}} if isinstance(body, dict) else {{}}
        request = urllib.request.Request(SERVER + path, form, {{**kind, **headers}}, method=method)
        with urllib.request.urlopen(request) as said:
            text = said.read()
        return json.loads(text) if said.headers.get_content_type() == "application/json" else text.decode()

    form = {{"grant_type": "password", "username": ME, "password": PASSWORD}}
    token = ask("/oauth/token", urllib.parse.urlencode(form).encode())["access_token"]
    as_me = {{"Authorization": f"Bearer {{token}}"}}

    def place(path):
        return f"/api/v4/projects/{{urllib.parse.quote(path, safe='')}}"

    def git(path, *words):
        folder = "/workspace/" + path.replace("/", "-")
        who = ["-c", "user.name=Sam", "-c", "user.email=sam.reed@larkspur.test"]
        return subprocess.check_output(["git", "-C", folder, *who, *words], text=True).strip()

    def push(path, branch, message):
        git(path, "add", "-A")
        git(path, "commit", "-q", "--allow-empty", "-m", message)
        git(path, "push", "-q", "origin", f"HEAD:refs/heads/{{branch}}")
        return git(path, "rev-parse", "HEAD")

    def status(path, sha):
        return [one["status"] for one in ask(f"{{place(path)}}/pipelines?sha={{sha}}", **as_me)]

    def pass_time():
        # Jobs that run or wait come to their end first.
        said = json.loads(subprocess.check_output(["company-wait", "--json", "1m"], text=True))
        assert said["settled"], said

    pushed = {{}}
    for path in PROJECTS:
        folder = "/workspace/" + path.replace("/", "-")
        address = SERVER.replace("://", f"://{{ME}}:{{PASSWORD}}@") + f"/{{path}}.git"
        subprocess.run(["git", "clone", "-q", "--depth=1", address, folder], check=True)
        pushed[path] = push(path, "try", "Try the pipeline")
    pass_time()
    found = {{path: status(path, sha) for path, sha in pushed.items()}}

    path = "larkspur/timesheets"
    test = "/workspace/larkspur-timesheets/tests/test_minutes.py"
    lines = ["import time, unittest", "class Minutes(unittest.TestCase):", "    def test_a_minute(self):"]
    with open(test, "w") as file:
        file.write("\\n".join([*lines, "        self.assertEqual(60, 61)", ""]))
    sha = push(path, "minutes", "Count minutes")
    target = ask(place(path), **as_me)["default_branch"]
    asked = {{"source_branch": "minutes", "target_branch": target, "title": "Count minutes"}}
    request = ask(f"{{place(path)}}/merge_requests", asked, **as_me)
    pass_time()
    (pipeline,) = ask(f"{{place(path)}}/pipelines?sha={{sha}}", **as_me)
    (job,) = ask(f"{{place(path)}}/pipelines/{{pipeline['id']}}/jobs", **as_me)
    log = ask(f"{{place(path)}}/jobs/{{job['id']}}/trace", **as_me)
    red = [pipeline["status"], "AssertionError: 60 != 61" in log]
    with open(test, "w") as file:
        # It takes its time, so that the wish to merge comes before its end.
        file.write("\\n".join([*lines, "        time.sleep(3)", "        self.assertEqual(60, 60)", ""]))
    sha = push(path, "minutes", "A minute has sixty seconds")
    here = f"{{place(path)}}/merge_requests/{{request['iid']}}"
    wish = ask(f"{{here}}/merge", {{"auto_merge": True}}, "PUT", **as_me)
    pass_time()
    merged = ask(here, **as_me)
    mended = [wish["state"], wish["merge_when_pipeline_succeeds"], status(path, sha), merged["state"]]
    with open("/workspace/answer.txt", "w") as file:
        json.dump({{"empty": found, "red": red, "mended": mended, "request": request["iid"]}}, file)
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
            ask(f"{{project}}/members", {{"user_id": sam["id"], "access_level": 40}})
"""

EVALUATOR = f"""
    import json, os, urllib.parse, urllib.request
    from pathlib import Path
    from common import *
    from scoring import Checkpoint, Result

    PROJECTS = {PROJECTS!r}
    WISH = {{WISH}}

    def ask(path, about):
        server = f"http://{{os.environ['SERVER_HOSTNAME']}}:{{os.environ['GITLAB_PORT']}}/api/v4"
        address = f"{{server}}/projects/{{urllib.parse.quote(path, safe='')}}/{{about}}"
        request = urllib.request.Request(address, headers={{"PRIVATE-TOKEN": os.environ["GITLAB_ACCESS_TOKEN"]}})
        with urllib.request.urlopen(request) as said:
            return json.load(said)

    @grader
    def grade_empty_pushes():
        seen = json.loads(Path("/workspace/answer.txt").read_text())["empty"]
        green = 0
        for path in PROJECTS:
            status = [one["status"] for one in ask(path, "pipelines?ref=try")]
            print(path, status, seen[path])
            green += status == ["success"] == seen[path]
        return green

    @grader
    def grade_the_mended_test():
        seen = json.loads(Path("/workspace/answer.txt").read_text())
        print(seen)
        request = ask("larkspur/timesheets", f"merge_requests/{{seen['request']}}")
        runs = [one["status"] for one in ask("larkspur/timesheets", "pipelines?ref=minutes&sort=asc")]
        print(request["state"], request["merged_by"]["username"], runs)
        told = seen["red"] == ["failed", True] and seen["mended"] == [*WISH, ["success"], "merged"]
        return told and request["merged_by"]["username"] == "sam.reed" and runs == ["failed", "success"]

    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(len(PROJECTS), grade_empty_pushes()), Checkpoint(3, 3 * grade_the_mended_test())])
    """
FULL = len(PROJECTS) + 3
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="images with packages of Debian are made by root alone")


def sit(cache: Path, folder: Path, number: int, clock: str = "running") -> Tried:
    """The trial, graded with full marks."""
    place = folder / str(number)
    # Jobs of a stepped clock end before the next request is answered: there is nothing left to wait for.
    wish = ["opened", True] if clock == "running" else ["merged", False]
    made = task(
        place,
        solution__py=SOLUTION,
        evaluator__py=EVALUATOR.replace("{WISH}", repr(wish)),
        pre_init__py=PRE_INIT,
        dependencies__yml="- gitlab\n",
        task__toml="format = 1\n[timeouts]\nwork = 900\n",
    )
    out = place / "out"
    spec = TrialSpec(task=str(made), agent="oracle", out=str(out), world=str(WORLD), clock=clock)
    tried = Tried(trial(spec, cache), out)
    why = (tried.outcome.reason, tried.outcome.notes, tried.log("grade"))
    assert (tried.outcome.label, tried.outcome.result) == ("resolved", FULL), why
    return tried


@as_root
def test_empty_pushes_are_green_a_broken_test_is_red_and_its_fix_merges_itself(cache: Path, tmp_path: Path) -> None:
    tried = sit(cache, tmp_path, 1)
    rows = [json.loads(line) for line in tried.text("journal.jsonl").splitlines()]
    assert {row.get("role") for row in rows} >= {"examinee", "runner", "grader"}


@as_root
def test_the_stepped_clock_comes_to_the_same_company(cache: Path, tmp_path: Path) -> None:
    # Logs are left out: in them tests say how long they took.
    first, again = (
        contents(sit(cache, tmp_path, number, clock="stepped").folder, without={"trace"}) for number in (1, 2)
    )
    assert {name for name in first.keys() | again.keys() if first.get(name) != again.get(name)} == set()
