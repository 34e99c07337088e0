"""A chat without sockets for each test, with two people and a channel."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dayjob.company.chat.rows import Room, User
from tests.company.chat.offices import Office


@pytest.fixture
def office() -> Iterator[Office]:
    made = Office()
    yield made
    made.company.close()


@pytest.fixture
def ann(office: Office) -> User:
    return office.person("ann")


@pytest.fixture
def bob(office: Office) -> User:
    return office.person("bob")


@pytest.fixture
def room(office: Office, ann: User, bob: User) -> Room:
    made = office.store.rooms.create("c", "garden", ann, members=[bob])
    office.company.clock.forward(seconds=1)
    return made
