"""The base image brings what an examinee needs, whatever it is built on."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from dayjob.sandbox.docker.site import BASE_TAG, DockerSite
from tests.dockerd import BASE_IMAGE

pytestmark = [pytest.mark.xdist_group("docker"), pytest.mark.usefixtures("daemon")]

BARE = "dayjob-test/bare:1"


def docker(*arguments: str) -> str:
    return subprocess.run(["docker", *arguments], check=True, capture_output=True, text=True, timeout=300).stdout


async def build(base: str) -> None:
    async with DockerSite(base) as site:
        await site.build_base()


def test_git_and_curl_are_there_where_they_were_not(tmp_path: Path) -> None:
    purge = "RUN apt-get purge -y git curl && ! command -v git && ! command -v curl"
    (tmp_path / "Dockerfile").write_text(f"FROM {BASE_IMAGE}\n{purge}\n", "utf-8")
    docker("build", "-t", BARE, str(tmp_path))
    asyncio.run(build(BARE))
    try:
        said = docker("run", "--rm", "--network=none", BASE_TAG, "sh", "-c", "git --version && curl --version")
        assert said.startswith("git version")
    finally:
        asyncio.run(build(BASE_IMAGE))
