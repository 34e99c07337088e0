"""What counts as waiting for a provider: the rule, held against every moment of many made-up histories."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayjob.llm.faults import Label
from dayjob.llm.waiting import State, Waits
from tests.llm.gateways import open_gateway, run, until

WAITING = (State.TURN, State.HELD_UP)


class Hands:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[int, str]]:
    """What happens at each second: (which call, what it does)."""
    does = ["begin", "end", "fail", "own", *(state.name for state in State)]
    return draw(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(does)), max_size=60))


@given(histories())
def test_a_second_is_waited_exactly_when_some_call_is_under_way_and_none_works(history: list[tuple[int, str]]) -> None:
    clock = Hands()
    waits = Waits(clock)
    calls: dict[int, Any] = {}
    # The same, second by second: for each call a list of what it did in each second of its life.
    told: list[list[State | None]] = []
    open_now: dict[int, list[State | None]] = {}
    attempt: dict[int, int] = {}
    for who, does in history:
        if does == "begin" and who not in calls:
            calls[who] = waits.begin(State.TURN)
            open_now[who] = [None] * int(clock.now)
            told.append(open_now[who])
            attempt[who] = int(clock.now)
        elif who in calls and does == "end":
            calls.pop(who).end()
            open_now.pop(who)
        elif who in calls and does == "fail":
            calls[who].attempt_failed()
            row = open_now[who]
            row[attempt[who] :] = [State.HELD_UP] * (len(row) - attempt[who])
        elif who in calls and does == "own":
            calls[who].own()
            row = open_now[who]
            row[:] = [None if one is None else State.ANSWERED for one in row]
        elif who in calls and does in State.__members__:
            if calls[who].spans[-1].state is not State[does]:
                attempt[who] = int(clock.now)
            calls[who].now(State[does])
        for number, row in open_now.items():
            row.append(calls[number].spans[-1].state)
        clock.now += 1
    seconds = int(clock.now)
    held_up = turn = 0
    for second in range(seconds):
        states = [row[second] for row in told if second < len(row) and row[second] is not None]
        if states and all(state in WAITING for state in states):
            held_up += State.HELD_UP in states
            turn += State.HELD_UP not in states
    assert (waits.total.held_up, waits.total.turn) == (held_up, turn)


def test_a_call_beside_a_very_long_one_costs_the_same_however_many_came_before() -> None:
    clock = Hands()
    waits = Waits(clock)
    long = waits.begin(State.ANSWERED)
    for _ in range(5000):
        one = waits.begin(State.TURN)
        clock.now += 1
        one.end()
    assert len(waits._calls) < 100
    assert waits.total.turn == 0, "the long one was at work all the time"
    long.end()


def test_the_first_answer_is_work_and_what_came_before_it_is_not() -> None:
    async def main() -> None:
        rules = [
            {"fault": {"status": 429, "retry_after": 0.2}, "once": True},
            {"fault": {"status": 503}, "once": True, "delay": 0.2},
            {"say": "Now.", "delay": 0.3},
        ]
        async with open_gateway(rules) as opened:
            began = time.monotonic()
            assert (await opened.chat()).status_code == 200
            elapsed = time.monotonic() - began
            total = opened.access.waits.total
            # A busy machine makes every part longer; the 0.3 s of the answer itself are in none of them.
            assert 0.39 <= total.held_up + total.turn <= elapsed - 0.29
            assert not opened.access.waits.paused

    run(main())


def test_ordinary_thinking_is_no_waiting() -> None:
    async def main() -> None:
        async with open_gateway([{"say": "One. Two. Three.", "delay": 0.2, "chunk_delay": 0.05}]) as opened:
            began = time.monotonic()
            for streamed in (False, True):
                assert (await opened.chat(stream=streamed)).status_code == 200
            elapsed = time.monotonic() - began
            assert opened.access.waits.total.held_up == 0
            assert opened.access.waits.total.turn <= elapsed - 0.39

    run(main())


def test_silence_up_to_the_time_out_is_waited() -> None:
    async def main() -> None:
        rules = [{"fault": "silence", "once": True}, {"say": "Here."}]
        async with open_gateway(rules, timeout=0.4) as opened:
            assert (await opened.chat()).status_code == 200
            assert opened.access.waits.total.held_up >= 0.4

    run(main())


def test_waiting_for_a_place_that_others_hold_is_waiting_for_a_turn() -> None:
    async def main() -> None:
        async with open_gateway([{"say": "ok", "delay": 0.3}], concurrency=1) as opened:
            other = opened.client_of(opened.gateway.admit("example.2", "examinee"))
            async with other:
                body = {"messages": [{"role": "user", "content": "first"}]}
                first = asyncio.ensure_future(other.post("/v1/chat/completions", json=body))
                await until(lambda: opened.model.asked)
                await opened.chat()
                await first
            assert 0.1 < opened.access.waits.total.turn < 0.6
            assert opened.access.waits.total.held_up == 0

    run(main())


def test_a_place_that_its_own_calls_hold_is_nobody_else_s_fault() -> None:
    async def main() -> None:
        async with open_gateway([{"say": "ok", "delay": 0.1}], concurrency=1) as opened:
            await asyncio.gather(*(opened.chat() for _ in range(4)))
            total = opened.access.waits.total
            assert total.held_up == 0
            assert total.turn < 0.2, "one of them was at work nearly all the time"

    run(main())


@pytest.mark.parametrize("fault", [{"status": 500}, {"status": 404}, "drop", "garbage"])
def test_a_request_that_the_provider_fails_on_while_it_answers_others_is_the_examinee_s_own(fault: Any) -> None:
    async def main() -> None:
        rules = [{"when": {"last": "poison"}, "fault": fault}, {"say": "ok"}]
        async with open_gateway(rules, retries=2, backoff=0.05) as opened:
            answer = await opened.chat("poison")
            assert answer.json()["error"]["code"] == "request_failed"
            [noted] = opened.access.faults
            assert (noted.label, noted.spoils) == (Label.REQUEST_FAILED, False)
            assert opened.access.waits.total.held_up == 0, "it gains no time by it either"
            judge = opened.gateway.admit("example.1", "judge")
            with pytest.raises(Exception, match="provider"):
                await judge.complete({"messages": [{"role": "user", "content": "poison"}]})
            assert judge.faults[0].spoils, "what we ask ourselves is never an examinee's doing"

    run(main())


def test_a_provider_that_has_just_come_back_is_asked_once_more() -> None:
    async def main() -> None:
        rules = [{"when": {"last": "Hello"}, "fault": {"status": 503}, "times": 3}, {"say": "Back."}]
        async with open_gateway(rules, retries=2) as opened:
            answer = await opened.chat()
            assert answer.json()["choices"][0]["message"]["content"] == "Back."
            assert opened.access.faults == []

    run(main())


def test_one_examinee_has_only_so_many_calls_under_way() -> None:
    async def main() -> None:
        async with open_gateway([{"say": "ok", "delay": 0.02}], concurrency=64) as opened:
            await asyncio.gather(*(opened.chat() for _ in range(30)))
            assert opened.model.most_at_once == 8

    run(main())
