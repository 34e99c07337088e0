"""The `docker` command, called without a shell and with nothing secret on its command line."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dayjob.sandbox.sandbox import SandboxError

# The classic builder is what every installation has; images must not depend on another.
_ENVIRONMENT = {"DOCKER_BUILDKIT": "0", "DOCKER_CLI_HINTS": "false"}


@dataclass(frozen=True, slots=True)
class Said:
    """What a docker command answered."""

    code: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        return self.out.decode("utf-8", "replace").strip()


async def docker(
    *arguments: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None, check: bool = True
) -> Said:
    """Run it to its end; a failure is a `SandboxError` with its own words."""
    process = await start(arguments, env=env)
    try:
        out, err = await process.communicate(stdin)
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    said = Said(process.returncode or 0, out, err)
    if check and said.code:
        raise SandboxError(f"docker {arguments[0]}: {err.decode('utf-8', 'replace').strip()[-800:]}")
    return said


async def start(arguments: Sequence[str], *, env: Mapping[str, str] | None = None) -> asyncio.subprocess.Process:
    program = shutil.which("docker")
    if program is None:
        raise SandboxError(
            "docker is not installed; install it with: apt-get install --no-install-recommends docker.io"
        )
    return await asyncio.create_subprocess_exec(
        program,
        *arguments,
        env={**os.environ, **_ENVIRONMENT, **(env or {})},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
