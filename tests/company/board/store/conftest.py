"""A board without sockets for each test, with a project."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dayjob.company.board.rows import Project
from tests.company.board.offices import Office


@pytest.fixture
def office() -> Iterator[Office]:
    made = Office()
    yield made
    made.company.close()


@pytest.fixture
def project(office: Office) -> Project:
    return office.project(cycle_view=True)
