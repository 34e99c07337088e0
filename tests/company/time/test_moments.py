"""Lengths of time and moments, as people write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayjob.company.moments import parse_when
from dayjob.durations import parse_duration, spell_duration

NOW = datetime(2026, 3, 9, 9, 30, tzinfo=UTC)  # a Monday


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("45m", 2700), ("1h30m", 5400), ("2d", 172800), (" 1 h 5 s ", 3605), ("1w", 604800), ("0s", 0), ("3H", 10800)],
)
def test_a_length_of_time_is_read(text: str, seconds: int) -> None:
    assert parse_duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "45", "m", "-5m", "1.5h", "5 minutes", "99999999d", None, 45, "1h 1x", "٣m"])
def test_what_is_no_length_of_time_is_none(text: object) -> None:
    assert parse_duration(text) is None


@given(st.integers(0, 300 * 86400))
def test_a_length_that_is_spelt_is_read_again_as_far_as_it_is_spelt(seconds: int) -> None:
    length = timedelta(seconds=seconds)
    again = parse_duration(spell_duration(length))
    assert again is not None
    assert timedelta() <= length - again < timedelta(hours=1)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("10:00", "2026-03-09 10:00"), ("09:00", "2026-03-10 09:00"), ("09:30", "2026-03-09 09:30"),
        ("today 8:00", "2026-03-09 08:00"), ("tomorrow 08:30", "2026-03-10 08:30"), ("Tue 09:00", "2026-03-10 09:00"),
        ("tuesday 09:00", "2026-03-10 09:00"), ("Mon 09:00", "2026-03-16 09:00"), ("Mon 10:00", "2026-03-09 10:00"),
        ("SUN 23:59", "2026-03-15 23:59"), ("day 1 17:00", "2026-03-09 17:00"), ("day 3 00:00", "2026-03-11 00:00"),
        ("2026-04-01 12:00", "2026-04-01 12:00"), ("2026-04-01T12:00+02:00", "2026-04-01 10:00"),
    ],
)  # fmt: skip
def test_a_moment_is_read(text: str, moment: str) -> None:
    assert parse_when(text, NOW, NOW) == datetime.fromisoformat(moment).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    ["", "25:00", "12:60", "soon", "Tues-day 09:00", "Tux 09:00", "day 0 09:00", "2026-02-30 09:00", "9", None, 9],
)
def test_what_is_no_moment_is_none(text: object) -> None:
    assert parse_when(text, NOW, NOW) is None


def test_a_numbered_day_needs_a_first_one() -> None:
    assert parse_when("day 2 09:00", NOW) is None
