"""A worker or company whose loop does not turn is noticed by the CPU time it burns, named, and ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from dayjob.trial import liveness
from dayjob.trial.liveness import Liveness, ended_when_stuck
from tests.trial.offices import office, task
from tests.trial.test_trouble import DAYJOB

SPINNING = "while True: pass"
WAITING = "import time; time.sleep(600)"


def started(program: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", program])


def test_a_process_that_burns_cpu_without_a_word_is_ended_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(liveness, "CPU", 0.5)
    process = started(SPINNING)
    with ended_when_stuck(process) as watch:
        assert process.wait(120) == -signal.SIGKILL
    assert str(process.pid) in watch.stuck
    assert "stood still" in watch.stuck


def test_a_process_that_waits_is_not_stuck_until_very_long(monkeypatch: pytest.MonkeyPatch) -> None:
    process = started(WAITING)
    try:
        life = Liveness(process.pid)
        now = time.monotonic()
        monkeypatch.setattr(time, "monotonic", lambda: now + liveness.WALL - 1)
        assert life.stuck() is None
        monkeypatch.setattr(time, "monotonic", lambda: now + liveness.WALL + 1)
        assert life.stuck() is not None
        life.beat()
        assert life.stuck() is None
    finally:
        process.kill()
        process.wait()


def test_a_worker_that_stands_still_is_replaced_and_its_trial_tried_again(cache: Path, tmp_path: Path) -> None:
    world, path, run = office(tmp_path), task(tmp_path), tmp_path / "run"
    # The first worker that comes to work blocks its own loop, once; a site of its own is how a test gets in there. The
    # run allows for less than it usually does, and for more than a worker needs to start.
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        textwrap.dedent(
            f"""
            import pathlib, sys
            once = pathlib.Path({str(tmp_path / "blocked")!r})
            if sys.argv[0] == "-m" and not once.exists():
                import dayjob.trial.trial as trial
                before = trial.Trial._work
                async def block(self, *given):
                    if not once.exists():
                        once.touch()
                        while True: pass
                    return await before(self, *given)
                trial.Trial._work = block
            elif sys.argv[0] == "-c":
                import dayjob.trial.liveness
                dayjob.trial.liveness.CPU = 4.0
            """
        )
    )
    command = [
        *DAYJOB,
        "run",
        str(path),
        "--world",
        str(world),
        "-o",
        str(run),
        "-k",
        "2",
        "-n",
        "2",
        "--processes",
        "2",
    ]
    env = {**os.environ, "DAYJOB_CACHE": str(cache), "PYTHONPATH": str(site)}
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "stood still" in done.stdout
    labels = [json.loads(one.read_text())["label"] for one in run.glob("*/outcome.json")]
    assert labels == ["resolved", "resolved"]
