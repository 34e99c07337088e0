"""The folder itself: its name, the files it must have, and what should not be there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from dayjob.task.findings import Finding
from dayjob.task.lint.sheet import Sheet
from dayjob.task.model import REQUIRED
from dayjob.task.rules import Rule

NAME = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
NAME_LIMIT = 80

_PURPOSE = {
    "task.md": "Describe in it what the examinee shall achieve",
    "checkpoints.md": "Document in it what each checkpoint is worth",
    "evaluator.py": "Grade in it, in grade_checkpoints",
    "Dockerfile": "Start it with FROM dayjob/task-base:1",
    "dependencies.yml": "List the task's services in it, or leave it empty",
}


def check(sheet: Sheet) -> Iterator[Finding]:
    if not NAME.fullmatch(sheet.name) or len(sheet.name) > NAME_LIMIT:
        yield Finding(
            Rule.FOLDER_NAME,
            ".",
            0,
            f"'{sheet.name[:100]}' is not a name for a task",
            f"Rename it: lower-case letters, digits, hyphens and underscores, at most {NAME_LIMIT}",
        )
    for name in REQUIRED:
        if not sheet.has(name):
            yield Finding(Rule.MISSING_FILE, name, 0, f"{name} is missing", _PURPOSE[name])
        else:
            sheet.text(name)
    root = str(sheet.path.resolve())
    for folder, folders, names in os.walk(sheet.path):
        for name in sorted(names + folders):
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                continue
            target = os.path.realpath(path)
            if target != root and not target.startswith(root + os.sep):
                yield Finding(
                    Rule.LEAVES_FOLDER,
                    os.path.relpath(path, sheet.path),
                    0,
                    "this symbolic link leads out of the task folder",
                    "Put a copy in its place",
                )
        if folder == str(sheet.path) and sheet.name != "example":
            for name in names:
                if name.lower() in ("readme", "readme.md", "readme.txt", "readme.rst"):
                    yield Finding(
                        Rule.STRAY_README,
                        name,
                        0,
                        "only the example task has a README",
                        "Move what the examinee needs to task.md and the rest to checkpoints.md",
                    )
