"""A docker that needs no daemon."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sandbox.docker.fake_docker import FakeDocker


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeDocker:
    return FakeDocker(tmp_path / "docker", monkeypatch)
