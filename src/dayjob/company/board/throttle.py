"""Plane's rate limit: so many requests in a stretch of time for each API key. Off unless the world sets one."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping

_STRETCHES = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_RATE = re.compile(r"([1-9][0-9]{0,8})/([smhd])[a-z]*")


def parse_rate(text: str) -> tuple[int, int] | None:
    """`60/minute` as (60, 60); None when it is not a rate."""
    found = _RATE.fullmatch(text.strip())
    return (int(found[1]), _STRETCHES[found[2]]) if found else None


class Throttle:
    """Remembers when each key last came."""

    def __init__(self, rate: str, now: Callable[[], float]) -> None:
        parsed = parse_rate(rate)
        if parsed is None:
            raise ValueError(f"'{rate}' is not a rate; write it as 60/minute.")
        self.requests, self.seconds = parsed
        self._now = now
        self._seen: dict[str, deque[float]] = {}

    @property
    def seen(self) -> dict[str, list[float]]:
        """When each key came, as far back as it counts."""
        return {key: list(times) for key, times in self._seen.items()}

    @seen.setter
    def seen(self, seen: Mapping[str, Iterable[float]]) -> None:
        self._seen = {key: deque(times) for key, times in seen.items()}

    def wait(self, key: str) -> int:
        """Count a request of this key: 0 when it may pass, else the seconds until one may."""
        now, seen = self._now(), self._seen.setdefault(key, deque())
        while seen and seen[0] <= now - self.seconds:
            seen.popleft()
        if len(seen) >= self.requests:
            return max(1, int(seen[0] + self.seconds - now + 0.999))
        seen.append(now)
        return 0

    def headers(self, key: str) -> dict[str, str]:
        left = max(0, self.requests - len(self._seen.get(key, ())))
        return {"X-RateLimit-Remaining": str(left), "X-RateLimit-Reset": str(int(self._now() + self.seconds))}
