"""How the scores of tasks may be distributed, for seeing how often an interval holds their mean.

A task that is not resolved has at most half the score, so scores are zeros, ones, and something below a half.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod

from dayjob.report.intervals import mean_interval

SCORES = (0.0, 0.1, 0.2, 0.3, 0.4, 1.0)
"""The scores of a task of five points."""

# The share of zeros and of ones; the rest is spread evenly over what is between.
SKEWED = {
    "most get nothing": (0.7, 0.1),
    "nearly all get nothing": (0.8, 0.05),
    "many get nothing": (0.5, 0.2),
    "many get everything": (0.1, 0.5),
    "more get everything": (0.2, 0.6),
    "most get everything": (0.1, 0.7),
    "nearly all get everything": (0.05, 0.8),
}
BALANCED = {
    "all or nothing, mostly": (0.4, 0.4),
    "everything as often as nothing": (0.3, 0.3),
    "every score as often": (1 / 6, 1 / 6),
    "mostly something": (0.1, 0.1),
}


def drawn(count: int, seed: int = 99) -> list[tuple[float, float]]:
    """Shapes that nobody chose: shares of zeros, ones and what is between, every division as likely."""
    chance = random.Random(seed)
    found = []
    for _ in range(count):
        parts = [chance.expovariate(1) for _ in range(3)]
        found.append((parts[0] / sum(parts), parts[2] / sum(parts)))
    return found


def chances(zeros: float, ones: float) -> list[float]:
    """The chance of each of SCORES."""
    return [zeros, *[(1 - zeros - ones) / 4] * 4, ones]


@cache
def intervals(tasks: int) -> list[tuple[tuple[float, ...], float, float]]:
    """Every sample of so many tasks there is, with the interval of its mean."""
    found = []
    for sample in combinations_with_replacement(SCORES, tasks):
        interval = mean_interval([[score] for score in sample])
        assert interval is not None
        found.append((sample, interval.low, interval.high))
    return found


def coverage(known: Sequence[tuple[tuple[float, ...], float, float]], zeros: float, ones: float) -> float:
    """How often the interval holds the true mean: exactly, as the sum over all samples."""
    likely = dict(zip(SCORES, chances(zeros, ones), strict=True))
    mean = sum(score * chance for score, chance in likely.items())
    total = 0.0
    for sample, low, high in known:
        if low <= mean <= high:
            counts = Counter(sample)
            ways = factorial(len(sample)) / prod(map(factorial, counts.values()))
            total += ways * prod(likely[score] ** count for score, count in counts.items())
    return total
