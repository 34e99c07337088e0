"""The host's side of a sidecar: start it, get its listening sockets, ask it for more."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

from dayjob import owned
from dayjob.sandbox.docker.command import docker
from dayjob.sandbox.sandbox import SandboxError

_SIDECAR = Path(__file__).with_name("sidecar.py")


class Network:
    """One trial's network: no way out, the company's ports on loopback, host names for them."""

    def __init__(self, name: str, image: str, labels: Sequence[str]) -> None:
        self.name = name
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
            loop = asyncio.get_running_loop()
            try:
                self._sock, _ = await asyncio.wait_for(loop.sock_accept(server), 30)
            except TimeoutError:
                said = await docker("logs", self.container, check=False)
                raise SandboxError(
                    "the sidecar did not hand out its sockets; where Docker runs in a virtual machine they cannot "
                    f"travel, use Linux there. It said: {said.err.decode('utf-8', 'replace')[-400:]}"
                ) from None
        _, fds = await self._hear(len(listen))
        return {port: socket.socket(fileno=fd) for port, fd in zip(listen, fds, strict=True)}

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

    async def connection(self, *, six: bool) -> socket.socket:
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
            self._sock.close()
            self._sock = None
        await docker("rm", "-f", self.container, check=False)
        shutil.rmtree(self._folder, ignore_errors=True)
