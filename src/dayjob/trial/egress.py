"""The way out of a sandbox, for tasks whose egress policy allows one: an HTTP proxy on the host with a list of hosts.

Nothing else leads out, so the list cannot be gone around. Addresses that are not on the public internet are refused
whatever the policy says: the host, its neighbours and other trials are not part of anybody's task.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import re
import socket
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from dayjob.sandbox.connections import Connections
from dayjob.sandbox.relay import CLOSED, pump
from dayjob.trial.addresses import Address, on_the_internet
from dayjob.trial.egress_request import Request, read_request

PORT = 3128
_LARGEST_HEAD = 64 * 1024
_PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class Policy:
    """Which hosts may be reached: exact names, `*.example.org` for everything below one, `*` for all."""

    hosts: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.hosts)

    def allows(self, host: str) -> bool:
        name = host.lower().rstrip(".")
        return any(
            rule == "*" or name == rule or (rule.startswith("*.") and name.endswith(rule[1:])) for rule in self.hosts
        )

    def environment(self, world_host: str) -> dict[str, str]:
        """The variables of a sandbox with this policy: of one without a way out there are none."""
        return proxy_environment(world_host) if self else {}


def proxy_environment(world_host: str) -> dict[str, str]:
    """The variables that make programs inside use the proxy, and not for the company."""
    proxy, direct = f"http://127.0.0.1:{PORT}", f"localhost,127.0.0.1,{world_host},llm.test"
    return {
        "http_proxy": proxy, "https_proxy": proxy, "HTTP_PROXY": proxy, "HTTPS_PROXY": proxy,
        "no_proxy": direct, "NO_PROXY": direct,
    }  # fmt: skip


class Proxy:
    """Serves one sandbox's listening socket. `seen` is what was asked for, and what came of it. Use as `async with`."""

    def __init__(
        self, policy: Policy, sock: socket.socket, reachable: Callable[[Address], bool] = on_the_internet
    ) -> None:
        self.policy = policy
        self.sock = sock
        self.reachable = reachable
        self.seen: list[dict[str, Any]] = []
        self._connections = Connections()

    async def __aenter__(self) -> Proxy:
        accept = self._connections.served_by(self._serve)
        self._server = await asyncio.start_server(accept, sock=self.sock, limit=_LARGEST_HEAD)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._connections.close(self._server)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
                request = read_request(head)
                there, back = await self._connect(request.host, request.port)
        except _Refused as refusal:
            await _answer(writer, 403, str(refusal))
            return
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError) as error:
            await _answer(writer, 502, f"The proxy could not do this: {error}")
            return
        try:
            if request.is_tunnel:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await asyncio.gather(pump(reader, back), pump(there, writer))
            else:
                back.write(request.head)
                await _answered(_send_body(request, reader, back), pump(there, writer))
        finally:
            writer.close()
            back.close()

    async def _connect(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if not self.policy.allows(host):
            self.seen.append({"host": host, "port": port, "allowed": False})
            raise _Refused(f"This task's egress policy does not allow {host}.")
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        # The address that was checked is the one connected to: a name may mean another one a moment later.
        open_to = [place for *_, place in found if self.reachable(ipaddress.ip_address(place[0]))]
        self.seen.append({"host": host, "port": port, "allowed": bool(open_to)})
        if not open_to:
            raise _Refused(f"{host} is not on the public internet.")
        return await asyncio.open_connection(str(open_to[0][0]), port)


class _Refused(Exception):
    """What the policy says no to."""


async def _answered(sending: Coroutine[Any, Any, None], answering: Coroutine[Any, Any, None]) -> None:
    """Send what is left of a request and carry the answer back; an answer may come before all was sent."""
    send, answer = asyncio.ensure_future(sending), asyncio.ensure_future(answering)
    try:
        await asyncio.wait({send, answer}, return_when=asyncio.FIRST_COMPLETED)
        if send.done() and send.exception() is not None:
            return  # a body that is none: whoever waits for it finds the connection closed
        await answer
    finally:
        for one in (send, answer):
            one.cancel()
        await asyncio.gather(send, answer, return_exceptions=True)


async def _send_body(request: Request, reader: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Pass on the body that the head announced, and not a byte more: what follows would be another request."""
    if request.length is not None:
        await _copy(reader, target, request.length)
        return
    while True:
        line = await reader.readuntil(b"\r\n")
        if not re.fullmatch(rb"[0-9A-Fa-f]{1,8}\r\n", line):
            raise ValueError("a chunk has no plain length")
        size = int(line, 16)
        target.write(line)
        if size == 0:
            if await reader.readexactly(2) != b"\r\n":
                raise ValueError("there is more after the last chunk")
            target.write(b"\r\n")
            await target.drain()
            return
        await _copy(reader, target, size)
        if await reader.readexactly(2) != b"\r\n":
            raise ValueError("a chunk is longer than it says")
        target.write(b"\r\n")


async def _copy(reader: asyncio.StreamReader, target: asyncio.StreamWriter, count: int) -> None:
    while count:
        data = await reader.read(min(count, 65536))
        if not data:
            raise asyncio.IncompleteReadError(b"", count)
        target.write(data)
        await target.drain()
        count -= len(data)


async def _answer(writer: asyncio.StreamWriter, status: int, sentence: str) -> None:
    body = (sentence + "\n").encode()
    reason = {403: "Forbidden", 502: "Bad Gateway"}[status]
    lines = (
        f"HTTP/1.1 {status} {reason}", "Content-Type: text/plain", f"Content-Length: {len(body)}", "Connection: close",
    )  # fmt: skip
    head = "\r\n".join(lines) + "\r\n\r\n"
    with contextlib.suppress(*CLOSED):
        writer.write(head.encode() + body)
        await writer.drain()
    writer.close()


def policy_of(hosts: Sequence[str]) -> Policy:
    return Policy(tuple(host.lower() for host in hosts))
