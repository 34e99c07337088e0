"""What tests of several packages share: a Docker daemon, a cache of layers, and how they are spread over workers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.dockerd import BASE_IMAGE, private_docker

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Tests that share what their module has made, a browser or a company, go to one worker: it is made once."""
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("xdist_group") is None:
            made = (one for found in item._fixtureinfo.name2fixturedefs.values() for one in found)
            if any(one.scope == "module" for one in made):
                item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
    yield
    # xdist 3.8 adds the group to a name that pytest 9.2 no longer reads: github.com/pytest-dev/pytest-xdist/issues/1386
    for item in items:
        if (grouped := getattr(item, "_nodeid", item.nodeid)) != item.nodeid:
            item._id = type(item._id).parse(grouped)


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Layers and snapshots, named by their content: what rooms are made of is made once for a worker."""
    from tests.trial.offices import open_sites  # late: most tests know nothing of trials

    folder = tmp_path_factory.mktemp("cache")
    with open_sites(folder):
        yield folder


@pytest.fixture(scope="session")
def daemon() -> Iterator[str]:
    """Its address. Mark tests that use it with `xdist_group("docker")`, so that one worker has them all."""
    with private_docker() as address, pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOCKER_HOST", address)
        patch.setenv("DAYJOB_DOCKER_BASE", BASE_IMAGE)
        yield address
