"""When an agent counts as never having begun: no trace of it, and an end that only its set-up can explain."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dayjob.agent.agent import Agent
from dayjob.agent.trajectory import Trajectory
from dayjob.trial.examinee_began import FIRST_MOMENTS, Traces, changed_since, never_began

ERROR = ValueError("no such file")


def found(*, program: bool = True, code: int | None = 1, printed: str = "a\nlast word\n", **traces: Any) -> str | None:
    agent = cast(Agent, SimpleNamespace(name="tool", is_program=program))
    trajectory = Trajectory("tool", "1")
    trajectory.stopped = "gave up"
    if code is not None:
        step = SimpleNamespace(extra={"exit_code": code, "printed": printed}, tool_calls=[])
        trajectory.steps.append(cast(Any, step))
    facts = {"seconds": 1.0, "asked": 0, "answered": 0, "requests": False, "wrote": False, **traces}
    return never_began(agent, trajectory, Traces(**facts))


@pytest.mark.parametrize("trace", [{"answered": 1}, {"requests": True}, {"wrote": True}])
@pytest.mark.parametrize("end", [{}, {"error": ERROR}, {"asked": 3}])
def test_who_left_any_trace_has_begun_however_it_ended(trace: dict[str, Any], end: dict[str, Any]) -> None:
    assert found(**{**end, **trace}) is None


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ({"error": ERROR}, "failed before it asked or wrote anything: ValueError: no such file"),
        ({"error": ERROR, "asked": 3}, "failed before it asked or wrote anything: ValueError: no such file"),
        ({"asked": 3}, "asked its model 3 times and was never answered: gave up"),
        ({"asked": 3, "seconds": 9999.0}, "asked its model 3 times and was never answered: gave up"),
        ({}, "ended with 1 before it asked or wrote anything: last word"),
        ({"code": 127, "printed": " "}, "ended with 127 before it asked or wrote anything: it printed nothing"),
        ({"seconds": FIRST_MOMENTS}, "ended with 1 before"),
    ],
)
def test_who_left_no_trace_and_ended_with_an_error_never_began(facts: dict[str, Any], sentence: str) -> None:
    said = found(**facts)
    assert said is not None
    assert said.startswith("the agent tool ")
    assert sentence in said


@pytest.mark.parametrize("facts", [{"code": 0}, {"code": None}, {"program": False}, {"seconds": FIRST_MOMENTS + 0.1}])
def test_who_ended_as_if_there_was_nothing_to_do_is_graded(facts: dict[str, Any]) -> None:
    assert found(**facts) is None


@pytest.mark.parametrize("name", [".", "file", "folder", "folder/deep", "link"])
def test_anything_newer_in_a_folder_is_a_change(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for one in ("file", "folder/deep"):
        (tmp_path / one).write_text("")
    (tmp_path / "link").symlink_to("nowhere")
    for path in (*tmp_path.rglob("*"), tmp_path):
        os.utime(path, (1000, 1000), follow_symlinks=False)
    assert not changed_since(tmp_path, 1000)
    assert changed_since(tmp_path, 999)
    os.utime(tmp_path / name, (2000, 2000), follow_symlinks=False)
    assert changed_since(tmp_path, 1000)
