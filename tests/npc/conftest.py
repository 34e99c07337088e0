"""Larkspur, compiled once for all tests of colleagues."""

from __future__ import annotations

import pytest

from dayjob.company.world import Snapshot
from tests.company.serving import WORLDS
from tests.npc.casting import snapshot_of


@pytest.fixture(scope="session")
def larkspur(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return snapshot_of(WORLDS / "larkspur", tmp_path_factory.mktemp("snapshots"))
