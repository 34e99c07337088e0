"""The company's listeners in one sandbox: opened for a role, closed, and opened again for the next, on the same ports.

The sockets stay bound from the sandbox's start to its end, so nothing inside can take a port of the company between
two steps. Closed means closed: when `close` returns, no request that came through is still at work.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping

from starlette.types import ASGIApp, Receive, Scope, Send

from dayjob.company.company import Company
from dayjob.company.control import Control
from dayjob.company.host import Door, Host, Listener
from dayjob.company.journal import Role

MODELS_PORT = 4000
_LAST_WORDS = 2.0  # seconds a request that is under way may take to end when its door closes


class Gate:
    """Lets requests through to an app until it is shut, and knows which are inside."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.shut = False
        self.inside: set[asyncio.Task[object]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.shut:
            return  # a connection that slipped in while the listener was closing; the server ends it
        task = asyncio.current_task()
        assert task is not None
        self.inside.add(task)
        try:
            await self.app(scope, receive, send)
        finally:
            self.inside.discard(task)


class Doors:
    """The listeners of one company in one sandbox."""

    def __init__(self, host: Host, company: Company, sockets: Mapping[int, socket.socket]) -> None:
        self.host = host
        self.company = company
        self.sockets = dict(sockets)
        self._listeners: list[Listener] = []
        self._gates: list[Gate] = []

    async def open(self, role: Role, services: tuple[str, ...], models: ASGIApp | None = None) -> None:
        """Answer on the ports of these services and of the control API, and write this role into the journal.

        `models` answers where models are asked (`llm.test:4000`), when the sandbox has that port.
        """
        await self.close()
        for name in (*services, "control"):
            behind = Control(self.company) if name == "control" else self.company.service(name)
            await self._answer(self.company.world.ports[name], Door(self.company, behind, role))
        if models is not None:
            await self._answer(MODELS_PORT, models)

    async def _answer(self, port: int, app: ASGIApp) -> None:
        gate = Gate(app)
        self._gates.append(gate)
        self._listeners.append(await self.host.listen(gate, self.sockets[port].dup()))

    async def close(self) -> None:
        """Stop answering, end every connection, and wait for what is under way; what does not end is cancelled."""
        for gate in self._gates:
            gate.shut = True
        self.host.forget(*self._listeners)
        inside = {task for gate in self._gates for task in gate.inside}
        if inside:
            _, late = await asyncio.wait(inside, timeout=_LAST_WORDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        self._listeners, self._gates = [], []

    async def give_up(self) -> None:
        """Close the sockets too: the sandbox is going away."""
        await self.close()
        for sock in self.sockets.values():
            sock.close()
        self.sockets.clear()
