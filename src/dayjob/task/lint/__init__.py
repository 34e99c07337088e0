"""Lint for task folders: `check(path)` gives every finding, in the order of the files.

Each module here looks at one part of a folder and yields findings; `PARTS` is the list of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from dayjob.task.findings import Finding, TaskError
from dayjob.task.lint import company, evaluator, extras, files, image, instruction, key, needs, paraphrases, points
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


def check(path: Path, select: tuple[str, ...] = (), ignore: tuple[str, ...] = ()) -> list[Finding]:
    """Every finding of one folder that is selected, and neither ignored here nor in its task.toml."""
    if not is_task_folder(path):
        return [not_a_task(path).finding]
    sheet = Sheet(path)
    found: dict[Finding, None] = {}
    for part in PARTS:
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
    settings = sheet.settings
    published = sheet.is_published
    return sorted(
        (
            replace(finding, published=published)
            for finding in found
            if (not select or matches(finding.rule, select))
            and not matches(finding.rule, ignore)
            and not (settings is not None and settings.ignores_rule(finding.rule))
        ),
        key=lambda finding: (finding.file, finding.line, finding.rule.id),
    )


def find_tasks(path: Path) -> list[Path]:
    """The task folders a path means: itself, or the task folders right below it."""
    if is_task_folder(path):
        return [path]
    try:
        below = sorted(each for each in path.iterdir() if is_task_folder(each))
    except OSError:
        return [path]  # checking the path itself says what is wrong with it
    return below or [path]
