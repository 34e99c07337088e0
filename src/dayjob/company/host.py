"""One process, one event loop, many companies: sockets in, each with its company, service and role.

`Host.serve` takes a listening socket, wherever it was opened (this process, a sandbox's network namespace), and
answers on it with one service of one company. Every request passes the `Door`, which writes the journal.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from email.utils import formatdate
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState

from dayjob.company.bodies import BodyTooLarge
from dayjob.company.company import Company
from dayjob.company.control import Control
from dayjob.company.journal import Role, current
from dayjob.company.protocol import FRAME_LIMIT, Protocol
from dayjob.company.quota import OutOfSpace
from dayjob.company.service import Service

log = logging.getLogger("dayjob.company")


class Door:
    """The way into a service: notes who came through which listener, and turns a crash into the service's own 500."""

    def __init__(self, company: Company, service: Service | Control, role: Role) -> None:
        self.company = company
        self.service = service
        self.role = role

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        company = self.company
        scope["dayjob.role"] = self.role
        if scope["type"] == "websocket":
            with company.acting(self.service.name, self.role, "GET", scope["path"]) as visit:
                visit.status = 101
                company.record(visit)
                await self.service(scope, receive, send)
            return
        visit = company.visit(
            self.service.name,
            self.role,
            scope["method"],
            scope["path"],
            scope["query_string"].decode("latin-1"),
        )

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                visit.status = message["status"]
                company.record(visit)
            await send(message)

        token = current.set(visit)
        try:
            await self.service(scope, receive, answer)
        except BodyTooLarge as error:
            if not visit.recorded:
                await self.service.failure(413, str(error))(scope, receive, answer)
        except OutOfSpace as error:
            if not visit.recorded:
                await self.service.failure(507, str(error.strerror))(scope, receive, answer)
        except ClientDisconnect:
            visit.status = visit.status or 499
        except Exception:
            log.exception("%s %s %s failed", self.service.name, scope["method"], scope["path"])
            if not visit.recorded:
                await self.service.failure(500, "Internal Server Error")(scope, receive, answer)
        finally:
            current.reset(token)
            company.record(visit)


class Listener:
    """One listening socket being served; `close` also ends the connections that came through it."""

    def __init__(self, server: asyncio.Server, state: ServerState, address: Any) -> None:
        self._server = server
        self._state = state
        self.address = address

    def close(self) -> None:
        self._server.close()
        for connection in list(self._state.connections):
            connection.shutdown()
            transport = getattr(connection, "transport", None)
            if transport is not None:
                transport.close()


class Host:
    """Serves companies on the running loop. Use as `async with Host() as host`."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self._date: list[tuple[bytes, bytes]] = [(b"date", formatdate(usegmt=True).encode())]
        self._ticker: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Host:
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

    async def serve(self, company: Company, service: str, sock: socket.socket, role: Role = "people") -> Listener:
        """Answer on `sock` with a service (`chat`, `forge`, `board`, `drive`, `control`) of the company."""
        behind = Control(company) if service == "control" else company.service(service)
        if sock.family in (socket.AF_INET, socket.AF_INET6):
            company.ports.setdefault(role, {})[service] = sock.getsockname()[1]
        return await self.listen(Door(company, behind, role), sock)

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
        """Close listeners and drop them: the company behind is going away."""
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
