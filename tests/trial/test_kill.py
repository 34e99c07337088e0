"""kill -9 of the host process, at every step of a trial: nothing of it is left after the next start."""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import requests

from dayjob import owned
from dayjob.sandbox import cgroups
from dayjob.sandbox.choose import make_site
from dayjob.trial import trial
from dayjob.trial.outcome import Label
from dayjob.trial.spec import TrialSpec
from tests.trial.offices import attempt, office, task

FILES = {
    "Dockerfile": "FROM dayjob/task-base:1\nRUN sleep 0.2 && echo {unique} > /opt/unique\n",
    "dependencies.yml": "- rocketchat\n- owncloud\n",
    "scenarios.json": json.dumps({"Mara Lind": {"extra_info": "", "strategy_hint": "be brief"}}),
    "pre_init.py": "import time\ntime.sleep(0.05)\n",
    "populate_data.py": "import time\ntime.sleep(0.05)\n",
    "post_init.sh": "sleep 0.05\nsetsid sleep 7654 &\n",
    "solution.sh": "setsid sleep 7654 &\necho shipshape > /workspace/answer.txt\nsleep 0.1\n",
    "solution.py": None,
}
TEARDOWN = "teardown"


def steps_of_a_trial() -> list[str]:
    """The steps as the code of a trial takes them."""
    calls = [node for node in ast.walk(ast.parse(inspect.getsource(trial))) if isinstance(node, ast.Call)]
    named = [
        (call.lineno, call.args[0].value)
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == "_step" and isinstance(call.args[0], ast.Constant)
    ]
    return [str(name) for _, name in sorted(named)]


def prepared(folder: Path, unique: str) -> Path:
    return task(folder, **{name: text and text.replace("{unique}", unique) for name, text in FILES.items()})


class Whole:
    """How long each step takes, from a trial nobody disturbs: a killer needs to know when."""

    def __init__(self) -> None:
        self._measured: dict[str, dict[str, float]] = {}

    def seconds(self, sandbox: str, cache: Path, folder: Path) -> dict[str, float]:
        if sandbox not in self._measured:
            folder.mkdir()
            tried = attempt(cache, folder, prepared(folder, f"whole-{os.getpid()}"), sandbox=sandbox)
            assert tried.outcome.label is Label.RESOLVED, tried.outcome.reason
            timings = tried.outcome.timings
            assert [name for name in timings if name != "all"] == steps_of_a_trial()
            timings[TEARDOWN] = timings["all"] - sum(timings[name] for name in steps_of_a_trial())
            self._measured[sandbox] = timings
        return self._measured[sandbox]


@pytest.fixture(scope="module")
def whole() -> Whole:
    return Whole()


class Killer:
    """The process that has hosts killed (`killed.py`): each is forked from it, with everything imported."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.trial.killed"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def kill(self, asked: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(asked), file=self.process.stdin, flush=True)
        saw: dict[str, Any] = json.loads(self.process.stdout.readline())
        return saw


@pytest.fixture(scope="module")
def killer() -> Iterator[Killer]:
    one = Killer()
    with one.process:
        yield one


def kill_at(
    moment: float, step: str, sandbox: str, cache: Path, folder: Path, timings: dict[str, float], killer: Killer
) -> None:
    """Run a trial whose host dies at a moment (0 is the step's beginning, 1 its usual end); all of it must go."""
    late = timings[step] * moment
    if step == TEARDOWN:
        step, late = steps_of_a_trial()[-1], timings[steps_of_a_trial()[-1]] + late
    for name in ("here", "tmp"):
        (folder / name).mkdir(parents=True)
    path = prepared(folder / "here", f"{folder.name}-{os.getpid()}")
    spec = TrialSpec(str(path), "oracle", str(folder / "out"), sandbox=sandbox, world=str(office(folder)))
    asked = {"spec": asdict(spec), "cache": str(cache), "step": step, "seconds": late}
    saw = killer.kill({**asked, "environment": {**os.environ, "TMPDIR": str(folder / "tmp")}})
    # A step may be quicker than it was, and over: then there is an outcome, and nothing may be left either.
    assert saw["killed"] or (folder / "out" / "outcome.json").exists()
    assert saw["processes"] == []
    next_start(sandbox, cache, folder / "tmp")
    assert [path for path, owner in cgroups.groups().items() if owner == saw["mark"]] == []
    assert list((folder / "tmp").iterdir()) == []
    assert list((cache / "layers").glob(".making-*")) == []
    mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    assert [line for line in mounts if str(folder) in line or str(cache) in line] == []


def next_start(sandbox: str, cache: Path, temporary: Path) -> None:
    async def main() -> None:
        async with make_site(sandbox, cache):
            pass

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(temporary))
        asyncio.run(main())


@pytest.mark.parametrize("step", [*steps_of_a_trial(), TEARDOWN])
def test_a_killed_host_leaves_nothing(cache: Path, tmp_path: Path, whole: Whole, killer: Killer, step: str) -> None:
    timings = whole.seconds("embedded", cache, tmp_path / "whole")
    for number, moment in enumerate((0.1, 0.6)):
        kill_at(moment, step, "embedded", cache, tmp_path / f"{step}{number}", timings, killer)


@pytest.mark.xdist_group("docker")
@pytest.mark.usefixtures("daemon")
def test_a_killed_host_leaves_nothing_in_docker(cache: Path, tmp_path: Path, whole: Whole, killer: Killer) -> None:
    timings = whole.seconds("docker", cache, tmp_path / "whole")
    before = of_docker()
    for step in (*steps_of_a_trial(), TEARDOWN):
        kill_at(0.5, step, "docker", cache, tmp_path / step, timings, killer)
        wait_until(lambda: of_docker() == before, f"after {step} there is {of_docker()}, and was {before}")


