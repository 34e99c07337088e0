"""Boards on real sockets, and the ways the tests speak to them: plane-sdk and plain requests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import requests
from plane import PlaneClient
from plane.models.projects import CreateProject

from dayjob.company.world import Snapshot
from tests.company.serving import WORLDS, Served, serve, snapshot_of

ROOT_KEY = "plane_api_root"


class Wire:
    """Requests to one workspace with one key."""

    def __init__(self, served: Served, slug: str, key: str | None) -> None:
        self.served = served
        self.slug = slug
        self.base = f"{served.url('board')}/api/v1/workspaces/{slug}"
        self.session = requests.Session()
        if key is not None:
            self.session.headers["x-api-key"] = key

    def __call__(self, method: str, path: str, body: Any = None, **more: Any) -> requests.Response:
        if body is not None:
            more["json"] = body
        url = path if path.startswith("http") else f"{self.base}{path}"
        return self.session.request(method, url, timeout=30, **more)

    def get(self, path: str, **query: Any) -> Any:
        response = self("GET", path, params=query)
        assert response.status_code == 200, response.text
        return response.json()

    def make(self, path: str, **facts: Any) -> Any:
        response = self("POST", path, facts)
        assert response.status_code in (200, 201), response.text
        return response.json()

    def project(self, name: str = "Garden", identifier: str = "GARD", **facts: Any) -> Any:
        return self.make("/projects/", name=name, identifier=identifier, **facts)


@pytest.fixture(scope="session")
def snapshots() -> dict[str, Snapshot]:
    return {name: snapshot_of(WORLDS / name) for name in ("blank", "larkspur")}


@pytest.fixture
def blank(snapshots: dict[str, Snapshot]) -> Iterator[Served]:
    with serve(snapshots["blank"]) as served:
        yield served


@pytest.fixture
def larkspur(snapshots: dict[str, Snapshot]) -> Iterator[Served]:
    with serve(snapshots["larkspur"]) as served:
        yield served


@pytest.fixture
def wire(blank: Served) -> Wire:
    """The blank board's own administrator."""
    return Wire(blank, "blank", ROOT_KEY)


@pytest.fixture
def plane(blank: Served) -> PlaneClient:
    return PlaneClient(base_url=blank.url("board"), api_key=ROOT_KEY)


@pytest.fixture
def project(plane: PlaneClient) -> str:
    """The id of a fresh project on the blank board."""
    made = plane.projects.create("blank", CreateProject(name="Garden", identifier="GARD"))
    assert made.id is not None
    return made.id


def key_of(served: Served, person: str) -> str:
    """A fresh API key for someone at Larkspur."""
    board: Any = served.company.service("board")
    key: str = served.call(board.mint_key, f"{person}@larkspur.test")
    return key


def as_person(served: Served, person: str) -> Wire:
    return Wire(served, "larkspur", key_of(served, person))
