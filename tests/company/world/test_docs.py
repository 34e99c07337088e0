"""The small world in docs/worlds.md is a world: well formed, compiled and served as the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import requests

from dayjob.company.world.snapshot import check_world
from dayjob.service_names import NAMES
from tests.company.serving import serve

PAGE = Path(__file__).parents[3] / "docs" / "worlds.md"
FILE = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("acme")
    for name, text in FILE.findall(PAGE.read_text("utf-8")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_every_file_on_the_page_is_well_formed(world: Path) -> None:
    assert len(list(world.rglob("*.*"))) >= 14
    assert [str(one) for one in check_world(world)] == []


def test_the_page_shows_something_of_every_service(world: Path) -> None:
    assert {name for name in NAMES if (world / name).is_dir()} == set(NAMES)


def test_the_company_on_the_page_can_be_walked_into(world: Path) -> None:
    with serve(world) as served:
        signed = requests.post(
            served.url("chat") + "/api/v1/login",
            json={"user": "sam.reed", "password": "sam-reed-first-day"},
            timeout=10,
        ).json()["data"]
        headers = {"X-Auth-Token": signed["authToken"], "X-User-Id": signed["userId"]}
        rooms = requests.get(served.url("chat") + "/api/v1/groups.list", headers=headers, timeout=10).json()["groups"]
        assert [room["name"] for room in rooms] == ["greenhouse"]
        file = requests.get(
            served.url("drive") + "/remote.php/webdav/Orders/march.csv",
            auth=("sam.reed", "sam-reed-first-day"),
            timeout=10,
        )
        assert file.text.startswith("plant,trays")
        issue = requests.get(
            served.url("forge") + "/api/v4/projects/acme%2Fplanner/issues",
            headers={"PRIVATE-TOKEN": "acme-root-token"},
            timeout=10,
        ).json()[0]
        assert (issue["title"], issue["labels"]) == ("Half weeks are lost", ["bug"])
        projects = requests.get(
            served.url("board") + "/api/v1/workspaces/acme/projects/",
            headers={"X-API-Key": "plane_api_acme"},
            timeout=10,
        ).json()["results"]
        assert [project["identifier"] for project in projects] == ["SOW"]
