"""Limits on a machine whose control groups are version 2: what a room may use, and that nothing of it is left.

`make cgroup2` runs these in a virtual machine, as root and as an ordinary user with a delegated group.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dayjob.sandbox.cgroups import Cgroup, _second, available, groups, remove_folders
from dayjob.sandbox.doctor import examine
from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
from dayjob.sandbox.sandbox import MIB, Limits
from tests.sandbox.rooms import in_room

pytestmark = pytest.mark.skipif(
    not available() or available().version != 2,
    reason="this machine gives no control groups of version 2; make cgroup2 runs this in a virtual machine",
)

SMALL = Limits(memory=96 * MIB, disk=32 * MIB, file=32 * MIB, processes=40, cpus=1)
ALLOWED = SMALL.memory + SMALL.disk


def group_of(room: EmbeddedSandbox) -> Path:
    (found,) = (path for path in groups() if path.name.endswith(room.name))
    return found


def counted(path: Path, name: str) -> int:
    """A figure of a file such as memory.events or cpu.stat."""
    return next(int(line.split()[1]) for line in path.read_text().splitlines() if line.split()[0] == name)


def test_the_group_of_every_room_has_all_its_limits(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> dict[str, str]:
        files = ("memory.max", "memory.swap.max", "pids.max", "cpu.max")
        group = group_of(room)
        return {name: (group / name).read_text().strip() for name in files if (group / name).exists()}

    found = in_room(cache, work, limits=SMALL)
    found.setdefault("memory.swap.max", "0")  # the file is missing where the kernel has no swap
    assert found == {
        "memory.max": str(ALLOWED),
        "memory.swap.max": "0",
        "pids.max": "40",
        "cpu.max": "100000 100000",
    }


def test_an_allocation_over_the_limit_is_killed_and_the_room_lives_on(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> tuple[int, str, str, int]:
        program = "x = bytearray(1 << 30); print('had it')"
        done = await room.exec(["python3", "-c", program])
        killed = counted(group_of(room) / "memory.events", "oom_kill")
        return done.exit_code, done.text, (await room.exec("echo unharmed")).text, killed

    code, text, after, killed = in_room(cache, work, limits=SMALL)
    assert (code, text, after) == (-9, "", "unharmed\n")
    assert killed == 1


def test_processes_that_are_each_modest_are_limited_together(cache: Path) -> None:
    program = """
import os, signal, sys, time
children = []
for number in range(8):
    child = os.fork()
    if child == 0:
        held = bytearray(40 << 20)
        signal.pause()
    children.append(child)
ended = os.wait()[1]
print(os.WTERMSIG(ended), flush=True)
for child in children:
    os.kill(child, signal.SIGKILL)
"""

    async def work(room: EmbeddedSandbox) -> tuple[str, int]:
        done = await room.exec(["python3", "-c", program])
        return done.text, room.used()["memory_peak"]

    text, peak = in_room(cache, work, limits=SMALL)
    assert text in ("9\n", "")  # a child was killed, or the parent itself
    assert ALLOWED // 2 < peak <= ALLOWED
    print(f"memory.max {ALLOWED // MIB} MiB: peak {peak / MIB:.1f} MiB")


def test_files_count_as_memory_within_a_limit_of_their_own(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> tuple[str, int, int]:
        full = await room.exec("head -c 40000000 /dev/zero > /workspace/full")
        kept = int((await room.exec("stat -c %s /workspace/full")).text)
        return full.error_text, kept, room.used()["memory_peak"]

    error, kept, peak = in_room(cache, work, limits=SMALL)
    assert "No space left" in error or "File too large" in error
    assert 16 * MIB < kept <= SMALL.disk
    assert peak > kept


FORKS = """
import os, signal, time
made = 0
try:
    while made < 2000:
        if os.fork() == 0:
            os.closerange(0, 3)  # who reads our output is not to wait for these
            {become}
            signal.pause()
        made += 1
except OSError as error:
    print(made, error.strerror)
