"""What is wrong, where, and what to do about it: a `Finding` for lint, a `TaskError` where a task cannot be used."""

from __future__ import annotations

from dataclasses import dataclass

from dayjob.task.rules import Rule


@dataclass(frozen=True)
class Finding:
    """A rule that does not hold: in which file (relative to the folder), on which line (0: the whole file)."""

    rule: Rule
    file: str
    line: int
    message: str
    fix: str


class TaskError(Exception):
    """A task folder that cannot be loaded. Its text is one sentence with place and fix."""

    def __init__(self, rule: Rule, file: str, line: int, message: str, fix: str) -> None:
        place = f"{file}:{line}" if line else file
        super().__init__(f"{place}: {message}. {fix}.")
        self.finding = Finding(rule, file, line, message, fix)
