"""key.yml: that it can be read, and that it has the numbers and days that the evaluator asks for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dayjob.task.findings import Finding
from dayjob.task.key import FILE, read_key
from dayjob.task.lint.sheet import Sheet
from dayjob.task.rules import Rule
from dayjob.task.values import dates, numbers

_SMALLEST = 32
"""Smaller numbers are counts, days and points."""


def check(sheet: Sheet) -> Iterator[Finding]:
    if not sheet.has(FILE):
        return
    values = read_key(sheet.path)
    text = sheet.text("evaluator.py")
    if text is None or sheet.evaluator is None:
        return
    said = "\n".join(one.value for one in values)
    known = numbers(said) | dates(said)
    for line, constant in _constants(ast.parse(text)):
        if missing := (dates(constant) or numbers(constant)) - known:
            what = ", ".join(sorted(missing))
            yield Finding(
                Rule.KEY_MISSES,
                "evaluator.py",
                line,
                f"{what} is not in {FILE}",
                "Add it, so that what the company says about it is looked for",
            )


def _constants(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Numbers and texts with days in the constants at the top of an evaluator."""
    for statement in module.body:
        if isinstance(statement, ast.Assign) and all(
            isinstance(target, ast.Name) and target.id.isupper() for target in statement.targets
        ):
            for node in ast.walk(statement.value):
                if not isinstance(node, ast.Constant) or isinstance(node.value, bool):
                    continue
                if isinstance(node.value, (int, float)) and abs(node.value) >= _SMALLEST:
                    yield node.lineno, str(abs(node.value))
                elif isinstance(node.value, str) and dates(node.value) and len(node.value) <= 20:
                    yield node.lineno, node.value
