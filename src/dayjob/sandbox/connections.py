"""Connections that a server on the host takes, each served by a task; none outlives the server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]
Accept = Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]


class Connections:
    """What is being served. Once it has ended, whoever connects finds the door closed."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._over = False

    def served_by(self, serve: Serve) -> Accept:
        """What `asyncio.start_server` is to call for each connection."""

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if self._over:
                writer.close()
                return
            task = asyncio.create_task(serve(reader, writer))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        return accept

    def end(self) -> None:
        """Take no more, and cut off those that are open."""
        self._over = True
        for task in list(self._tasks):
            task.cancel()

    async def close(self, *servers: asyncio.Server) -> None:
        """Close the servers and wait until the last connection has ended."""
        for server in servers:
            server.close()
        self.end()
        await asyncio.gather(*self._tasks, return_exceptions=True)
