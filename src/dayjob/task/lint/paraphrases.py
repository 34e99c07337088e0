"""paraphrases.yml: what it says can be tried, expects what can be, and is enough."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dayjob.task.findings import Finding
from dayjob.task.lint.sheet import Sheet
from dayjob.task.paraphrases import NAME, NEAR, RIGHT, Paraphrases, read_paraphrases, source_of
from dayjob.task.reading import line_of
from dayjob.task.rules import Rule


def check(sheet: Sheet) -> Iterator[Finding]:
    if not sheet.has(NAME):
        return
    text = source_of(sheet.path)
    found, problems = read_paraphrases(text)
    yield from problems
    yield from _left_out(sheet, found, text)
    totals = sheet.evaluator.totals if sheet.evaluator else None
    if totals is not None:
        yield from _expected(found, sum(totals))
    for name, number, enough in (("right answers", len(found.right), RIGHT), ("near misses", len(found.near), NEAR)):
        if number < enough:
            yield Finding(
                Rule.FEW_PARAPHRASES, NAME, 0, f"there are {number} {name}, and {enough} tell more about a grader",
                "Have somebody who has not seen the evaluator write the others",
            )  # fmt: skip


def _left_out(sheet: Sheet, found: Paraphrases, text: str) -> Iterator[Finding]:
    if not sheet.has("solution.py"):
        fix = "Add solution.py: it does all but deliver"
        yield Finding(Rule.PARAPHRASES, NAME, 0, "the task has no solution.py to deliver in other words", fix)
        return
    tree = sheet.python("solution.py", Rule.SOLUTION_SYNTAX)
    known = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)} if tree is not None else set()
    for name in found.without if tree is not None else ():
        if name not in known:
            yield Finding(
                Rule.PARAPHRASES, NAME, line_of(text, "without"), f"solution.py has no function '{name}'",
                "Name the functions in it that deliver",
            )  # fmt: skip


def _expected(found: Paraphrases, full: int) -> Iterator[Finding]:
    for one in found.near:
        for expected in (one.exactly, one.most):
            if expected is not None and expected >= full:
                yield Finding(
                    Rule.PARAPHRASES,
                    NAME,
                    one.line,
                    f"{one.name} is expected to get {expected} of {full}: a near miss gets less than full marks",
                    "Lower its result, or move it to 'right' if it is a right answer",
                )
