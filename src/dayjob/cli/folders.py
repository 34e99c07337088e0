"""What commands that run tasks share: the task folders a person means, and how to say that it cannot be."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from dayjob.trial.spec import TrialSpec


def task_folders(paths: tuple[Path, ...], role: str | None = None) -> list[Path]:
    """Each of `paths` that is a task folder, and every one right below the others; none at all ends the command.

    A name that is no path is that of a task that comes with dayjob; with a role and no path, all of those are meant.
    """
    from dayjob.task.find import named, own_tasks
    from dayjob.task.lint import find_tasks
    from dayjob.task.model import is_task_folder, not_a_task

    tasks: list[Path] = [] if paths or role is None else own_tasks()
    for path in map(named, paths):
        found = [task for task in find_tasks(path) if is_task_folder(task)]
        if not found and not path.exists():
            _fail_for_nothing(path)
        if not found:
            fail(str(not_a_task(path)))
        tasks += found
    return tasks if role is None else _of_role(tasks, role)


def _fail_for_nothing(path: Path) -> NoReturn:
    from dayjob.nearest import did_you_mean
    from dayjob.task.find import own_tasks
    from dayjob.task.model import is_task_folder

    beside = path.parent.iterdir() if path.parent.is_dir() else ()
    known = own_tasks() if len(path.parts) == 1 else [each for each in beside if is_task_folder(each)]
    near = did_you_mean(path.name, [task.name for task in known])
    fail(f"There is no task '{path}': it is neither a folder here nor one of those that `dayjob tasks` lists.{near}")


def _of_role(tasks: list[Path], role: str) -> list[Path]:
    """Those of a role; a role that none of them has ends the command."""
    from dayjob.nearest import did_you_mean
    from dayjob.task.model import load_settings

    roles = {task: load_settings(task).role for task in tasks}
    found = [task for task in tasks if roles[task] == role]
    if not found:
        known = sorted({each for each in roles.values() if each})
        near = did_you_mean(role, known)
        fail(f"None of these tasks has the role '{role}'; they have {', '.join(known) or 'none'}.{near}")
    return found


def ready_or_fail(specs: Sequence[TrialSpec], *, agents: bool = True, here: bool = True) -> None:
    """End the command with one sentence when these trials cannot work, before anything is written."""
    from dayjob.trial.readiness import NotReady, check_ready

    try:
        check_ready(specs, agents=agents, here=here)
    except NotReady as error:
        fail(str(error))
    if here and any(spec.sandbox == "embedded" for spec in specs):
        have_base()


def have_base() -> None:
    """Make the system that rooms stand on, if this is the first time, and say what goes on meanwhile."""
    from dayjob.company.world.snapshot import default_cache
    from dayjob.sandbox.embedded.base import HOST, layer_store, own_base, own_is_made, own_obstacle, use_host
    from dayjob.sandbox.sandbox import SandboxError
    from dayjob.task.base_packages import RELEASE

    store = layer_store(default_cache())
    if own_is_made(store) or own_obstacle(store):
        return
    click.echo(f"Making {RELEASE} for all rooms, once. It takes a minute or two and 0.6 GB.", err=True)
    try:
        own_base(store, lambda words: click.echo(f"  {words} …", err=True))
    except SandboxError as error:
        use_host(str(error))
        click.echo(f"{error}. Until it can, rooms show {HOST}.", err=True)


def fail(sentence: str) -> NoReturn:
    """Say why the question could not be asked, and end with 2."""
    click.echo(sentence, err=True)
    sys.exit(2)
