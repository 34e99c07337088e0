"""One folder under examination: each file read and parsed once, however many rules ask for it.

What cannot be read or parsed is None here, and one finding in `unreadable`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from dayjob.task.base_python import written
from dayjob.task.dockerfile import Dockerfile, parse_dockerfile
from dayjob.task.evaluator import Evaluator
from dayjob.task.findings import Finding, TaskError
from dayjob.task.model import COLLEAGUES, load_scenarios, load_settings, parse_dependencies
from dayjob.task.reading import newer_python, parse_python, read_text
from dayjob.task.rubric import Rubric, parse_rubric
from dayjob.task.rules import Rule
from dayjob.task.settings import Settings

T = TypeVar("T")


@dataclass(frozen=True)
class Newer:
    """A version of Python that a line needs."""

    version: tuple[int, int]
    line: int


class Sheet:
    """The parts of a task folder, as far as they can be read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.resolve().name
        self.unreadable: list[Finding] = []
        self.newer_python: Newer | None = None
        """What keeps this Python from reading the evaluator, once that was tried."""
        self._texts: dict[str, str | None] = {}

    def has(self, name: str) -> bool:
        path = self.path / name
        return path.exists() or path.is_symlink()

    def text(self, name: str) -> str | None:
        """A file's text, or None when it is missing or unreadable."""
        if name not in self._texts:
            self._texts[name] = self._try(lambda: read_text(self.path, name)) if self.has(name) else None
        return self._texts[name]

    def python(self, name: str, rule: Rule) -> ast.Module | None:
        """A script's syntax tree."""
        text = self.text(name)
        return None if text is None else self._try(lambda: parse_python(text, name, rule))

    @cached_property
    def settings(self) -> Settings | None:
        return self._try(lambda: load_settings(self.path))

    @cached_property
    def evaluator(self) -> Evaluator | None:
        text = self.text("evaluator.py")
        if text is None:
            return None
        try:
            return Evaluator(parse_python(text, "evaluator.py", Rule.EVALUATOR_SYNTAX))
        except TaskError as error:
            finding = error.finding
            if version := newer_python(text, error):
                self.newer_python = Newer(version, finding.line)
                needed = written(version)
                finding = Finding(
                    Rule.NEWER_PYTHON,
                    finding.file,
                    finding.line,
                    f"this line needs Python {needed}",
                    f"Run check with Python {needed}, or write it the older way",
                )
            self.unreadable.append(finding)
            return None

    @cached_property
    def rubric(self) -> Rubric | None:
        text = self.text("checkpoints.md")
        return None if text is None else parse_rubric(text)

    @cached_property
    def dockerfile(self) -> Dockerfile | None:
        text = self.text("Dockerfile")
        return None if text is None else self._try(lambda: parse_dockerfile(text))

    @cached_property
    def services(self) -> tuple[str, ...] | None:
        text = self.text("dependencies.yml")
        return None if text is None else self._try(lambda: parse_dependencies(text))

    @cached_property
    def scenarios(self) -> dict[str, dict[str, Any]] | None:
        return self._try(lambda: load_scenarios(self.path))

    @property
    def colleagues(self) -> str:
        """The file that says who takes part."""
        return next((one for one in COLLEAGUES if self.has(one)), "scenarios.json")

    @property
    def is_elsewhere(self) -> bool:
        """Does the task play in the company of the field's published tasks, whose people are not here?"""
        texts = (self.text("task.md"), self.text("evaluator.py"), self.text("Dockerfile"))
        return any("the-agent-company.com" in text or "ghcr.io/theagentcompany/" in text for text in texts if text)

    @property
    def is_published(self) -> bool:
        """Is it such a task as it was published, which whoever checks it did not write?"""
        return self.is_elsewhere and not self.has("task.toml")

    def _try(self, read: Callable[[], T]) -> T | None:
        try:
            return read()
        except TaskError as error:
            if error.finding not in self.unreadable:
                self.unreadable.append(error.finding)
            return None
