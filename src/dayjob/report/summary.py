"""What a run's outcomes come to in one breath, as `dayjob run` says it at the end; `dayjob report` says the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dayjob.report.intervals import rate_interval
from dayjob.trial.outcome import EXHAUSTED, Label, Outcome


@dataclass(frozen=True, slots=True)
class Summary:
    """`resolved` and `partial` are means over scored trials; None when nothing was scored."""

    trials: int
    scored: int
    resolved: float | None
    interval: tuple[float, float] | None
    """For the resolved rate, 95 %; clustered by task when a task has several attempts."""
    partial: float | None
    labels: dict[str, int]
    exhausted: int
    """How many of the failed ended because their company could take no more."""
    seconds: float
    colleague_faults: int = 0
    """In how many a colleague was at fault; their scores stand."""


def summarise(outcomes: Sequence[Outcome]) -> Summary:
    scored = [one for one in outcomes if one.scored]
    groups: dict[str, list[bool]] = {}
    for one in scored:
        groups.setdefault(one.task, []).append(one.label is Label.RESOLVED)
    interval = rate_interval(list(groups.values()))
    scores = [one.score for one in scored if one.score is not None]
    return Summary(
        trials=len(outcomes),
        scored=len(scored),
        resolved=sum(map(sum, groups.values())) / len(scored) if scored else None,
        interval=(interval.low, interval.high) if interval else None,
        partial=sum(scores) / len(scores) if scores else None,
        labels=dict(Counter(one.label.value for one in outcomes)),
        exhausted=sum(one.ended == EXHAUSTED for one in outcomes),
        seconds=sum(one.timings.get("all", 0.0) for one in outcomes),
        colleague_faults=sum(bool(one.colleague_fault) for one in outcomes),
    )
