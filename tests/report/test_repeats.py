"""pass@k and pass^k against counting every choice of k attempts."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayjob.report.intervals import mean_interval
from dayjob.report.repeats import pass_all, pass_at, repeats

ATTEMPTS = st.lists(st.booleans(), min_size=1, max_size=7)


@settings(deadline=None, max_examples=40)
@given(ATTEMPTS, st.data())
def test_both_are_what_counting_every_choice_gives(attempts: list[bool], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(attempts)))
    chosen = list(itertools.combinations(attempts, k))
    counts = (len(attempts), sum(attempts), k)
    assert pass_at(*counts) == pytest.approx(sum(map(any, chosen)) / len(chosen))
    assert pass_all(*counts) == pytest.approx(sum(map(all, chosen)) / len(chosen))


@settings(deadline=None, max_examples=40)
@given(st.lists(ATTEMPTS, min_size=1, max_size=5))
def test_with_one_attempt_both_are_the_rate_of_the_average_task(groups: list[list[bool]]) -> None:
    first = repeats(groups)[0]
    rate = sum(sum(group) / len(group) for group in groups) / len(groups)
    assert first.at_least_one == pytest.approx(rate)
    assert first.all_of_them == pytest.approx(rate)


def test_a_task_with_too_few_attempts_is_left_out() -> None:
    rows = repeats([[True, False], [True]])
    assert [(row.k, row.tasks) for row in rows] == [(1, 2), (2, 1)]
    assert rows[1].at_least_one == 1
    assert rows[1].all_of_them == 0
    assert repeats([]) == []


def test_each_measure_has_its_own_interval_over_tasks() -> None:
    second = repeats([[True, False], [True, True], [False, False, True], [True]])[1]
    assert second.at_least_one_interval == mean_interval([[1.0], [1.0], [2 / 3]])
    assert second.all_of_them_interval == mean_interval([[0.0], [1.0], [0.0]])
    assert second.at_least_one_interval != second.all_of_them_interval


def test_one_task_has_no_interval_and_two_have() -> None:
    alone, both = repeats([[True, False]])[0], repeats([[True], [False]])[0]
    assert (alone.at_least_one_interval, alone.all_of_them_interval) == (None, None)
    assert both.at_least_one_interval is not None
    assert both.all_of_them_interval is not None


@pytest.mark.parametrize(("made", "shown"), [(1, 1), (9, 9), (10, 10), (11, 10)])
def test_a_row_for_each_k_up_to_ten(made: int, shown: int) -> None:
    assert [row.k for row in repeats([[True] * made])] == list(range(1, shown + 1))
    assert [row.k for row in repeats([[True] * made], largest=2)] == list(range(1, min(made, 2) + 1))
