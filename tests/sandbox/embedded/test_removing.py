"""Folders that came with an image, taken away from a room; also where the kernel can only empty them."""

from __future__ import annotations

import asyncio
import errno
import os
import time
from pathlib import Path

import pytest

from dayjob.sandbox import kernel
from dayjob.sandbox.doctor import examine
from dayjob.sandbox.embedded.base import grading_layer
from dayjob.sandbox.embedded.image import Image
from dayjob.sandbox.embedded.removal import remove_path
from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
from dayjob.sandbox.embedded.site import EmbeddedSite


@pytest.mark.parametrize("while_it_is_built", [True, False])
def test_nothing_of_a_withheld_folder_of_the_image_is_left(cache: Path, while_it_is_built: bool) -> None:
    async def main() -> str:
        async with EmbeddedSite(cache) as site:
            base = await site.base()
            graders = site.layers.path(grading_layer(site.layers, await site.find_base()))
            image = Image(key="withheld", layers=(graders, *base.layers), system=base.system)
            room = EmbeddedSandbox(site, image, withheld=["/utils/"] if while_it_is_built else [])
            await room.start()
            try:
                if not while_it_is_built:
                    assert "common.py" in (await room.exec("ls /utils")).text
                    await room.remove("/utils/")
                return (await room.exec("find /utils ! -type d")).text
            finally:
                await room.stop()

    assert asyncio.run(main()) == ""


def test_doctor_says_whether_folders_of_an_image_can_be_removed(tmp_path: Path) -> None:
    (found,) = (one for one in examine(tmp_path) if one.name == "removing folders")
    assert found.works == kernel.memory_keeps_attributes()
    assert bool(found.fix) != found.works


def test_folders_that_have_to_stay_are_emptied_however_deep_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a kernel before 6.6: nothing of the image's can be removed or moved. `make cgroup2` runs on such a one."""
    deep = tmp_path / "utils" / "one" / "two" / "three"
    deep.mkdir(parents=True)
    for folder in (deep, *deep.parents[:3]):
        (folder / "file").write_text("secret")
    rmdir = os.rmdir

    def refused(name: str, *, dir_fd: int | None = None) -> None:
        rmdir(name, dir_fd=dir_fd)
        os.mkdir(name, dir_fd=dir_fd)  # it was empty, and it stays
        raise OSError(errno.EIO, "Input/output error")

    def elsewhere(*_: object, **__: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr("os.rmdir", refused)
    monkeypatch.setattr("os.rename", elsewhere)
    remove_path(f"{tmp_path}/utils/", time.monotonic() + 20)
    assert [path for path in tmp_path.rglob("*") if not path.is_dir()] == []
