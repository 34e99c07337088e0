"""Two runs side by side, task by task: the same task in both makes a pair, and only pairs are compared.

A task that is hard is hard for both, so the difference within pairs says far more than the difference of two means.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb

from dayjob.report.distributions import student_quantile
from dayjob.report.intervals import LEVEL, Interval
from dayjob.report.trial_facts import Known
from dayjob.trial.outcome import Label


@dataclass(frozen=True, slots=True)
class Pair:
    """One task in both runs: means over its scored attempts."""

    task: str
    first: float
    second: float
    attempts: tuple[int, int]

    @property
    def difference(self) -> float:
        return self.second - self.first


@dataclass(frozen=True, slots=True)
class Difference:
    """Second minus first, over pairs, in one measure."""

    measure: str
    pairs: list[Pair]
    mean: float | None
    interval: Interval | None
    better: int
    worse: int
    same: int
    chance: float | None
    """How often a fair coin would divide better and worse at least this unevenly; None when no task differs."""


@dataclass(frozen=True, slots=True)
class Comparison:
    first: str
    second: str
    differences: list[Difference]
    only_first: list[str]
    only_second: list[str]


def compare(first: str, ones: Sequence[Known], second: str, others: Sequence[Known]) -> Comparison:
    left, right = _by_task(ones), _by_task(others)
    shared = sorted(left.keys() & right.keys())
    measures: dict[str, Callable[[Known], float]] = {
        "partial score": lambda one: one.trial.outcome.score or 0.0,
        "resolved": lambda one: float(one.trial.outcome.label is Label.RESOLVED),
    }
    differences = [
        difference(
            name,
            [
                Pair(
                    task,
                    sum(map(measure, left[task])) / len(left[task]),
                    sum(map(measure, right[task])) / len(right[task]),
                    (len(left[task]), len(right[task])),
                )
                for task in shared
            ],
        )
        for name, measure in measures.items()
    ]
    return Comparison(
        first, second, differences, sorted(left.keys() - right.keys()), sorted(right.keys() - left.keys())
    )


def difference(measure: str, pairs: list[Pair]) -> Difference:
    values = [pair.difference for pair in pairs]
    better, worse = sum(value > 1e-12 for value in values), sum(value < -1e-12 for value in values)
    mean = math.fsum(values) / len(values) if values else None
    return Difference(
        measure,
        pairs,
        mean,
        paired_interval(values),
        better,
        worse,
        len(values) - better - worse,
        sign_chance(better, worse) if better + worse else None,
    )


def paired_interval(values: Sequence[float]) -> Interval | None:
    """Student's interval for the mean difference; None for fewer than two pairs or when nothing varies."""
    if len(values) < 2:
        return None
    mean = math.fsum(values) / len(values)
    variance = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    if variance < 1e-18:
        return None
    spread = student_quantile(0.5 + LEVEL / 2, len(values) - 1) * math.sqrt(variance / len(values))
    return Interval(max(-1.0, mean - spread), min(1.0, mean + spread), "Student's t over tasks in both")


def sign_chance(better: int, worse: int) -> float:
    """The two-sided sign test, exactly."""
    count, most = better + worse, max(better, worse)
    tail = float(sum(comb(count, wins) for wins in range(most, count + 1)) / 2**count)
    return min(1.0, 2 * tail)


def _by_task(known: Sequence[Known]) -> dict[str, list[Known]]:
    found: dict[str, list[Known]] = {}
    for one in known:
        if one.trial.outcome.score is not None:
            found.setdefault(one.trial.outcome.task, []).append(one)
    return found
