"""95 % intervals, from the standard library alone: Wilson's for a share, Student's for a mean, one over whole tasks.

Attempts at the same task are alike, so they count for less than as many tasks. Every interval says how it was made.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

LEVEL = 0.95
Z = NormalDist().inv_cdf(0.5 + LEVEL / 2)
RESAMPLES = 2000
SEED = 20260309
# Beyond this many tasks the bootstrap costs seconds and agrees with the normal interval anyway.
MOST_RESAMPLED = 400


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
    alone = len(groups) == 1
    units = [[one] for one in groups[0]] if alone else groups
    what = "attempts at one task" if alone else "tasks"
    values = [value for unit in units for value in unit]
    mean = sum(values) / len(values)
    if len(units) < 2 or len({sum(unit) / len(unit) for unit in units}) == 1:
        # Nothing varies, so nothing can be resampled: the widest spread a score of this mean can have is assumed.
        return Interval(*wilson(mean * len(units), len(units)), f"Wilson over {what}, all alike")
    if len(units) > MOST_RESAMPLED:
        spread = Z * cluster_error(units)
        return Interval(max(0.0, mean - spread), min(1.0, mean + spread), f"normal, clustered by {what}")
    return bootstrap(units, _mean_of, f"bootstrap over {what}")


def bootstrap(
    units: Sequence[Sequence[float]], measure: Callable[[list[Sequence[float]]], float], how: str
) -> Interval:
    """Draw whole units with replacement, measure, take the middle 95 %. With its fixed seed it repeats itself."""
    draw = random.Random(SEED)
    found = sorted(measure(draw.choices(units, k=len(units))) for _ in range(RESAMPLES))
    tail = (1 - LEVEL) / 2
    return Interval(quantile(found, tail), quantile(found, 1 - tail), f"{how}, {RESAMPLES} resamples")


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which a share of an ordered sequence lies, between neighbours by proportion."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _mean_of(units: list[Sequence[float]]) -> float:
    return sum(map(sum, units)) / sum(map(len, units))


def cluster_error(groups: Sequence[Sequence[float]]) -> float:
    """The standard error of the mean over all values when values of a group may go together."""
    count = sum(map(len, groups))
    mean = _mean_of(list(groups))
    squares = sum((sum(group) - mean * len(group)) ** 2 for group in groups)
    return math.sqrt(len(groups) / (len(groups) - 1) * squares) / count


def effective_size(groups: Sequence[Sequence[float]]) -> float:
    """How many independent attempts these are worth: between one and all of them, fewer the more a task's are alike."""
    count, clusters = sum(map(len, groups)), len(groups)
    mean = _mean_of(list(groups))
    error = cluster_error(groups)
    if not error:
        # All the same, everywhere: nothing shows that a second attempt at a task adds anything.
        return clusters
    small = (Z / student_quantile(0.5 + LEVEL / 2, clusters - 1)) ** 2
    return max(1.0, min(count, mean * (1 - mean) / error**2 * small))


def student_quantile(probability: float, freedom: int) -> float:
    """The quantile of Student's t, by halving: for the few tasks of a small run the normal's is too short."""
    if probability < 0.5:
        return -student_quantile(1 - probability, freedom)
    low, high = 0.0, 1.0
    while student_share(high, freedom) < probability:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if student_share(middle, freedom) < probability else (low, middle)
    return (low + high) / 2


def student_share(t: float, freedom: int) -> float:
    """The share of Student's t distribution below `t` (0 or more), by the finite sums for whole degrees of freedom."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine, sine = math.cos(angle), math.sin(angle)
    total = 0.0
    if freedom % 2:
        term = cosine
        for step in range(1, (freedom - 1) // 2 + 1):
            total += term
            term *= cosine * cosine * (2 * step) / (2 * step + 1)
        return 0.5 + (angle + sine * total) / math.pi
    term = 1.0
    for step in range(freedom // 2):
        total += term
        term *= cosine * cosine * (2 * step + 1) / (2 * step + 2)
    return 0.5 + sine * total / 2
