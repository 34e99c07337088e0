"""What is wrong, where, and what to do about it: a `Finding` for lint, a `TaskError` where a task cannot be used."""

from __future__ import annotations

from dataclasses import dataclass

from dayjob.task.rules import OF_STYLE, Rule, Severity


@dataclass(frozen=True)
class Finding:
    """A rule that does not hold: in which file (relative to the folder), on which line (0: the whole file)."""

    rule: Rule
    file: str
    line: int
    message: str
    fix: str
    published: bool = False
    """In a task of the field, which whoever checks it did not write and cannot change."""

    @property
    def severity(self) -> Severity:
        """The rule's; in a published task, what does not keep it from being run is no error."""
        return Severity.WARNING if self.published and self.rule in OF_STYLE else self.rule.severity


class TaskError(Exception):
    """A task folder that cannot be loaded. Its text is one sentence with place and fix."""

    def __init__(self, rule: Rule, file: str, line: int, message: str, fix: str) -> None:
        place = f"{file}:{line}" if line else file
        super().__init__(f"{place}: {message}. {fix}.")
        self.finding = Finding(rule, file, line, message, fix)
