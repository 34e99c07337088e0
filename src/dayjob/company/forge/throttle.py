"""The rate limit of signed-in API users, off unless an administrator turns it on: requests per so many seconds."""

from __future__ import annotations

import time
from typing import Any


class Throttle:
    """Counts each account's requests in the current period."""

    def __init__(self) -> None:
        self.enabled = False
        self._limit, self._period = 7200, 3600
        self._counts: dict[int, tuple[int, int]] = {}

    def set(self, settings: dict[str, Any]) -> None:
        self.enabled = bool(settings["throttle_authenticated_api_enabled"])
        self._limit = int(settings["throttle_authenticated_api_requests_per_period"])
        self._period = max(1, int(settings["throttle_authenticated_api_period_in_seconds"]))
        self._counts.clear()

    def reading(self) -> list[Any]:
        """What it is set to, and what it has counted in this period."""
        return [self.enabled, self._limit, self._period, [[who, *count] for who, count in self._counts.items()]]

    def recall(self, reading: list[Any]) -> None:
        """Go on from another's `reading`, on the same machine."""
        self.enabled, self._limit, self._period, counts = reading
        self._counts = {who: (period, count) for who, period, count in counts}

    def wait(self, account: int) -> int:
        """Count a request; 0 when it may pass, else the seconds after which to try again."""
        now = time.monotonic()
        period = int(now // self._period)
        known = self._counts.get(account)
        count = known[1] + 1 if known is not None and known[0] == period else 1
        self._counts[account] = (period, count)
        if count <= self._limit:
            return 0
        return max(1, round((period + 1) * self._period - now))
