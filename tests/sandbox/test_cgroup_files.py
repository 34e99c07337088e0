"""What a group's files say, for both versions of control groups: folders stand for the kernel's."""

from __future__ import annotations

from pathlib import Path

import pytest

from dayjob import owned
from dayjob.sandbox import cgroups
from dayjob.sandbox.cgroups import Available, Cgroup, _second
from dayjob.sandbox.sandbox import MIB, Limits

FIRST = {
    "memory": ("memory.limit_in_bytes", "memory.max_usage_in_bytes", "memory.oom_control"),
    "pids": ("pids.max",),
    "cpu": ("cpu.cfs_period_us", "cpu.cfs_quota_us"),
    "freezer": ("freezer.state",),
    "cpuacct": ("cpuacct.usage",),
}
SECOND = ("memory.max", "memory.swap.max", "pids.max", "cpu.max", "memory.peak", "memory.events", "cpu.stat")


def group_of(
    tmp_path: Path, version: int, limits: Limits, without: str | None = None
) -> tuple[Cgroup, dict[str, Path]]:
    files: dict[str, tuple[str, ...]] = FIRST if version == 1 else {"": SECOND}
    parents = {name: tmp_path / (name or "all") for name in files if name != without}
    made = {}
    for name, parent in parents.items():
        folder = parent / f"{owned.prefix('room')}test"
        folder.mkdir(parents=True)
        for file in files[name]:
            made[file] = folder / file
            made[file].write_text("")
    return Cgroup("test", limits, Available(version, parents)), made


@pytest.mark.parametrize("memory", [1, 96 * MIB, 2048 * MIB])
@pytest.mark.parametrize("disk", [0, 32 * MIB])
@pytest.mark.parametrize(("processes", "cpus"), [(1, 0.5), (40, 1), (512, 2.0)])
def test_the_limits_are_written_as_they_are(
    memory: int, disk: int, processes: int, cpus: float, tmp_path: Path
) -> None:
    limits = Limits(memory=memory, disk=disk, processes=processes, cpus=cpus)
    share = round(cpus * 100_000)
    for version, expected in (
        (
            1,
            {
                "memory.limit_in_bytes": memory + disk,
                "pids.max": processes,
                "cpu.cfs_period_us": 100_000,
                "cpu.cfs_quota_us": share,
            },
        ),
        (
            2,
            {
                "memory.max": memory + disk,
                "memory.swap.max": 0,
                "pids.max": processes,
                "cpu.max": f"{share} 100000",
            },
        ),
    ):
        _, files = group_of(tmp_path / str(version), version, limits)
        written = {name: path.read_text() for name, path in files.items() if path.read_text()}
        assert written == {name: str(value) for name, value in expected.items()}


def test_a_controller_that_is_not_there_is_left_out(tmp_path: Path) -> None:
    group, files = group_of(tmp_path, 1, Limits(processes=7), without="cpu")
    assert files["pids.max"].read_text() == "7"
    assert len(group.doors) == 4


@pytest.mark.parametrize("version", [1, 2])
def test_the_doors_are_one_for_each_folder(version: int, tmp_path: Path) -> None:
    group, files = group_of(tmp_path, version, Limits())
    assert sorted(group.doors) == sorted({str(path.parent / "cgroup.procs") for path in files.values()})


@pytest.mark.parametrize("version", [1, 2])
def test_what_was_used_is_read_where_it_is_counted(version: int, tmp_path: Path) -> None:
    group, files = group_of(tmp_path, version, Limits())
    assert group.used() == {}
    if version == 1:
        files["memory.max_usage_in_bytes"].write_text("4096\n")
        files["cpuacct.usage"].write_text("5000\n")
    else:
        files["memory.peak"].write_text("4096\n")
        files["cpu.stat"].write_text("user_usec 1\nusage_usec 5\nsystem_usec 4\n")
    assert group.used() == {"memory_peak": 4096, "cpu_nanoseconds": 5000}


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(("killed", "found"), [(0, False), (1, True), (12, True)])
def test_a_process_that_was_ended_for_lack_of_memory_is_seen(
    version: int, killed: int, found: bool, tmp_path: Path
) -> None:
    group, files = group_of(tmp_path, version, Limits())
    assert not group.ran_out_of_memory()
    files["memory.oom_control" if version == 1 else "memory.events"].write_text(f"oom 3\noom_kill {killed}\n")
    assert group.ran_out_of_memory() is found


@pytest.mark.parametrize(
    ("given", "usable", "missing"),
    [
        ("memory pids cpu", True, ()),
        ("memory pids", True, ("cpu",)),
        ("memory", True, ("pids", "cpu")),
        ("pids cpu", False, ()),
        ("", False, ()),
    ],
)
def test_version_two_is_used_when_it_gives_memory_and_says_what_else_is_missing(
    given: str, usable: bool, missing: tuple[str, ...], tmp_path: Path
) -> None:
    for folder in (tmp_path, tmp_path / "dayjob"):
        folder.mkdir(exist_ok=True)
        (folder / "cgroup.controllers").write_text(given)
        (folder / "cgroup.subtree_control").write_text(given)
    found = _second(tmp_path, "")
    assert (bool(found), found.missing) == (usable, missing)
    assert ("not delegated" in found.reason) is not usable


@pytest.mark.parametrize("still", [True, False])
def test_a_group_is_waited_for_until_it_stands_still_or_goes_on_and_no_longer(
    still: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, files = group_of(tmp_path / "one", 1, Limits())
    second, _ = group_of(tmp_path / "two", 2, Limits())
    state, folder = files["freezer.state"], second.folders[""]
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        """The kernel takes its time: only now the group is as it was asked to be."""
        slept.append(seconds)
        (folder / "cgroup.events").write_text(f"populated 1\nfrozen {int(still)}\n")

    monkeypatch.setattr("time.sleep", sleep)
    first.freeze(still)
    assert state.read_text() == ("FROZEN" if still else "THAWED")
    assert slept == []
    (folder / "cgroup.events").write_text(f"populated 1\nfrozen {int(not still)}\n")
    second.freeze(still)
    assert (folder / "cgroup.freeze").read_text() == str(int(still))
    assert slept == [0.001]


def test_the_controllers_that_limit_count_and_freeze_are_these() -> None:
    assert cgroups._WANTED == ("memory", "pids", "cpu", "freezer", "cpuacct")
    assert cgroups._LIMITING == ("memory", "pids", "cpu")
