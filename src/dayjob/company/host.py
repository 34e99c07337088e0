"""One process, one event loop, many companies: sockets in, each with its company, service and role.

`Host.serve` takes a listening socket, wherever it was opened (this process, a sandbox's network namespace), and
answers on it with one service of one company. Every request passes the `Door`, which writes the journal.
"""

from __future__ import annotations

import logging
import socket

from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope, Send

from dayjob.company.company import Company
from dayjob.company.control import Control
from dayjob.company.journal import WORK_HERE, Role, current
from dayjob.company.quota import OutOfSpace
from dayjob.company.service import Service
from dayjob.http.bodies import BodyTooLarge
from dayjob.http.server import Listener, Server

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
        if self.role in WORK_HERE:
            await company.watching.arrived(looks=self.service.is_look(scope))
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
                if self.role == "examinee":
                    await company.looked_at()
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


class Host(Server):
    """Serves companies on the running loop. Use as `async with Host() as host`."""

    async def serve(self, company: Company, service: str, sock: socket.socket, role: Role = "people") -> Listener:
        """Answer on `sock` with a service (`chat`, `forge`, `board`, `drive`, `control`) of the company."""
        behind = Control(company) if service == "control" else company.service(service)
        if sock.family in (socket.AF_INET, socket.AF_INET6):
            company.ports.setdefault(role, {})[service] = sock.getsockname()[1]
        return await self.listen(Door(company, behind, role), sock, company.clock.seconds)
