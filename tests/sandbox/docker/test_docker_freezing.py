"""Freezing a container, whatever its examinee does meanwhile and whatever it left."""

from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path

import pytest

from dayjob.sandbox.docker.site import DockerSite
from dayjob.sandbox.sandbox import MIB, Frozen, Limits
from dayjob.task.dockerfile import parse_dockerfile
from tests.sandbox.embedded.test_freezing import RACER
from tests.trial.offices import task

pytestmark = [pytest.mark.xdist_group("docker"), pytest.mark.usefixtures("daemon")]

LEFT = r"""
import os
os.chdir("/workspace")
open("big", "wb").write(os.urandom(5_000_000))
for n in range(40):
    os.link("big", f"link{n}")
os.mkdir(b"\xff\xfe"); open(b"\xff\xfe/new\nline", "w").write("odd")
with open("sparse", "wb") as file:
    file.truncate(100_000_000)
os.mkdir("deep"); os.chdir("deep")
for _ in range(300):
    os.mkdir("d"); os.chdir("d")
"""


def test_a_container_is_frozen_whatever_swaps_its_files_and_whatever_it_left(tmp_path: Path) -> None:
    async def main() -> list[Frozen]:
        async with DockerSite() as site:
            image = await site.build(task(tmp_path), parse_dockerfile("FROM dayjob/task-base:1\n"), within=300)
            room = site.sandbox(image, name="test", limits=Limits(disk=200 * MIB))
            await room.start()
            try:
                await room.put(RACER.encode(), "/tmp/race.py")
                await room.exec("python3 /tmp/race.py >/dev/null 2>&1 &")
                assert (await room.exec("until [ -e /workspace/going ]; do sleep 0.02; done", within=60)).ok
                found = [await room.snapshot(tmp_path / str(n), ("/workspace", "/tmp")) for n in range(4)]
                done = await room.exec(["python3", "-c", LEFT])
                assert done.ok, done.error_text
                found.append(await room.snapshot(tmp_path / "left", ("/workspace", "/tmp")))
                return found
            finally:
                await room.stop()

    for frozen in asyncio.run(main()):
        assert not [path for path in frozen.folder.rglob("*") if stat.S_ISFIFO(path.lstat().st_mode)]
    work = os.fsencode(tmp_path) + b"/left/workspace"
    assert len({os.stat(work + b"/" + name).st_ino for name in os.listdir(work) if name.startswith(b"link")}) == 1
    assert Path(os.fsdecode(work + b"/\xff\xfe/new\nline")).read_text() == "odd"
    assert any("deep" in name for name in frozen.left_out)
