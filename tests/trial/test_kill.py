"""kill -9 of the host process, at every step of a trial: nothing of it is left after the next start."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dayjob.sandbox.embedded.cgroups import leftovers
from tests.trial.offices import office, task

SLEEP = "sleep 7654.{number}"

STEPS: dict[str, dict[str, str | None]] = {
    "build": {"Dockerfile": "FROM dayjob/task-base:1\nRUN touch /tmp/x && {sleep}\n"},
    "init": {"pre_init.sh": "{sleep} &\n{sleep}\n"},
    "work": {"solution.sh": "setsid {sleep} &\n{sleep}\n", "solution.py": None},
    "grade": {
        "evaluator.py": "import subprocess\nfrom scoring import *\n"
        "def grade_checkpoints(trajectory=''):\n    subprocess.run('{sleep}', shell=True)\n"
    },
}


def processes(mark: str) -> list[int]:
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if mark.encode() in Path("/proc", name, "cmdline").read_bytes().replace(b"\0", b" "):
                    found.append(int(name))
            except OSError:
                continue
    return [pid for pid in found if pid != os.getpid()]


def wait_until(true: object, what: str) -> None:
    ends = time.monotonic() + 60
    while not true():  # type: ignore[operator]  # a function of no arguments
        assert time.monotonic() < ends, what
        time.sleep(0.02)


@pytest.mark.parametrize("step", STEPS)
def test_a_killed_host_leaves_nothing(cache: Path, tmp_path: Path, step: str) -> None:
    sleep = SLEEP.format(number=os.getpid() * 10 + list(STEPS).index(step))
    files = {name: text and text.format(sleep=sleep) for name, text in STEPS[step].items()}
    path = task(tmp_path, **files)
    world = office(tmp_path)
    for name in ("run", "tmp"):
        (tmp_path / name).mkdir()
    env = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path / "run"), "TMPDIR": str(tmp_path / "tmp"),
           "DAYJOB_CACHE": str(cache)}  # fmt: skip
    dayjob = [sys.executable, "-c", "from dayjob.cli import main; main()"]
    mounts = Path("/proc/self/mountinfo").read_text()
    host = subprocess.Popen(
        [*dayjob, "run", str(path), "--world", str(world), "-o", str(tmp_path / "out")],
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: processes(sleep), f"the trial never came to {step}")
    noted = [json.loads(one.read_text()) for one in (tmp_path / "run" / "dayjob").glob("*.json")]
    groups = {Path(group).name for facts in noted for group in facts["cgroups"]}
    assert noted
    assert len([one for one in leftovers() if one.name in groups]) >= len(groups)
    host.send_signal(signal.SIGKILL)
    host.wait()
    wait_until(lambda: not processes(sleep), "what the trial had started is still running")

    said = subprocess.run([*dayjob, "doctor", "--clean", "--json"], env=env, capture_output=True, text=True)
    facts = json.loads(said.stdout)
    assert facts["cleaned"]
    assert facts["leftovers"] == []
    assert list((tmp_path / "run" / "dayjob").iterdir()) == []
    assert list((cache / "layers").glob(".making-*")) == []
    assert [one for one in (tmp_path / "tmp").iterdir() if not one.name.startswith("pytest")] == []
    assert not [one for one in leftovers() if one.name in groups]
    assert Path("/proc/self/mountinfo").read_text() == mounts


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
    for moment in range(8):
        host = subprocess.Popen(
            [sys.executable, "-c", STARTING, str(cache), mark],
            stdout=subprocess.PIPE,
            env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
        )
        assert host.stdout is not None
        assert host.stdout.readline() == b"ready\n"
        time.sleep(0.003 + moment * 0.009)
        seen += len(rooms_named(mark))
        host.send_signal(signal.SIGKILL)
        host.wait()
        host.stdout.close()
    assert seen  # some were there to be left behind
    wait_until(lambda: not rooms_named(mark), "rooms of killed hosts are still there")


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


def test_the_next_start_sweeps_too(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    from dayjob.sandbox.embedded import live
    from tests.sandbox.rooms import said

    left = tmp_path / "left-behind"
    left.mkdir()
    entry = live.enter("gone")
    entry.note(folders=[left])
    facts = json.loads(entry.path.read_text())
    entry.path.write_text(json.dumps({**facts, "start": "1"}))  # as if the pid now belonged to somebody else
    said(cache, "true")
    assert not left.exists()
    assert not entry.path.exists()


def test_a_living_process_is_not_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    from dayjob.sandbox.embedded import live

    entry = live.enter("alive")
    entry.note(folders=[tmp_path / "mine"])
    (tmp_path / "mine").mkdir()
    assert live.sweep() == []
    assert (tmp_path / "mine").is_dir()
