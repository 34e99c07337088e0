"""Fixtures: a placed `/utils` folder and a small company."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.grading.sandbox import SmallCompany, Utils


@pytest.fixture
def utils(tmp_path: Path) -> Utils:
    return Utils(tmp_path / "utils")


@pytest.fixture
def company(utils: Utils) -> Iterator[SmallCompany]:
    company = SmallCompany()
    utils.company(company)
    yield company
    company.stop()
