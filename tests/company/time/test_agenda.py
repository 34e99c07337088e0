"""The agenda: in order, each once, and nobody polls."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from dayjob.company.agenda import Act, Agenda
from dayjob.company.clock import Clock
from tests.company.time.offices import NOW, run


def noted(done: list[int], number: int) -> Act:
    async def act() -> None:
        await asyncio.sleep(0)
        done.append(number)

    return act


@given(st.lists(st.integers(0, 50), min_size=1, max_size=12), st.lists(st.integers(0, 30), min_size=1, max_size=6))
def test_what_is_due_happens_in_order_and_once_however_time_goes_on(minutes: list[int], skips: list[int]) -> None:
    async def work() -> None:
        clock = Clock(NOW, stepped=True)
        agenda = Agenda(clock)
        done: list[int] = []
        for number, minute in enumerate(minutes):
            agenda.add(NOW + timedelta(minutes=minute), f"{number:03}", noted(done, number))
        agenda.begin()
        wanted = sorted(range(len(minutes)), key=lambda number: (minutes[number], number))
        for skip in skips:
            clock.skip(timedelta(minutes=skip))
            await asyncio.gather(agenda.carry_out(), agenda.carry_out())
            passed = sum(1 for minute in minutes if NOW + timedelta(minutes=minute) <= clock.now())
            assert done == wanted[:passed]
            assert not agenda.late
        clock.skip(timedelta(hours=2))
        await agenda.carry_out()
        assert done == wanted

    run(work())


def test_a_running_clock_has_one_timer_for_the_next_thing_and_a_stepped_one_has_none() -> None:
    async def work() -> None:
        for stepped in (False, True):
            agenda = Agenda(Clock(NOW, stepped=stepped))
            done: list[int] = []
            happened = asyncio.Event()

            async def act() -> None:
                happened.set()  # noqa: B023 - carried out within this round

            agenda.begin()
            assert agenda._timer is None, "nothing is due, so nothing wakes"
            agenda.add(NOW + timedelta(days=1), "b", noted(done, 1))
            agenda.add(NOW + timedelta(milliseconds=30), "a", act)
            assert (agenda._timer is None) == stepped
            if not stepped:
                await happened.wait()
            assert done == []
            agenda.end()

    run(work())


def test_a_paused_clock_needs_no_timer_and_goes_on_with_one() -> None:
    async def work() -> None:
        clock = Clock(NOW)
        agenda = Agenda(clock)
        agenda.begin()
        agenda.add(NOW + timedelta(days=1), "a", noted([], 1))
        clock.pause(True)
        agenda.arm()
        assert agenda._timer is None
        clock.pause(False)
        agenda.arm()
        assert agenda._timer is not None
        agenda.end()

    run(work())


def test_one_act_that_fails_keeps_no_other_from_happening_and_what_is_dropped_does_not() -> None:
    async def work() -> None:
        agenda = Agenda(Clock(NOW, stepped=True))
        done: list[int] = []

        async def fails() -> None:
            raise RuntimeError("no")

        agenda.add(NOW, "a", fails)
        agenda.drop(agenda.add(NOW, "b", noted(done, 1)))
        agenda.add(NOW, "c", noted(done, 2), owed=True)
        assert agenda.next_at is None, "nothing happens before it begins"
        agenda.begin()
        assert agenda.owed_at == NOW
        await agenda.carry_out()
        assert done == [2]

    run(work())
