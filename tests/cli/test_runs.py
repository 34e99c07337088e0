"""`dayjob run` and `resume` as a person uses them: again on the same folder, stopped in the middle, on a terminal."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.waiting import STUBBORN
from tests.trial.offices import office, task

AGENT = "tests.cli.waiting:Waiting"
COMMAND = [sys.executable, "-c", "from dayjob.cli import main; main()"]


def dayjob(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "DAYJOB_CACHE": str(cache)}
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, env=env, cwd=cache)


def test_the_same_command_again_runs_nothing_again(cache: Path, tmp_path: Path) -> None:
    command = ["run", str(task(tmp_path)), "--world", str(office(tmp_path)), "-o", str(tmp_path / "run"), "-k", "2"]
    first = dayjob(cache, *command, "--json")
    assert first.returncode == 0, first.stderr
    assert [json.loads(line)["event"] for line in first.stdout.splitlines()] == ["outcome", "outcome"]
    again = dayjob(cache, *command, "--json")
    assert (again.returncode, again.stdout) == (0, "")
    assert "2 of 2 trials are done" in again.stderr
    more = dayjob(cache, *command[:-1], "3", "--json", "--steps")
    rows = [json.loads(line) for line in more.stdout.splitlines()]
    assert [row["attempt"] for row in rows if row["event"] == "outcome"] == [3]
    steps = [row["step"] for row in rows if row["event"] == "step"]
    assert steps == ["build", "start", "init", "setup", "work", "freeze", "grade", "collect"]


def test_a_lock_says_what_the_run_is_made_of(cache: Path, tmp_path: Path) -> None:
    path, world, run = task(tmp_path), office(tmp_path), tmp_path / "run"
    dayjob(cache, "run", str(path), "--world", str(world), "-o", str(run))
    lock = json.loads((run / "lock.json").read_text())
    assert lock["format"] == 1
    assert len(lock["tasks"][str(path)]) == len(lock["worlds"][str(world)]) == 64
    image = json.loads((run / "small-task.oracle.1" / "outcome.json").read_text())["made_of"]["image"]
    assert lock["images"] == {"small-task": [image]}
    (path / "task.md").write_text("Do something else.\n")
    refused = dayjob(cache, "resume", str(run))
    assert refused.returncode == 2
    assert "has changed" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_no_run_to_resume_ends_with_two(cache: Path, tmp_path: Path) -> None:
    done = dayjob(cache, "resume", str(tmp_path))
    assert done.returncode == 2
    assert "it has no run.json" in done.stderr


class Held:
    """A run whose two trials at work sleep for a time nobody else sleeps."""

    def __init__(self, cache: Path, folder: Path, processes: str, manner: str = "") -> None:
        self.run = folder / "run"
        self.mark = f"{os.getpid()}{processes}.{len(manner)}"
        self.env = {**os.environ, "DAYJOB_CACHE": str(cache), "TMPDIR": str(folder)}
        begin = [*COMMAND, "run", str(task(folder)), "--world", str(office(folder)), "-o", str(self.run)]
        self.process = subprocess.Popen(
            [*begin, "-a", AGENT, "-k", "3", "-n", "2", "--processes", processes, "--json", "--steps"],
            env={**self.env, "HOLD": self.mark, "MANNER": manner},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        at_work = 0
        while at_work < 2:
            at_work += json.loads(self.process.stdout.readline()).get("step") == "work"
        wait_until(lambda: len(running(f"sleep {self.mark}")) >= 4, "the examinees never began")
        self.started = descendants(self.process.pid)
        assert len(self.started) > 4

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def outcomes(self) -> dict[str, str]:
        return {path.parent.name: json.loads(path.read_text())["label"] for path in self.run.glob("*/outcome.json")}

    def resume(self) -> list[int]:
        """Go on without being held; the attempts that were run."""
        done = subprocess.run(
            [*COMMAND, "resume", str(self.run), "--json"], env=self.env, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return sorted(json.loads(line)["attempt"] for line in done.stdout.splitlines())


def descendants(pid: int) -> dict[int, str]:
    """Every process below one, each with when it started."""
    parents: dict[int, int] = {}
    starts: dict[int, str] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                fields = Path("/proc", name, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(name)], starts[int(name)] = int(fields[1]), fields[19]
    found = {pid}
    while more := {one for one, parent in parents.items() if parent in found} - found:
        found |= more
    return {one: starts[one] for one in found}


def alive(started: dict[int, str]) -> list[int]:
    found = []
    for pid, start in started.items():
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[19] == start and fields[0] not in "ZX":
            found.append(pid)
    return found


def running(command: str) -> list[str]:
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                said = Path("/proc", name, "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            except OSError:
                continue
            if said.strip() == command:
                found.append(name)
    return found


def wait_until(true: Callable[[], object], what: str) -> None:
    ends = time.monotonic() + 60
    while not true():
        assert time.monotonic() < ends, what
        time.sleep(0.02)


@pytest.mark.parametrize("processes", ["1", "2"])
def test_ctrl_c_cancels_cleanly_and_resume_completes(cache: Path, tmp_path: Path, processes: str) -> None:
    held = Held(cache, tmp_path, processes)
    held.interrupt()
    rest, said = held.process.communicate(timeout=60)
    assert held.process.returncode == 130, said
    assert "Stopping" in said
    assert "Traceback" not in said
    rows = [json.loads(line) for line in rest.splitlines()]
    assert [row["label"] for row in rows if row["event"] == "outcome"] == ["cancelled", "cancelled"]
    assert list(held.outcomes().values()) == ["cancelled", "cancelled"], "the third never began"
    assert all((held.run / name / "journal.jsonl").is_file() for name in held.outcomes()), "their evidence is kept"
    assert alive(held.started) == []
    assert running(f"sleep {held.mark}") == []
    assert [one.name for one in tmp_path.glob("dayjob-*")] == [], "its temporary folders are gone"
    assert held.resume() == [1, 2, 3]
    assert set(held.outcomes().values()) == {"resolved"}
    assert len(list(held.run.glob("*/earlier/1/outcome.json"))) == 2, "what was cancelled is kept"


@pytest.mark.parametrize("processes", ["1", "2"])
def test_ctrl_c_twice_ends_it_now_whatever_an_agent_does(cache: Path, tmp_path: Path, processes: str) -> None:
    held = Held(cache, tmp_path, processes, STUBBORN)
    held.interrupt()
    assert held.process.stderr is not None
    assert "Stopping" in held.process.stderr.readline()
    time.sleep(1)
    assert held.process.poll() is None, "a stubborn agent keeps a polite stop waiting"
    assert held.outcomes() == {}
    held.interrupt()
    held.process.communicate(timeout=60)
    assert held.process.returncode == 130
    wait_until(lambda: not alive(held.started), "processes of the run are still there")
    assert running(f"sleep {held.mark}") == []
    assert held.outcomes() == {}, "nobody made up an outcome"
    assert held.resume() == [1, 2, 3]
    assert set(held.outcomes().values()) == {"resolved"}


def test_a_terminal_shows_bars_and_a_pipe_lines(cache: Path, tmp_path: Path) -> None:
    command = [*COMMAND, "run", str(task(tmp_path)), "--world", str(office(tmp_path)), "-k", "2", "-o"]
    env = {**os.environ, "DAYJOB_CACHE": str(cache), "TERM": "xterm", "COLUMNS": "120"}
    master, slave = pty.openpty()
    process = subprocess.Popen([*command, str(tmp_path / "shown")], env=env, stdout=slave, stderr=slave)
    os.close(slave)
    shown = b""
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        try:
            part = os.read(master, 65536)
        except OSError:
            break  # the other side has closed
        if not part:
            break
        shown += part
    os.close(master)
    assert process.wait() == 0
    assert b"trials" in shown
    assert b"0/2" in shown
    assert b"small-task.oracle.1: " in shown
    assert b"\x1b[" in shown
    plain = subprocess.run([*command, str(tmp_path / "plain")], env=env, capture_output=True)
    assert b"\x1b[" not in plain.stdout
    assert plain.stdout.count(b"resolved") >= 2


def test_quiet_says_what_a_run_came_to_and_verbose_also_its_steps(cache: Path, tmp_path: Path) -> None:
    command = ["run", str(task(tmp_path)), "--world", str(office(tmp_path)), "-o", str(tmp_path / "run")]
    verbose = dayjob(cache, *command, "--verbose").stdout.splitlines()
    steps = ["build", "start", "init", "setup", "work", "freeze", "grade", "collect"]
    assert verbose[: len(steps)] == [f"  small-task.oracle.1: {step}" for step in steps]
    assert verbose[len(steps)].startswith("small-task · oracle")
    quiet = dayjob(cache, *command, "-k", "2", "--quiet")
    assert "small-task" not in quiet.stdout
    assert quiet.stdout.strip().startswith("2 of 2 trials scored")
