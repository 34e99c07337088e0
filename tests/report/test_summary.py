"""What outcomes add up to."""

from __future__ import annotations

import pytest

from dayjob.report.intervals import wilson
from dayjob.report.summary import summarise
from dayjob.trial.outcome import Label, Outcome


def outcome(label: Label, result: int | None = None, total: int | None = None) -> Outcome:
    return Outcome("task", "agent", 1, label, result=result, total=total)


def test_what_was_not_scored_counts_neither_way() -> None:
    found = summarise([outcome(Label.RESOLVED, 4, 4), outcome(Label.PARTIAL, 2, 4), outcome(Label.INFRA_ERROR)])
    assert (found.trials, found.scored, found.resolved) == (3, 2, 0.5)
    assert found.partial == pytest.approx((1.0 + 0.25) / 2)
    assert found.labels == {"resolved": 1, "partial": 1, "infra_error": 1}


def test_nothing_scored_has_no_rate() -> None:
    found = summarise([outcome(Label.UNGRADED)])
    assert (found.resolved, found.interval, found.partial) == (None, None, None)


def test_the_interval_is_wilsons() -> None:
    low, high = wilson(8, 10)
    assert (round(low, 4), round(high, 4)) == (0.4902, 0.9433)
    assert wilson(0, 5)[0] == 0.0
    assert wilson(5, 5)[1] == 1.0
