"""What commands that run tasks share: the task folders a person means, and how to say that it cannot be."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from dayjob.trial.spec import TrialSpec


def task_folders(paths: tuple[Path, ...]) -> list[Path]:
    """Each of `paths` that is a task folder, and every one right below the others; none at all ends the command."""
    from dayjob.task.lint import find_tasks
    from dayjob.task.model import is_task_folder, not_a_task

    tasks: list[Path] = []
    for path in paths:
        found = [task for task in find_tasks(path) if is_task_folder(task)]
        if not found:
            fail(str(not_a_task(path)))
        tasks += found
    return tasks


def ready_or_fail(specs: Sequence[TrialSpec], *, agents: bool = True, here: bool = True) -> None:
    """End the command with one sentence when these trials cannot work, before anything is written."""
    from dayjob.trial.readiness import NotReady, check_ready

    try:
        check_ready(specs, agents=agents, here=here)
    except NotReady as error:
        fail(str(error))


def fail(sentence: str) -> NoReturn:
    """Say why the question could not be asked, and end with 2."""
    click.echo(sentence, err=True)
    sys.exit(2)
