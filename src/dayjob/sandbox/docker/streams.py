"""A trial's network where descriptors cannot travel: Docker in a virtual machine, or on another one.

The sidecar's connections come as frames over the standard streams of `docker run`. The company listens on ports of the
host's own loopback, which they are carried to. A slow connection slows down the others of its trial, and no more.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

from dayjob.sandbox.docker.command import docker, start
from dayjob.sandbox.docker.sidecar_streams import GONE, OPEN, PORTS, READY, Line
from dayjob.sandbox.sandbox import SandboxError

_SIDECAR = Path(__file__).with_name("sidecar_streams.py")
_PATIENCE = 60.0


class StreamNetwork:
    """The same as `Network`, with nothing mounted."""

    def __init__(self, name: str, image: str, labels: Sequence[str]) -> None:
        self.image = image
        self.labels = labels
        self.container = f"{name}-network"
        self._process: asyncio.subprocess.Process | None = None
        self._line: Line | None = None
        self._answers: dict[int, asyncio.Future[bytes]] = {}
        self._opening: dict[int, asyncio.StreamWriter] = {}
        self._number = 0
        self._local: dict[int, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, listen: Sequence[int], hosts: Mapping[str, str]) -> dict[int, socket.socket]:
        names = [part for name, address in hosts.items() for part in ("--add-host", f"{name}:{address}")]
        self._process = await start(
            ["run", "-i", "--name", self.container, *self.labels, "--network", "none", *names, "--cap-drop", "ALL",
             "--security-opt", "no-new-privileges", "--memory", "128m", "--pids-limit", "16", "--log-driver", "none",
             "--entrypoint", "", self.image, "python_default", "-c", _SIDECAR.read_text("utf-8"),
             *(str(port) for port in listen)]
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._line = Line(self._process.stdout, self._process.stdin)
        ready = self._expect(0)
        self._do(self._hear(self._line))
        try:
            await asyncio.wait_for(ready, _PATIENCE)
        except (TimeoutError, ConnectionError):
            said = await self._process.stderr.read(4000)
            raise SandboxError(f"the sidecar did not start: {said.decode('utf-8', 'replace').strip()}") from None
        sockets = {}
        for port in listen:
            sock = sockets[port] = socket.socket()
            sock.bind(("127.0.0.1", 0))
            sock.listen(512)
            self._local[port] = sock.getsockname()[1]
        return sockets

    async def connect(self, port: int) -> socket.socket:
        line, number = self._next()
        answer = self._expect(number)
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        reader, writer = await asyncio.open_connection(sock=theirs)
        self._opening[number] = writer
        try:
            await line.say(number, OPEN, str(port).encode())
            await asyncio.wait_for(answer, _PATIENCE)
        except BaseException:
            writer.close()
            ours.close()
            raise
        finally:
            self._opening.pop(number, None)
        self._do(line.carry(number, reader))
        return ours

    async def ports(self) -> list[int]:
        line, number = self._next()
        answer = self._expect(number)
        await line.say(number, PORTS)
        found: list[int] = json.loads(await asyncio.wait_for(answer, _PATIENCE))
        return found

    async def stop(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._line is not None:
            for number in list(self._line.streams):
                self._line.drop(number)
            self._line = None
        await docker("rm", "-f", "-v", self.container, check=False)
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
            self._process = None

    def _next(self) -> tuple[Line, int]:
        if self._line is None:
            raise SandboxError("the sandbox is not running")
        self._number += 2
        return self._line, self._number

    def _expect(self, number: int) -> asyncio.Future[bytes]:
        self._answers[number] = asyncio.get_running_loop().create_future()
        return self._answers[number]

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _hear(self, line: Line) -> None:
        async for number, kind, data in line.frames():
            if kind == OPEN:
                await self._accept(line, number, int(data))
            else:
                if kind == READY and number in self._opening:
                    line.streams[number] = self._opening.pop(number)  # the next frame may be for it
                self._answer(number, kind, data)
        for number in list(self._answers):
            self._answer(number, GONE, b"")
        for number in list(line.streams):
            line.drop(number)

    def _answer(self, number: int, kind: bytes, data: bytes) -> None:
        answer = self._answers.pop(number, None)
        if answer is None or answer.done():
            return
        if kind in (READY, PORTS):
            answer.set_result(data)
        else:
            answer.set_exception(ConnectionRefusedError("nothing answers there"))

    async def _accept(self, line: Line, number: int, port: int) -> None:
        """Somebody inside has connected: lead it to the company, before the next frame may be for it."""
        try:
            reader, line.streams[number] = await asyncio.open_connection("127.0.0.1", self._local[port])
        except OSError:
            await line.say(number, GONE)
        else:
            self._do(line.carry(number, reader))
