"""Two clocks on one axis: what was skipped takes no room, and both can be read off."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayjob.company.clock import stamp
from dayjob.report.viewer.clocks import Clocks, Moment, read_clocks
from dayjob.report.viewer.timeline import timeline
from dayjob.trial.outcome import Label, Outcome

START = datetime(2026, 3, 9, 9, tzinfo=UTC)


def began(folder: Path, moments: list[tuple[float, float, float]]) -> Clocks | None:
    """Written as a trial writes it: seconds of the trial, and seconds of the company's time before and after."""
    told = [
        {"at": at, "from": stamp(START + timedelta(seconds=before)), "world": stamp(START + timedelta(seconds=after))}
        for at, before, after in moments
    ]
    text = json.dumps({"format": 2, "host": "2026-11-15T08:00:00+00:00", "moments": told})
    (folder / "began.json").write_text(text)
    return read_clocks(folder)


def test_hours_that_were_skipped_have_no_width(tmp_path: Path) -> None:
    clocks = began(tmp_path, [(1, 0, 0), (5, 4, 7204), (9, 7208, 7208)])
    assert clocks is not None
    for company, second in ((0, 1), (2, 3), (3.5, 4.5), (4, 5), (3600, 5), (7204, 5), (7206, 7), (7210, 11)):
        assert clocks.second(START + timedelta(seconds=company)) == pytest.approx(second)
    for second, company in ((1, 0), (3, 2), (7, 7206), (11, 7210)):
        assert clocks.company(second) == START + timedelta(seconds=company)
    assert len(clocks.skips) == 1


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100), st.floats(0, 10**6)), min_size=1, max_size=8))
def test_later_in_the_company_is_never_earlier_on_the_axis(steps: list[tuple[float, float, float]]) -> None:
    at = world = 0.0
    moments = []
    for seconds, passed, skipped in steps:
        at, before = at + seconds, world + passed
        world = before + skipped
        moments.append(Moment(at, before, world))
    clocks = Clocks(0.0, moments, True)
    places = [clocks.second(datetime.fromtimestamp(world * part / 50, UTC)) for part in range(52)]
    known = [place for place in places if place is not None]
    assert len(known) == 52
    assert all(one <= two + 1e-6 for one, two in pairwise(known))


def test_an_old_trials_one_moment_still_opens(tmp_path: Path) -> None:
    old = {"format": 1, "host": "2026-11-15T08:00:00+00:00", "world": stamp(START), "world_at": 2.5}
    (tmp_path / "began.json").write_text(json.dumps(old))
    clocks = read_clocks(tmp_path)
    assert clocks is not None
    assert clocks.second(START + timedelta(seconds=1)) == pytest.approx(3.5)
    assert clocks.skips == []


@pytest.mark.parametrize("text", ["", "{}", '{"host": "x"}', '{"host": "2026-11-15T08:00:00Z", "moments": [{}]}'])
def test_what_cannot_be_read_is_not_guessed_at(tmp_path: Path, text: str) -> None:
    (tmp_path / "began.json").write_text(text)
    assert read_clocks(tmp_path) is None
    assert not timeline(tmp_path, None, [("2026-11-15T08:00:00Z", "step", "")], []).exact


def test_a_skip_is_told_in_both_clocks(tmp_path: Path) -> None:
    began(tmp_path, [(1, 0, 0), (5, 4, 7204)])
    drawn = timeline(tmp_path, None, [], [])
    (lane,) = [lane for lane in drawn.lanes if lane.name == "clock"]
    assert [(mark.at, mark.words) for mark in lane.marks] == [(5, "2h pass: Mon 09 Mar 09:00 to Mon 09 Mar 11:00")]
    assert drawn.company(5.5) == "Mon 11:00"


def test_what_a_stepped_clock_puts_past_its_phase_is_drawn_at_its_end(tmp_path: Path) -> None:
    began(tmp_path, [(0, 0, 0)])
    outcome = Outcome("a", "oracle", 1, Label.RESOLVED, timings={"work": 2.0, "grade": 1.0})
    rows = [
        {
            "kind": "request",
            "phase": phase,
            "role": role,
            "service": "forge",
            "time": stamp(START + timedelta(seconds=at)),
        }
        for phase, role, at in (("work", "timeline", 1), ("work", "examinee", 9), ("grade", "grader", 10))
    ]
    drawn = timeline(tmp_path, outcome, [], rows)
    assert drawn.seconds == 3.0
    assert [mark.at for lane in drawn.lanes if lane.name == "forge" for mark in lane.marks] == [1.0, 2.0, 3.0]
    assert drawn.kinds == {"timeline", "examinee", "grader"}
