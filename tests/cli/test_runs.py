"""`dayjob run` and `resume` as a person uses them: again on the same folder, stopped in the middle, on a terminal."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.trial.offices import office, task

COMMAND = [sys.executable, "-c", "from dayjob.cli import main; main()"]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


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
    assert "2 of 2 trials have an outcome that stands" in again.stderr
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


@pytest.mark.parametrize("processes", ["1", "2"])
def test_ctrl_c_cancels_cleanly_and_resume_goes_on(cache: Path, tmp_path: Path, processes: str) -> None:
    waiting = task(tmp_path, solution__sh="sleep 6543\n", solution__py=None)
    run = tmp_path / "run"
    command = [*COMMAND, "run", str(waiting), "--world", str(office(tmp_path)), "-o", str(run), "-k", "3", "-n", "2"]
    process = subprocess.Popen(
        [*command, "--processes", processes, "--json", "--steps"],
        env={**os.environ, "DAYJOB_CACHE": str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    at_work = 0
    for line in process.stdout:
        at_work += json.loads(line).get("step") == "work"
        if at_work == 2:
            break
    process.send_signal(signal.SIGINT)
    rest, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert b"Stopping" in said
    assert [json.loads(line)["label"] for line in rest.splitlines()] == ["cancelled", "cancelled"]
    assert len(list(run.glob("*/outcome.json"))) == 2
    # Cancelled trials are tried again; a shorter limit would be another run, so each is told to stop once more.
    process = subprocess.Popen(
        [*COMMAND, "resume", str(run), "--processes", processes, "--json", "--steps"],
        env={**os.environ, "DAYJOB_CACHE": str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line).get("step") == "work":
            break
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert len(list(run.glob("*/earlier/1/outcome.json"))) == 2, "what was cancelled is kept"


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
