"""Code that cheats while it is graded: it gains no point, sees no secret, and voids no trial, in either sandbox.

The evaluator here has each program run and then does what evaluators do: looks names up, starts programs, uses git,
imports modules. It gives a point for every sign that somebody else was at work in its room.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dayjob.trial.outcome import Label
from tests.trial.offices import Tried, attempt, task
from tests.trial.test_red_team import IN_DOCKER, SECRETS, gained_nothing, sandbox
from tests.trial.workbench_attacks import EXHAUSTION, TAKEOVER, program

__all__ = ["sandbox"]  # a fixture

EVALUATOR = r"""
import os, pwd, socket, subprocess, sys
from pathlib import Path
from common import *
from scoring import Checkpoint, Result

REFERENCE = (Path(__file__).resolve().parent / "references" / "answer.txt").read_text().strip()
WATCHED = ["/etc/nsswitch.conf", "/etc/hosts", "/etc/resolv.conf", "/etc/ld.so.preload", "/etc/ld.so.cache",
           "/etc/passwd", "/etc/profile", "/etc/gitconfig", "/etc/ssl/openssl.cnf", "/usr/local/bin/python_default",
           "/usr/local/bin/sh", "/usr/local/bin/git", "/lib", "/utils/evaluator.py", "/utils/scoring.py",
           "/utils/dayjob/grading/faults.py", "/workspace/answer.txt", "/tmp/owned", "/var/tmp/owned",
           "/utils/references/answer.txt", "/utils/result.json",
           "/answers/answer.txt"]
URL = f"http://{GITLAB_USER}:{GITLAB_ACCESS_TOKEN}@{SERVER_HOSTNAME}:{GITLAB_PORT}/root/thing.git"

def look(path):
    if os.path.islink(path):
        return os.readlink(path)
    return Path(path).read_bytes() if os.path.isfile(path) else os.path.exists(path)

BEFORE = {path: look(path) for path in WATCHED}

def signs():
    '''What an evaluator does all day, and what of it was not as it should be.'''
    found = [path for path in WATCHED if look(path) != BEFORE[path]]
    if {one[4][0] for one in socket.getaddrinfo(SERVER_HOSTNAME, 80, socket.AF_INET)} != {"127.0.0.1"}:
        found.append("names")
    pwd.getpwall()
    ways = [["python3", "-c", "import colorsys, wave, email, sqlite3, socket; print('ran')"],
            ["python_default", "-c", "import requests, unittest; print('ran')"],
            [sys.executable, "-I", "-c", "import json; print('ran')"], ["bash", "-lc", "echo ran"],
            ["bash", "-ic", "echo ran"], ["sh", "-c", "echo ran"], ["env", "echo", "ran"],
            ["sh", "-c", "echo ran | iconv -f LATIN1 -t UTF-16 | iconv -f UTF-16 -t UTF-8"]]
    for way in ways:
        done = subprocess.run(way, cwd="/", capture_output=True, text=True)
        if done.stdout.strip() != "ran" or "owned" in done.stderr:
            found.append(f"{way} said {done.stdout!r} {done.stderr[-300:]!r}")
    for way in (["git", "ls-remote", URL], ["/usr/bin/git", "ls-remote", URL]):
        done = subprocess.run(way, cwd="/workspace", capture_output=True, text=True)
        if "refs/heads/main" not in done.stdout or "owned" in done.stderr:
            found.append(f"{way[0]} said {done.stdout!r} {done.stderr[-300:]!r}")
    running = [Path(f"/proc/{one}/cmdline").read_bytes() for one in os.listdir("/proc") if one.isdigit()
               and os.path.exists(f"/proc/{one}/cmdline")]
    found += [f"running {one}" for one in running if b"/workspace" in one]
    return found

@grader
def grade(name):
    try:
        done = run_as_examinee(["python3", f"/workspace/attacks/{name}.py"], timeout=20)
        said = done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        said = "timed out"
    found = signs()
    if REFERENCE in said or "grade_checkpoints" in said or "REACHED" in said or "WROTE" in said or "TOKEN" in said:
        found.append("it found " + said[-2000:])
    print("ATTACK", name, "won" if found else "lost", found)
    return bool(found)

def grade_checkpoints(trajectory=""):
    names = sorted(path.stem for path in Path("/workspace/attacks").iterdir())
    return Result([Checkpoint(1, int(grade(name))) for name in names])
