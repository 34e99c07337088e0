"""One time axis for a trial: what the agent did, what the services saw, what was said, how it was graded.

The agent's steps carry the host's time and the journal the company's own. Both are laid on seconds since the trial
began, by what it wrote down of both clocks (`began.json`); `exact` says whether it did, or they were only lined up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dayjob.company.clock import moment
from dayjob.durations import spell_duration
from dayjob.report.score_line import read_line
from dayjob.report.viewer.clocks import Clocks, Moment, read_clocks
from dayjob.report.viewer.worth import Chart, chart
from dayjob.trial.outcome import Outcome
from dayjob.trial.steps import STEPS

MOST_MARKS = 300


@dataclass(frozen=True, slots=True)
class Mark:
    """Something at a moment; `count` things when many are drawn as one."""

    at: float
    words: str
    kind: str = ""
    link: str = ""
    count: int = 1


@dataclass(slots=True)
class Lane:
    name: str
    marks: list[Mark] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Band:
    """A step of the trial, from when to when."""

    name: str
    start: float
    end: float


def _skipped(clocks: Clocks) -> list[Mark]:
    """Where company time was let pass: hours there, no width here."""
    found = []
    for one in clocks.skips:
        before, after = (datetime.fromtimestamp(time, UTC) for time in (one.before, one.after))
        length = spell_duration(after - before)
        found.append(Mark(one.at, f"{length} pass: {before:%a %d %b %H:%M} to {after:%a %d %b %H:%M}", "skip"))
    return found


@dataclass(frozen=True, slots=True)
class Timeline:
    seconds: float
    bands: list[Band]
    lanes: list[Lane]
    exact: bool
    clocks: Clocks | None = None
    worth: Chart | None = None
    """What the work was worth along the way, where the trial has a score line."""

    @property
    def kinds(self) -> set[str]:
        """Whose doings are drawn."""
        return {mark.kind for lane in self.lanes for mark in lane.marks}

    def company(self, second: float) -> str:
        """What the company's clock said then, for reading; empty where nothing tells."""
        found = self.clocks.company(second) if self.clocks is not None else None
        return found.strftime("%a %H:%M") if found is not None else ""


def timeline(
    folder: Path,
    outcome: Outcome | None,
    steps: Sequence[tuple[str, str, str]],
    journal: Iterable[dict[str, Any]],
) -> Timeline:
    """`steps` are (timestamp, words, link); the journal is as it was written."""
    timings = outcome.timings if outcome else {}
    bands, at = [], 0.0
    for name in STEPS:
        if name in timings:
            bands.append(Band(name, at, at + timings[name]))
            at += timings[name]
    rows = list(journal)
    clocks = _clocks(folder, steps, rows, bands)
    lanes = {"agent": Lane("agent")}
    for stamp, words, link in steps:
        if clocks.host is not None and (time := _moment(stamp)) is not None:
            lanes["agent"].marks.append(Mark(time.timestamp() - clocks.host, words, "step", link))
    said = Lane("messages")
    during = {band.name: band for band in bands}
    for row in rows:
        time = _moment(row.get("time"))
        second = clocks.second(time) if time is not None else None
        if second is None:
            continue
        # A stepped clock goes on by a second for every request, however short: it is drawn within its phase.
        if (band := during.get(str(row.get("phase")))) is not None:
            second = min(max(second, band.start), band.end)
        role = str(row.get("role"))
        if row.get("kind") == "request":
            words = f"{role}: {row.get('method')} {row.get('path')} → {row.get('status')}"
            lane = lanes.setdefault(str(row.get("service")), Lane(str(row.get("service"))))
            lane.marks.append(Mark(second, words, role, "journal.html"))
        elif row.get("kind") == "change" and row.get("table") == "messages" and row.get("op") == "added":
            after = row.get("after") if isinstance(row.get("after"), dict) else {}
            text = f"{after.get('username')}: {after.get('text')}" if isinstance(after, dict) else ""
            said.marks.append(Mark(second, text[:200], role, "chat.html"))
    if said.marks:
        lanes["messages"] = said
    if outcome and outcome.checkpoints:
        lanes["checkpoints"] = Lane("checkpoints", _graded(outcome, bands))
    if clocks.skips:
        lanes["clock"] = Lane("clock", _skipped(clocks))
    began = next((band.start for band in bands if band.name == "work"), 0.0)
    line = read_line(folder) if outcome and outcome.score_line else None
    worth = chart(line, [link for *_, link in steps], began, at)
    ends = [point.at for point in worth.points] if worth is not None else []
    seconds = max([at, *ends, *(mark.at for lane in lanes.values() for mark in lane.marks), 0.001])
    for lane in lanes.values():
        lane.marks = thinned(lane.marks, seconds)
    return Timeline(seconds, bands, list(lanes.values()), clocks.exact, clocks if clocks.exact else None, worth)


def thinned(marks: list[Mark], seconds: float) -> list[Mark]:
    """The same marks, those that would be drawn on one another as one."""
    if len(marks) <= MOST_MARKS:
        return [Mark(max(0.0, mark.at), mark.words, mark.kind, mark.link) for mark in marks]
    bins: dict[tuple[int, str], list[Mark]] = {}
    for mark in marks:
        bins.setdefault((int(max(0.0, mark.at) / seconds * (MOST_MARKS - 1)), mark.kind), []).append(mark)
    return [
        Mark(max(0.0, each[0].at), each[0].words, kind, each[0].link, len(each))
        for (_, kind), each in sorted(bins.items())
    ]


def _graded(outcome: Outcome, bands: list[Band]) -> list[Mark]:
    """Marks across the time of grading: the grader's verdict comes at its end, in the order of checkpoints."""
    band = next((band for band in bands if band.name == "grade"), Band("grade", 0.0, 0.0))
    count = len(outcome.checkpoints)
    found = []
    for number, one in enumerate(outcome.checkpoints, 1):
        kind = "full" if one["result"] == one["total"] else "some" if one["result"] else "none"
        at = band.start + (band.end - band.start) * number / count
        found.append(Mark(at, f"checkpoint {number}: {one['result']} of {one['total']}", kind))
    return found


def _clocks(
    folder: Path, steps: Sequence[tuple[str, str, str]], rows: Sequence[dict[str, Any]], bands: list[Band]
) -> Clocks:
    """From what the trial wrote down; without that, what came first is drawn where its step began."""
    if (found := read_clocks(folder)) is not None:
        return found
    starts = {band.name: band.start for band in bands}
    first_step = next((time for stamp, _, _ in steps if (time := _moment(stamp)) is not None), None)
    first_row = next(((time, row) for row in rows if (time := _moment(row.get("time"))) is not None), None)
    host = first_step.timestamp() - starts.get("work", 0.0) if first_step else None
    moments = []
    if first_row is not None:
        at = first_row[0].timestamp()
        moments = [Moment(starts.get(str(first_row[1].get("phase")), 0.0), at, at)]
    return Clocks(host, moments, first_step is None and first_row is None)


def _moment(text: Any) -> datetime | None:
    try:
        return moment(text) if isinstance(text, str) else None
    except ValueError:
        return None
