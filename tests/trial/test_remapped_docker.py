"""A Docker daemon that makes root inside an ordinary uid outside (`--userns-remap`): trials are the same there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dayjob.sandbox.docker.site import DockerSite
from dayjob.trial.outcome import Label
from tests.dockerd import BASE_IMAGE, private_docker
from tests.trial.attacks import TAMPERING, together
from tests.trial.offices import TASK, attempt, task
from tests.trial.test_red_team import WATCHFUL, attack, gained_nothing
from tests.trial.test_workbench_attacks import kept_to_itself, tried
from tests.trial.workbench_attacks import TAKEOVER

FIRST_UID = 300_000


@pytest.fixture(scope="module")
def remapped() -> Iterator[None]:
    with private_docker(root_is=FIRST_UID) as address, pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOCKER_HOST", address)
        patch.setenv("DAYJOB_DOCKER_BASE", BASE_IMAGE)
        yield


# What it leaves on the drive shows that it reached the company; what it says, who it was outside.
SOLUTION = """
    import base64, os, urllib.request
    open("/workspace/answer.txt", "w").write("shipshape\\n")
    head = {"Authorization": "Basic " + base64.b64encode(b"sam.reed:sam-first-day").decode()}
    url = "http://office.test:8092/remote.php/webdav/done.txt"
    urllib.request.urlopen(urllib.request.Request(url, b"all done", head, method="PUT"))
    print("OUTSIDE", open("/proc/self/uid_map").read().split()[:2], "INSIDE", os.getuid())
    """


@pytest.mark.xdist_group("docker")
@pytest.mark.usefixtures("remapped")
def test_a_trial_resolves_and_its_root_is_an_ordinary_uid(cache: Path, tmp_path: Path) -> None:
    async def look() -> DockerSite:
        async with DockerSite() as site:
            return site

    found = asyncio.run(look()).capabilities
    assert found.separate_uid
    assert not [note for note in found.notes if "root inside is root outside" in note]
    evaluator = TASK["evaluator.py"].replace(
        "            answer = Path(",
        '            print(run_as_examinee("cat answer.txt; ls /utils", timeout=60).stdout)\n'
        '            assert accessed("owncloud", "/remote.php/webdav/done.txt", method="PUT")\n'
        "            answer = Path(",
    )
    done = attempt(cache, tmp_path, task(tmp_path, solution__py=SOLUTION, evaluator__py=evaluator), sandbox="docker")
    assert (done.outcome.label, done.outcome.result) == (Label.RESOLVED, 2), done.outcome.reason
    said = json.loads(done.text("trajectory.json"))["steps"][0]["observation"]["results"][0]["content"]
    assert f"OUTSIDE ['0', '{FIRST_UID}'] INSIDE 0" in said
    assert "shipshape" in done.log("grade")


@pytest.mark.xdist_group("docker")
@pytest.mark.usefixtures("remapped")
def test_neither_tampering_nor_code_that_is_graded_gains_anything(cache: Path, tmp_path: Path) -> None:
    for name in ("tampering", "graded"):
        (tmp_path / name).mkdir()
    gained_nothing(attack(cache, tmp_path / "tampering", together(TAMPERING), "docker", evaluator__py=WATCHFUL))
    kept_to_itself(tried(cache, tmp_path / "graded", TAKEOVER, "docker"), TAKEOVER)
