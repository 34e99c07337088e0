"""A task's image that somebody else has built: our grading set and the task's own parts are laid over it.

The task's Dockerfile is not run, because the image holds what it did; what lies in /utils and /npc stays for graders.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from dayjob.sandbox.docker.command import docker
from dayjob.sandbox.sandbox import BuildError


async def built_on(image: str, base_context: Path, task_folder: Path, tag: str) -> str:
    """Build `tag` from the image, pulling it where it is not here; returns what the build said."""
    between = f"dayjob-made:{hashlib.sha256(image.encode()).hexdigest()[:24]}"
    first = await docker("build", "-t", between, "--build-arg", f"BASE={image}", str(base_context), check=False)
    log = (first.out + first.err).decode("utf-8", "replace")
    if first.code:
        raise BuildError(f"a task cannot be run in the image '{image}': {_last(log)}", log)
    # The base's own copies (ONBUILD) bring the task's parts.
    second = await docker(
        "build", "--force-rm", "-t", tag, "-f", "-", str(task_folder), stdin=f"FROM {between}\n".encode(), check=False
    )
    log += (second.out + second.err).decode("utf-8", "replace")
    if second.code:
        raise BuildError(f"the task's parts do not fit on the image '{image}': {_last(log)}", log)
    return log


def _last(log: str) -> str:
    lines = log.strip().splitlines()
    return lines[-1] if lines else "it said nothing"
