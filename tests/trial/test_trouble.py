"""Runs that meet trouble: it is labelled for what it is, what it did not touch stands, and resume does the rest."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.trial.offices import TASK, office, write
from tests.trial.test_colleagues import BRIEFED, JUDGING, MARA, SOLUTION

DAYJOB = [sys.executable, "-c", "from dayjob.cli import main; main()"]


class Place:
    """A world and task folders, and runs of `dayjob` there."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder = folder
        self.world = office(folder)
        write(self.world, {"people/mara.lind.yml": MARA})
        self.run = folder / "run"
        self.env = {**os.environ, "DAYJOB_CACHE": str(cache), "MODEL_KEY": "sk-test"}

    def task(self, name: str, **files: str | None) -> Path:
        given = {name.replace("__", "."): text for name, text in files.items()}
        merged = {key: text for key, text in {**TASK, **given}.items() if text is not None}
        return write(self.folder / "tasks" / name, merged)

    def begin(self, *options: str) -> list[str]:
        return [*DAYJOB, "run", str(self.folder / "tasks"), "--world", str(self.world), "-o", str(self.run), *options]

    def resume(self, *options: str) -> list[str]:
        return [*DAYJOB, "resume", str(self.run), *options]

    def do(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(command, env=self.env, cwd=self.folder, capture_output=True, text=True, timeout=300)
        assert "Traceback" not in done.stdout + done.stderr, done.stderr
        return done


@pytest.fixture
def place(tmp_path: Path, cache: Path) -> Place:
    return Place(tmp_path, cache)


def outcomes(run: Path) -> dict[str, dict[str, Any]]:
    return {path.parent.name: json.loads(path.read_text()) for path in run.glob("*/outcome.json")}


def labels(run: Path) -> Counter[str]:
    return Counter(one["label"] for one in outcomes(run).values())


def test_a_broken_task_among_good_ones_harms_nobody_else(place: Place) -> None:
    place.task("good")
    place.task("other")
    place.task("no-text", task__md=None)
    place.task("bad-settings", task__toml="format = 1\nworld = [\n")
    place.task("bad-build", Dockerfile="FROM dayjob/task-base:1\nRUN exit 3\n")
    place.task("bad-init", pre_init__py="raise SystemExit(4)\n")
    place.task("bad-grader", evaluator__py="def grade_checkpoints(trajectory=''):\n    return unknown\n")
    place.task("strange-world", task__toml='format = 1\nworld = "nowhere-at-all"\n')
    done = place.do([*place.begin("-n", "4")])
    assert done.returncode == 1, done.stderr
    found = {name.split(".")[0]: (one["label"], one["reason"]) for name, one in outcomes(place.run).items()}
    assert {name: label for name, (label, _) in found.items()} == {
        "good": "resolved",
        "other": "resolved",
        "no-text": "init_error",
        "bad-settings": "init_error",
        "bad-build": "init_error",
        "bad-init": "init_error",
        "bad-grader": "grader_error",
        "strange-world": "resolved",  # --world names another
    }
    assert "task.md" in found["no-text"][1]
    assert "task.toml" in found["bad-settings"][1]
    assert "Dockerfile:2" in found["bad-build"][1]
    assert "pre_init.py ended with 4" in found["bad-init"][1]
    before = {name: path.stat().st_ino for name in outcomes(place.run) for path in [place.run / name / "outcome.json"]}
    place.do(place.resume())
    after = {name: path.stat().st_ino for name in outcomes(place.run) for path in [place.run / name / "outcome.json"]}
    assert after == before, "what cannot end differently is not tried again"


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small disk, which takes root")
def test_a_full_disk_costs_only_the_trials_that_did_not_fit(place: Place) -> None:
    place.task("good")
    place.run.mkdir()
    copy = place.folder / "copy"
    before, after = place.folder / "before", place.folder / "after"
    # In a mount namespace of its own: nobody else sees the disk, and it ends with the shell.
    script = f"""
        set -e
        mount -t tmpfs -o size=200k,mode=0755 small {place.run}
        {shlex.join(place.begin("-k", "12", "-n", "3", "--json"))} > {before} 2> {before}.err && exit 9 || [ $? = 1 ]
        cp -a {place.run} {copy}
        df --output=avail {place.run} > {place.folder}/left
        mount -o remount,size=64m {place.run}
        {shlex.join(place.resume("-n", "3", "--json"))} > {after} 2> {after}.err
        rm -rf {copy}.after
        cp -a {place.run} {copy}.after
    """
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script], env=place.env, cwd=place.folder, capture_output=True, text=True
    )
    said = [Path(f"{file}{end}").read_text() for file in (before, after) for end in ("", ".err") if file.exists()]
    assert done.returncode == 0, (done.returncode, done.stderr, said)
    assert not any("Traceback" in text for text in said), said
    first = [json.loads(line) for line in said[0].splitlines()]
    last = {row["attempt"]: row for row in first}
    assert len(last) == 12, "every trial was told of"
    assert {row["label"] for row in first} == {"resolved", "infra_error"}
    assert all("No space left" in row["reason"] for row in first if row["label"] == "infra_error"), first
    resolved = {number for number, row in last.items() if row["label"] == "resolved"}
    stood = {one["attempt"] for one in outcomes(copy).values() if one["label"] == "resolved"}
    assert stood == resolved, "what was told is what is on the disk"
    again = [json.loads(line) for line in said[2].splitlines()]
    assert {row["attempt"] for row in again} == set(range(1, 13)) - resolved, "resume does exactly what is missing"
    assert labels(Path(f"{copy}.after")) == {"resolved": 12}
    for name, one in outcomes(copy).items():
        if one["label"] == "resolved":
            assert outcomes(Path(f"{copy}.after"))[name] == one


