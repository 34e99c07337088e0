"""Ports of one sandbox, reachable from somewhere else: from a grader's own network, or from the host.

The two networks share nothing: each connection made to the listening sockets is carried over by the host, so nothing
inside the sandbox can reach the other side.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Mapping
from functools import partial

from dayjob.sandbox.connections import Connections
from dayjob.sandbox.sandbox import Sandbox, SandboxError

# What writing to somebody who has gone raises; uvloop says RuntimeError once it has closed the connection.
CLOSED = (ConnectionError, RuntimeError)


class Relay:
    """Carries connections from listening sockets to the same ports of a sandbox. Use as `async with`.

    After `seconds` it ends them all and takes no more: whoever listens inside cannot keep the other side for ever.
    """

    def __init__(self, sandbox: Sandbox, sockets: Mapping[int, socket.socket], seconds: float | None = None) -> None:
        self.sandbox = sandbox
        self.sockets = sockets
        self.seconds = seconds
        self._timer: asyncio.TimerHandle | None = None
        self._servers: list[asyncio.Server] = []
        self._connections = Connections()

    async def __aenter__(self) -> Relay:
        for port, sock in self.sockets.items():
            accept = self._connections.served_by(partial(self._carry, port))
            self._servers.append(await asyncio.start_server(accept, sock=sock))
        if self.seconds is not None:
            self._timer = asyncio.get_running_loop().call_later(self.seconds, self._connections.end)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        await self._connections.close(*self._servers)

    async def _carry(self, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection(sock=await self.sandbox.connect(port))
        except (OSError, SandboxError):
            writer.close()
            return
        try:
            await asyncio.gather(pump(reader, back), pump(there, writer))
        finally:
            writer.close()
            back.close()


async def pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Carry bytes one way until their source ends."""
    with contextlib.suppress(*CLOSED):
        while data := await source.read(65536):
            target.write(data)
            await target.drain()
        target.write_eof()
