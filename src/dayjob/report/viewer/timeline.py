"""One time axis for a trial: what the agent did, what the services saw, what was said, how it was graded.

The agent's steps carry the host's time and the journal the company's own. Both are laid on seconds since the trial
began, by the lengths of its steps; `exact` says whether the two clocks could be tied together or were only lined up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from dayjob.company.clock import moment
from dayjob.trial.outcome import Outcome

STEPS = ("build", "start", "init", "setup", "work", "freeze", "grade", "collect")
# The steps that pass between the company's first moment and the examinee's.
_BEFORE_WORK = ("start", "init", "setup")
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


@dataclass(frozen=True, slots=True)
class Timeline:
    seconds: float
    bands: list[Band]
    lanes: list[Lane]
    exact: bool


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
    work = next((band.start for band in bands if band.name == "work"), 0.0)
    rows = list(journal)
    world, world_exact = _world_start(outcome, rows, bands)
    began, host_exact = _host_start(folder, timings, steps, work)
    lanes = {"agent": Lane("agent")}
    for stamp, words, link in steps:
        if began is not None and (time := _moment(stamp)) is not None:
            lanes["agent"].marks.append(Mark((time - began).total_seconds(), words, "step", link))
    company = next((band.start for band in bands if band.name == "start"), 0.0)
    said = Lane("messages")
    for row in rows:
        time = _moment(row.get("time"))
        if time is None or world is None:
            continue
        second = company + (time - world).total_seconds()
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
    seconds = max([at, *(mark.at for lane in lanes.values() for mark in lane.marks), 0.001])
    for lane in lanes.values():
        lane.marks = thinned(lane.marks, seconds)
    return Timeline(seconds, bands, list(lanes.values()), world_exact and host_exact)


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


def _world_start(
    outcome: Outcome | None, rows: Sequence[dict[str, Any]], bands: list[Band]
) -> tuple[datetime | None, bool]:
    """The company's first moment by its own clock, and whether it is known or guessed."""
    times = [(time, row.get("phase")) for row in rows if (time := _moment(row.get("time"))) is not None]
    if not times:
        return None, True
    first = times[0][0]
    if outcome is not None and (now := _world_now(str(outcome.made_of.get("world") or ""))) is not None:
        whole = sum(band.end - band.start for band in bands)
        if 0 <= (first - now).total_seconds() <= whole:
            return now, True
    # Otherwise what came first is drawn where work, or what came before it, began.
    lengths = {band.name: band.end - band.start for band in bands}
    before = lengths.get("start", 0.0) + (0.0 if times[0][1] == "init" else lengths.get("init", 0.0))
    return datetime.fromtimestamp(first.timestamp() - before, first.tzinfo), False


def _world_now(name: str) -> datetime | None:
    import tomllib

    from dayjob.company.world.find import UnknownWorld, find_world

    try:
        found = tomllib.loads((find_world(name) / "world.toml").read_text("utf-8")).get("now")
        return moment(found if isinstance(found, str) else found.isoformat()) if found else None
    except (UnknownWorld, OSError, ValueError, AttributeError):  # the world is not here: the clocks are lined up
        return None


def _host_start(
    folder: Path, timings: dict[str, float], steps: Sequence[tuple[str, str, str]], work: float
) -> tuple[datetime | None, bool]:
    """When the trial began by the host's clock: its first file was written then, if the file times still agree."""
    times = [time for stamp, _, _ in steps if (time := _moment(stamp)) is not None]
    if not times:
        return None, True
    try:
        began = (folder / "spec.json").stat().st_mtime
    except OSError:
        began = 0.0
    if began - 1 <= times[0].timestamp() <= began + timings.get("all", 0.0) + 1:
        return datetime.fromtimestamp(began, times[0].tzinfo), True
    return datetime.fromtimestamp(times[0].timestamp() - work, times[0].tzinfo), False


def _moment(text: Any) -> datetime | None:
    try:
        return moment(text) if isinstance(text, str) else None
    except ValueError:
        return None
