"""Companies to chat in: a blank one with its first administrator, and Larkspur."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from rocketchat_API.rocketchat import RocketChat  # type: ignore[import-untyped]  # it ships no types

from dayjob.company.world import Snapshot
from tests.company.serving import WORLDS, Served, serve, snapshot_of

PASSWORD = "correct-horse-battery"


@pytest.fixture(scope="session")
def blank_snapshot() -> Snapshot:
    return snapshot_of(WORLDS / "blank")


@pytest.fixture(scope="session")
def larkspur_snapshot() -> Snapshot:
    return snapshot_of(WORLDS / "larkspur")


@pytest.fixture
def blank(blank_snapshot: Snapshot) -> Iterator[Served]:
    """A company just installed, with nobody in it."""
    with serve(blank_snapshot) as served:
        yield served


@pytest.fixture
def larkspur(larkspur_snapshot: Snapshot) -> Iterator[Served]:
    with serve(larkspur_snapshot) as served:
        yield served


Sign = Callable[[str], RocketChat]


@pytest.fixture
def sign_up(blank: Served) -> Sign:
    """Register somebody and sign in as them; the first one is the administrator."""

    def register(name: str) -> RocketChat:
        url = blank.url("chat")
        RocketChat(server_url=url).users_register(f"{name}@blank.test", name.title(), PASSWORD, name)
        return RocketChat(name, PASSWORD, server_url=url)

    return register


@pytest.fixture
def admin(sign_up: Sign) -> RocketChat:
    return sign_up("ada")


@pytest.fixture
def bea(admin: RocketChat, sign_up: Sign) -> RocketChat:
    """An ordinary member of the workspace."""
    return sign_up("bea")
