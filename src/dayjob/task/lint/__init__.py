"""Lint for task folders: `check(path)` gives every finding, in the order of the files.

Each module here looks at one part of a folder and yields findings; `PARTS` is the list of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from dayjob.task.family import is_family
from dayjob.task.findings import Finding, TaskError
from dayjob.task.lint import (
    company,
    evaluator,
    extras,
    family,
    files,
    image,
    instruction,
    key,
    needs,
    paraphrases,
    points,
)
from dayjob.task.lint.sheet import Sheet
from dayjob.task.model import is_task_folder, not_a_task
from dayjob.task.rules import Rule, matches

PARTS: tuple[Callable[[Sheet], Iterable[Finding]], ...] = (
    files.check,
    instruction.check,
    evaluator.check,
    needs.check,
    points.check,
    image.check,
    company.check,
    extras.check,
    paraphrases.check,
    key.check,
)


def check(
    path: Path,
    select: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
    *,
    made: Path | None = None,
    further: Iterable[Finding] = (),
) -> list[Finding]:
    """Every finding of one folder that is selected, and neither ignored here nor in its task.toml.

    Of a family, `made` is the canonical variant's folder: without it, only variant.py and templates are looked at.
    `further` is what else was found in it.
    """
    if not is_task_folder(path):
        return [not_a_task(path).finding]
    if is_family(path):
        of_family = [*further, *_found(Sheet(path), (family.check,))]
        of_variant = _found(Sheet(made), PARTS) if made is not None else []
        found = [*of_family, *(family.in_the_family(one, path) for one in of_variant)]
    else:
        found = _found(Sheet(path), PARTS)
    sheet = Sheet(path)
    settings = sheet.settings
    published = sheet.is_published
    return sorted(
        {
            replace(finding, published=published)
            for finding in found
            if (not select or matches(finding.rule, select))
            and not matches(finding.rule, ignore)
            and not (settings is not None and settings.ignores_rule(finding.rule))
        },
        key=lambda finding: (finding.file, finding.line, finding.rule.id, finding.message),
    )


def _found(sheet: Sheet, parts: Iterable[Callable[[Sheet], Iterable[Finding]]]) -> list[Finding]:
    path, found = sheet.path, dict[Finding, None]()
    for part in parts:
        try:
            for finding in part(sheet):
                found.setdefault(finding)
        except TaskError as error:
            found.setdefault(error.finding)
        except OSError as error:
            file = str(error.filename or path)
            found.setdefault(
                Finding(Rule.UNREADABLE, ".", 0, f"{file} cannot be read ({error.strerror})", "Check its permissions")
            )
        except RecursionError:
            deep = "an expression is nested too deeply to follow"
            found.setdefault(Finding(Rule.EVALUATOR_SYNTAX, "evaluator.py", 0, deep, "Simplify the file"))
    found.update(dict.fromkeys(sheet.unreadable))
    return list(found)


def find_tasks(path: Path) -> list[Path]:
    """The task folders a path means: itself, or the task folders right below it."""
    if is_task_folder(path):
        return [path]
    try:
        below = sorted(each for each in path.iterdir() if is_task_folder(each))
    except OSError:
        return [path]  # checking the path itself says what is wrong with it
    return below or [path]
