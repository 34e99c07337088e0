"""The `docker` command, called without a shell and with nothing secret on its command line."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from dayjob.sandbox.sandbox import SandboxError

# The classic builder is what every installation has; images must not depend on another.
_ENVIRONMENT = {"DOCKER_BUILDKIT": "0", "DOCKER_CLI_HINTS": "false"}
_PADDING = 1 << 20  # more than a tar has after its last entry


@dataclass(frozen=True, slots=True)
class Said:
    """What a docker command answered."""

    code: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        return self.out.decode("utf-8", "replace").strip()


async def docker(*arguments: str, stdin: bytes | None = None, check: bool = True) -> Said:
    """Run it to its end; a failure is a `SandboxError` with its own words."""
    process = await start(arguments)
    try:
        out, err = await process.communicate(stdin)
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    said = Said(process.returncode or 0, out, err)
    if check and said.code:
        raise _failure(arguments, err)
    return said


async def start(
    arguments: Sequence[str], *, env: Mapping[str, str] | None = None, pass_fds: Sequence[int] = ()
) -> asyncio.subprocess.Process:
    while True:
        try:
            return await asyncio.create_subprocess_exec(
                _program(),
                *arguments,
                env={**os.environ, **_ENVIRONMENT, **(env or {})},
                pass_fds=pass_fds,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except RuntimeError as error:  # so uvloop says while another loop of this process is starting something
            if "another loop" not in str(error):
                raise
            await asyncio.sleep(0.01)


@contextmanager
def sending(*arguments: str) -> Iterator[IO[bytes]]:
    """Its standard input, for a thread that streams into it; it has ended well when the block ends."""
    with _open(arguments, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        try:
            yield process.stdin
            process.stdin.close()
            err = process.stderr.read()
            if process.wait():
                raise _failure(arguments, err)
        except BrokenPipeError:
            raise _failure(arguments, process.stderr.read()) from None
        finally:
            process.kill()


@contextmanager
def receiving(*arguments: str, check: bool = True) -> Iterator[IO[bytes]]:
    """Its standard output, for a thread that streams out of it; one that is not read to its end is ended."""
    with _open(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            yield process.stdout
            if len(process.stdout.read(_PADDING)) < _PADDING:
                err = process.stderr.read()
                if process.wait() and check:
                    raise _failure(arguments, err)
        finally:
            process.kill()


def _open(arguments: Sequence[str], *, stdin: int, stdout: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [_program(), *arguments],
        env={**os.environ, **_ENVIRONMENT},
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
    )


def _failure(arguments: Sequence[str], err: bytes) -> SandboxError:
    return SandboxError(f"docker {arguments[0]}: {err.decode('utf-8', 'replace').strip()[-800:]}")


def _program() -> str:
    program = shutil.which("docker")
    if program is None:
        raise SandboxError(
            "docker is not installed; install it with: apt-get install --no-install-recommends docker.io"
        )
    return program
