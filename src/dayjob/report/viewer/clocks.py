"""The host's clock and the company's on one axis, the trial's own seconds: by what the trial wrote down of both.

`began.json` has moments of both clocks: the start, every time company time was skipped, the end of the work. Between
two of them the company's time is laid out evenly; what was skipped takes no room.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from dayjob.company.clock import moment


@dataclass(frozen=True, slots=True)
class Moment:
    """At a second of the trial the company's clock went from one time to another; mostly they are the same."""

    at: float
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Clocks:
    """What each clock's times are in seconds since the trial began."""

    host: float | None
    """The host's time when it began; None where nothing tells."""
    moments: Sequence[Moment]
    exact: bool
    """Whether the trial wrote both down, or they were only lined up."""

    def second(self, time: datetime) -> float | None:
        """Where a time of the company's lies on the axis."""
        if not self.moments:
            return None
        found = time.timestamp()
        index = bisect_right([one.after for one in self.moments], found) - 1
        one = self.moments[max(0, index)]
        if index < 0 or index + 1 == len(self.moments):
            return one.at + found - one.after
        following = self.moments[index + 1]
        if following.before <= one.after or found >= following.before:
            return following.at
        return one.at + (found - one.after) / (following.before - one.after) * (following.at - one.at)

    def company(self, second: float) -> datetime | None:
        """What the company's clock said at a second of the trial."""
        if not self.moments:
            return None
        index = bisect_right([one.at for one in self.moments], second) - 1
        one = self.moments[max(0, index)]
        if index < 0 or index + 1 == len(self.moments):
            return datetime.fromtimestamp(one.after + second - one.at, UTC)
        following = self.moments[index + 1]
        share = (second - one.at) / (following.at - one.at)
        return datetime.fromtimestamp(one.after + share * (following.before - one.after), UTC)

    @property
    def skips(self) -> list[Moment]:
        return [one for one in self.moments if one.after > one.before]


def read_clocks(folder: Path) -> Clocks | None:
    """What a trial wrote down of its clocks; None where it did not, or it cannot be read."""
    try:
        found = json.loads((folder / "began.json").read_text("utf-8"))
        host = moment(found["host"]).timestamp()
        if "moments" not in found:  # format 1: one moment
            at = moment(found["world"]).timestamp()
            return Clocks(host, [Moment(float(found["world_at"]), at, at)], True)
        moments = [_moment(one) for one in found["moments"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    in_order = all(one.at <= two.at and one.after <= two.after for one, two in pairwise(moments))
    return Clocks(host, moments, True) if moments and in_order else None


def _moment(found: Any) -> Moment:
    return Moment(float(found["at"]), moment(found["from"]).timestamp(), moment(found["world"]).timestamp())
