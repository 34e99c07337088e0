"""The part of `dayjob test` that proves answers in other words: two claims a task, and every refuted entry named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dayjob.task.paraphrases import NAME, PARTS, part_of

if TYPE_CHECKING:
    from dayjob.trial.paraphrase_bench import Base, Graded
    from dayjob.trial.spec import TrialSpec

Tell = Callable[[str, str, str | None, dict[str, Any]], None]


def prove_in_other_words(specs: Sequence[TrialSpec], which: str, *, parallel: int, tell: Tell) -> int:
    """Grade each task's entries on the work that its trial without the answer has kept; returns how many claims."""
    from dayjob.task import Task
    from dayjob.trial.paraphrase_bench import Base, grade_all
    from dayjob.trial.variants import found_folder

    today, bases = date.today(), []
    for spec in specs:
        task = Task.load(found_folder(spec) or Path(spec.task))
        entries = task.paraphrases.share(which, today) if task.paraphrases is not None else ()
        if entries:
            bases.append(Base(task, spec, entries))
    if not bases:
        return 0
    told = _Told(which, today, tell)
    grade_all(bases, parallel=parallel, on_graded=told.hear)
    return told.claims


class _Told:
    """Says of each group of a task's entries whether all are as expected, as soon as that is known."""

    def __init__(self, which: str, today: date, tell: Tell) -> None:
        self.claims = 0
        self._tell = tell
        self._share = f" (tenth {part_of(today) + 1} of {PARTS}, by the date {today})" if which == "tenth" else ""
        self._heard: list[Graded] = []

    def hear(self, base: Base, graded: Graded) -> None:
        group = [entry for entry in base.entries if entry.right == graded.entry.right]
        self._heard.append(graded)
        if graded.entry is not group[-1]:
            return
        heard, self._heard = self._heard, []
        self.claims += 1
        refused = [one for one in heard if one.why is not None]
        which = f"variant {base.spec.variant}: " if base.spec.variant else ""
        sentence = which + _sentence(len(group), graded.entry.right, self._share)
        lines = [f"\n    {NAME}:{one.entry.line} ({one.entry.name}) “{one.entry.said}”: {one.why}" for one in refused]
        why = f"{len(refused)} of {len(group)} did not{''.join(lines)}" if refused else None
        rows = [
            {"name": one.entry.name, "line": one.entry.line, "result": one.result, "total": one.total, "why": one.why}
            for one in heard
        ]
        self._tell(base.task.name, sentence, why, {"entries": rows})


def _sentence(number: int, right: bool, share: str) -> str:
    if right:
        what, gets = ("right answer in other words", "gets") if number == 1 else ("right answers in other words", "get")
        return f"{number} {what}{share} {gets} full marks"
    what, gets = ("near miss", "gets") if number == 1 else ("near misses", "get")
    return f"{number} {what}{share} {gets} less"
