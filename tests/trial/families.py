"""Small families for tests: written with one file exchanged for another, drawn and made on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from dayjob.sandbox.choose import make_site
from dayjob.sandbox.sandbox import Site
from dayjob.trial.variants import Variant
from tests.trial.offices import write

T = TypeVar("T")

FAMILY = {
    "task.md.j2": "Write the number of {{ things }} on the shelf to /workspace/answer.txt.\n",
    "checkpoints.md": "# Checkpoints\n\nThis task has 2 points in total.\n\n## Checkpoint 1 (2 pts)\n\nIt is right.\n",
    "Dockerfile": "FROM dayjob/task-base:1\nCOPY shelf.txt /workspace/shelf.txt\n",
    "dependencies.yml": "",
    "task.toml": 'format = 1\nworld = "blank"\n',
    "shelf.txt.j2": "{{ key.number }} {{ things }}\n",
    "solution.py": """
        from variant import VALUES
        open("/workspace/answer.txt", "w").write(str(VALUES["key"]["number"]))
        """,
    "variant.py": """
        CANONICAL = {"things": "cans", "key": {"number": 4711}}

        def draw(random):
            return {"things": random.choice(["cans", "rakes"]), "key": {"number": random.randrange(1000, 9000)}}
        """,
    "evaluator.py": """
        from pathlib import Path
        from common import grader
        from scoring import Checkpoint, Points, Result
        from variant import VALUES

        NUMBER = VALUES["key"]["number"]

        @grader
        def grade_answer():
            answer = Path("/workspace/answer.txt")
            found = answer.read_text().strip() if answer.exists() else "nothing"
            return Points(2 * (found == str(NUMBER)), f"found {found}; asked was {NUMBER}")

        def grade_checkpoints(trajectory="") -> Result:
            return Result([Checkpoint(2, grade_answer())])
        """,
}


def family(folder: Path, name: str = "shelf", **files: str | None) -> Path:
    """The small family, with other files (`build__py="…"` for build.py; None leaves one out)."""
    given = {key.replace("__", "."): text for key, text in files.items()}
    return write(folder / name, {key: text for key, text in {**FAMILY, **given}.items() if text is not None})


def on_site(cache: Path, work: Callable[[Site], Awaitable[T]]) -> T:
    async def main() -> T:
        async with make_site("embedded", cache) as site:
            return await work(site)

    return asyncio.run(main())


def made(folder: Path, cache: Path, number: int = 0) -> Path:
    return on_site(cache, lambda site: Variant(folder, number).made(site, cache))
