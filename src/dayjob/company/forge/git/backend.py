"""A `git http-backend` process: the request's body in, a CGI answer out, both as streams."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
from collections.abc import AsyncIterator
from pathlib import Path

from starlette.datastructures import Headers
from starlette.types import Receive, Scope

from dayjob.company.forge.git.repositories import git_environment

PIPE = 1024 * 1024


class Backend:
    """A running `git http-backend`: its input a stream, its output a wide pipe read in large pieces."""

    def __init__(self, process: asyncio.subprocess.Process, output: int) -> None:
        self.process = process
        self._output = output
        self._ahead = b""

    async def read(self) -> bytes:
        """What git has written since; nothing when it is done."""
        if self._ahead:
            found, self._ahead = self._ahead, b""
            return found
        loop = asyncio.get_running_loop()
        while True:
            try:
                return os.read(self._output, PIPE)
            except BlockingIOError:
                readable = loop.create_future()
                loop.add_reader(self._output, _wake, readable)
                try:
                    await readable
                finally:
                    loop.remove_reader(self._output)

    async def read_all(self) -> bytes:
        parts = []
        while part := await self.read():
            parts.append(part)
        return b"".join(parts)

    async def head(self) -> tuple[int, list[tuple[bytes, bytes]]]:
        """The CGI header that git's backend writes first."""
        raw = b""
        while b"\r\n\r\n" not in raw and (part := await self.read()):
            raw += part
        lines, _, self._ahead = raw.partition(b"\r\n\r\n")
        status, headers = (200 if lines else 500), []
        for line in lines.split(b"\r\n"):
            name, colon, value = line.partition(b":")
            if name.lower() == b"status":
                status = int(value.split()[0])
            elif colon:
                headers.append((name.lower(), value.strip()))
        return status, headers

    async def end(self, feeding: asyncio.Task[None]) -> None:
        """Wait until the process is gone; one that still has something to say has lost its listener."""
        os.close(self._output)
        await feeding
        await self.process.wait()


def _wake(readable: asyncio.Future[None]) -> None:
    if not readable.done():
        readable.set_result(None)


async def start(folder: Path, service: str, scope: Scope, more: dict[str, str]) -> Backend:
    """Run git's backend for one request to one repository."""
    headers = Headers(scope=scope)
    environment = {
        **git_environment(),
        "GIT_PROJECT_ROOT": str(folder.parent),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{folder.name}/{service}",
        "REQUEST_METHOD": scope["method"],
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "CONTENT_TYPE": headers.get("content-type", ""),
        "REMOTE_USER": "forge",
        "REMOTE_ADDR": "127.0.0.1",
        **more,
    }
    if "git-protocol" in headers:
        environment["GIT_PROTOCOL"] = headers["git-protocol"][:200]
    ours, theirs = os.pipe()
    try:
        _widen(ours)
        os.set_blocking(ours, False)
        process = await asyncio.create_subprocess_exec(
            "git",
            "http-backend",
            stdin=asyncio.subprocess.PIPE,
            stdout=theirs,
            stderr=asyncio.subprocess.DEVNULL,
            env=environment,
        )
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    return Backend(process, ours)


def _widen(pipe: int) -> None:
    """Room for git to run ahead; where the system allows no more, the usual size works too."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE)


async def body(receive: Receive) -> AsyncIterator[bytes]:
    """The request's body; stops early when the client went away."""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionResetError
        if message.get("body"):
            yield message["body"]
        if not message.get("more_body"):
            return


async def feed(process: asyncio.subprocess.Process, chunks: AsyncIterator[bytes]) -> None:
    """Pass the body on. When git has heard enough and closes its ear, the rest is still taken off the wire, so that the
    client gets to read why."""
    assert process.stdin is not None
    listening = True
    try:
        async for chunk in chunks:
            if listening:
                try:
                    process.stdin.write(chunk)
                    await process.stdin.drain()
                except (BrokenPipeError, ConnectionResetError, RuntimeError):  # uvloop's word for a pipe that is closed
                    listening = False
    except ConnectionResetError:
        if process.returncode is None:
            process.kill()
    finally:
        process.stdin.close()
