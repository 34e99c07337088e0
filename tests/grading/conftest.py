"""Fixtures: a placed `/utils` folder, a small company and a workbench's host."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from dayjob.grading import config, workbench
from dayjob.grading.faults import forget_faults
from tests.grading.bench_host import BenchHost
from tests.grading.sandbox import Here, SmallCompany, Utils


@pytest.fixture
def utils(tmp_path: Path) -> Utils:
    return Utils(tmp_path / "utils")


@pytest.fixture
def company(utils: Utils) -> Iterator[SmallCompany]:
    company = SmallCompany()
    utils.company(company)
    yield company
    company.stop()


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Here]:
    """The helpers in this very process, which is as it was afterwards."""
    with pytest.MonkeyPatch.context() as process:
        forget_faults()
        yield Here(tmp_path, process)
    importlib.reload(config)
    forget_faults()


@pytest.fixture
def office(here: Here) -> Iterator[SmallCompany]:
    """A small company that the helpers in this process are pointed at."""
    company = SmallCompany()
    here.set(**company.variables())
    yield company
    company.stop()


@pytest.fixture
def bench_host(monkeypatch: pytest.MonkeyPatch) -> Iterator[BenchHost]:
    """The other end of every workbench that this process asks for."""
    host = BenchHost()
    monkeypatch.setenv(workbench.PORT, str(host.port))
    monkeypatch.setenv(workbench.TOKEN, "bench-token")
    yield host
    host.stop()
