"""Serving ASGI apps on sockets that were opened anywhere, with one event loop and without a server object for each."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Awaitable, Callable
from email.utils import formatdate
from typing import Any, Self

from starlette.types import ASGIApp
from uvicorn.config import Config
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.exceptions import InvalidState

from dayjob.http.protocol import FRAME_LIMIT, Protocol

Now = Callable[[], float]
"""What time it is, in seconds since 1970."""


class _Dated(ServerState):
    """uvicorn's state of a listener, whose answers carry the date of a clock."""

    def __init__(self, now: Now) -> None:
        self._now = now
        self._second = -1
        self._headers: list[tuple[bytes, bytes]] = []
        super().__init__()

    @property
    def default_headers(self) -> list[tuple[bytes, bytes]]:
        """Asked for with every answer; a second is spelt out once."""
        second = int(self._now())
        if second != self._second:
            self._second, self._headers = second, [(b"date", formatdate(second, usegmt=True).encode())]
        return self._headers

    @default_headers.setter
    def default_headers(self, _: list[tuple[bytes, bytes]]) -> None:
        """uvicorn begins with none, and sets them once a second for servers of its own."""


class Listener:
    """One listening socket being served; `close` also ends the connections that came through it."""

    def __init__(self, server: asyncio.Server, state: ServerState, address: Any) -> None:
        self._server = server
        self._state = state
        self.address = address

    def close(self) -> None:
        self._server.close()
        for connection in list(self._state.connections):
            # A websocket that its peer is closing takes no second farewell.
            with contextlib.suppress(InvalidState):
                connection.shutdown()
            transport = getattr(connection, "transport", None)
            if transport is not None:
                transport.close()


class Server:
    """Serves apps on the running loop. Use as `async with`."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for listener in self._listeners:
            listener.close()
        self._listeners.clear()
        # Give closed transports their turn, so that nothing is left half open when the loop ends.
        await asyncio.sleep(0)

    async def listen(self, app: ASGIApp, sock: socket.socket, now: Now = time.time) -> Listener:
        """Answer on `sock` with any ASGI app; `now` is the clock whose date its answers carry."""
        config = Config(
            app,
            lifespan="off",
            access_log=False,
            log_config=None,
            server_header=False,
            proxy_headers=False,
            ws="none",
            ws_max_size=FRAME_LIMIT,
            http=Protocol,
            interface="asgi3",
            timeout_keep_alive=75,
        )
        config.loaded = True
        config.loaded_app = app
        config.encoded_headers = []
        config.http_protocol_class = Protocol
        config.ws_protocol_class = WebSocketsSansIOProtocol
        state = _Dated(now)
        factory: Callable[[], asyncio.Protocol] = lambda: Protocol(config, state, {})  # noqa: E731
        sock.setblocking(False)
        loop = asyncio.get_running_loop()
        if sock.family == socket.AF_UNIX:
            server = await loop.create_unix_server(factory, sock=sock, backlog=512)
        else:
            server = await loop.create_server(factory, sock=sock, backlog=512)
        listener = Listener(server, state, sock.getsockname())
        self._listeners.append(listener)
        return listener

    def forget(self, *listeners: Listener) -> None:
        """Close listeners and drop them: what is behind them is going away."""
        for listener in listeners:
            listener.close()
            self._listeners.remove(listener)


def bind(host: str = "127.0.0.1", port: int = 0) -> socket.socket:
    """A listening TCP socket; port 0 takes any free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((host, port))
    sock.listen(512)
    return sock


def run(main: Callable[[], Awaitable[None]]) -> None:
    """Run a coroutine on the fast loop."""
    import uvloop

    uvloop.run(main())  # type: ignore[arg-type]  # uvloop asks for a coroutine, which is what async functions return