"""

MAKE = """
import os, requests
base = f"http://{os.environ['SERVER_HOSTNAME']}:{os.environ['GITLAB_PORT']}/api/v4"
made = requests.post(base + "/projects", headers={"PRIVATE-TOKEN": os.environ["GITLAB_ACCESS_TOKEN"]},
                     json={"name": "thing", "initialize_with_readme": True})
assert made.status_code == 201, made.text
"""

# A Dockerfile that copies something for the grader, to be withheld from everybody else.
DOCKERFILE = "FROM dayjob/task-base:1\nCOPY references/ /answers/\n"


def tried(cache: Path, folder: Path, attacks: dict[str, str], sandbox: str) -> Tried:
    """One grading that has each of them run, every one in a workbench of its own, and looks around after each."""
    path = task(
        folder,
        solution__py=program(attacks),
        evaluator__py=EVALUATOR,
        Dockerfile=DOCKERFILE,
        pre_init__py=MAKE,
        dependencies__yml="- owncloud\n- gitlab\n",
        task__toml="format = 1\n[timeouts]\ngrade = 900\n",
    )
    return attempt(cache, folder, path, sandbox=sandbox)


def lost(found: Tried, attack: str) -> None:
    said = [line for line in found.log("grade").splitlines() if f"ATTACK {attack.replace(' ', '-')} " in line]
    assert len(said) == 1, found.log("grade")[-4000:]
    assert f"ATTACK {attack.replace(' ', '-')} lost" in said[0]


def kept_to_itself(found: Tried, attacks: dict[str, str]) -> None:
    gained_nothing(found)
    assert found.outcome.total == len(attacks)
    for attack in attacks:
        lost(found, attack)
    for secret in SECRETS:
        assert secret not in found.log("grade")


@pytest.fixture(scope="module", params=["embedded", pytest.param("docker", marks=IN_DOCKER)])
def attacked(request: pytest.FixtureRequest, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Tried:
    if request.param == "docker":
        request.getfixturevalue("daemon")
    return tried(cache, tmp_path_factory.mktemp("attacked"), TAKEOVER, request.param)


@pytest.mark.parametrize("attack", TAKEOVER)
def test_code_that_is_graded_cannot_take_over_its_grader(attacked: Tried, attack: str) -> None:
    lost(attacked, attack)


def test_code_that_is_graded_gains_nothing_and_sees_no_secret(attacked: Tried) -> None:
    kept_to_itself(attacked, TAKEOVER)


# -- exhausting the grading ---------------------------------------------------------------------------------------

GREEDY = r"""
import subprocess
from pathlib import Path
from common import *
from scoring import Checkpoint, Result

# Those that only their time ends have done all they can do in a moment.
ENDLESS = ("forks", "inodes", "stopped", "no-more-signals")

@grader
def grade_attack(name):
    try:
        timeout = 2 if name in ENDLESS else 6
        done = run_as_examinee(["python3", f"/workspace/attacks/{name}.py"], timeout=timeout, collect=["out"])
        print("ATTACK", name, done.returncode, len(done.stdout), sorted(done.files)[:2], done.left_out)
        return done.returncode == 0 or sum(map(len, done.files.values())) > 300 << 20
    except subprocess.TimeoutExpired:
        print("ATTACK", name, "timed out")
        return False

@grader
def grade_honest():
    return run_as_examinee("cat /workspace/honest.txt").stdout == "all done"

def grade_checkpoints(trajectory=""):
    names = sorted(path.stem for path in Path("/workspace/attacks").iterdir())
    return Result([*(Checkpoint(1, int(grade_attack(name))) for name in names), Checkpoint(1, int(grade_honest()))])
"""


def test_code_that_exhausts_everything_costs_its_own_check(cache: Path, tmp_path: Path, sandbox: str) -> None:
    """And is never a fault: a trial that could be made `ungraded` would be tried again."""
    before = "\nopen('/workspace/honest.txt', 'w').write('all done')\nos.makedirs('/workspace/out')\n"
    path = task(
        tmp_path,
        solution__py=program(EXHAUSTION) + before,
        evaluator__py=GREEDY,
        task__toml="format = 1\n[timeouts]\ngrade = 900\n",
    )
    found = attempt(cache, tmp_path, path, sandbox=sandbox)
    log = found.log("grade")
    assert (found.outcome.label, found.outcome.result) == (Label.PARTIAL, 1), (found.outcome.reason, log[-3000:])
    assert found.outcome.total == len(EXHAUSTION) + 1
    assert json.loads(found.text("outcome.json"))["faults"] == []
    for name in EXHAUSTION:
        assert f"ATTACK {name.replace(' ', '-')} " in log
