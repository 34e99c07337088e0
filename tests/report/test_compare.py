"""Two runs compared by pairs of tasks."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from statistics import mean, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayjob.report.compare import compare, paired_interval, sign_chance
from dayjob.report.results import load_trials
from dayjob.report.trial_facts import Known, know
from dayjob.trial.outcome import Label
from tests.report.runs import write_trial


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 7), st.integers(0, 7))
def test_the_sign_test_is_what_tossing_every_row_of_coins_gives(better: int, worse: int) -> None:
    if better + worse:
        uneven = abs(better - worse)
        tosses = list(itertools.product((1, -1), repeat=better + worse))
        assert sign_chance(better, worse) == pytest.approx(
            sum(abs(sum(toss)) >= uneven for toss in tosses) / len(tosses)
        )


def test_the_interval_of_differences_is_students() -> None:
    values = [0.1, 0.3, -0.1, 0.2, 0.0]
    found = paired_interval(values)
    assert found is not None
    spread = 2.776445 * stdev(values) / math.sqrt(5)
    assert (found.low, found.high) == pytest.approx((mean(values) - spread, mean(values) + spread), abs=1e-5)
    assert paired_interval([0.5]) is None
    assert paired_interval([0.5, 0.5]) is None


def known(run: Path) -> list[Known]:
    return [know(trial) for trial in load_trials(run)]


def test_only_tasks_scored_in_both_are_compared(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    for attempt, result in ((1, 0), (2, 3)):
        write_trial(before, "alpha", attempt=attempt, result=result)
    write_trial(before, "beta", result=3)
    write_trial(before, "gone", result=3)
    write_trial(before, "broken", label=Label.INFRA_ERROR)
    write_trial(after, "alpha", result=3)
    write_trial(after, "beta", result=0)
    write_trial(after, "broken", result=3)
    found = compare("before", known(before), "after", known(after))
    partial, resolved = found.differences
    assert [(pair.task, pair.difference, pair.attempts) for pair in resolved.pairs] == [
        ("alpha", 0.5, (2, 1)),
        ("beta", -1.0, (1, 1)),
    ]
    assert (partial.better, partial.worse, partial.same) == (1, 1, 0)
    assert resolved.mean == pytest.approx(-0.25)
    assert (found.only_first, found.only_second) == (["gone"], ["broken"])
