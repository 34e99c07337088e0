"""What repeated attempts show: pass@k (at least one of k succeeds) and pass^k (all k succeed), without bias.

Both are averages over every choice of k among the n attempts made at a task, then over tasks with at least k attempts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from dayjob.report.intervals import Interval, mean_interval


def pass_at(attempts: int, successes: int, k: int) -> float:
    """The chance that k of these attempts, drawn without putting back, hold at least one success."""
    return 1 - comb(attempts - successes, k) / comb(attempts, k)


def pass_all(attempts: int, successes: int, k: int) -> float:
    """The chance that k of these attempts, drawn without putting back, all succeeded."""
    return comb(successes, k) / comb(attempts, k)


@dataclass(frozen=True, slots=True)
class Repeats:
    """Both measures for one k, over the `tasks` that have at least k scored attempts."""

    k: int
    tasks: int
    at_least_one: float
    at_least_one_interval: Interval | None
    all_of_them: float
    all_of_them_interval: Interval | None


def repeats(groups: Sequence[Sequence[bool]], largest: int = 10) -> list[Repeats]:
    """One row for each k from 1 to the most attempts any task has (at most `largest`)."""
    rows = []
    for k in range(1, min(largest, max(map(len, groups), default=0)) + 1):
        enough = [(len(group), sum(group)) for group in groups if len(group) >= k]
        once = [pass_at(attempts, successes, k) for attempts, successes in enough]
        always = [pass_all(attempts, successes, k) for attempts, successes in enough]
        several = len(enough) > 1  # one task tells nothing about the next
        rows.append(
            Repeats(
                k,
                len(enough),
                sum(once) / len(once),
                mean_interval([[one] for one in once]) if several else None,
                sum(always) / len(always),
                mean_interval([[one] for one in always]) if several else None,
            )
        )
    return rows
