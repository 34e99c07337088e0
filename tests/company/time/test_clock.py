"""The company's clock: it never goes back, whatever is done to it, and a stepped one is exact."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayjob.clock_page import SIZE, ClockPage, read
from dayjob.company.clock import SHORT_STEP, STEP, Clock, stamp

START = datetime(2026, 3, 9, 9, tzinfo=UTC)
DEEDS = st.one_of(
    st.tuples(st.just("pause"), st.booleans()),
    st.tuples(st.just("skip"), st.integers(0, 10**6)),
    st.tuples(st.just("to"), st.integers(-(10**6), 10**6)),
    st.tuples(st.just("tick"), st.just(0)),
)


def do(clock: Clock, deed: tuple[str, int]) -> None:
    name, value = deed
    if name == "pause":
        clock.pause(bool(value))
    elif name == "skip":
        clock.skip(timedelta(seconds=value))
    elif name == "to":
        clock.skip_to(clock.now() + timedelta(seconds=value))
    else:
        clock.tick()


@given(st.booleans(), st.lists(DEEDS, max_size=20))
def test_no_clock_goes_back_whatever_is_done_to_it(stepped: bool, deeds: list[tuple[str, int]]) -> None:
    clock = Clock(START, stepped=stepped)
    told, stamps = clock.now(), clock.stamp()
    for deed in deeds:
        do(clock, deed)
        assert clock.now() >= told
        assert clock.stamp() >= stamps
        told, stamps = clock.now(), clock.stamp()


@given(st.lists(DEEDS, max_size=20))
def test_two_stepped_clocks_to_which_the_same_is_done_tell_the_same_time(deeds: list[tuple[str, int]]) -> None:
    one, two = Clock(START, stepped=True), Clock(START, stepped=True)
    for deed in deeds:
        do(one, deed)
        do(two, deed)
    assert (one.stamp(), one.now(), one.skipped) == (two.stamp(), two.now(), two.skipped)


@given(st.lists(st.integers(0, 10**6), max_size=10), st.integers(0, 50))
def test_a_stepped_clock_is_the_sum_of_its_steps_and_skips(skips: list[int], ticks: int) -> None:
    clock = Clock(START, stepped=True)
    for seconds in skips:
        clock.skip(timedelta(seconds=seconds))
    for _ in range(ticks):
        clock.tick()
        clock.tick(SHORT_STEP)
    moment = START + timedelta(seconds=sum(skips)) + ticks * (STEP + SHORT_STEP)
    assert clock.now() == moment
    assert clock.stamp() == stamp(moment)
    assert clock.skipped == timedelta(seconds=sum(skips))


def test_a_pause_stands_through_a_skip_and_goes_on_from_there() -> None:
    clock = Clock(START)
    clock.pause(True)
    stood = clock.now()
    clock.skip(timedelta(hours=2))
    assert clock.now() == stood + timedelta(hours=2)
    assert clock.now() == stood + timedelta(hours=2)
    assert not clock.runs
    clock.pause(False)
    assert clock.runs
    assert timedelta(hours=2) <= clock.now() - stood < timedelta(hours=2, minutes=5)


def test_a_clock_refuses_to_go_back() -> None:
    clock = Clock(START, stepped=True)
    with pytest.raises(ValueError, match="does not go back"):
        clock.skip(timedelta(seconds=-1))
    assert clock.skip_to(START - timedelta(days=1)) == timedelta()
    assert clock.now() == START


@pytest.mark.parametrize("stepped", [True, False])
def test_programs_in_rooms_read_every_change_of_the_clock(tmp_path: Path, stepped: bool) -> None:
    path = tmp_path / "page"
    with path.open("w+b") as file:
        clock = Clock(START, stepped=stepped, page=ClockPage(file.fileno()))
        clock.pause(True)
        for _ in range(2):
            clock.skip(timedelta(hours=1))
            clock.tick()
            told = read(path.read_bytes()[:SIZE], 0)  # it stands, so the host's time does not matter
            assert told // 1000 == int(clock.now().timestamp() * 1_000_000)
