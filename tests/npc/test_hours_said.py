"""Days and hours as people write them, on Monday 9 March 2026."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayjob.npc.hours_said import Proposal, clashes, covers, proposals
from dayjob.task.colleague_sheet import Busy

TODAY = date(2026, 3, 9)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

# What is written, and the days of March and the hours that are meant by it; a day alone is the whole of it.
WRITTEN = """
    Friday at 12                             | 13 12:00-13:00
    Does Friday work for you?                | 13
    friday, 10:00                            | 13 10:00-11:00
    Fri 10-11                                | 13 10:00-11:00
    Fri, 9:30-10:15                          | 13 09:30-10:15
    on Fri. from 2 to 3                      | 13 14:00-15:00
    Friday between 14:00 and 16:00           | 13 14:00-16:00
    Friday 2pm                               | 13 14:00-15:00
    Friday 2 p.m.                            | 13 14:00-15:00
    Friday at 2:30 pm                        | 13 14:30-15:30
    Friday 10 am to noon                     | 13 10:00-12:00
    Friday at noon                           | 13 12:00-13:00
    Friday at lunchtime                      | 13 12:00-13:00
    Friday morning                           | 13 08:00-12:00
    friday afternoon?                        | 13 13:00-17:00
    on Friday evening                        | 13 17:00-20:00
    Friday after 15:00                       | 13 15:00-18:00
    Friday before 10                         | 13 08:00-10:00
    Friday until 11:30                       | 13 08:00-11:30
    Friday from 13:00                        | 13 13:00-18:00
    Friday around 4                          | 13 16:00-17:00
    11:00 on Friday                          | 13 11:00-12:00
    at 3 on Friday                           | 13 15:00-16:00
    10:00 to 11:00 on Friday                 | 13 10:00-11:00
    Could we meet at 9 on Tuesday?           | 10 09:00-10:00
    Friday 13 March at 12                    | 13 12:00-13:00
    Friday, the 13th, 12:00-13:00            | 13 12:00-13:00
    13 March, 12:00                          | 13 12:00-13:00
    13th of March at 12                      | 13 12:00-13:00
    March 13 at 12                           | 13 12:00-13:00
    March 13th, 12-1pm                       | 13 12:00-13:00
    the 13th at 12:00                        | 13 12:00-13:00
    2026-03-13 12:00                         | 13 12:00-13:00
    2026-03-13                               | 13
    today at 16:00                           | 9 16:00-17:00
    tomorrow at 10                           | 10 10:00-11:00
    tomorrow morning                         | 10 08:00-12:00
    Monday at 15:00                          | 9 15:00-16:00
    Tuesday or Wednesday                     | 10; 11
    Tuesday or Wednesday at 10               | 10 10:00-11:00; 11 10:00-11:00
    Tue 10-11 or Wed 14-15                   | 10 10:00-11:00; 11 14:00-15:00
    Tue at 10, Wed at 3 or Thu morning       | 10 10:00-11:00; 11 15:00-16:00; 12 08:00-12:00
    Wednesday at 10 or at 11                 | 11 10:00-11:00; 11 11:00-12:00
    Thursday 10:00, 14:00-15:00              | 12 14:00-15:00; 12 10:00-11:00
    Would wed. 14h30 do?                     | 11 14:30-15:30
    Thurs at 9 o'clock                       | 12 09:00-10:00
    Sunday                                   | 15
    Weds at eleven                           | 11
    from Tuesday to Friday                   |
    Tuesday - Thursday                       |
    between Tuesday and Thursday             |
    at 10 o'clock                            |
    in room 4 for 12 people                  |
    next week                                |
    the 45th at 10                           |
    2026-13-45                               |
    it may be 12 EUR                         |
"""


def meant(one: Proposal) -> str:
    if one.whole:
        return f"{one.day.day}"
    return f"{one.day.day} {one.start // 60:02}:{one.start % 60:02}-{one.end // 60:02}:{one.end % 60:02}"


@pytest.mark.parametrize("line", [one.strip() for one in WRITTEN.strip().splitlines()])
def test_days_and_hours_are_read(line: str) -> None:
    text, _, wanted = line.partition("|")
    assert sorted(meant(one) for one in proposals(text.strip(), TODAY)) == sorted(
        one.strip() for one in wanted.split(";") if one.strip()
    )


FORMATS = (
    "{name} at {h}:{m:02}",
    "{name}, {h}:{m:02}",
    "{name} {h}:{m:02}-{end}:{m:02}",
    "{short} from {h}:{m:02} to {end}:{m:02}",
    "{name} between {h}:{m:02} and {end}:{m:02}",
    "{h}:{m:02} on {name}",
    "{iso} {h}:{m:02}",
    "{iso} at {h}:{m:02}",
    "{name}, {day} March, {h}:{m:02}",
    "{day} March at {h}:{m:02}",
    "March {day} at {h}:{m:02}",
    "would the {day}th, {h}:{m:02} suit you?",
)


@given(st.integers(0, 6), st.integers(7, 22), st.integers(0, 59), st.sampled_from(FORMATS))
def test_any_day_and_hour_is_read_back_in_twelve_ways(ahead: int, hour: int, minute: int, how: str) -> None:
    day = TODAY + timedelta(days=ahead)
    name = DAYS[day.weekday()]
    text = how.format(name=name, short=name[:3], iso=day.isoformat(), day=day.day, h=hour, m=minute, end=hour + 1)
    (one,) = proposals(text, TODAY)
    assert (one.day, one.start, one.end) == (day, hour * 60 + minute, (hour + 1) * 60 + minute), text


@given(st.text(max_size=200) | st.text("mon tuefri13thMarch2026-0:/ at", max_size=60), st.dates())
def test_any_text_is_read_on_any_day(text: str, today: date) -> None:
    for one in proposals(text, today):
        assert 0 <= one.start < one.end <= 25 * 60
        assert one.said


def test_a_calendar_proposes_nothing() -> None:
    assert proposals(", ".join(f"2026-03-{day:02} 10:00" for day in range(1, 31)) + " or Monday or Friday", TODAY) == ()


BUSY = (
    Busy(("2026-03-12",), 0, 24 * 60, "hamburg"),
    Busy(("tue",), 14 * 60, 24 * 60, "bank"),
    Busy(("tue",), 0, 13 * 60),
)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Thursday at 10", ["hamburg"]),
        ("Thursday", ["hamburg"]),
        ("the 19th at 10", []),
        ("Tuesday at 15:00", ["bank"]),
        ("Tuesday 13:00-14:00", []),
        ("Tuesday 13:30-14:30", ["bank"]),
        ("Tuesday at 9", [""]),
        ("Friday", []),
    ],
)
def test_what_stands_against_it_is_found(text: str, facts: list[str]) -> None:
    (one,) = proposals(text, TODAY)
    assert [each.fact for each in clashes(one, BUSY)] == facts


def test_a_day_is_full_when_nothing_of_its_working_hours_is_left() -> None:
    assert covers([BUSY[0]])
    assert not covers(BUSY[1:])
    assert covers([*BUSY[1:], Busy(("tue",), 12 * 60, 15 * 60)])
    assert not covers([])
