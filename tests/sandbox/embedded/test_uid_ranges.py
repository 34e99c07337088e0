"""Each room has uids of its own: nothing the kernel counts by user is shared by two of them."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dayjob.sandbox.doctor import examine
from dayjob.sandbox.embedded import uid_ranges
from dayjob.sandbox.embedded.client import Warden
from dayjob.sandbox.embedded.identity import FIRST_UID, RANGE, of_this_user
from dayjob.sandbox.embedded.image import Image
from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
from dayjob.sandbox.embedded.site import EmbeddedSite
from dayjob.sandbox.embedded.uid_ranges import UidRanges
from dayjob.sandbox.sandbox import MIB, Limits
from tests.sandbox.rooms import in_room

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root has more than one uid to give")


async def two_rooms(site: EmbeddedSite) -> tuple[EmbeddedSandbox, EmbeddedSandbox]:
    image = await site.base()
    first, second = EmbeddedSandbox(site, image), EmbeddedSandbox(site, image)
    await first.start()
    await second.start()
    return first, second


def in_two_rooms(cache: Path, greedy: str, modest: str) -> tuple[str, str]:
    """What a program says in one room, and another in a second room while the first still holds what it took."""

    async def main() -> tuple[str, str]:
        async with EmbeddedSite(cache) as site:
            first, second = await two_rooms(site)
            said: asyncio.Queue[str] = asyncio.Queue()
            try:
                holding = asyncio.create_task(
                    first.exec(["python3", "-c", greedy], on_output=lambda _, data: said.put_nowait(data.decode()))
                )
                took = await asyncio.wait_for(said.get(), 60)
                done = await second.exec(["python3", "-c", modest], within=60)
                holding.cancel()
                await asyncio.gather(holding, return_exceptions=True)
                return took, done.text + done.error_text
            finally:
                await first.stop()
                await second.stop()

    return asyncio.run(main())


INOTIFY = """
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
made = 0
while made < {most} and libc.inotify_init1(0) >= 0:
    made += 1