def of_docker() -> dict[str, list[str]]:
    """Every container, network and volume of the daemon."""
    asked = {"containers": ["ps", "-aq"], "networks": ["network", "ls", "-q"], "volumes": ["volume", "ls", "-q"]}
    return {
        what: sorted(subprocess.run(["docker", *question], capture_output=True, text=True, check=True).stdout.split())
        for what, question in asked.items()
    }


def test_the_doctor_finds_and_removes_what_was_left(cache: Path, tmp_path: Path) -> None:
    """The same by hand, with the command: a trial killed at work."""
    (tmp_path / "tmp").mkdir()
    path = task(tmp_path, **{"solution.sh": "touch /workspace/there\nsleep 7654\n", "solution.py": None})
    env = {**os.environ, "TMPDIR": str(tmp_path / "tmp"), "DAYJOB_CACHE": str(cache)}
    dayjob = [sys.executable, "-c", "from dayjob.cli import main; main()"]
    host = subprocess.Popen(
        [*dayjob, "run", str(path), "--world", str(office(tmp_path)), "-o", str(tmp_path / "out"), "--json", "--steps"],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert host.stdout is not None
    assert any(b'"work"' in line for line in host.stdout)
    mark = f"{owned.mark().rsplit('.', 2)[0]}.{host.pid}.{owned.start_time(host.pid)}"
    wait_until(lambda: [one for one in cgroups.groups().values() if one == mark], "there is no control group")
    host.send_signal(signal.SIGKILL)
    host.wait()
    host.stdout.close()

    def doctor(*options: str) -> dict[str, Any]:
        said = subprocess.run([*dayjob, "doctor", "--json", *options], env=env, capture_output=True, text=True)
        facts: dict[str, Any] = json.loads(said.stdout)
        return facts

    # The trial's folder, and the room's control group unless somebody else's start on this machine was faster.
    found = [one for one in doctor()["leftovers"] if mark in one]
    assert any(one.startswith("the folder") for one in found)
    facts = doctor("--clean")
    assert any("dayjob-trial-" in one for one in facts["cleaned"] if mark in one)
    assert not [one for one in facts["leftovers"] if mark in one]
    assert mark not in cgroups.groups().values()
    assert list((tmp_path / "tmp").iterdir()) == []


STARTING = """
import asyncio, sys
from pathlib import Path
from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
from dayjob.sandbox.embedded.site import EmbeddedSite

async def main():
    async with EmbeddedSite(Path(sys.argv[1])) as site:
        image = await site.base()
        print("ready", flush=True)
        while True:
            rooms = [EmbeddedSandbox(site, image, name=sys.argv[2]) for _ in range(3)]
            await asyncio.gather(*(room.start() for room in rooms))
            await asyncio.gather(*(room.stop() for room in rooms))

asyncio.run(main())
"""


def test_a_host_killed_while_it_builds_rooms_leaves_none(cache: Path, tmp_path: Path) -> None:
    mark = f"built{os.getpid()}"
    seen = 0
    # Eight moments and, on a machine so busy that none of them met a room, later ones.
    for moment in range(60):
        if moment >= 8 and seen:
            break
        host = subprocess.Popen([sys.executable, "-c", STARTING, str(cache), mark], stdout=subprocess.PIPE)
        assert host.stdout is not None
        assert host.stdout.readline() == b"ready\n"
        time.sleep(0.003 + moment * 0.009)
        seen += len(rooms_named(mark))
        host.send_signal(signal.SIGKILL)
        host.wait()
        host.stdout.close()
    assert seen  # some were there to be left behind
    wait_until(lambda: not rooms_named(mark), "rooms of killed hosts are still there")
    next_start("embedded", cache, tmp_path)
    assert not [path for path in cgroups.groups() if mark in path.name]


def rooms_named(mark: str) -> list[str]:
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if f"DAYJOB_ROOM={mark}".encode() in Path("/proc", name, "environ").read_bytes():
                    found.append(name)
            except OSError:
                continue
    return found


def wait_until(true: Callable[[], object], what: str) -> None:
    ends = time.monotonic() + 60
    while not true():
        assert time.monotonic() < ends, what
        time.sleep(0.02)


def test_a_served_company_that_was_killed_leaves_no_folder_after_the_next_start(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    dayjob = [sys.executable, "-c", "from dayjob.cli import main; main()"]
    ports = [f"--port={name}=0" for name in ("chat", "forge", "board", "drive", "control")]
    serve = [*dayjob, "company", "serve", "--world", str(office(tmp_path)), *ports]
    env = {**os.environ, "TMPDIR": str(tmp_path / "tmp"), "DAYJOB_CACHE": str(tmp_path / "cache")}
    for end in (signal.SIGKILL, signal.SIGINT):
        host = subprocess.Popen(serve, env=env, stdout=subprocess.PIPE, text=True)
        assert host.stdout is not None
        said = "".join(iter(host.stdout.readline, "Ctrl-C closes the company.\n"))
        address = next(line.split()[-1] for line in said.splitlines() if line.split()[:2] == ["drive", "owncloud"])
        file = f"{address}/remote.php/webdav/file.txt"
        assert requests.put(file, data=b"x" * 9000, auth=("sam.reed", "sam-first-day"), timeout=10).status_code == 201
        (mark,) = {owned.mark_in(folder.name) for folder in (tmp_path / "tmp").iterdir()}  # an earlier one's is gone
        assert mark
        host.send_signal(end)
        host.wait()
        host.stdout.close()
    assert list((tmp_path / "tmp").iterdir()) == []
