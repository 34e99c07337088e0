"""How hard one provider is asked: so many calls at once, so many requests and tokens a minute, and pauses it asked for.

One `Limiter` is shared by everybody who asks that provider (in a run: all its worker processes, see `run_limits`), so
a 429 to one holds back all.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What the settings say about a provider, as plain data that can travel between processes."""

    provider: str
    concurrency: int = 16
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None


class Bucket:
    """Refills evenly; may be drawn below empty, and then says how long to wait."""

    def __init__(self, per_minute: float, size: float | None = None) -> None:
        self.rate = per_minute / 60
        self.size = size or max(1.0, per_minute / 6)
        self.level = self.size
        self._at = time.monotonic()

    def draw(self, amount: float) -> None:
        self._refill()
        self.level -= amount

    def wait(self) -> float:
        self._refill()
        return 0.0 if self.level >= 0 else -self.level / self.rate

    def _refill(self) -> None:
        now = time.monotonic()
        self.level = min(self.size, self.level + (now - self._at) * self.rate)
        self._at = now


class Limiter:
    """Everyone's turn at one provider."""

    def __init__(self, limits: Limits) -> None:
        self._slots = asyncio.Semaphore(limits.concurrency)
        self._requests = Bucket(limits.requests_per_minute) if limits.requests_per_minute else None
        self._tokens = Bucket(limits.tokens_per_minute) if limits.tokens_per_minute else None
        self._paused_until = 0.0

    async def enter(self) -> None:
        """Wait for a turn; `leave` must follow."""
        await self._slots.acquire()
        try:
            if self._requests is not None:
                self._requests.draw(1)
                await asyncio.sleep(self._requests.wait())
            if self._tokens is not None:
                await asyncio.sleep(self._tokens.wait())
            await asyncio.sleep(max(0.0, self._paused_until - time.monotonic()))
        except BaseException:
            self._slots.release()
            raise

    def leave(self) -> None:
        self._slots.release()

    def pause(self, seconds: float) -> None:
        """Nobody asks again before this has passed."""
        self._paused_until = max(self._paused_until, time.monotonic() + seconds)

    def spent(self, tokens: int) -> None:
        if self._tokens is not None:
            self._tokens.draw(tokens)
