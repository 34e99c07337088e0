"""Control groups of version 2, on a real cgroup2 file system, as far as a machine that runs version 1 can show it.

Freezing, counting and ending need no controller and are tried here; that limits hold is in test_cgroup2.py.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dayjob import owned
from dayjob.sandbox import cgroups
from dayjob.sandbox.cgroups import Available, Cgroup, _second, available, remove_folders
from dayjob.sandbox.sandbox import Limits


def mounted() -> Path | None:
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, place, kind, *_ = line.split()
        if kind == "cgroup2" and os.access(place, os.W_OK):
            return Path(place)
    return None


@pytest.fixture
def second() -> Iterator[Path]:
    top = mounted()
    if top is None:
        pytest.skip("there is no cgroup2 file system here that this user may write to")
    folder = top / f"dayjob-test-{os.getpid()}"
    folder.mkdir()
    yield folder
    remove_folders([*folder.glob("dayjob-*"), folder])
    assert not folder.exists()


COUNT = "i=0; while :; do i=$((i+1)); echo $i > {place}.part; mv {place}.part {place}; done"


def test_a_group_joins_freezes_counts_and_ends_everything(second: Path, tmp_path: Path) -> None:
    group = Cgroup("second", Limits(), Available(2, {"": second}))
    (door,) = group.doors
    place = tmp_path / "count"
    loop = f"echo 0 > {door}; {COUNT.format(place=place)}"
    with subprocess.Popen(["sh", "-c", loop], stdout=subprocess.DEVNULL) as counting:
        while not place.exists() or int(place.read_text()) < 20:
            time.sleep(0.01)
        assert str(counting.pid) in Path(door).read_text().split()
        group.freeze(True)
        still = place.read_text()
        time.sleep(0.2)
        assert place.read_text() == still
        group.freeze(False)
        while place.read_text() == still:
            time.sleep(0.01)
        assert group.used()["cpu_nanoseconds"] > 0
        group.freeze(True)
        group.remove()  # also what stands still
        assert counting.wait(10) == -9
    assert list(second.glob("dayjob-*")) == []


def test_a_machine_whose_second_version_has_no_memory_controller_says_so(second: Path) -> None:
    if "memory" in (second / "cgroup.controllers").read_text().split():
        pytest.skip("this machine's second version has the memory controller")
    found = _second(second, "")
    assert not found
    assert "not delegated" in found.reason
    assert "memory" in found.reason


@pytest.mark.skipif(not available(), reason="there are no control groups here")
def test_what_stands_still_goes_on_when_its_owner_is_gone_and_nobody_elses_does() -> None:
    groups = [Cgroup(f"thaw-{number}", Limits()) for number in range(2)]
    try:
        for group in groups:
            group.freeze(True)
        cgroups.thaw("of.some.other.1")
        assert {_state(group) for group in groups} == {"still"}
        cgroups.thaw(owned.mark())
        assert {_state(group) for group in groups} == {"going"}
    finally:
        for group in groups:
            group.remove()


def _state(group: Cgroup) -> str:
    if group.version == 2:
        return "still" if (group.folders[""] / "cgroup.freeze").read_text().strip() == "1" else "going"
    return "going" if (group.folders["freezer"] / "freezer.state").read_text().strip() == "THAWED" else "still"
