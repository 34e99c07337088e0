"""Greed harms only the room it happens in."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from dayjob.sandbox.cgroups import available, groups
from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
from dayjob.sandbox.embedded.site import EmbeddedSite
from dayjob.sandbox.sandbox import MIB, Limits
from tests.sandbox.rooms import in_room

SMALL = Limits(memory=96 * MIB, disk=32 * MIB, file=8 * MIB, processes=40, cpus=1, files=3000, open_files=64)


BOMB = """
import os, time
made = 0
try:
    while made < 10000:
        if os.fork() == 0:
            time.sleep(600)
            os._exit(0)
        made += 1
except OSError as error:
    print(made, error.strerror)
"""


@pytest.mark.parametrize("grouped", [True, False], ids=["with control groups", "without"])
def test_a_fork_bomb_ends_at_the_process_limit_and_is_frozen_like_any_other(
    cache: Path, tmp_path: Path, grouped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not grouped:
        monkeypatch.setattr("dayjob.sandbox.embedded.sandbox.available", lambda: None)

    async def work(room: EmbeddedSandbox) -> tuple[str, str]:
        done = await room.exec(["python3", "-c", BOMB], within=60)
        await room.snapshot(tmp_path, ("/workspace",))
        return done.text, (await room.exec("echo still here")).error_text

    said, after = in_room(cache, work, limits=SMALL)
    made, _, why = said.partition(" ")
    # The bomb itself is one of the forty, and the room's own processes may be counted too.
    assert SMALL.processes - 6 <= int(made) < SMALL.processes
    assert why == "Resource temporarily unavailable\n"
    assert after in ("", "dayjob: Resource temporarily unavailable\n")


@pytest.mark.skipif(not available() or available().version != 1, reason="reads the files of version 1")
def test_the_control_groups_say_exactly_the_limits(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> dict[str, int]:
        assert room._cgroup is not None
        folders = room._cgroup.folders
        return {
            "memory": int((folders["memory"] / "memory.limit_in_bytes").read_text()),
            "processes": int((folders["pids"] / "pids.max").read_text()),
            "cpu": int((folders["cpu"] / "cpu.cfs_quota_us").read_text()),
        }

    found = in_room(cache, work, limits=SMALL)
    assert found == {"memory": SMALL.memory + SMALL.disk, "processes": SMALL.processes, "cpu": 100_000}


def test_memory_is_to_be_had_up_to_its_limit_and_not_beyond(cache: Path) -> None:
    most = (SMALL.memory + SMALL.disk if available() else SMALL.memory) // MIB

    async def work(room: EmbeddedSandbox) -> tuple[str, str]:
        program = "import sys; x = bytearray(int(sys.argv[1]) << 20); print('had it')"
        within = await room.exec(["python3", "-c", program, str(most - 24)], within=60)
        beyond = await room.exec(["python3", "-c", program, str(most + 1)], within=60)
        return within.text, beyond.text

    assert in_room(cache, work, limits=SMALL) == ("had it\n", "")


def test_files_and_bytes_are_to_be_had_up_to_their_limits_and_not_beyond(cache: Path) -> None:
    program = """
import os
made = 0
try:
    for made in range(9000):
        os.close(os.open(f"/workspace/{made}", os.O_CREAT))
except OSError as error:
    print(made, error.strerror)
for name in range(made):
    os.unlink(f"/workspace/{name}")
size = 0
try:
    for name in range(99):
        with open(f"/workspace/{name}", "wb", buffering=0) as file:
            for _ in range(7 * 16):
                size += file.write(bytes(65536))
except OSError as error:
    print(size >> 16, error.strerror)
"""

    async def work(room: EmbeddedSandbox) -> list[str]:
        return (await room.exec(["python3", "-c", program], within=60)).text.splitlines()

    files, written = in_room(cache, work, limits=SMALL)
    assert SMALL.files - 40 <= int(files.split()[0]) < SMALL.files
    assert SMALL.disk // 65536 - 8 <= int(written.split()[0]) <= SMALL.disk // 65536
    assert files.endswith("No space left on device")
    assert written.endswith("No space left on device")


def test_a_hundred_gigabytes_are_not_to_be_had(cache: Path) -> None:
    program = "parts = [bytearray(1 << 24) for _ in range(6400)]; print('had them')"

    async def work(room: EmbeddedSandbox) -> tuple[int, str, str]:
        done = await room.exec(["python3", "-c", program], within=60)
        return done.exit_code, done.text, (await room.exec("echo unharmed")).text

    code, text, after = in_room(cache, work, limits=SMALL)
    assert code != 0
    assert text == ""
    assert after == "unharmed\n"


def test_a_file_cannot_grow_beyond_its_limit(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> int:
        await room.exec("head -c 20000000 /dev/zero > /tmp/file")
        return int((await room.exec("stat -c %s /tmp/file")).text)

    assert in_room(cache, work, limits=SMALL) == 8 * MIB


def test_open_files_are_limited(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> str:
        return (await room.exec("ulimit -n; ulimit -c")).text

    assert in_room(cache, work, limits=SMALL) == "64\n0\n"


def test_a_stopped_room_leaves_no_process_and_no_control_group(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> tuple[str, int]:
        await room.exec("sleep 4321 & sleep 4321 & true")
        return room.name, room.pid

    name, pid = in_room(cache, work)
    assert not [path for path in groups() if name in path.name]
    assert not os.path.exists(f"/proc/{pid}")
    for number in (one for one in os.listdir("/proc") if one.isdigit()):
        try:
            assert b"sleep\x004321" not in Path(f"/proc/{number}/cmdline").read_bytes()
        except OSError:
            continue


def test_a_room_given_up_while_it_starts_leaves_nothing(cache: Path) -> None:
    async def main() -> list[str]:
        async with EmbeddedSite(cache) as site:
            image = await site.base()
            names = []
            for moment in (0.0, 0.002, 0.005, 0.01, 0.02):
                room = EmbeddedSandbox(site, image, name="given-up", listen=[3000])
                names.append(room.name)
                starting = asyncio.create_task(room.start())
                await asyncio.sleep(moment)
                starting.cancel()
                await asyncio.gather(starting, return_exceptions=True)
                await room.stop()
            for _ in range(200):
                if not _children(site.warden.pid):
                    break
                await asyncio.sleep(0.02)
            assert _children(site.warden.pid) == []
            return names

    names = asyncio.run(main())
    assert not [path for path in groups() if any(name in path.name for name in names)]


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def test_what_a_room_used_is_counted_where_the_machine_counts(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> dict[str, int]:
        await room.exec(["python3", "-c", "x = bytearray(50_000_000)"])
        return room.used()

    used = in_room(cache, work)
    if available():
        assert used["memory_peak"] > 50_000_000
        assert used["cpu_nanoseconds"] > 0
    else:
        assert used == {}
