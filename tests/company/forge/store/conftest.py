"""A forge without sockets for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.company.forge.offices import Office


@pytest.fixture
def office() -> Iterator[Office]:
    made = Office()
    yield made
    made.company.close()
