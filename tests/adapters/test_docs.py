"""docs/adapters.md works as printed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from tests.adapters.other_pythons import program, surroundings
from tests.clients import ROOT

GUIDE = (ROOT / "docs" / "adapters.md").read_text("utf-8")
PROGRAMS = dict(re.findall(r'^```python title="(\w+)"\n(.*?)^```$', GUIDE, re.DOTALL | re.MULTILINE))
FIRST = "Before the launch, finance wants to know which vendors have cost us more in Q1 than we planned for.\n"


def run(name: str, cache: Path, folder: Path) -> str:
    environment = {**os.environ, "DAYJOB_CACHE": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAMS[name]], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_gymnasium(cache: Path, tmp_path: Path) -> None:
    assert run("gymnasium", cache, tmp_path) == (
        f"{FIRST}2026-03-09T09:00:00.004Z 0.0 False\n"
        "2026-03-09T09:00:02.004Z 0.125 False\n2026-03-09T09:00:02.004Z 0.0 True\n"
    )


def test_trl(cache: Path, tmp_path: Path) -> None:
    assert run("trl", cache, tmp_path) == f"{FIRST}Posted to @tomas.okafor.\n0.125\n"


def test_openenv(cache: Path, tmp_path: Path) -> None:
    environment = surroundings(cache, tmp_path)
    python = program("openenv", "python")
    with subprocess.Popen(
        [python, "-m", "dayjob", "serve-env", "example", "--port", "0"],
        env=environment, cwd=tmp_path, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        url = process.stdout.readline().partition("/  ")[0]
        try:
            done = subprocess.run(
                [python, "-c", PROGRAMS["openenv"], url], env=environment, capture_output=True, text=True
            )
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "example 2026-03-09T09:00:00.004Z\n['shell', 'read_file']\nPosted to @tomas.okafor. 0.125 False\n"
    )
