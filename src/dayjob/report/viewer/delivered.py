"""Each deliverable of a page with what is shown of it, read in one pass over the kept work."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dayjob.report.viewer.branches import branch_lines
from dayjob.report.viewer.deliverables import Deliverable, contents, snapshot_folder
from dayjob.report.viewer.showing import Shown, shown
from dayjob.trial.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Delivered:
    """One of them: what it is, what is to be seen, and whether that is a difference from before."""

    what: Deliverable
    shown: Shown

    @property
    def differs(self) -> bool:
        return bool(self.shown.lines)


def each_shown(folder: Path, outcome: Outcome | None, part: list[Deliverable]) -> list[Delivered]:
    snapshot = snapshot_folder(outcome.made_of) if outcome is not None else None
    files = [one for one in part if one.kind == "file"]
    known = contents(folder, snapshot, [blob for one in files for blob in (one.old, one.new)])
    return [Delivered(one, _shown(folder, snapshot, known, one)) for one in part]


def _shown(folder: Path, snapshot: Path | None, known: dict[str, bytes], what: Deliverable) -> Shown:
    if what.kind != "file":
        lines, problem = branch_lines(folder, snapshot, what)
        return Shown(lines=lines, problem=problem)
    if not what.new:
        return Shown(problem="The file was deleted.")
    if what.same:
        return Shown(problem="Its content is what it was; only its place is another.")
    return shown(what.name, known.get(what.new), known.get(what.old) if what.old else None)
