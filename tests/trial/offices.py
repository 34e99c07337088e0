"""A small office, small tasks in it, and trials of them: what the trial tests are made of."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from textwrap import dedent

import uvloop

from dayjob.sandbox.choose import make_site
from dayjob.sandbox.sandbox import Site
from dayjob.trial.outcome import Outcome
from dayjob.trial.spec import TrialSpec
from dayjob.trial.workshop import Workshop, run_trial

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
            answer = Path("/workspace/answer.txt")
            return answer.exists() and answer.read_text().strip() == REFERENCE.read_text().strip()

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


class OpenSites:
    """Sites that stay open from one trial to the next, as in a run of many: opening one costs more than a trial."""

    def __init__(self, cache: Path) -> None:
        self.cache = cache
        self.thread = threading.current_thread()
        self.loop = uvloop.new_event_loop()
        self._stack = AsyncExitStack()
        self._sites: dict[tuple[object, ...], Site] = {}

    def run(self, spec: TrialSpec) -> Outcome:
        async def main() -> Outcome:
            async with _Guest(self) as workshop:
                return await workshop.run(spec)

        return self.loop.run_until_complete(main())

    async def of(self, name: str) -> Site:
        """The site of this kind, as the environment is now."""
        given = sorted(pair for pair in os.environ.items() if pair[0].startswith(("DAYJOB_", "DOCKER_")))
        if (key := (name, *given)) not in self._sites:
            self._sites[key] = await self._stack.enter_async_context(make_site(name, self.cache))
        return self._sites[key]

    def close(self) -> None:
        self.loop.run_until_complete(self._stack.aclose())
        self.loop.close()


class _Guest(Workshop):
    """A workshop in somebody else's sites; everything else is its own."""

    def __init__(self, at: OpenSites) -> None:
        super().__init__(at.cache)
        self._at = at

    async def site(self, name: str) -> Site:
        return await self._at.of(name)


_open: list[OpenSites] = []


@contextmanager
def open_sites(cache: Path) -> Iterator[None]:
    """Meanwhile trials with this cache share their sites."""
    sites = OpenSites(cache)
    _open.append(sites)
    try:
        yield
    finally:
        _open.remove(sites)
        sites.close()


def trial(spec: TrialSpec, cache: Path) -> Outcome:
    """One trial, in sites that are open where there are some."""
    for sites in _open:
        if sites.cache == cache and sites.thread is threading.current_thread():
            return sites.run(spec)
    return run_trial(spec, cache)


def attempt(cache: Path, folder: Path, path: Path, agent: str = "oracle", **options: object) -> Tried:
    out = folder / "out"
    world = str(office(folder))
    spec = TrialSpec(task=str(path), agent=agent, out=str(out), world=world, **options)  # type: ignore[arg-type]  # a test's own options
    return Tried(trial(spec, cache), out)
