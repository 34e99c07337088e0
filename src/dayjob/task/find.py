"""Where tasks are: a folder by path, or a name among the checkout's or the package's `tasks/`."""

from __future__ import annotations

from pathlib import Path

from dayjob.task.model import is_task_folder


def tasks_folder() -> Path:
    """The tasks that come with dayjob: in the checkout when there is one, else inside the installed package."""
    package = Path(__file__).parents[1]
    checkout = package.parents[1] / "tasks"
    return checkout if checkout.is_dir() else package / "_data" / "tasks"


def own_tasks() -> list[Path]:
    """The folders of the tasks that come with dayjob, by name."""
    folder = tasks_folder()
    return sorted(path for path in folder.iterdir() if is_task_folder(path)) if folder.is_dir() else []


def named(path: Path) -> Path:
    """The path itself if something is there; otherwise the task of that name that comes with dayjob, if any."""
    if len(path.parts) == 1 and not path.exists() and is_task_folder(tasks_folder() / path):
        return tasks_folder() / path
    return path
