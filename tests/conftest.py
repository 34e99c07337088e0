"""What tests of several packages share: one private Docker daemon, and properties that a busy machine does not fail."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.dockerd import BASE_IMAGE, private_docker

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


@pytest.fixture(scope="session")
def daemon() -> Iterator[str]:
    """Its address. Mark tests that use it with `xdist_group("docker")`, so that one worker has them all."""
    with private_docker() as address, pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOCKER_HOST", address)
        patch.setenv("DAYJOB_DOCKER_BASE", BASE_IMAGE)
        yield address