SERVER = """
import asyncio, sys
from pathlib import Path
from dayjob.http.server import Server, bind
from dayjob.llm.scripted import ScriptedModel
from dayjob.llm.script_file import load_script
from dayjob.llm.secret import Secret

async def main():
    async with Server() as host:
        sock = bind(port=int(sys.argv[2]))
        await host.listen(ScriptedModel(load_script(Path(sys.argv[1])), Secret("sk-test")), sock)
        print(sock.getsockname()[1], flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


class Provider:
    """A model provider in a process of its own, which can be taken away and put back at the same address."""

    def __init__(self, folder: Path, rules: list[dict[str, Any]]) -> None:
        self.script = folder / "model.yml"
        self.script.write_text(yaml.safe_dump({"format": 1, "rules": rules}), "utf-8")
        self.port = 0
        self.start()
        (folder / "dayjob.toml").write_text(
            f'[llm.providers.here]\nbase_url = "http://127.0.0.1:{self.port}/v1"\nkey_env = "MODEL_KEY"\n'
            "retries = 1\nbackoff = 0.01\ntimeout = 10\npatience = 1\n"
        )

    def start(self) -> None:
        command = [sys.executable, "-c", SERVER, str(self.script), str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def providers() -> Iterator[list[Provider]]:
    made: list[Provider] = []
    yield made
    for one in made:
        one.stop()


WORKER: list[dict[str, Any]] = [
    {
        "when": {"turn": 1},
        "call": {"name": "shell", "arguments": {"command": "echo shipshape > /workspace/answer.txt"}},
    },
    {"call": {"name": "finish", "arguments": {"summary": "Done."}}},
]
COLLEAGUE = [{"json": {"action": "speak", "message": "shipshape."}}]
QUOTE = {"number": 1, "speaker": "", "text": "The grader should answer"}
JUDGE = [
    {
        "when": {"anywhere": r"case(?: number)?:? (?P<case>\w+)"},
        "json": {"case": "${case}", "verdict": "yes", "reason": "so", "quotes": [QUOTE]},
    }
]
ROLES: dict[str, tuple[list[dict[str, Any]], dict[str, str], list[str], str]] = {
    "worker": (WORKER, {}, ["-a", "worker", "-m", "here/any"], "infra_error"),
    "colleague": (
        COLLEAGUE,
        {"dependencies__yml": "- rocketchat\n", "solution__py": SOLUTION, "scenarios__json": BRIEFED},
        ["--npc-model", "here/any"],
        "infra_error",
    ),
    "judge": (JUDGE, {"evaluator__py": JUDGING}, ["--judge-model", "here/any"], "ungraded"),
}


@pytest.mark.parametrize("role", ROLES)
def test_a_model_that_goes_away_half_way_is_nobody_s_zero(place: Place, providers: list[Provider], role: str) -> None:
    rules, files, options, label = ROLES[role]
    place.task("asks", **files)
    providers.append(provider := Provider(place.folder, rules))
    process = subprocess.Popen(
        place.begin("-k", "4", "-n", "1", "--retries", "0", "--seconds", "30", "--json", *options),
        env=place.env,
        cwd=place.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    rows = [json.loads(process.stdout.readline())]
    provider.stop()
    rest, said = process.communicate(timeout=240)
    rows += [json.loads(line) for line in rest.splitlines()]
    assert process.returncode == 1, said
    assert "Traceback" not in said
    assert len(rows) == 4
    assert rows[0]["label"] == "resolved", rows
    assert {row["label"] for row in rows[1:]} <= {"resolved", label}
    missing = {row["attempt"] for row in rows if row["label"] == label}
    assert len(missing) >= 2, "the outage came too late to mean anything"
    assert all(row["reason"] and row["score"] is None for row in rows if row["label"] == label)
    provider.start()
    done = place.do(place.resume("--json", "-n", "2"))
    assert done.returncode == 0, done.stderr
    assert {json.loads(line)["attempt"] for line in done.stdout.splitlines()} == missing
    assert labels(place.run) == {"resolved": 4}


def test_a_worker_process_that_is_killed_costs_its_own_trials_alone(place: Place) -> None:
    place.task(
        "waits", solution__py="import time, os\ntime.sleep(0.5)\nopen('/workspace/answer.txt', 'w').write('shipshape')"
    )
    process = subprocess.Popen(
        place.begin("-k", "8", "-n", "4", "--processes", "2", "--retries", "0", "--json", "--steps"),
        env=place.env,
        cwd=place.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    rows, at_work = [], 0
    for line in process.stdout:
        rows.append(json.loads(line))
        at_work += rows[-1].get("step") == "work"
        if at_work == 5:
            break
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    workers = [pid for pid in children if b"dayjob.trial.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    os.kill(int(workers[0]), signal.SIGKILL)  # as the kernel does when memory is short
    rest, said = process.communicate(timeout=240)
    rows = [row for row in (*rows, *map(json.loads, rest.splitlines())) if row["event"] == "outcome"]
    assert process.returncode == 1, said
    assert "Traceback" not in said
    lost = {row["attempt"] for row in rows if row["label"] != "resolved"}
    assert len(rows) == 8
    assert 1 <= len(lost) <= 2, "a worker holds two of the four at work"
    assert all(row["reason"] == "the worker process ended with -9" for row in rows if row["attempt"] in lost)
    done = place.do(place.resume("--json"))
    assert done.returncode == 0, done.stderr
    assert {json.loads(line)["attempt"] for line in done.stdout.splitlines()} == lost
    assert labels(place.run) == {"resolved": 8}
