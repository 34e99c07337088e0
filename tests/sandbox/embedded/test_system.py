"""Images with a system of their own: apt-get in a Dockerfile, and by the examinee, where the capabilities say so."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from dayjob.sandbox.embedded.build import build_image
from dayjob.sandbox.embedded.identity import FIRST_UID
from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
from dayjob.sandbox.embedded.site import EmbeddedSite
from dayjob.sandbox.sandbox import BuildError
from dayjob.task.dockerfile import parse_dockerfile
from tests.trial.offices import task

DOCKERFILE = "FROM dayjob/task-base:1\nRUN apt-get update && apt-get install -y --no-install-recommends tree\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, as the capabilities say")
def test_system_packages_can_be_installed_and_the_system_changed(cache: Path, tmp_path: Path) -> None:
    async def main() -> None:
        async with EmbeddedSite(cache) as site:
            assert site.capabilities.writable_system
            image = await build_image(site, task(tmp_path), parse_dockerfile(DOCKERFILE))
            assert "tree" in image.log
            room = EmbeddedSandbox(site, image)
            await room.start()
            try:
                done = await room.exec(
                    "tree --version | cut -c1-4; python_default -c 'import requests; print(requests.__name__)';"
                    "touch /usr/bin/mine /etc/mine && echo changed; dpkg -r tree >/dev/null 2>&1;"
                    "which tree || echo gone;"
                    "useradd -m bob && su bob -c 'id -un'; grep -c . /proc/self/uid_map;"
                    "unshare -U true; mount -t tmpfs x /mnt"
                )
                assert done.text == "tree\nrequests\nchanged\ngone\nbob\n1\n"
                assert done.error_text.count("not permitted") + done.error_text.count("permission denied") == 2
            finally:
                await room.stop()
            assert "mine" not in os.listdir("/usr/bin")
            again = EmbeddedSandbox(site, image)
            await again.start()
            try:
                assert (await again.exec("tree --version; ls /usr/bin/mine")).text.startswith("tree")
            finally:
                await again.stop()
            assert os.stat(image.layers[-1] / "usr/bin/apt-get").st_uid == FIRST_UID

    asyncio.run(main())


@pytest.mark.parametrize(
    ("dockerfile", "reason"),
    [
        ("FROM debian:12\n", "Dockerfile:1: 'debian:12' is not the task base image"),
        ("FROM dayjob/task-base:1\nCMD sleep 5\n", "Dockerfile:2: the embedded sandbox cannot honour CMD"),
        ("FROM dayjob/task-base:1\nVOLUME /data\n", "Dockerfile:2: the embedded sandbox cannot honour VOLUME"),
        ("FROM dayjob/task-base:1\nCOPY nothing.txt /x\n", "Dockerfile:2: there is no 'nothing.txt'"),
        ("FROM dayjob/task-base:1\nCOPY ../x /x\n", "outside the task's folder"),
        ("FROM dayjob/task-base:1\nADD http://example.test/x /x\n", "ADD cannot download here"),
        ("FROM dayjob/task-base:1\nCOPY --from=other /a /b\n", "--from cannot be honoured"),
        ("FROM dayjob/task-base:1\nRUN --mount=type=cache x\n", "RUN --mount needs BuildKit"),
        ("FROM dayjob/task-base:1 AS one\nFROM one\n", "exactly one FROM"),
        ("FROM dayjob/task-base:1\nCOPY --chown=nobody2 task.md /x\n", "no user 'nobody2'"),
    ],
)
def test_what_cannot_be_honoured_is_an_error_with_its_line(
    cache: Path, tmp_path: Path, dockerfile: str, reason: str
) -> None:
    async def main() -> None:
        async with EmbeddedSite(cache) as site:
            with pytest.raises(BuildError, match=reason.replace("(", ".")):
                await build_image(site, task(tmp_path), parse_dockerfile(dockerfile))

    asyncio.run(main())


@pytest.mark.parametrize(
    "base",
    ["dayjob/task-base:1", "ghcr.io/theagentcompany/task-base-image:1.0.0", "task-base-image", "base-image:latest"],
)
def test_every_name_of_the_base_image_is_the_same_base(cache: Path, tmp_path: Path, base: str) -> None:
    async def main() -> str:
        async with EmbeddedSite(cache) as site:
            image = await build_image(
                site, task(tmp_path), parse_dockerfile(f"ARG TAG\nFROM {base}\nRUN echo said; echo x > /x\n")
            )
            assert image.log == "RUN echo said; echo x > /x\nsaid\n\n"
            return image.key

    first = asyncio.run(main())
    assert first == asyncio.run(main())
    assert len(first) == 32


def test_layers_are_made_once_and_shared(cache: Path, tmp_path: Path) -> None:
    dockerfile = parse_dockerfile("FROM dayjob/task-base:1\nRUN date +%N > /made\nCOPY task.md /workspace/\n")

    async def main() -> None:
        async with EmbeddedSite(cache) as site:
            folder = task(tmp_path)
            first, second = await asyncio.gather(*(build_image(site, folder, dockerfile) for _ in range(2)))
            assert first.layers == second.layers
            made = (first.layers[2] / "made").read_text()
            (folder / "task.md").write_text("another text\n")
            third = await build_image(site, folder, dockerfile)
            assert third.key != first.key
            assert made.strip().isdigit()

    asyncio.run(main())
