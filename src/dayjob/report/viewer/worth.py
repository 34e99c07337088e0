"""The score line on a trial's time axis: a point for each moment at which the work was graded, as high as its marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dayjob.report.score_line import Line, Worth

MOST_DRAWN = 300
APART = 0.03
"""Of the axis: how far two labels are at least from one another."""


@dataclass(frozen=True, slots=True)
class Point:
    """One moment. `share` is of all marks, `label` what stands beside it where there is room."""

    at: float
    share: float
    kind: str
    words: str
    label: str = ""
    link: str = ""
    lower: bool = False
    """It is lower than the point before: the line comes from above."""


@dataclass(frozen=True, slots=True)
class Change:
    """A moment at which points came or went, for reading."""

    at: float
    worth: Worth
    link: str


@dataclass(frozen=True, slots=True)
class Chart:
    """The line as it is drawn, and the moments at which it goes up or down. `total` is what its top means."""

    total: int
    begins: float
    """When the work began."""
    points: list[Point]
    changes: list[Change]
    failed: int
    lost: int


def chart(line: Line | None, links: Sequence[str], begins: float, seconds: float) -> Chart | None:
    """`links` lead to the agent's steps, in order; `seconds` is how long the axis is at least."""
    if line is None or not line.points:
        return None
    total = max((one.total for one in line.points), default=0)
    length = max(seconds, *(one.at for one in line.points), 0.001)
    points, labelled, before = list[Point](), -1.0, 0
    for worth in _drawn(line.points):
        link = links[worth.step - 1] if worth.step is not None and 0 < worth.step <= len(links) else ""
        after = f"after step {worth.step}: " if worth.step is not None else ""
        if worth.result is None:
            words = f"{after}not graded: {worth.failed}"
            points.append(Point(worth.at, before / total if total else 0.0, "odd", words, link=link))
            continue
        moved = "".join(f"\n{move.words}" for move in worth.moves)
        kind = "full" if worth.result == worth.total else "some" if worth.result else "none"
        label = ""
        if worth.result != before and (labelled < 0 or (worth.at - labelled) / length >= APART):
            label, labelled = str(worth.result), worth.at
        share, lower = worth.result / total if total else 0.0, worth.result < before
        before = worth.result
        words = f"{after}{worth.result} of {worth.total}{moved}"
        points.append(Point(worth.at, share, kind, words, label, link, lower))
    changes = [
        Change(one.at, one, links[one.step - 1] if one.step is not None and 0 < one.step <= len(links) else "")
        for one in line.points
        if one.moves
    ]
    failed = sum(1 for one in line.points if one.result is None)
    return Chart(total, min(begins, points[0].at), points, changes[:MOST_DRAWN], failed, max(0, line.lost))


def _drawn(points: Sequence[Worth]) -> list[Worth]:
    """All of them or, of very many, those that say something new and as many of the others as there is room for."""
    if len(points) <= MOST_DRAWN:
        return list(points)
    telling = {0, len(points) - 1} | {place for place, one in enumerate(points) if one.moves or one.result is None}
    step = max(1, len(points) // max(1, MOST_DRAWN - len(telling)))
    return [one for place, one in enumerate(points) if place in telling or place % step == 0][: 2 * MOST_DRAWN]
