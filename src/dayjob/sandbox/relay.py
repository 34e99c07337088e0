"""Ports of one sandbox, reachable from somewhere else: from a grader's own network, or from the host.

The two networks share nothing: each connection made to the listening sockets is carried over by the host, so nothing
inside the sandbox can reach the other side.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Mapping

from dayjob.sandbox.sandbox import Sandbox, SandboxError


class Relay:
    """Carries connections from listening sockets to the same ports of a sandbox. Use as `async with`."""

    def __init__(self, sandbox: Sandbox, sockets: Mapping[int, socket.socket]) -> None:
        self.sandbox = sandbox
        self.sockets = sockets
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Relay:
        for port, sock in self.sockets.items():

            def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int = port) -> None:
                task = asyncio.create_task(self._carry(port, reader, writer))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

            self._servers.append(await asyncio.start_server(accept, sock=sock))
        return self

    async def __aexit__(self, *_: object) -> None:
        for server in self._servers:
            server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _carry(self, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection(sock=await self.sandbox.connect(port))
        except (OSError, SandboxError):
            writer.close()
            return
        try:
            await asyncio.gather(_pump(reader, back), _pump(there, writer))
        finally:
            writer.close()
            back.close()


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await source.read(65536):
            target.write(data)
            await target.drain()
        target.write_eof()
