"""Serving ASGI apps on sockets that were opened anywhere, with one event loop and without a server object for each."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable
from email.utils import formatdate
from typing import Any, Self

from starlette.types import ASGIApp
from uvicorn.config import Config
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.exceptions import InvalidState

from dayjob.http.protocol import FRAME_LIMIT, Protocol


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
        self._date: list[tuple[bytes, bytes]] = [(b"date", formatdate(usegmt=True).encode())]
        self._ticker: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._ticker = asyncio.create_task(self._tick())
        return self

    async def __aexit__(self, *_: object) -> None:
        for listener in self._listeners:
            listener.close()
        self._listeners.clear()
        if self._ticker is not None:
            self._ticker.cancel()
        # Give closed transports their turn, so that nothing is left half open when the loop ends.
        await asyncio.sleep(0)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(1)
            self._date[0] = (b"date", formatdate(usegmt=True).encode())

    async def listen(self, app: ASGIApp, sock: socket.socket) -> Listener:
        """Answer on `sock` with any ASGI app."""
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
        state = ServerState()
        state.default_headers = self._date
        factory: Callable[[], asyncio.Protocol] = lambda: Protocol(config, state, {})  # noqa: E731
        sock.setblocking(False)
        server = await asyncio.get_running_loop().create_server(factory, sock=sock, backlog=512)
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
