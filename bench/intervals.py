"""How often the interval of a mean score holds the true mean, beside Student's, by drawing samples.

python -m bench.intervals
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from statistics import fmean, stdev

from dayjob.report.distributions import student_quantile
from dayjob.report.intervals import bounded_interval

SAMPLES = 2000
TASKS = (3, 4, 5, 7, 10, 20, 50)
Ends = tuple[float, float]

# The share of zeros and of ones. What is between is the score of a task that was not resolved: below a half.
SHAPES = {
    "most get nothing": (0.7, 0.1),
    "nearly all get nothing": (0.8, 0.05),
    "many get nothing": (0.5, 0.2),
    "many get everything": (0.1, 0.5),
    "most get everything": (0.1, 0.7),
    "nearly all get everything": (0.05, 0.8),
    "all or nothing, mostly": (0.4, 0.4),
    "half get everything, none nothing": (0.0, 0.5),
    "evenly spread": (0.2, 0.2),
    "mostly something": (0.1, 0.1),
}


def score(chance: random.Random, zeros: float, ones: float) -> float:
    place = chance.random()
    return 0.0 if place < zeros else 1.0 if place < zeros + ones else chance.random() / 2


def student(values: Sequence[float]) -> Ends:
    mean = fmean(values)
    spread = student_quantile(0.975, len(values) - 1) * stdev(values) / math.sqrt(len(values))
    return max(0.0, mean - spread), min(1.0, mean + spread)


def ours(values: Sequence[float]) -> Ends:
    return bounded_interval([[value] for value in values])


def measured(method: Callable[[Sequence[float]], Ends], tasks: int, zeros: float, ones: float) -> tuple[float, float]:
    """How often the mean is held, and how wide the interval is."""
    chance = random.Random(f"{tasks}/{zeros}/{ones}")
    mean = ones + (1 - zeros - ones) / 4
    found = [method([score(chance, zeros, ones) for _ in range(tasks)]) for _ in range(SAMPLES)]
    return fmean(low <= mean <= high for low, high in found), fmean(high - low for low, high in found)


def main() -> None:
    print("| scores of tasks | interval |" + "".join(f" {tasks} tasks |" for tasks in TASKS))
    print("| --- | --- |" + " --- |" * len(TASKS))
    for name, (zeros, ones) in SHAPES.items():
        for title, method in (("ours", ours), ("Student's", student)):
            cells = (measured(method, tasks, zeros, ones) for tasks in TASKS)
            print(
                f"| {name} | {title} |" + "".join(f" {held:.1%} ({width:.2f}) |" for held, width in cells), flush=True
            )


if __name__ == "__main__":
    main()
