"""What trials add up to: rates over what was scored, with an interval; faults apart, because they are no scores."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dayjob.trial.outcome import Label, Outcome


@dataclass(frozen=True, slots=True)
class Summary:
    """`resolved` and `partial` are means over scored trials; None when nothing was scored."""

    trials: int
    scored: int
    resolved: float | None
    interval: tuple[float, float] | None
    """Wilson's 95 % interval for the resolved rate."""
    partial: float | None
    labels: dict[str, int]
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def summarise(outcomes: Sequence[Outcome]) -> Summary:
    scored = [one for one in outcomes if one.scored]
    resolved = sum(one.label is Label.RESOLVED for one in scored)
    scores = [one.score for one in scored if one.score is not None]
    return Summary(
        trials=len(outcomes),
        scored=len(scored),
        resolved=resolved / len(scored) if scored else None,
        interval=wilson(resolved, len(scored)) if scored else None,
        partial=sum(scores) / len(scores) if scores else None,
        labels=dict(Counter(one.label.value for one in outcomes)),
        seconds=sum(one.timings.get("all", 0.0) for one in outcomes),
    )


def wilson(successes: int, trials: int, z: float = 1.959964) -> tuple[float, float]:
    """The score interval for a proportion: sensible for few trials and at 0 and 1."""
    share = successes / trials
    middle = share + z * z / (2 * trials)
    spread = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)
