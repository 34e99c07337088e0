"""95 % intervals, from the standard library alone: Wilson's for a share, one of Jeffreys' kind for a mean score.

Attempts at the same task are alike, so they count for less than as many tasks. Every interval says how it was made.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from dayjob.report.distributions import beta_quantile, student_quantile

LEVEL = 0.95
Z = NormalDist().inv_cdf(0.5 + LEVEL / 2)
# How many tasks of score 0, and as many of score 1, are thought to stand beside those that were seen. Found by
# simulation (bench/intervals.py): with fewer, three to six tasks of which most have full marks or none are covered
# too seldom.
UNSEEN = 2 / 3


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the true value lies with 95 % confidence, and the method in words."""

    low: float
    high: float
    method: str


def wilson(successes: float, trials: float, z: float = Z) -> tuple[float, float]:
    """The score interval for a proportion: sensible for few trials and at 0 and 1."""
    share = successes / trials
    middle = share + z * z / (2 * trials)
    spread = z * math.sqrt(max(0.0, share * (1 - share) / trials + z * z / (4 * trials * trials)))
    scale = 1 + z * z / trials
    # At 0 and 1 the interval touches the share itself; rounding must not push it past.
    return min(share, max(0.0, (middle - spread) / scale)), max(share, min(1.0, (middle + spread) / scale))


def rate_interval(groups: Sequence[Sequence[bool]]) -> Interval | None:
    """For the share of successes among all attempts, given as one group of attempts per task."""
    groups = [group for group in groups if group]
    trials = sum(map(len, groups))
    if not trials:
        return None
    wins = sum(map(sum, groups))
    if len(groups) == 1 and trials > 1:
        return Interval(*wilson(wins, trials), "Wilson, attempts at one task: it says nothing about other tasks")
    if trials == len(groups):
        return Interval(*wilson(wins, trials), "Wilson, one attempt a task")
    size = effective_size([[float(one) for one in group] for group in groups])
    return Interval(*wilson(wins / trials * size, size), "Wilson, clustered by task")


def mean_interval(groups: Sequence[Sequence[float]]) -> Interval | None:
    """For the mean of scores between 0 and 1, given as one group of attempts per task."""
    groups = [group for group in groups if group]
    if not groups:
        return None
    if len(groups) == 1:
        found = bounded_interval([[one] for one in groups[0]])
        return Interval(*found, "Beta over attempts at one task: it says nothing about other tasks")
    return Interval(*bounded_interval(groups), "Beta over tasks")


def bounded_interval(units: Sequence[Sequence[float]]) -> tuple[float, float]:
    """For the mean over all values, which lie between 0 and 1, when those of a unit may go together.

    The values that were not seen decide what few units leave open: a little of a unit at 0 and at 1 is added, and the
    mean of what may be there is taken for a Beta distribution of the same mean and variance. With nothing but zeros and
    ones this is a Bayesian interval for a share; the more alike the scores, the shorter it is; and when all are the
    same it is not certain of that either. How often it holds the true mean: docs/results.md.
    """
    count = sum(map(len, units))
    size, weight = count / len(units), len(units) + 2 * UNSEEN
    middle = (sum(map(sum, units)) + UNSEEN * size) / (weight * size)
    seen = sum(((sum(unit) - middle * len(unit)) / size) ** 2 for unit in units)
    variance = (seen + UNSEEN * (middle**2 + (1 - middle) ** 2)) / weight / (weight + 1)
    strength = middle * (1 - middle) / variance - 1  # more than 1, however different the units' sizes
    tail = (1 - LEVEL) / 2
    low, high = (beta_quantile(p, middle * strength, (1 - middle) * strength) for p in (tail, 1 - tail))
    mean = _mean_of(units)
    return min(low, mean), max(high, mean)


def _mean_of(units: Sequence[Sequence[float]]) -> float:
    return math.fsum(value for unit in units for value in unit) / sum(map(len, units))


def cluster_error(groups: Sequence[Sequence[float]]) -> float:
    """The standard error of the mean over all values when values of a group may go together."""
    count = sum(map(len, groups))
    mean = _mean_of(groups)
    squares = sum((sum(group) - mean * len(group)) ** 2 for group in groups)
    return math.sqrt(len(groups) / (len(groups) - 1) * squares) / count


def effective_size(groups: Sequence[Sequence[float]]) -> float:
    """How many independent attempts these are worth: between one and all of them, fewer the more a task's are alike."""
    count, clusters = sum(map(len, groups)), len(groups)
    mean = _mean_of(groups)
    error = cluster_error(groups)
    if not error:
        # All the same, everywhere: nothing shows that a second attempt at a task adds anything.
        return clusters
    small = (Z / student_quantile(0.5 + LEVEL / 2, clusters - 1)) ** 2
    return max(1.0, min(count, mean * (1 - mean) / error**2 * small))
