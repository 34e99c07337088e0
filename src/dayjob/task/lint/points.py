"""checkpoints.md against evaluator.py: the same checkpoints, worth the same points."""

from __future__ import annotations

from collections.abc import Iterator

from dayjob.task.findings import Finding
from dayjob.task.lint.sheet import Sheet
from dayjob.task.rules import Rule

FILE = "checkpoints.md"


def check(sheet: Sheet) -> Iterator[Finding]:
    rubric = sheet.rubric
    if rubric is None:
        return
    if not rubric.checkpoints:
        yield Finding(
            Rule.NO_POINTS,
            FILE,
            0,
            "no checkpoint's points can be read",
            "Write headings like '## Checkpoint 1 (2 pts)'",
        )
        return
    if rubric.stated is not None and rubric.stated != rubric.total:
        yield Finding(
            Rule.RUBRIC_SUM,
            FILE,
            rubric.stated_line,
            f"it states {rubric.stated} points, but its checkpoints add up to {rubric.total}",
            "Correct one of the two",
        )
    if sheet.evaluator is None or sheet.evaluator.grade_checkpoints is None:
        return
    totals = sheet.evaluator.totals
    if totals is None:
        yield Finding(
            Rule.TOTALS_UNKNOWN,
            "evaluator.py",
            sheet.evaluator.grade_checkpoints.lineno,
            "the checkpoints' totals are computed, so they were not compared with checkpoints.md",
            "Write them as numbers where you can",
        )
        return
    if len(totals) != len(rubric.checkpoints):
        yield Finding(
            Rule.COUNT_DIFFERS,
            FILE,
            rubric.checkpoints[0][1],
            f"it has {len(rubric.checkpoints)} checkpoints and evaluator.py has {len(totals)}",
            "Describe each checkpoint that is graded, and grade each that is described",
        )
        return
    for number, ((points, line), total) in enumerate(zip(rubric.checkpoints, totals, strict=True), start=1):
        if points != total:
            yield Finding(
                Rule.TOTAL_DIFFERS,
                FILE,
                line,
                f"checkpoint {number} is worth {points} here and {total} in evaluator.py",
                "Correct one of the two",
            )
