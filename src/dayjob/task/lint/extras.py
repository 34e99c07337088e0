"""The optional parts: task.toml, the solution, and mutants with the scores they must get."""

from __future__ import annotations

from collections.abc import Iterator

from dayjob.task.findings import Finding, TaskError
from dayjob.task.lint.company import shell_syntax
from dayjob.task.lint.sheet import Sheet
from dayjob.task.model import load_mutants
from dayjob.task.reading import line_of
from dayjob.task.rules import Rule


def check(sheet: Sheet) -> Iterator[Finding]:
    if sheet.settings is not None:
        yield from sheet.settings.unknown_settings()
    scripts = [name for name in ("solution.py", "solution.sh") if sheet.has(name)]
    mutants = sheet.path / "mutants"
    if mutants.is_dir():
        scripts += sorted(f"mutants/{each.name}" for each in mutants.iterdir() if each.suffix in (".py", ".sh"))
    for name in scripts:
        if name.endswith(".py"):
            sheet.python(name, Rule.SOLUTION_SYNTAX)
        elif finding := shell_syntax(sheet, name, Rule.SOLUTION_SYNTAX):
            yield finding
    yield from _mutants(sheet)


def _mutants(sheet: Sheet) -> Iterator[Finding]:
    try:
        mutants = load_mutants(sheet.path)
    except TaskError as error:
        yield error.finding
        return
    totals = sheet.evaluator.totals if sheet.evaluator else None
    if totals is None:
        return
    full = sum(totals)
    text = sheet.text("mutants/expected.toml") or ""
    for mutant in mutants:
        line = line_of(text, f"[{mutant.name}]")
        if mutant.right and mutant.result != full:
            yield Finding(
                Rule.MUTANT_SCORE,
                "mutants/expected.toml",
                line,
                f"'{mutant.name}' is said to be right and to get {mutant.result} of {full}",
                f"Write result = {full}, or remove right = true",
            )
        elif not mutant.right and mutant.result >= full:
            yield Finding(
                Rule.MUTANT_SCORE,
                "mutants/expected.toml",
                line,
                f"'{mutant.name}' is expected to get {mutant.result} of {full}: a wrong solution gets less than all",
                "Lower its score, grade what is wrong with it, or write right = true below it if it is a right "
                "answer in another form",
            )