"""


def test_a_fork_bomb_ends_at_the_limit_of_the_group_alone() -> None:
    """Without a room, so that no rlimit helps."""
    group = Cgroup("forks", SMALL)
    try:
        (door,) = group.doors
        program = f"open({door!r}, 'w').write('0')\n" + FORKS.format(become="")
        done = subprocess.run(["python3", "-c", program], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert done.stdout == f"{SMALL.processes - 1} Resource temporarily unavailable\n", done.stderr
        assert counted(Path(door).parent / "pids.events", "max") >= 1
    finally:
        group.remove()
    assert not Path(door).exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user has one uid to give")
def test_a_fork_bomb_under_many_uids_ends_at_the_same_limit(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> tuple[str, int, int]:
        done = await room.exec(["python3", "-c", FORKS.format(become="os.setuid(1 + made)")])
        group = group_of(room)
        now = int((group / "pids.current").read_text())
        return done.text, now, counted(group / "pids.events", "max")

    text, now, refused = in_room(cache, work, limits=SMALL)
    assert text == f"{SMALL.processes - 1} Resource temporarily unavailable\n"
    assert now == SMALL.processes - 1  # the bomb's children; its parent has ended
    assert refused >= 1
    print(f"pids.max {SMALL.processes}: {now + 1} processes at most, {refused} refused")


@pytest.mark.parametrize("cpus", [0.25, 0.5])
def test_two_busy_processes_get_the_share_of_a_processor_that_is_allowed(cache: Path, cpus: float) -> None:
    async def work(room: EmbeddedSandbox) -> tuple[float, int]:
        stat = group_of(room) / "cpu.stat"
        began, before = time.monotonic(), counted(stat, "usage_usec")
        await room.exec("timeout 4 sh -c 'while :; do :; done & while :; do :; done'")
        share = (counted(stat, "usage_usec") - before) / 1e6 / (time.monotonic() - began)
        return share, counted(stat, "nr_throttled")

    share, throttled = in_room(cache, work, limits=Limits(cpus=cpus))
    assert 0 < share < cpus * 1.2
    assert throttled >= 1
    print(f"cpu.max {cpus:g}: two busy processes used {share:.2f} of a processor, throttled {throttled} times")


async def until(true: Callable[[], bool]) -> None:
    for _ in range(3000):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came true")


COUNT = "i=0; while :; do i=$((i+1)); echo $i > /dev/shm/part; mv /dev/shm/part /dev/shm/count; done & sleep 0.1"


def test_a_room_stands_still_and_goes_on(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> None:
        await room.exec(f"({COUNT}) > /dev/null 2>&1")
        stat = group_of(room) / "cpu.stat"
        await room._stand_still(True)
        assert counted(group_of(room) / "cgroup.events", "frozen") == 1
        still = counted(stat, "usage_usec")
        await asyncio.sleep(0.3)
        assert counted(stat, "usage_usec") == still
        await room._stand_still(False)
        assert counted(group_of(room) / "cgroup.events", "frozen") == 0

        await until(lambda: counted(stat, "usage_usec") > still)

    in_room(cache, work)


@pytest.mark.parametrize("still", [False, True], ids=["running", "frozen"])
def test_a_stopped_room_leaves_no_process_and_no_group(cache: Path, still: bool) -> None:
    async def work(room: EmbeddedSandbox) -> tuple[Path, list[int]]:
        await room.exec("for i in 1 2 3 4 5; do setsid sh -c 'sleep 9876 & sleep 9876; true' & done")
        group = group_of(room)
        await until(lambda: int((group / "pids.current").read_text()) == 15)
        left = [int(word) for word in (group / "cgroup.procs").read_text().split()]
        if still:
            await room._stand_still(True)
        return group, left

    group, left = in_room(cache, work)
    assert len(left) == 15
    assert not group.exists()
    assert not [pid for pid in left if os.path.exists(f"/proc/{pid}")]
    assert groups() == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="makes a group below the top one")
def test_a_controller_that_is_not_delegated_is_said_to_limit_nothing() -> None:
    (parent,) = available().parents.values()
    above = parent.parent / f"dayjob-test-{os.getpid()}"
    top = above / "delegated"
    top.mkdir(parents=True)
    try:
        (above / "cgroup.subtree_control").write_text("+memory +pids")
        found = _second(top, "")
        assert found.parents == {"": top / "dayjob"}
        assert found.missing == ("cpu",)
    finally:
        remove_folders([top / "dayjob", top, above])


def test_doctor_says_which_version_limits_what(tmp_path: Path) -> None:
    (found,) = (one for one in examine(tmp_path) if one.name == "control groups")
    assert found.works
    assert found.says == "version 2: memory, processes and CPU are limited"
