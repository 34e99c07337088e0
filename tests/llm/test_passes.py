"""What a pass may spend and hold, and what is written down of a call however it ends: the gateway without a wire."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from dayjob.llm.budget import Budget
from dayjob.llm.cassette import Cassette
from dayjob.llm.dialects import CHAT
from dayjob.llm.faults import Label, ModelFault
from dayjob.llm.gateway import Gateway, Pass
from dayjob.llm.settings import Role
from dayjob.llm.upstream import Answer
from tests.llm.provided import ROLES, gateway, told

ASKED = {"messages": [{"role": "user", "content": "Hello"}]}


def ask(one: Pass, door: Gateway, *, stream: bool = False) -> Coroutine[Any, Any, Answer]:
    return door.ask(one, CHAT, {**ASKED, "stream": stream}, {})


async def asked_until_refused(one: Pass, door: Gateway, most: int = 6) -> int:
    for number in range(most):
        try:
            await ask(one, door)
        except ModelFault:
            return number
    return most


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    ("budget", "allowed"), [(Budget(calls=2), 2), (Budget(tokens=200), 2), (Budget(tokens=201), 3), (Budget(), 6)]
)
def test_a_trials_budget_ends_the_examinees_calls_and_nobody_elses(role: Role, budget: Budget, allowed: int) -> None:
    async def main() -> int:
        door, _ = gateway(told, trial_budget=budget)
        return await asked_until_refused(door.admit("t.1", role), door)

    assert asyncio.run(main()) == (allowed if role == "examinee" else 6)


@pytest.mark.parametrize("role", ROLES)
def test_a_pass_with_a_budget_of_its_own_keeps_to_it(role: Role) -> None:
    async def main() -> int:
        door, _ = gateway(told, trial_budget=Budget(calls=5))
        return await asked_until_refused(door.admit("t.1", role, budget=Budget(calls=1)), door)

    assert asyncio.run(main()) == 1


@pytest.mark.parametrize("budget", [Budget(tokens=10_000), Budget(usd=100.0)])
def test_an_answer_without_its_tokens_spends_a_budget_that_counts_them(budget: Budget) -> None:
    async def untold() -> Answer:
        return Answer(200, "application/json", b"{}")

    async def main() -> tuple[int, list[Label]]:
        door, _ = gateway(untold, trial_budget=budget)
        one = door.admit("t.1", "examinee")
        return await asked_until_refused(one, door), [fault.label for fault in one.faults]

    assert asyncio.run(main()) == (1, [Label.BUDGET_SPENT])


def test_whoever_waits_for_the_end_of_a_budget_is_told_once() -> None:
    async def main() -> list[str]:
        door, _ = gateway(told, trial_budget=Budget(calls=1))
        one, heard = door.admit("t.1", "examinee"), list[str]()
        one.on_spent = lambda: heard.append("spent")
        await ask(one, door)
        assert heard == []
        for _ in range(3):
            with pytest.raises(ModelFault):
                await ask(one, door)
        return heard

    assert asyncio.run(main()) == ["spent"]


# -- places ------------------------------------------------------------------------------------------------------


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_only_so_many_calls_of_a_pass_are_under_way_and_another_pass_has_its_own() -> None:
    async def main() -> list[int]:
        never = asyncio.Event()

        async def waiting() -> Answer:
            await never.wait()
            return await told()

        door, provided = gateway(waiting, concurrency=2)
        counts, calls = [], []
        for one in (door.admit("t.1", "examinee"), door.admit("t.2", "examinee")):
            calls += [asyncio.ensure_future(ask(one, door)) for _ in range(5)]
            await settle()
            counts.append(provided.asked)
        never.set()
        await asyncio.gather(*calls)
        return [*counts, provided.asked]

    assert asyncio.run(main()) == [2, 4, 10]


async def _answered() -> Answer:
    return await told()


async def _refused() -> Answer:
    raise ModelFault(Label.REFUSED, "no")


async def _broken() -> Answer:
    raise KeyError("ours")


async def _silent() -> Answer:
    await asyncio.Event().wait()
    raise AssertionError


async def _events(*more: BaseException) -> AsyncIterator[bytes]:
    yield b"data: one\n\n"
    for error in more:
        raise error
    yield b"data: two\n\n"


async def _streamed() -> Answer:
    return Answer(200, "text/event-stream", events=_events())


async def _broken_off() -> Answer:
    return Answer(200, "text/event-stream", events=_events(ModelFault(Label.MALFORMED, "it broke off")))


async def _drained(answer: Answer, most: int | None = None) -> None:
    """Read an answer, or so many events of it and go away."""
    if answer.events is not None:
        seen = 0
        async for _ in answer.events:
            seen += 1
            if seen == most:
                await answer.events.aclose()  # type: ignore[attr-defined]  # a generator
                return


# how a call ends: (answer, events read, the caller goes away, what was answered, labels of faults, recorded answers)
ENDS: dict[str, tuple[Callable[[], Coroutine[Any, Any, Answer]], int | None, bool, int, list[Label], int]] = {
    "answered": (_answered, None, False, 1, [], 1),
    "a stream to its end": (_streamed, None, False, 1, [], 1),
    "refused": (_refused, None, False, 0, [Label.REFUSED], 1),
    "a stream that breaks off": (_broken_off, None, False, 0, [Label.MALFORMED], 1),
    "our own fault": (_broken, None, False, 0, [Label.GATEWAY_FAILED], 0),
    "the caller goes away before an answer": (_silent, None, True, 0, [], 0),
    "the caller goes away in a stream": (_streamed, 1, False, 1, [], 0),
}


@pytest.mark.parametrize("end", ENDS)
def test_however_a_call_ends_its_place_is_free_and_only_what_can_be_replayed_is_kept(end: str, tmp_path: Path) -> None:
    answer, read, goes_away, answered, labels, recorded = ENDS[end]

    async def main() -> None:
        door, _ = gateway(answer, cassette=Cassette(tmp_path, "record"), concurrency=1)
        one = door.admit("t.1", "npc")

        async def call() -> None:
            await _drained(await ask(one, door, stream=True), read)

        task = asyncio.ensure_future(call())
        await settle()
        if goes_away:
            task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert one._places._value == 1
        assert one.answered == answered
        assert [fault.label for fault in one.faults] == labels

    asyncio.run(main())
    assert len(list(tmp_path.rglob("*.json"))) == recorded


def test_a_place_is_free_again_when_its_caller_goes_away_while_it_waits_for_its_rate() -> None:
    async def main() -> None:
        door, provided = gateway(told, concurrency=2, rate=1)
        one = door.admit("t.1", "examinee")
        await ask(one, door)
        waiting = asyncio.ensure_future(ask(one, door))
        await settle()
        assert not waiting.done()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert (one._places._value, provided.asked) == (2, 1)

    asyncio.run(main())


def test_a_minutes_worth_of_calls_may_come_at_once() -> None:
    async def main() -> int:
        door, provided = gateway(told, rate=20)
        one = door.admit("t.1", "examinee")
        calls = [asyncio.ensure_future(ask(one, door)) for _ in range(22)]
        for _ in range(10):
            await settle()
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        return provided.asked

    assert asyncio.run(main()) == 20


# -- whose pass it is --------------------------------------------------------------------------------------------


def test_a_pass_is_known_by_its_token_until_it_is_closed() -> None:
    door, _ = gateway(told)
    one, other = door.admit("t.1", "examinee"), door.admit("t.1", "judge")
    assert door.holder(one.token.reveal()) is one
    assert door.holder(other.token.reveal()) is other
    assert door.holder(one.token.reveal()[:-1]) is None
    assert door.holder("") is None
    one.close()
    assert door.holder(one.token.reveal()) is None
    assert door.holder(other.token.reveal()) is other


def test_a_closed_pass_asks_nobody_and_ends_what_is_under_way() -> None:
    async def main() -> None:
        door, provided = gateway(_silent)
        one = door.admit("t.1", "examinee")
        task = asyncio.ensure_future(one.run(ask(one, door)))
        await settle()
        one.close()
        with pytest.raises(ModelFault) as ended:
            await task
        assert ended.value.label is Label.CLOSED
        with pytest.raises(ModelFault):
            await one.run(ask(one, door))
        assert provided.asked == 1

    asyncio.run(main())
