"""Where the trials of a run lost points: alike losses together, and each checkpoint's share by who sat the exam."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dayjob.report.viewer.index import Index

MOST = 300


@dataclass(frozen=True, slots=True)
class Lost:
    """Trials that lost points at one checkpoint for one reason."""

    task: str
    place: int
    reason: str
    trials: int
    points: int
    entrants: str
    name: str
    """Of the first of them."""


def lost_points(index: Index, run: str, tasks: Sequence[str]) -> list[Lost]:
    """Most points first."""
    marks = ", ".join("?" * len(tasks))
    rows = index.ask(
        "SELECT task, place, marks.reason, count(*), sum(marks.total - marks.result), group_concat(DISTINCT entrant), "
        "min(name) FROM marks JOIN trials ON trials.id = marks.trial "
        f"WHERE run = ? AND task IN ({marks}) AND marks.result < marks.total "
        "GROUP BY task, place, marks.reason ORDER BY 5 DESC, 4 DESC, task, place LIMIT ?",
        run,
        *tasks,
        MOST,
    )
    return [Lost(*row) for row in rows]


def checkpoint_shares(index: Index, run: str, tasks: Sequence[str]) -> dict[tuple[str, int], dict[str, float]]:
    """For each checkpoint of a task, the mean share of its points by entrant."""
    marks = ", ".join("?" * len(tasks))
    rows = index.ask(
        "SELECT task, place, entrant, avg(CASE WHEN marks.total THEN 1.0 * marks.result / marks.total ELSE 1 END) "
        f"FROM marks JOIN trials ON trials.id = marks.trial WHERE run = ? AND task IN ({marks}) "
        "GROUP BY task, place, entrant ORDER BY task, place",
        run,
        *tasks,
    )
    found: dict[tuple[str, int], dict[str, float]] = {}
    for task, place, entrant, share in rows:
        found.setdefault((task, place), {})[entrant] = share
    return found
