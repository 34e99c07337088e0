"""Working hours: who answers when."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayjob.company.world.hours import Hours, read_hours
from dayjob.company.world.snapshot import check_world
from tests.company.time.offices import office

MONDAY = datetime(2026, 3, 9, 9, 30, tzinfo=UTC)
HOURS = read_hours({"hours": "09:00-17:00", "days": "Mon-Fri", "away": ["2026-03-10"], "answers": "5m-15m"})


@pytest.mark.parametrize(
    ("heard", "answered"),
    [
        ("2026-03-09 09:30", "2026-03-09 09:40"),  # there
        ("2026-03-09 08:00", "2026-03-09 09:10"),  # before work
        ("2026-03-09 16:55", "2026-03-11 09:10"),  # too late today, and tomorrow is a day off
        ("2026-03-10 12:00", "2026-03-11 09:10"),  # on a day off
        ("2026-03-13 18:00", "2026-03-16 09:10"),  # over the weekend
    ],
)
def test_who_is_there_answers_within_minutes_and_who_is_not_the_next_morning(heard: str, answered: str) -> None:
    asked = datetime.fromisoformat(heard).replace(tzinfo=UTC)
    assert HOURS.answer_at(asked, 0.5) == datetime.fromisoformat(answered).replace(tzinfo=UTC)


@given(st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)), st.floats(0, 1))
def test_an_answer_comes_later_than_the_question_and_within_hours(heard: datetime, chance: float) -> None:
    found = HOURS.answer_at(heard.replace(tzinfo=UTC), chance)
    assert found is not None
    assert found >= heard.replace(tzinfo=UTC) + timedelta(minutes=5)
    assert HOURS.there(found)


def test_somebody_who_never_works_never_answers() -> None:
    off = frozenset(date(2026, 3, 9) + timedelta(days=day) for day in range(800))
    assert Hours(off=off).answer_at(MONDAY, 0.0) is None


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("hours: nine to five", "'nine to five' are no working hours."),
        ("hours: 17:00-09:00", "'17:00-09:00' are no working hours."),
        ("hours: 09:00-25:00", "'09:00-25:00' are no working hours."),
        ("days: Mon-Someday", "'Mon-Someday' are no days of the week."),
        ("away: [Tuesday]", "'away' must be a list of dates."),
        ("answers: soon", "'soon' is no speed."),
        ("answers: 20m-5m", "'20m-5m' is no speed."),
    ],
)
def test_a_mistake_in_somebodys_hours_is_told_with_its_line(tmp_path: Path, line: str, sentence: str) -> None:
    files = {"people/mara.lind.yml": f"name: Mara Lind\nusername: mara.lind\n{line}\n"}
    (problem,) = check_world(office(tmp_path, **files))
    assert (problem.file, problem.line, problem.message) == ("people/mara.lind.yml", 3, sentence)
    assert problem.fix


def test_hours_that_are_not_written_are_those_of_an_office() -> None:
    assert read_hours({}) == Hours(time(9), time(17), frozenset(range(5)))
    assert read_hours({"days": ["Sat", "Sun"]}).days == {5, 6}
    assert read_hours({"days": "Fri-Mon"}).days == {4, 5, 6, 0}
