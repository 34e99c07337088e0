"""How hard a provider is asked, by a clock that moves only when somebody waits."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayjob.llm import rate_limits
from dayjob.llm.rate_limits import Bucket, Limiter, Limits


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []
        self.stands_still = False

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        if seconds > 0 and self.stands_still:
            await asyncio.Event().wait()
        if seconds > 0:
            self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return wound(monkeypatch)


def wound(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    # Only the clock is replaced, and the rules are asked at its times.
    monkeypatch.setattr(rate_limits, "time", SimpleNamespace(monotonic=clock.monotonic))  # can fail: see above
    pauses = SimpleNamespace(Semaphore=asyncio.Semaphore, sleep=clock.sleep)
    monkeypatch.setattr(rate_limits, "asyncio", pauses)  # can fail: see above
    return clock


# -- a bucket ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("per_minute", "size", "burst"),
    [
        (60, None, 10),  # a sixth of a minute's worth at once
        (600, None, 100),
        (6, None, 1),
        (3, None, 1),  # and never less than one
        (60, 60, 60),
        (60, 5, 5),
    ],
)
def test_so_much_may_be_had_at_once_and_no_more(
    per_minute: float, size: float | None, burst: int, clock: Clock
) -> None:
    bucket = Bucket(per_minute, size)
    waits = []
    for _ in range(burst + 2):
        bucket.draw(1)
        waits.append(bucket.wait())
    assert waits[:burst] == [0.0] * burst
    assert waits[burst:] == pytest.approx([60 / per_minute, 120 / per_minute])


def test_a_bucket_that_is_left_alone_is_full_again_and_not_fuller(clock: Clock) -> None:
    bucket = Bucket(60)
    bucket.draw(10)
    clock.now += 3
    bucket.draw(3)
    assert bucket.wait() == 0
    clock.now += 1000
    bucket.draw(10)
    assert bucket.wait() == 0
    bucket.draw(1)
    assert bucket.wait() == pytest.approx(1)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 1200), st.lists(st.tuples(st.floats(0, 30), st.integers(1, 50)), max_size=30))
def test_over_any_time_no_more_is_had_than_a_burst_and_the_rate(
    per_minute: int, asked: list[tuple[float, int]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        clock = wound(patch)
        bucket = Bucket(per_minute)
        begun, had = clock.now, 0
        for pause, amount in asked:
            clock.now += pause
            bucket.draw(amount)
            had += amount
            clock.now += bucket.wait()
            assert bucket.wait() == pytest.approx(0, abs=1e-6)
            assert had <= max(1.0, per_minute / 6) + (clock.now - begun) * per_minute / 60 + 1e-6


# -- a limiter ---------------------------------------------------------------------------------------------------


def run(main: Any) -> None:
    async def limited() -> None:
        async with asyncio.timeout(20):
            await main()

    asyncio.run(limited())


async def held(limiter: Limiter) -> int:
    """How many turns can be had at once right now; they are given back."""
    turns = 0
    while True:
        task = asyncio.ensure_future(limiter.enter())
        for _ in range(12):
            await asyncio.sleep(0)
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            break
        turns += 1
    for _ in range(turns):
        limiter.leave()
    return turns


@pytest.mark.parametrize("concurrency", [1, 2, 5])
def test_so_many_ask_at_once_and_no_more(concurrency: int, clock: Clock) -> None:
    async def main() -> None:
        limiter = Limiter(Limits("p", concurrency))
        assert await held(limiter) == concurrency
        assert await held(limiter) == concurrency

    run(main)


@pytest.mark.parametrize("moment", ["waiting for a place", "waiting for its rate"])
def test_a_place_is_not_lost_when_its_caller_goes_away(moment: str, clock: Clock) -> None:
    async def main() -> None:
        rate = 1 if moment == "waiting for its rate" else None
        limiter = Limiter(Limits("p", 2, requests_per_minute=rate))
        clock.stands_still = True
        for _ in range(1 if rate else 2):
            await limiter.enter()
        waiting = asyncio.ensure_future(limiter.enter())
        for _ in range(5):
            await asyncio.sleep(0)
        assert not waiting.done()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        for _ in range(1 if rate else 2):
            limiter.leave()
        assert limiter._slots._value == 2

    run(main)


def test_requests_a_minute_are_spread_over_it(clock: Clock) -> None:
    async def main() -> None:
        limiter = Limiter(Limits("p", requests_per_minute=60))
        for _ in range(13):
            await limiter.enter()
            limiter.leave()
        assert clock.slept == pytest.approx([1.0] * 3)

    run(main)


def test_tokens_that_were_spent_hold_the_next_call_back(clock: Clock) -> None:
    async def main() -> None:
        limiter = Limiter(Limits("p", tokens_per_minute=6000))
        await limiter.enter()
        limiter.spent(1000)  # all of the burst
        await limiter.enter()
        assert clock.slept == []
        limiter.spent(500)
        await limiter.enter()
        assert clock.slept == pytest.approx([5.0])

    run(main)


def test_without_limits_nobody_waits(clock: Clock) -> None:
    async def main() -> None:
        limiter = Limiter(Limits("p"))
        limiter.spent(10**9)
        for _ in range(100):
            await limiter.enter()
            limiter.leave()
        assert clock.slept == []

    run(main)


def test_a_pause_holds_for_all_and_a_shorter_one_does_not_end_it(clock: Clock) -> None:
    async def main() -> None:
        limiter = Limiter(Limits("p"))
        limiter.pause(30)
        limiter.pause(5)
        await limiter.enter()
        assert clock.slept == [30]
        await limiter.enter()
        assert clock.slept == [30]

    run(main)
