"""Prints docs/tasks.md: every task with its role, services, colleagues, points, difficulty and expected minutes.

python -m tools.catalogue > docs/tasks.md
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from dayjob.cli.variants import made_folder
from dayjob.task import Task
from dayjob.task.family import is_family
from dayjob.task.model import is_task_folder
from dayjob.task.rubric import parse_rubric

ROOT = Path(__file__).resolve().parents[1]
ROLES = (
    "software-engineering",
    "project-management",
    "data",
    "human-resources",
    "finance",
    "administration",
    "generalist",
)


def catalogue(folder: Path) -> str:
    """The page as Markdown."""
    folders = [each for each in sorted(folder.iterdir()) if is_task_folder(each)]
    tasks = [Task.load(made_folder(each)) for each in folders]
    families = {each.name for each in folders if is_family(each)}
    roles = Counter(task.settings.role for task in tasks)
    services = Counter(name for task in tasks for name in task.services)
    talking = sum(bool(task.scenarios) for task in tasks)
    crossing = sum(len(task.services) > 1 for task in tasks)
    mutants = [mutant for task in tasks for mutant in task.mutants]
    right = sum(mutant.right for mutant in mutants)
    used = ", ".join(f"{name} {count}" for name, count in sorted(services.items()))
    lines = [
        "# The tasks",
        "",
        f"{len(tasks)} tasks in Larkspur, {sum(map(points, tasks))} points, {len(mutants) - right} wrong solutions and "
        f"{right} right ones in another form to prove the graders with. {talking} have colleagues to talk to, "
        f"{crossing} cross services ({used}).",
        "",
        f"{len(families)} are [families](families.md), marked with a star: each of their variants has another answer.",
        "",
        "This page is made from the tasks' own files with `make catalogue`; a test says that it is up to date.",
    ]
    for role in sorted(roles, key=lambda name: ROLES.index(name) if name in ROLES else len(ROLES)):
        lines += [
            "",
            f"## {role.replace('-', ' ').capitalize()} ({roles[role]})",
            "",
            "| task | in one line | services | colleagues | points | difficulty | minutes | mutants |",
            "| --- | --- | --- | --- | --- | --- | --- | --- |",
            *(row(task, folder / task.name) for task in tasks if task.settings.role == role),
        ]
    return "\n".join(lines) + "\n"


def row(task: Task, folder: Path) -> str:
    """A task's line. `folder`: where it was written, which a family's made variant is not."""
    settings = task.settings
    text = "task.md" if (folder / "task.md").exists() else "task.md.j2"
    cells = [
        f"[{task.name}](../tasks/{task.name}/{text})" + (" \\*" if is_family(folder) else ""),
        summary(task),
        ", ".join(task.services),
        ", ".join(task.scenarios) or "none",
        points(task),
        settings.difficulty,
        settings.minutes or "",
        len(task.mutants),
    ]
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def summary(task: Task) -> str:
    """The first sentence of the task's own text."""
    text = " ".join(task.instruction.split("\n\n")[0].split()).lstrip("# ")
    end = text.find(". ")
    return (text[: end + 1] if end > 0 else text).replace("|", "\\|")


def points(task: Task) -> int:
    return parse_rubric((task.path / "checkpoints.md").read_text("utf-8")).total


if __name__ == "__main__":
    print(catalogue(ROOT / "tasks"), end="")
