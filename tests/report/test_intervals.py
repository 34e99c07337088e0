"""Intervals against known values, brute force and what must hold for every input."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayjob.report.intervals import (
    cluster_error,
    effective_size,
    mean_interval,
    quantile,
    rate_interval,
    student_quantile,
    wilson,
)

GROUPS = st.lists(st.lists(st.booleans(), min_size=1, max_size=6), min_size=1, max_size=12)
SCORES = st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=4), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [  # Newcombe 1998, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_values(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson(successes, trials) == pytest.approx((low, high), abs=5e-5)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 200).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials))))
def test_wilson_solves_its_own_equation(case: tuple[int, int]) -> None:
    """At each end, the true share would be exactly z standard errors away from what was seen."""
    successes, trials = case
    seen = successes / trials
    for end in wilson(successes, trials):
        assert abs(seen - end) == pytest.approx(1.959964 * math.sqrt(end * (1 - end) / trials), abs=1e-6)


@pytest.mark.parametrize(
    ("freedom", "value"), [(1, 12.7062), (2, 4.30265), (5, 2.57058), (30, 2.04227), (400, 1.96591)]
)
def test_students_quantile_is_that_of_the_tables(freedom: int, value: float) -> None:
    assert student_quantile(0.975, freedom) == pytest.approx(value, abs=1e-4)
    assert student_quantile(0.025, freedom) == pytest.approx(-value, abs=1e-4)


@settings(deadline=None, max_examples=60)
@given(GROUPS)
def test_a_rates_interval_holds_the_rate_and_stays_between_0_and_1(groups: list[list[bool]]) -> None:
    rate = sum(map(sum, groups)) / sum(map(len, groups))
    found = rate_interval(groups)
    assert found is not None
    assert 0 <= found.low <= rate <= found.high <= 1


@settings(deadline=None, max_examples=60)
@given(GROUPS)
def test_attempts_at_the_same_tasks_are_never_worth_more_than_independent_ones(groups: list[list[bool]]) -> None:
    if len(groups) > 1:
        size = effective_size([[float(one) for one in group] for group in groups])
        assert 1 <= size <= sum(map(len, groups))


def test_attempts_that_all_agree_are_worth_one_a_task() -> None:
    once, thrice = [[True], [False], [True], [False]], [[True] * 3, [False] * 3, [True] * 3, [False] * 3]
    alone, repeated = rate_interval(once), rate_interval(thrice)
    assert alone is not None
    assert repeated is not None
    assert repeated.high - repeated.low >= alone.high - alone.low
    assert repeated.method == "Wilson, clustered by task"


@settings(deadline=None, max_examples=60)
@given(SCORES)
def test_a_means_interval_is_repeatable_and_within_bounds(groups: list[list[float]]) -> None:
    found = mean_interval(groups)
    assert found is not None
    assert found == mean_interval(groups)
    assert 0 <= found.low <= found.high <= 1 + 1e-12


def test_the_bootstrap_agrees_with_drawing_every_sample_there_is() -> None:
    groups = [[0.0, 0.5], [1.0], [0.25, 0.75, 1.0], [0.0]]
    means = sorted(
        sum(map(sum, drawn)) / sum(map(len, drawn)) for drawn in itertools.product(groups, repeat=len(groups))
    )
    found = mean_interval(groups)
    assert found is not None
    assert found.low == pytest.approx(quantile(means, 0.025), abs=0.05)
    assert found.high == pytest.approx(quantile(means, 0.975), abs=0.05)


def test_groups_of_one_have_the_ordinary_standard_error() -> None:
    draw = random.Random(1)
    values = [draw.random() for _ in range(40)]
    mean = sum(values) / 40
    usual = math.sqrt(sum((value - mean) ** 2 for value in values) / 39 / 40)
    assert cluster_error([[value] for value in values]) == pytest.approx(usual)


def test_one_task_is_said_to_say_nothing_about_others() -> None:
    found = rate_interval([[True, False, True]])
    assert found is not None
    assert "nothing about other tasks" in found.method
    assert rate_interval([]) is None
    assert mean_interval([]) is None


def test_scores_that_do_not_vary_are_not_certain() -> None:
    found = mean_interval([[1.0], [1.0], [1.0]])
    assert found is not None
    assert found.low < 0.5
