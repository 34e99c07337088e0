"""One list of a trial's steps, and one order of a task's init scripts."""

from __future__ import annotations

import re
from pathlib import Path

from dayjob.task.model import INIT_STEPS
from dayjob.trial.outcome import Outcome
from dayjob.trial.steps import STEPS, TOLD

ROOT = Path(__file__).parents[2]


def test_the_steps_are_those_the_straight_line_takes() -> None:
    line = (ROOT / "src/dayjob/trial/trial.py").read_text("utf-8")
    assert re.findall(r'self\._step\("(\w+)"', line) == list(STEPS)
    assert [step for step in STEPS if step in TOLD] == list(TOLD)
    assert Outcome.__dataclass_fields__["step"].default == ""


def test_a_container_without_our_machinery_runs_the_init_scripts_in_the_same_order() -> None:
    script = (ROOT / "base_image/init.sh").read_text("utf-8")
    assert re.findall(r"^run (\w+)", script, re.M) == list(INIT_STEPS)
