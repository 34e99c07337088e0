"""Numbers and days are found in texts, however people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayjob.task.values import dates, is_date, numbers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("3768", {"3768"}),
        ("3,768 EUR and 444", {"3768", "444"}),
        ("3.768", {"3768"}),
        ("26 518 together", {"26518"}),
        ("310.00 a month", {"310"}),
        ("1,140.50", {"1140.5"}),
        ("12,5 %", {"12.5"}),
        ("0.05", {"0.05"}),
        ("on 24 February at 10:30", set()),
        ("2026-03-09T09:00:00Z", set()),
        ("PO-2026-002 and NT-26-0107", set()),
        ("from 27.01.2026 on, 12 and 13 March", set()),
        ("v2 and C1137", set()),
        ("nothing", set()),
    ],
)
def test_numbers(text: str, found: set[str]) -> None:
    assert numbers(text) == found


@given(st.integers(0, 10**9), st.sampled_from([",", ".", " ", "\u00a0", "’"]))
def test_a_number_is_the_same_in_every_notation(number: int, mark: str) -> None:
    written = f"{number:,}".replace(",", mark)
    assert numbers(f"it is {written} EUR") == {str(number)}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2026-05-01", {"05-01"}),
        ("from 1 May on", {"05-01"}),
        ("May 1st, 2026", {"05-01"}),
        ("by the 3rd of September.", {"09-03"}),
        ("3rd of September", {"09-03"}),
        ("on 24 Feb 2026 and 13 March", {"02-24", "03-13"}),
        ("3 marketing people, 12 mayors", set()),
        ("31 sept", {"09-31"}),
        ("12 and 13 March", {"03-12", "03-13"}),
        ("9–13 March, 20 to 22 April", {"03-09", "03-13", "04-20", "04-22"}),
        ("27.01.2026, 26-02-2026 and 03/03/2026", {"01-27", "02-26", "03-03"}),
    ],
)
def test_days(text: str, found: set[str]) -> None:
    assert dates(text) == found


@pytest.mark.parametrize(
    ("text", "is_one"), [("1 May", True), (" 2026-05-01 ", True), ("by 1 May", False), ("5", False)]
)
def test_a_day_and_nothing_else(text: str, is_one: bool) -> None:
    assert is_date(text) is is_one
