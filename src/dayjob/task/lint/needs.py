"""What graders and init scripts need and would not have: modules, the internet, a newer Python."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from dayjob.grading.needs import needed_imports
from dayjob.task.base_packages import PYTHON_VERSION
from dayjob.task.base_python import (
    ADDED,
    BASE_MODULES,
    GRADING_MODULES,
    REMOVED,
    in_standard_library,
    written,
)
from dayjob.task.findings import Finding, TaskError
from dayjob.task.installed import installed_modules
from dayjob.task.lint.sheet import Newer, Sheet
from dayjob.task.model import INIT_STEPS
from dayjob.task.networking import outside_calls
from dayjob.task.reading import parse_python
from dayjob.task.rules import Rule

EVALUATOR = "evaluator.py"


def check(sheet: Sheet) -> Iterator[Finding]:
    yield from _python(sheet)
    yield from _imports(sheet)
    if sheet.evaluator is not None and not (sheet.settings is not None and sheet.settings.grading.egress):
        for place in outside_calls(sheet.evaluator):
            yield Finding(
                Rule.NEEDS_NETWORK,
                EVALUATOR,
                place.line,
                f"{place.name} needs the internet, and graders have no network beyond the company's",
                "Bring what it needs in the Dockerfile, or allow it with egress under [grading] in task.toml",
            )


def _python(sheet: Sheet) -> Iterator[Finding]:
    stated = sheet.settings.grading.python if sheet.settings is not None else None
    if stated is not None and stated > PYTHON_VERSION:
        line = next((n for n, text in _numbered(sheet.text("task.toml")) if text.lstrip().startswith("python")), 0)
        yield Finding(
            Rule.PYTHON_TOO_NEW,
            "task.toml",
            line,
            f"graders need Python {written(stated)}, and the base image has {written(PYTHON_VERSION)}",
            "Lower it, and write the evaluator so that it fits",
        )
        return
    most = stated or PYTHON_VERSION
    says = "task.toml says" if stated else "the base image has"
    for newer in (_newer_syntax(sheet, most), _newer_module(sheet, most)):
        if newer is not None and newer.version > most:
            higher = f'Write python = "{written(newer.version)}" under [grading], or do it the older way'
            yield Finding(
                Rule.PYTHON_TOO_NEW,
                EVALUATOR,
                newer.line,
                f"this needs Python {written(newer.version)}, and {says} {written(most)}",
                higher if newer.version <= PYTHON_VERSION else "Do it the older way",
            )


def _newer_syntax(sheet: Sheet, most: tuple[int, int]) -> Newer | None:
    """What of the evaluator's syntax a version of Python does not read yet."""
    text = sheet.text(EVALUATOR)
    if text is None or sheet.evaluator is None:
        return sheet.newer_python
    here = sys.version_info[:2]
    line = 0
    for version in ((3, minor) for minor in range(most[1], here[1] + 1)):
        try:
            parse_python(text, EVALUATOR, Rule.EVALUATOR_SYNTAX, version)
        except TaskError as error:
            line = line or error.finding.line
        else:
            return Newer(version, line) if line else None
    return None


def _newer_module(sheet: Sheet, most: tuple[int, int]) -> Newer | None:
    """The first module of the standard library that the evaluator imports and a version of Python does not have yet."""
    imports = needed_imports(sheet.evaluator.tree) if sheet.evaluator is not None else []
    for needed in imports:
        if ADDED.get(needed.module, most) > most:
            return Newer(ADDED[needed.module], needed.line)
    return None


def _numbered(text: str | None) -> Iterator[tuple[int, str]]:
    return enumerate((text or "").splitlines(), start=1)


def _imports(sheet: Sheet) -> Iterator[Finding]:
    files: list[tuple[str, ast.Module, bool]] = []
    if sheet.evaluator is not None:
        files.append((EVALUATOR, sheet.evaluator.tree, False))
    for step in INIT_STEPS:
        if sheet.has(f"{step}.py") and (tree := sheet.python(f"{step}.py", Rule.INIT_SYNTAX)) is not None:
            files.append((f"{step}.py", tree, True))
    unknown = [
        (name, needed.module, needed.line)
        for name, tree, as_script in files
        for needed in needed_imports(tree, as_script=as_script)
        if needed.module not in BASE_MODULES | GRADING_MODULES
        and needed.module not in ADDED
        and not in_standard_library(needed.module)
    ]
    if not unknown or sheet.dockerfile is None:
        return
    installed = installed_modules(sheet.dockerfile, sheet.path)
    if installed is None:
        return
    own = _names_below(sheet.path)
    for name, module, line in unknown:
        if module in installed or module in own:
            continue
        if module in REMOVED:
            since = written(REMOVED[module])
            yield Finding(
                Rule.NOT_SUPPLIED, name, line, f"Python has no module '{module}' since {since}", "Do without it"
            )
        else:
            yield Finding(
                Rule.NOT_SUPPLIED,
                name,
                line,
                f"nothing supplies the module '{module}'",
                "Install it in the Dockerfile with RUN pip install PACKAGE==VERSION, or add it to this folder",
            )


def _names_below(folder: Path) -> set[str]:
    """Every name below a folder under which Python could import something of it."""
    found: set[str] = set()
    for _, folders, files in os.walk(folder):
        found |= {*folders, *(name.partition(".")[0] for name in files if name.endswith((".py", ".so")))}
    return found
