"""kill -9 of the process that drives environments: nothing of them and of their forks is left after the next start."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from dayjob.sandbox import cgroups
from tests.trial.offices import office, task
from tests.trial.test_kill import Killer, next_start


@pytest.fixture(scope="module")
def killer() -> Iterator[Killer]:
    one = Killer()
    with one.process:
        yield one


@pytest.mark.parametrize(
    "acts",
    [
        ["reset", "work", "fork", "grade"],
        ["reset", "work", "fork"],
        ["reset", "work"],
        ["reset"],
    ],
    ids=lambda acts: str(acts[-1]),
)
def test_a_killed_driver_leaves_nothing(cache: Path, tmp_path: Path, killer: Killer, acts: list[str]) -> None:
    (tmp_path / "tmp").mkdir()
    spec = {"task": str(task(tmp_path)), "world": str(office(tmp_path))}
    for seconds in (0.0, 0.02, 0.05):
        asked = {"spec": spec, "cache": str(cache), "acts": acts, "seconds": seconds}
        saw = killer.kill({**asked, "environment": {**os.environ, "TMPDIR": str(tmp_path / "tmp")}})
        assert saw["killed"]
        assert saw["processes"] == []
        next_start("embedded", cache, tmp_path / "tmp")
        assert [path for path, owner in cgroups.groups().items() if owner == saw["mark"]] == []
        assert list((tmp_path / "tmp").iterdir()) == []
        mounts = Path("/proc/self/mountinfo").read_text().splitlines()
        assert [line for line in mounts if str(tmp_path) in line] == []
