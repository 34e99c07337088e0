"""An examinee's program in a task's image: installed in an image of its own that knows no task, then copied on top.

So what an installation runs never sees an evaluator, and each agent is installed once for all tasks. What it installs
is taken over from one folder; anything it leaves elsewhere stays behind.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dayjob.sandbox.docker.command import docker
from dayjob.sandbox.sandbox import BuildError

if TYPE_CHECKING:
    from dayjob.task.dockerfile import Instruction

FOLDER = "/opt/agents"


async def with_agent(image: str, base: str, install: Sequence[Instruction]) -> tuple[str, str]:
    """The image with the agent in it, and what the build said; raises `BuildError`, never the task's own."""
    lines = "".join(f"RUN {one.text}\n" for one in install)
    key = hashlib.sha256(f"{base}\n{lines}".encode()).hexdigest()[:24]
    agent = f"dayjob-agent:{key}"
    said = ""
    if (await docker("image", "inspect", agent, check=False)).code:
        said = await _built(f"FROM {base}\nRUN mkdir -p {FOLDER}\n{lines}", agent)
    both = f"dayjob-examinee:{key}-{image.rpartition(':')[2][:24]}"
    said += await _built(f"FROM {image}\nCOPY --from={agent} {FOLDER} {FOLDER}\n", both)
    return (await docker("image", "inspect", "--format", "{{.Id}}", both)).text, said


async def _built(dockerfile: str, tag: str) -> str:
    said = await docker("build", "--force-rm", "-t", tag, "-", stdin=dockerfile.encode(), check=False)
    log = (said.out + said.err).decode("utf-8", "replace")
    if said.code:
        last = next((line for line in reversed(log.splitlines()) if line.strip()), "it said nothing")
        raise BuildError(f"below the task, {last}", log, of_task=False)
    return log
