"""Folders that came with an image, taken away from a room; also where the kernel can only empty them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dayjob.sandbox.doctor import examine
from dayjob.sandbox.embedded import kernel
from dayjob.sandbox.embedded.base import grading_layer
from dayjob.sandbox.embedded.image import Image
from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
from dayjob.sandbox.embedded.site import EmbeddedSite


@pytest.mark.parametrize("while_it_is_built", [True, False])
def test_nothing_of_a_withheld_folder_of_the_image_is_left(cache: Path, while_it_is_built: bool) -> None:
    async def main() -> str:
        async with EmbeddedSite(cache) as site:
            base = await site.base()
            graders = site.layers.path(grading_layer(site.layers))
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
