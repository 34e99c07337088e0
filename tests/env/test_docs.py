"""docs/env.md works as printed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from inspect import getmembers
from pathlib import Path

from dayjob.env import Env

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "env.md").read_text("utf-8")
PROGRAMS = re.findall(r'^```python(?: title="[^"]+")?\n(.*?)^```$', GUIDE, re.DOTALL | re.MULTILINE)


def run(program: str, cache: Path) -> str:
    environment = {**os.environ, "DAYJOB_CACHE": str(cache)}
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_first_program_tries_two_ways_and_keeps_the_better(cache: Path) -> None:
    said = run(PROGRAMS[0], cache)
    assert said.startswith("2026-03-09T09:00:00.004Z sam.reed ['board', 'chat', 'drive', 'forge']\n")
    assert "200 invoice,vendor" in said or re.search(r"^200 \w+,", said, re.MULTILINE)
    assert "nothing is done yet: 0.0" in said
    assert "Finding out is your part" in said
    assert "Thank you, Sam" in said
    assert "1/1 Tomas has a direct message that names over-budget.md" in said
    assert 20 <= len(PROGRAMS[0].splitlines()) <= 25


def test_the_second_program_has_four_at_once(cache: Path) -> None:
    assert run(PROGRAMS[1], cache) == "[0.0, 0.0, 0.0, 0.0]\n"


def test_every_call_is_in_the_table() -> None:
    calls = {name for name, found in getmembers(Env) if callable(found) and not name.startswith("_")}
    assert set(re.findall(r"`(\w+)\(", "\n".join(line for line in GUIDE.splitlines() if line.startswith("| `")))) == {
        *calls,
        "Env",
    }
