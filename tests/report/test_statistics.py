"""Every statistic of a report against values that other programs computed."""

from __future__ import annotations

import pytest

from dayjob.report.compare import paired_interval, sign_chance
from dayjob.report.distributions import beta_quantile, beta_share, student_quantile
from dayjob.report.intervals import cluster_error, effective_size, mean_interval, rate_interval, wilson
from dayjob.report.repeats import pass_all, pass_at
from tests.report import independent_values as independent

CLOSE = 1e-9


@pytest.mark.parametrize(("successes", "trials", "low", "high"), independent.WILSON)
def test_wilsons_interval(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson(successes, trials) == pytest.approx((low, high), abs=CLOSE)
    found = rate_interval([[one < successes] for one in range(trials)])
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=CLOSE)


@pytest.mark.parametrize(("probability", "freedom", "value"), independent.STUDENT)
def test_students_quantiles(probability: float, freedom: int, value: float) -> None:
    assert student_quantile(probability, freedom) == pytest.approx(value, rel=CLOSE)
    assert student_quantile(1 - probability, freedom) == pytest.approx(-value, rel=CLOSE)


@pytest.mark.parametrize(("probability", "a", "b", "value"), independent.BETA)
def test_quantiles_of_the_beta_distribution(probability: float, a: float, b: float, value: float) -> None:
    assert beta_quantile(probability, a, b) == pytest.approx(value, abs=CLOSE)


@pytest.mark.parametrize(("x", "share"), [(-1, 0), (0, 0), (1, 1), (2, 1), (0.5, 0.5)])
def test_all_of_the_beta_distribution_lies_between_nought_and_one(x: float, share: float) -> None:
    assert beta_share(x, 2.5, 2.5) == pytest.approx(share, abs=CLOSE)


@pytest.mark.parametrize(("groups", "error"), independent.CLUSTER_ERROR)
def test_the_cluster_robust_error(groups: list[list[float]], error: float) -> None:
    assert cluster_error(groups) == pytest.approx(error, abs=CLOSE)


@pytest.mark.parametrize(("groups", "worth", "low", "high"), independent.CLUSTERED_WILSON)
def test_wilsons_interval_clustered_by_task(groups: list[list[float]], worth: float, low: float, high: float) -> None:
    if any(len(group) > 1 for group in groups):
        assert effective_size(groups) == pytest.approx(worth, abs=CLOSE)
    found = rate_interval([[bool(one) for one in group] for group in groups])
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=CLOSE)


@pytest.mark.parametrize(("groups", "low", "high"), independent.MEAN)
def test_a_mean_scores_interval(groups: list[list[float]], low: float, high: float) -> None:
    found = mean_interval(groups)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=CLOSE)


@pytest.mark.parametrize(("attempts", "successes", "k", "once", "always"), independent.PASS)
def test_pass_at_k_and_pass_all_k(attempts: int, successes: int, k: int, once: float, always: float) -> None:
    assert pass_at(attempts, successes, k) == pytest.approx(once, abs=CLOSE)
    assert pass_all(attempts, successes, k) == pytest.approx(always, abs=CLOSE)


@pytest.mark.parametrize(("differences", "low", "high"), independent.PAIRED)
def test_the_paired_interval(differences: list[float], low: float, high: float) -> None:
    found = paired_interval(differences)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=CLOSE)


@pytest.mark.parametrize(("better", "worse", "chance"), independent.SIGN)
def test_the_sign_test(better: int, worse: int, chance: float) -> None:
    assert sign_chance(better, worse) == pytest.approx(chance, abs=CLOSE)
    assert sign_chance(worse, better) == pytest.approx(chance, abs=CLOSE)
