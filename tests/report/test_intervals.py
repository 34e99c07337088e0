"""What must hold of intervals for every input, and how often they hold what they are about."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from operator import mul

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayjob.report.intervals import cluster_error, effective_size, mean_interval, rate_interval, wilson
from tests.report.shapes import BALANCED, SCORES, SKEWED, chances, coverage, drawn, intervals

GROUPS = st.lists(st.lists(st.booleans(), min_size=1, max_size=6), min_size=1, max_size=12)
ONE_TASK = st.one_of(
    st.lists(st.floats(0, 1), min_size=1, max_size=4),
    st.builds(mul, st.just([0.0]) | st.just([1.0]), st.integers(1, 99)),
)
SCORED = st.lists(ONE_TASK, min_size=1, max_size=8)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 200).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials))))
def test_wilson_solves_its_own_equation(case: tuple[int, int]) -> None:
    """At each end, the true share would be exactly z standard errors away from what was seen."""
    successes, trials = case
    seen = successes / trials
    for end in wilson(successes, trials):
        assert abs(seen - end) == pytest.approx(1.959964 * math.sqrt(end * (1 - end) / trials), abs=1e-6)


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


@settings(deadline=None, max_examples=40)
@given(SCORED)
def test_a_means_interval_holds_the_mean_whatever_the_order_and_stays_between_0_and_1(
    groups: list[list[float]],
) -> None:
    found, turned = mean_interval(groups), mean_interval([group[::-1] for group in groups[::-1]])
    assert found is not None
    assert turned is not None
    mean = math.fsum(one for group in groups for one in group) / sum(map(len, groups))
    assert 0 <= found.low <= mean <= found.high <= 1
    assert (turned.low, turned.high) == pytest.approx((found.low, found.high), abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(SCORED)
def test_zeros_and_ones_are_treated_alike(groups: list[list[float]]) -> None:
    found, mirrored = mean_interval(groups), mean_interval([[1 - one for one in group] for group in groups])
    assert found is not None
    assert mirrored is not None
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((found.low, found.high), abs=1e-6)


TASKS = [3, 4, 5]


@pytest.mark.parametrize("shape", [*SKEWED, *BALANCED])
@pytest.mark.parametrize("tasks", TASKS)
def test_a_means_interval_holds_the_true_mean_as_often_as_it_says(tasks: int, shape: str) -> None:
    assert coverage(intervals(tasks), *(SKEWED | BALANCED)[shape]) >= 0.93


@pytest.mark.parametrize("tasks", TASKS)
def test_a_means_interval_is_no_wider_than_it_says_for_skewed_scores(tasks: int) -> None:
    found = [coverage(intervals(tasks), *shape) for shape in SKEWED.values()]
    assert 0.93 <= sum(found) / len(found) <= 0.97
    assert max(found) <= 0.98


@pytest.mark.parametrize("tasks", TASKS)
def test_a_means_interval_holds_the_true_mean_for_scores_it_was_not_made_for(tasks: int) -> None:
    found = [coverage(intervals(tasks), *shape) for shape in drawn(100)]
    assert 0.95 <= sum(found) / len(found) <= 0.98
    assert sum(one >= 0.93 for one in found) >= 90
    assert min(found) >= 0.88


def held(draw: Callable[[], list[list[float]]], mean: float) -> float:
    """The share of 200 samples whose interval holds the mean."""
    found = [mean_interval(draw()) for _ in range(200)]
    return sum(one is not None and one.low <= mean <= one.high for one in found) / len(found)


# The share that was held is within three standard errors of 95 %, which is 4.6 in a hundred.
NEAR = pytest.approx(0.95, abs=0.046)


@pytest.mark.parametrize("tasks", [10, 20])
@pytest.mark.parametrize("shape", ["most get nothing", "most get everything"])
def test_a_means_interval_holds_the_true_mean_for_more_tasks(tasks: int, shape: str) -> None:
    likely, chance = chances(*SKEWED[shape]), random.Random(11)
    mean = sum(map(mul, SCORES, likely))
    assert held(lambda: [[one] for one in chance.choices(SCORES, likely, k=tasks)], mean) == NEAR


@pytest.mark.parametrize(("tasks", "attempts"), [(5, 3), (12, 4)])
def test_a_means_interval_holds_the_true_mean_when_attempts_at_a_task_are_alike(tasks: int, attempts: int) -> None:
    """Each task has a chance of its own to be resolved, which its attempts share; a third of them on average."""
    chance = random.Random(7)

    def draw() -> list[list[float]]:
        easy = [chance.betavariate(0.3, 0.6) for _ in range(tasks)]
        return [[float(chance.random() < one) for _ in range(chance.randint(1, attempts))] for one in easy]

    assert held(draw, 1 / 3) == NEAR


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


def test_attempts_at_one_task_are_the_units_when_there_is_no_other_task() -> None:
    alone, apart = mean_interval([[0.0, 0.5, 1.0]]), mean_interval([[0.0], [0.5], [1.0]])
    assert alone is not None
    assert apart is not None
    assert (alone.low, alone.high) == (apart.low, apart.high)
    assert "nothing about other tasks" in alone.method
    assert "nothing about other tasks" not in apart.method


def test_attempts_that_score_alike_make_a_mean_no_more_certain() -> None:
    once, thrice = mean_interval([[0.0], [0.5], [1.0]]), mean_interval([[0.0] * 3, [0.5] * 3, [1.0] * 3])
    assert once is not None
    assert thrice is not None
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high))


@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("tasks", [1, 2, 3, 10])
def test_scores_that_do_not_vary_are_not_certain(tasks: int, score: float) -> None:
    found = mean_interval([[score]] * tasks)
    assert found is not None
    assert found.high - found.low > 0.4 / tasks


def test_a_task_without_attempts_counts_for_nothing() -> None:
    assert rate_interval([[], [True], [], [False]]) == rate_interval([[True], [False]])
    assert mean_interval([[], [1.0], [], [0.5]]) == mean_interval([[1.0], [0.5]])
    assert rate_interval([[], []]) is None
    assert mean_interval([[], []]) is None


def test_one_attempt_at_one_task_is_one_attempt_a_task() -> None:
    found = rate_interval([[True]])
    assert found is not None
    assert found.method == "Wilson, one attempt a task"
