"""Folders outside the usual ones in which a task has its examinee work: a grader sees what was left there too.

What the image itself holds in them may be a grader's reference, so it stays as it was; only what was added is seen.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from dayjob.sandbox.context import FOLDERS
from dayjob.task.model import Task

# A path with a capital is one of the drive's: folders of a system have none, and companies write theirs so.
_QUOTED = re.compile(r"""["'](/[a-z][a-z0-9_.-]*)(?=[/"'])""")
_SYSTEM = frozenset({"/bin", "/boot", "/dev", "/lib", "/lib32", "/lib64", "/proc", "/run", "/sbin", "/sys"})


def extra_folders(task: Task) -> tuple[str, ...]:
    """The top folders that a grader's text names, and the task's text or its Dockerfile too."""
    graders = "\n".join(path.read_text("utf-8", "replace") for path in sorted(task.path.glob("*.py")) if path.is_file())
    named = set(_QUOTED.findall(graders)) - (FOLDERS - {"/opt"}) - _SYSTEM
    if not named:
        return ()
    said = task.instruction + "\n" + (task.path / "Dockerfile").read_text("utf-8", "replace")
    return tuple(
        sorted(path for path in named if re.search(rf"(?<![\w.:/-]){re.escape(path)}(?![\w-])", said) is not None)
    )


def restore(pristine: Path, frozen: Path) -> None:
    """Put every file of `pristine` back into `frozen`, in place of whatever is there; no link is followed."""
    for entry in sorted(os.listdir(pristine)):
        ours, theirs = pristine / entry, frozen / entry
        if _is_folder(ours) and _is_folder(theirs):
            restore(ours, theirs)
            continue
        if _is_folder(theirs):
            shutil.rmtree(theirs)
        elif os.path.lexists(theirs):
            theirs.unlink()
        os.rename(ours, theirs)


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()
