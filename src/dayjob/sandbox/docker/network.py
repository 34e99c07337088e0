"""A trial's network: a sidecar container that has it, and the host's side: its listening sockets, connections, ports.

The sidecar hands out descriptors over a mounted Unix socket. Where those cannot travel, `streams` carries instead;
`Networks` finds out which it is, once for a site.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from dayjob import owned
from dayjob.sandbox.docker.command import docker
from dayjob.sandbox.docker.streams import StreamNetwork
from dayjob.sandbox.loopback import connected
from dayjob.sandbox.sandbox import SandboxError

_SIDECAR = Path(__file__).with_name("sidecar.py")


class Network(Protocol):
    """No way out, the company's ports on loopback, host names for them."""

    container: str

    async def start(self, listen: Sequence[int], hosts: Mapping[str, str]) -> dict[int, socket.socket]: ...

    async def connect(self, port: int) -> socket.socket: ...

    async def ports(self) -> list[int]: ...

    async def stop(self) -> None: ...


class DescriptorsStay(SandboxError):
    """The sidecar runs where its descriptors cannot reach us."""


class Networks:
    """How networks are made here: descriptors are tried first, and not again once they did not travel."""

    def __init__(self, descriptors: bool = True) -> None:
        self.descriptors = descriptors

    async def open(
        self, name: str, image: str, labels: Sequence[str], listen: Sequence[int], hosts: Mapping[str, str]
    ) -> tuple[Network, dict[int, socket.socket]]:
        """A network that has started, and its sockets."""
        if self.descriptors:
            try:
                return await _started(DescriptorNetwork(name, image, labels), listen, hosts)
            except DescriptorsStay:
                self.descriptors = False
        return await _started(StreamNetwork(name, image, labels), listen, hosts)


async def _started(
    network: Network, listen: Sequence[int], hosts: Mapping[str, str]
) -> tuple[Network, dict[int, socket.socket]]:
    try:
        return network, await network.start(listen, hosts)
    except BaseException:
        await network.stop()
        raise


class DescriptorNetwork:
    """A network whose sockets are passed out by descriptor."""

    def __init__(self, name: str, image: str, labels: Sequence[str]) -> None:
        self.image = image
        self.labels = labels
        self.container = f"{name}-network"
        self._folder = owned.folder("sidecar")
        self._sock: socket.socket | None = None
        self._turn = asyncio.Lock()

    async def start(self, listen: Sequence[int], hosts: Mapping[str, str]) -> dict[int, socket.socket]:
        path = self._folder / "host.sock"
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
            server.bind(str(path))
            server.listen(1)
            server.setblocking(False)
            names = [part for name, address in hosts.items() for part in ("--add-host", f"{name}:{address}")]
            await docker(
                "run", "-d", "--name", self.container, *self.labels, "--network", "none", *names, "--cap-drop", "ALL",
                "--security-opt", "no-new-privileges", "--memory", "64m", "--pids-limit", "16",
                "-v", f"{self._folder}:/run/dayjob", "-v", f"{_SIDECAR}:/sidecar.py:ro", "--entrypoint", "",
                self.image, "python_default", "/sidecar.py", "/run/dayjob/host.sock", *(str(port) for port in listen),
            )  # fmt: skip
            self._sock = await self._accept(server)
        _, fds = await self._hear(len(listen))
        if len(fds) != len(listen):
            raise DescriptorsStay("the sidecar's descriptors do not travel")
        return {port: socket.socket(fileno=fd) for port, fd in zip(listen, fds, strict=True)}

    async def _accept(self, server: socket.socket) -> socket.socket:
        """The sidecar's call; it ends instead of calling where the mounted socket leads nowhere."""
        calling = asyncio.ensure_future(asyncio.get_running_loop().sock_accept(server))
        ending = asyncio.ensure_future(docker("wait", self.container, check=False))
        try:
            await asyncio.wait({calling, ending}, timeout=30, return_when=asyncio.FIRST_COMPLETED)
            if not calling.done():
                raise DescriptorsStay("the sidecar's descriptors do not travel")
            return calling.result()[0]
        finally:
            for one in (calling, ending):
                one.cancel()
            await asyncio.gather(calling, ending, return_exceptions=True)

    async def _hear(self, most: int) -> tuple[bytes, list[int]]:
        assert self._sock is not None
        self._sock.setblocking(True)
        self._sock.settimeout(30)
        message, fds, _, _ = await asyncio.to_thread(socket.recv_fds, self._sock, 65536, most + 1)
        if not message:
            raise SandboxError("the sidecar ended")
        return message, fds

    async def _ask(self, what: bytes) -> tuple[bytes, list[int]]:
        async with self._turn:
            if self._sock is None:
                raise SandboxError("the sandbox is not running")
            try:
                self._sock.send(what)
            except OSError as error:
                raise SandboxError(f"the sidecar is gone: {error}") from error
            return await self._hear(1)

    async def connect(self, port: int) -> socket.socket:
        return await connected(self._socket, port)

    async def _socket(self, six: bool) -> socket.socket:
        _, (fd,) = await self._ask(b"socket6" if six else b"socket4")
        sock = socket.socket(fileno=fd)
        sock.setblocking(False)
        return sock

    async def ports(self) -> list[int]:
        message, _ = await self._ask(b"ports")
        found: list[int] = json.loads(message)
        return found

    async def stop(self) -> None:
        if self._sock is not None:
            with contextlib.suppress(OSError):
                self._sock.close()
            self._sock = None
        await docker("rm", "-f", "-v", self.container, check=False)
        shutil.rmtree(self._folder, ignore_errors=True)
