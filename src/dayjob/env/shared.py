"""What an environment and its forks share: a workshop, opened by the first and closed with the last of them."""

from __future__ import annotations

from pathlib import Path

from dayjob.trial.workshop import Workshop


class SharedWorkshop:
    """Counts who uses it."""

    def __init__(self, cache: Path | None, given: Workshop | None) -> None:
        self._cache = cache
        self._given = given
        self._own: Workshop | None = None
        self._users = 1

    async def get(self) -> Workshop:
        """The caller's own, which stays open, or one that is opened now."""
        if self._given is not None:
            return self._given
        if self._own is None:
            self._own = await Workshop(self._cache).__aenter__()
        return self._own

    def join(self) -> SharedWorkshop:
        self._users += 1
        return self

    async def leave(self) -> None:
        self._users -= 1
        if self._users == 0 and self._own is not None:
            own, self._own = self._own, None
            await own.__aexit__(None, None, None)
