"""The listeners of one sandbox: opened for a role, closed, and opened again for the next, on the same ports.

The sockets stay bound from the sandbox's start to its end, so nothing inside can take a port of the company between
two steps. Closed means closed: when `close` returns, no request that came through is still at work.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from starlette.types import ASGIApp, Receive, Scope, Send

from dayjob.company.journal import Role
from dayjob.http.server import Listener, Now, Server

if TYPE_CHECKING:
    from dayjob.trial.company_process.handle import TrialCompany

MODELS_PORT = 4000
_LAST_WORDS = 2.0  # seconds a request that is under way may take to end when its door closes


class _Gate:
    """Lets requests through to an app until it is shut, and knows which are inside."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.shut = False
        self.inside: set[asyncio.Task[object]] = set()
        self.requests: set[asyncio.Task[object]] = set()
        """Those of them that end by themselves: a connection that stays open is none."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.shut:
            return  # a connection that slipped in while the listener was closing; the server ends it
        task = asyncio.current_task()
        assert task is not None
        self.inside.add(task)
        if scope["type"] == "http":
            self.requests.add(task)
        try:
            await self.app(scope, receive, send)
        finally:
            self.inside.discard(task)
            self.requests.discard(task)


class Gates:
    """Listeners of this process that are closed together."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._listeners: list[Listener] = []
        self._gates: list[_Gate] = []

    async def answer(self, sock: socket.socket, app: ASGIApp, now: Now = time.time) -> None:
        """Answer on a listening socket, closed with the others; `now` is the clock that answers are dated by."""
        gate = _Gate(app)
        self._gates.append(gate)
        self._listeners.append(await self._server.listen(gate, sock, now))

    @property
    def at_work(self) -> set[asyncio.Task[object]]:
        """The requests that are being answered."""
        return {task for gate in self._gates for task in gate.requests}

    async def close(self) -> None:
        """Stop answering, end every connection, and wait for what is under way; what does not end is cancelled."""
        for gate in self._gates:
            gate.shut = True
        self._server.forget(*self._listeners)
        inside = {task for gate in self._gates for task in gate.inside}
        if inside:
            _, late = await asyncio.wait(inside, timeout=_LAST_WORDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        self._listeners, self._gates = [], []


class Listeners:
    """The sockets of one sandbox: the company's process answers on its own, this process where models are asked."""

    def __init__(self, server: Server, company: TrialCompany, sockets: Mapping[int, socket.socket]) -> None:
        self.company = company
        self.sockets = dict(sockets)
        self._here = Gates(server)
        self._open = False

    async def open(self, role: Role, services: tuple[str, ...], models: ASGIApp | None = None) -> None:
        """Answer on the ports of these services and of the control API, and write this role into the journal.

        `models` answers where models are asked (`llm.test:4000`), when the sandbox has that port.
        """
        await self._here.close()
        self._open = True
        ports = self.company.world.ports
        await self.company.open(role, {name: self.sockets[ports[name]] for name in (*services, "control")})
        if models is not None:
            await self._here.answer(self.sockets[MODELS_PORT].dup(), models)

    async def close(self) -> None:
        """Stop answering and wait for what is under way. A company that is gone answers nobody either."""
        from dayjob.trial.company_process.handle import CompanyLost

        if self._open:
            self._open = False
            with contextlib.suppress(CompanyLost):  # whoever asks it next is told
                await self.company.close_doors()
        await self._here.close()

    async def give_up(self) -> None:
        """Close the sockets too: the sandbox is going away."""
        await self.close()
        for sock in self.sockets.values():
            sock.close()
        self.sockets.clear()
