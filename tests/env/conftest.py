"""One workshop for all tests of a module: opening it costs more than an environment."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
import uvloop

from dayjob.env import Env
from dayjob.trial.workshop import Workshop
from tests.trial.offices import office, task

_T = TypeVar("_T")
EXAMPLE = Path(__file__).parents[2] / "tasks" / "example"


class Driver:
    """A loop that stays open between tests, with a workshop on it."""

    def __init__(self, cache: Path) -> None:
        self._loop = uvloop.new_event_loop()
        self.cache = cache
        self.workshop = self.run(self._open(cache))

    async def _open(self, cache: Path) -> Workshop:
        return await Workshop(cache).__aenter__()

    def run(self, work: Coroutine[Any, Any, _T]) -> _T:
        return self._loop.run_until_complete(work)

    def env(self, path: Path, **options: Any) -> Env:
        return Env(path, workshop=self.workshop, **options)

    def small(self, folder: Path, files: dict[str, str | None] | None = None, **options: Any) -> Env:
        """The small task in the small office."""
        return self.env(task(folder, **(files or {})), world=str(office(folder)), **options)

    def close(self) -> None:
        self.run(self.workshop.__aexit__(None, None, None))
        self._loop.close()


@pytest.fixture(scope="module")
def driver(cache: Path) -> Iterator[Driver]:
    found = Driver(cache)
    try:
        yield found
    finally:
        found.close()