print(made, flush=True)
time.sleep({then})
"""


def test_a_room_that_uses_up_its_inotify_instances_leaves_the_others_theirs(cache: Path) -> None:
    took, had = in_two_rooms(cache, INOTIFY.format(most=4000, then=600), INOTIFY.format(most=20, then=0))
    assert int(took) > 20
    assert had == "20\n"


PIPES = """
import fcntl, os, time
os.sched_yield()
sizes = [fcntl.fcntl(os.pipe()[0], 1032) for _ in range({most})]  # F_GETPIPE_SZ
print(min(sizes), flush=True)
time.sleep({then})
"""


def test_a_room_that_uses_up_its_pipe_buffers_leaves_the_others_theirs(cache: Path) -> None:
    took, had = in_two_rooms(cache, PIPES.format(most=1200, then=600), PIPES.format(most=8, then=0))
    assert int(took) < 65536
    assert had == "65536\n"


IN_FLIGHT = """
import array, os, socket, time
null = os.open("/dev/null", os.O_RDONLY)
sent, kept = 0, []
while sent < 4096:
    try:
        if sent % 500 == 0:
            kept.append(socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
            kept[-1][0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
            kept[-1][0].setblocking(False)
        socket.send_fds(kept[-1][0], [b"x"], [null] * 100)
        sent += 100
    except BlockingIOError:
        kept.append(socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
        kept[-1][0].setblocking(False)
    except OSError:
        break
print(sent, flush=True)
time.sleep(600)
"""

UNDER_A_LOGIN_LIMIT = """
import asyncio, resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
from dayjob.sandbox.embedded.site import EmbeddedSite

async def main():
    async with EmbeddedSite(Path(sys.argv[1])) as site:
        image = await site.base()
        room = EmbeddedSandbox(site, image)
        await room.start()
        said = asyncio.Queue()
        hear = lambda _, data: said.put_nowait(data)
        holding = asyncio.create_task(room.exec(["python3", "-c", sys.argv[2]], on_output=hear))
        took = int(await asyncio.wait_for(said.get(), 60))
        others = [EmbeddedSandbox(site, image, listen=[3000, 3001, 3002]) for _ in range(3)]
        for other in others:
            await other.start()
            print(took, (await other.exec("echo built")).text.strip())
            await other.stop()
        holding.cancel()
        await asyncio.gather(holding, return_exceptions=True)
        await room.stop()
asyncio.run(main())
"""


def test_descriptors_held_in_flight_do_not_stop_other_rooms_from_being_built(cache: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", UNDER_A_LOGIN_LIMIT, str(cache), IN_FLIGHT], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[1] for line in lines] == ["built"] * 3
    assert int(lines[0].split()[0]) >= 4000


def test_two_rooms_are_different_users_outside_and_both_own_their_image(cache: Path) -> None:
    async def main() -> tuple[list[int], list[str]]:
        async with EmbeddedSite(cache) as site:
            assert site.capabilities.uids == "a range per room"
            rooms = await two_rooms(site)
            try:
                outside = [os.stat(f"/proc/{room.pid}/root/workspace").st_uid for room in rooms]
                seen = [
                    await room.exec("stat -c %u:%g / /etc /etc/passwd /workspace /tmp /utils | sort -u")
                    for room in rooms
                ]
                return outside, [one.text for one in seen]
            finally:
                for room in rooms:
                    await room.stop()

    outside, seen = asyncio.run(main())
    assert len({*outside, FIRST_UID}) == 3
    assert all((one - FIRST_UID) % RANGE == 0 for one in outside)
    assert seen == ["0:0\n", "0:0\n"]


def test_what_a_build_writes_belongs_to_the_storage_range_on_the_disk(cache: Path) -> None:
    async def main() -> tuple[dict[str, int], str]:
        async with EmbeddedSite(cache) as site:
            image = await site.base()
            with site.layers.workplace() as part:
                room = EmbeddedSandbox(site, image, on_disk=part, limits=Limits(disk=64 * MIB))
                await room.start()
                done = await room.exec("echo 1 > /opt/a; install -o 33 -g 44 -m 4755 /bin/true /opt/b; rm /etc/shells")
                await room.stop()
                assert done.ok, done.error_text
                files = part / "files"
                owners = {name: (files / name).lstat().st_uid - FIRST_UID for name in ("opt", "opt/a", "opt/b")}
                owners["mode"] = (files / "opt/b").stat().st_mode & 0o7777
                layered = Image(key="x", layers=(files, *image.layers), system=image.system)
                other = EmbeddedSandbox(site, layered)
                await other.start()
                seen = await other.exec("stat -c '%u %g %a' /opt/a /opt/b; ls /etc/shells")
                await other.stop()
                return owners, seen.text + seen.error_text

    owners, seen = asyncio.run(main())
    assert owners == {"opt": 0, "opt/a": 0, "opt/b": 33, "mode": 0o4755}
    assert seen == "0 0 644\n33 44 4755\nls: cannot access '/etc/shells': No such file or directory\n"


def test_frozen_files_keep_their_owners_in_a_room_with_other_uids(cache: Path, tmp_path: Path) -> None:
    async def main() -> tuple[int, str]:
        async with EmbeddedSite(cache) as site:
            first, _ = rooms = await two_rooms(site)
            try:
                await first.exec("echo x > /workspace/a; chown 33:44 /workspace/a; chmod 600 /workspace/a")
                frozen = await first.snapshot(tmp_path, ("/workspace", "/tmp"))
                grader = EmbeddedSandbox(site, await site.base(), frozen=frozen)
                await grader.start()
                done = await grader.exec("stat -c '%u %g %a %n' /workspace /workspace/a /tmp", grader=True)
                await grader.stop()
                return (tmp_path / "workspace/a").stat().st_uid, done.text
            finally:
                for room in rooms:
                    await room.stop()

    stored, seen = asyncio.run(main())
    assert stored == FIRST_UID + 33
    assert seen == "0 0 755 /workspace\n33 44 600 /workspace/a\n0 0 1777 /tmp\n"


HOLDS = """
import asyncio, sys
from dayjob.sandbox.embedded.client import Warden
from dayjob.sandbox.embedded.identity import of_this_user
from dayjob.sandbox.embedded.uid_ranges import UidRanges

async def main():
    async with Warden() as warden:
        ranges = UidRanges(warden, of_this_user())
        print(*[(await ranges.take()).first for _ in range(5)], flush=True)
        sys.stdin.read()

asyncio.run(main())
"""


def test_no_two_processes_hold_the_same_range_and_a_killed_one_lets_go() -> None:
    def taken(holder: subprocess.Popen[str]) -> set[int]:
        assert holder.stdout is not None
        return {int(word) for word in holder.stdout.readline().split()}

    holders = [
        subprocess.Popen([sys.executable, "-c", HOLDS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    try:
        held = [taken(holder) for holder in holders]
        assert len(set.union(*held)) == 15
        assert FIRST_UID not in set.union(*held)
        holders[0].kill()
        holders[0].wait()
        holders.append(
            subprocess.Popen([sys.executable, "-c", HOLDS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        )
        again = taken(holders[-1])
        assert not again & (held[1] | held[2])
        assert min(again) <= max(held[0])
    finally:
        for holder in holders:
            holder.kill()
            holder.communicate()


def test_a_range_is_used_again_once_its_room_has_ended(cache: Path) -> None:
    async def main() -> tuple[int, int]:
        async with EmbeddedSite(cache) as site:
            image = await site.base()
            seen = []
            for _ in range(2):
                room = EmbeddedSandbox(site, image)
                await room.start()
                seen.append(os.stat(f"/proc/{room.pid}/root/workspace").st_uid)
                await room.stop()
            return seen[0], seen[1]

    first, second = asyncio.run(main())
    assert first == second


def test_a_room_that_cannot_be_built_gives_its_range_back(cache: Path) -> None:
    async def main() -> bool:
        async with EmbeddedSite(cache) as site:
            broken = Image(key="x", layers=(Path("/nonexistent/layer"),), system=())
            for _ in range(3):
                with pytest.raises(Exception, match="could not be built"):
                    await EmbeddedSandbox(site, broken).start()
            assert site.ranges is not None
            return len(site.ranges._held) == 1

    assert asyncio.run(main())


def test_where_ranges_cannot_be_had_all_rooms_share_one_and_it_is_said(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(uid_ranges, "LOCKS", tmp_path / "file" / "locks")

    async def main() -> tuple[str, int]:
        async with EmbeddedSite(cache) as site:
            first, second = await two_rooms(site)
            owners = {os.stat(f"/proc/{room.pid}/root/workspace").st_uid for room in (first, second)}
            await first.stop()
            await second.stop()
            assert owners == {FIRST_UID}
            return json.dumps(site.capabilities.as_dict()), len(owners)

    said, _ = asyncio.run(main())
    assert "one range for all rooms" in said
    assert "share what the kernel counts by user (descriptors in flight" in said
    (finding,) = [one for one in examine(cache) if one.name == "separate uids"]
    assert not finding.works
    assert "all rooms have the same uids" in finding.says


def test_a_folder_whose_owners_cannot_be_moved_is_an_obstacle_with_its_name() -> None:
    async def main() -> str | None:
        async with Warden() as warden:
            ranges = UidRanges(warden, of_this_user())
            try:
                return await ranges.obstacle([Path("/proc/sys")])
            finally:
                ranges.close()

    why = asyncio.run(main())
    assert why is not None
    assert "files in /proc/sys cannot be shown with other owners" in why


def test_the_hosts_root_is_nobody_in_a_room(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> str:
        return (await room.exec("stat -c %u /proc/sys; cat /proc/self/uid_map")).text

    owner, mapped = in_room(cache, work).splitlines()
    assert owner == "65534"
    assert mapped.split()[0] == "0"
    assert int(mapped.split()[1]) >= FIRST_UID + RANGE
