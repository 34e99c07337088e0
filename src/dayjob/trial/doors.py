"""The company's listeners in one sandbox: opened for a role, closed, and opened again for the next, on the same ports.

The sockets stay bound from the sandbox's start to its end, so nothing inside can take a port of the company between
two steps.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping

from dayjob.company.company import Company
from dayjob.company.host import Host, Listener
from dayjob.company.journal import Role


class Doors:
    """The listeners of one company in one sandbox."""

    def __init__(self, host: Host, company: Company, sockets: Mapping[int, socket.socket]) -> None:
        self.host = host
        self.company = company
        self.sockets = dict(sockets)
        self._open: list[Listener] = []

    async def open(self, role: Role, services: tuple[str, ...]) -> None:
        """Answer on the ports of these services and of the control API, and write this role into the journal."""
        self.close()
        for service in (*services, "control"):
            sock = self.sockets[self.company.world.ports[service]]
            self._open.append(await self.host.serve(self.company, service, sock.dup(), role))

    def close(self) -> None:
        """Stop answering, and end every connection that came through."""
        self.host.forget(*self._open)
        self._open = []

    def give_up(self) -> None:
        """Close the sockets too: the sandbox is going away."""
        self.close()
        for sock in self.sockets.values():
            sock.close()
        self.sockets.clear()
