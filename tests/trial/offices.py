"""A small office, small tasks in it, and trials of them: what the trial tests are made of."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from dayjob.trial.outcome import Outcome
from dayjob.trial.spec import TrialSpec
from dayjob.trial.trial import run_trial

WORLD = {
    "world.toml": """
        format = 1
        name = "Office"
        slug = "office"
        host = "office.test"
        now = 2026-03-09T09:00:00Z
        [accounts.chat]
        username = "office.admin"
        password = "password-in-the-world"
        name = "Office Administration"
        [accounts.forge]
        username = "root"
        password = "password-in-the-world"
        token = "token-in-the-world"
        [accounts.board]
        workspace = "office"
        email = "admin@office.test"
        password = "password-in-the-world"
        api_key = "plane_api_in_the_world"
        [accounts.drive]
        username = "office"
        password = "password-in-the-world"
        """,
    "people/sam.reed.yml": """
        name: Sam Reed
        username: sam.reed
        password: sam-first-day
        """,
    "people/mara.lind.yml": """
        name: Mara Lind
        username: mara.lind
        """,
    "drive/files/Notes/plan.txt": "the plan\n",
}

TASK = {
    "task.md": "Write the word that the office uses for finished work to /workspace/answer.txt.\n",
    "checkpoints.md": "# Checkpoints\n\nThis task has 2 points in total.\n\n## Checkpoint 1 (2 pts)\n\nIt is right.\n",
    "Dockerfile": "FROM dayjob/task-base:1\n",
    "dependencies.yml": "- owncloud\n",
    "references/answer.txt": "shipshape\n",
    "solution.py": 'open("/workspace/answer.txt", "w").write("shipshape\\n")\n',
    "evaluator.py": """
        from pathlib import Path
        from common import *
        from scoring import Checkpoint, Result

        REFERENCE = Path(__file__).resolve().parent / "references" / "answer.txt"

        @grader
        def grade_answer():
            return Path("/workspace/answer.txt").read_text().strip() == REFERENCE.read_text().strip()

        def grade_checkpoints(trajectory=""):
            return Result([Checkpoint(2, 2 * int(grade_answer()))])
        """,
}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).lstrip("\n"), "utf-8")
    return folder


def office(folder: Path) -> Path:
    return write(folder / "office", WORLD)


def task(folder: Path, **files: str | None) -> Path:
    """The small task, with other files (`pre_init__py="…"` for pre_init.py; None leaves one out)."""
    given = {name.replace("__", "."): text for name, text in files.items()}
    merged = {name: text for name, text in {**TASK, **given}.items() if text is not None}
    return write(folder / "small-task", merged)


class Tried:
    """One trial that has ended, and its evidence."""

    def __init__(self, outcome: Outcome, folder: Path) -> None:
        self.outcome = outcome
        self.folder = folder

    def log(self, step: str) -> str:
        return (self.folder / "logs" / f"{step}.log").read_text("utf-8")

    def text(self, name: str) -> str:
        return (self.folder / name).read_text("utf-8")


def attempt(cache: Path, folder: Path, path: Path, agent: str = "oracle", **options: object) -> Tried:
    out = folder / "out"
    world = str(office(folder))
    spec = TrialSpec(task=str(path), agent=agent, out=str(out), world=world, **options)  # type: ignore[arg-type]  # a test's own options
    return Tried(run_trial(spec, cache), out)
