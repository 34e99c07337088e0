"""A fresh company for every test; its snapshot is compiled once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dayjob.company.world import Snapshot
from tests.company.drive.client import Client
from tests.company.serving import WORLDS, Served, serve, snapshot_of


@pytest.fixture(scope="session")
def blank_snapshot() -> Snapshot:
    return snapshot_of(WORLDS / "blank")


@pytest.fixture(scope="session")
def larkspur_snapshot() -> Snapshot:
    return snapshot_of(WORLDS / "larkspur")


@pytest.fixture
def blank(blank_snapshot: Snapshot) -> Iterator[Served]:
    with serve(blank_snapshot) as served:
        yield served


@pytest.fixture
def larkspur(larkspur_snapshot: Snapshot) -> Iterator[Served]:
    with serve(larkspur_snapshot) as served:
        yield served


@pytest.fixture
def root(blank: Served) -> Client:
    """The administrator of the blank world."""
    return Client(blank.url("drive"))


@pytest.fixture
def sam(larkspur: Served) -> Client:
    """The newest person at Larkspur."""
    return Client(larkspur.url("drive"), "sam.reed", "sam-reed-first-day")
