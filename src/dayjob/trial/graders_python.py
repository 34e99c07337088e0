"""Whether graders and init scripts can run on an image's Python, known before anybody works.

The image's own Python is asked, in a grader's room: which version it is, whether it can read the task's files, and
whether what they import is there. Nothing of the task is run. An image that has all is asked once; of one that has not,
nothing is kept, because what is missing may be put there at any time.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from dayjob import __version__, owned
from dayjob.sandbox.sandbox import SCRATCH, BuiltImage, Site
from dayjob.task import Task

_ASK = "from dayjob.grading.needs import main; main()"
_SECONDS = 120.0
_EVALUATOR = "evaluator.py"


class GradersPython:
    """The images that are known to have what their tasks' graders need."""

    def __init__(self, cache: Path) -> None:
        self.cache = cache
        self._well: set[str] = set()
        self._asking: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def problem(self, site: Site, image: BuiltImage, task: Task) -> str | None:
        """The sentence about what graders need and have not; None when all is well."""
        asked = await asyncio.to_thread(_question, task)
        about = [__version__, image.key, task.settings.grading.python, asked]
        key = hashlib.sha256(json.dumps(about).encode()).hexdigest()[:32]
        if key in self._well:
            return None
        async with self._asking[key]:
            mark = owned.private_cache(self.cache, "graders") / key
            if key not in self._well and not mark.exists():
                answer = await _answer(site, image, asked)
                # A Python that gives no answer is nothing a task can mend; whoever starts it next says what is wrong.
                if answer is not None and (sentence := _sentence(answer, task.settings.grading.python)):
                    return sentence
                mark.touch()
            self._well.add(key)
        return None


def _question(task: Task) -> dict[str, Any]:
    files = {
        path.name: path.read_text("utf-8-sig", "replace")
        for path in sorted(task.path.glob("*.py"))
        if path.is_file() and not path.name.startswith("solut")  # which is never beside an evaluator
    }
    scripts = [script.name for script in task.init_scripts if script.suffix == ".py"]
    return {"files": files, "evaluator": _EVALUATOR, "scripts": scripts}


async def _answer(site: Site, image: BuiltImage, asked: dict[str, Any]) -> dict[str, Any] | None:
    room = site.sandbox(image, name="needs", kind="evaluator", listen=None)
    try:
        await room.start()
        env = {"HOME": "/utils", "TMPDIR": SCRATCH, "PYTHONNOUSERSITE": "1"}
        question = json.dumps(asked).encode()
        done = await room.evaluate(_ASK, env=env, cwd="/utils", stdin=question, within=_SECONDS, utils=True)
    finally:
        await room.stop()
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return None
    return answer if done.ok and isinstance(answer, dict) else None


def _sentence(answer: dict[str, Any], stated: tuple[int, int] | None) -> str:
    version = ".".join(map(str, answer["version"]))
    if stated is not None and tuple(answer["version"][:2]) < stated:
        wanted = ".".join(map(str, stated))
        return (
            f"task.toml: graders need Python {wanted} and have {version} here. "
            "Run it in a sandbox with a newer one, or lower 'python' under [grading]."
        )
    for unread in answer["unread"]:
        return (
            f"{_place(unread)}: Python {version}, which graders have here, cannot read it ({unread['why']}). "
            "Run it in a sandbox with a newer one, or write it so that this one can."
        )
    for missing in answer["missing"]:
        return (
            f"{_place(missing)}: nothing supplies the module '{missing['module']}' that it imports. "
            "Install it in the Dockerfile with RUN pip install, or add it to the task's folder."
        )
    return ""


def _place(found: dict[str, Any]) -> str:
    return f"{found['file']}:{found['line']}" if found["line"] else str(found["file"])
