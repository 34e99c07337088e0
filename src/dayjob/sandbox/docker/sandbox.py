"""The docker sandbox: one container in the network of another, held for one trial.

The second container is the sidecar, which has the trial's network and nothing else. Both carry labels that name the
process they belong to, so that what a killed process left can be found and removed.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
import signal
import socket
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from dayjob.sandbox.docker.archive import packed, unpack
from dayjob.sandbox.docker.command import docker, start
from dayjob.sandbox.docker.network import Network
from dayjob.sandbox.docker.site import DockerImage, DockerSite, labels
from dayjob.sandbox.embedded.identity import GRADER_UID
from dayjob.sandbox.embedded.links import LinkWatch
from dayjob.sandbox.sandbox import MIB, Finished, Frozen, Limits, OnOutput, Sandbox, SandboxError, Started, Stream

# Reaps what is left to it, and cannot be ended from inside.
_FIRST_PROCESS = "while :; do sleep 1000 & wait $!; done"
_MARKS = "/tmp/.dayjob-commands"


class DockerSandbox(Sandbox):
    """One container. See `Site.sandbox` for what its options mean."""

    def __init__(
        self,
        site: DockerSite,
        image: DockerImage,
        *,
        name: str = "",
        listen: Sequence[int] = (),
        hosts: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        frozen: Frozen | None = None,
        files: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.site = site
        self.image = image
        self.name = f"dayjob-{re.sub('[^a-zA-Z0-9]+', '-', name)[:40].strip('-').lower()}-{secrets.token_hex(6)}"
        self.listen = list(listen)
        self.hosts = dict(hosts or {})
        self.limits = limits or Limits()
        self.frozen = frozen
        self.files = dict(files or {})
        self.env = dict(env or {})
        self.capabilities = site.capabilities
        self.network = Network(self.name, image.tag, labels())
        self._running = False

    async def start(self) -> Started:
        try:
            listeners = await self.network.start(self.listen, {"localhost": "127.0.0.1", **self.hosts})
            limits = self.limits
            await docker(
                "run", "-d", "--name", self.name, *labels(), "--network", f"container:{self.network.container}",
                "--memory", str(limits.memory), "--memory-swap", str(limits.memory), "--cpus", f"{limits.cpus:g}",
                "--pids-limit", str(limits.processes), "--ulimit", f"fsize={limits.file}",
                "--ulimit", f"nofile={limits.open_files}", "--ulimit", "core=0", "--cap-drop", "NET_RAW",
                "--security-opt", "no-new-privileges", "--entrypoint", "",
                self.image.tag, "/bin/sh", "-c", _FIRST_PROCESS,
            )  # fmt: skip
            self._running = True
            await self._place()
        except BaseException:
            await self.stop()
            raise
        return Started(listeners)

    async def _place(self) -> None:
        """The frozen files in place of the image's own, and the texts asked for."""
        if self.frozen is not None:
            for path in self.frozen.paths:
                await self.remove(f"{path}/")
                data = await asyncio.to_thread(packed, self.frozen.folder / path[1:], path[1:], 0o755, GRADER_UID)
                await docker("cp", "-", f"{self.name}:/", stdin=data)
            await docker("exec", "-u", "0", self.name, "chown", "-R", str(GRADER_UID), "/utils")
        for path, text in self.files.items():
            await self.put(text.encode(), path)

    async def stop(self) -> None:
        await docker("rm", "-f", self.name, check=False)
        await self.network.stop()
        self._running = False

    async def exec(
        self,
        command: Sequence[str] | str,
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        user: str | None = None,
        stdin: bytes = b"",
        within: float | None = None,
        on_output: OnOutput | None = None,
        keep: int = 4 * MIB,
        grader: bool = False,
    ) -> Finished:
        if not self._running:
            raise SandboxError("the sandbox is not running")
        began = time.monotonic()
        argv = ["/bin/sh", "-c", command] if isinstance(command, str) else list(command)
        # Its own session, whose number is written down: that is how it can be ended from outside.
        mark = f"{_MARKS}/{secrets.token_hex(8)}"
        wrapper = f'mkdir -p {_MARKS} 2>/dev/null; echo $$ > {mark}; exec "$@"'
        options = ["-i"]
        if grader or user:
            options += ["-u", str(GRADER_UID) if grader else str(user)]
        if cwd:
            options += ["-w", cwd]
        given = {**self.env, **(env or {})}
        # Only the names: the values travel in the environment of the docker command, not on its command line.
        options += [part for name in given for part in ("-e", name)]
        process = await start(
            ["exec", *options, self.name, "setsid", "-w", "/bin/sh", "-c", wrapper, "dayjob", *argv], env=given
        )
        kept = _Kept(keep, on_output)
        timed_out = False
        try:
            reading = asyncio.gather(
                _feed(process, stdin), kept.read("stdout", process.stdout), kept.read("stderr", process.stderr)
            )
            async with asyncio.timeout(within):
                # What was left in the background may hold the output open: the command's own end counts.
                await process.wait()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(reading), 0.5)
            reading.cancel()
        except TimeoutError:
            timed_out = True
            await self._kill(mark, process)
            await process.wait()
            reading.cancel()
        except asyncio.CancelledError:
            await self._kill(mark, process)
            reading.cancel()
            raise
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(reading, return_exceptions=True)
        code = process.returncode if process.returncode is not None else 0
        return Finished(
            exit_code=-signal.SIGKILL if timed_out else code,
            stdout=kept.bytes("stdout"),
            stderr=kept.bytes("stderr"),
            seconds=time.monotonic() - began,
            timed_out=timed_out,
            dropped=kept.dropped,
        )

    async def _kill(self, mark: str, process: asyncio.subprocess.Process) -> None:
        """End what a command started inside, and the docker command that waits for it."""
        end = f"kill -9 -$(cat {mark}) 2>/dev/null"
        await docker("exec", "-u", "0", self.name, "/bin/sh", "-c", end, check=False)
        with contextlib.suppress(ProcessLookupError):
            process.kill()

    async def put(self, content: bytes | Path, path: str, *, mode: int = 0o644) -> None:
        folder, _, name = path.rstrip("/").rpartition("/")
        data = await asyncio.to_thread(packed, content, name, mode)
        await docker("exec", "-u", "0", self.name, "mkdir", "-p", folder or "/")
        await docker("cp", "-", f"{self.name}:{folder or '/'}", stdin=data)

    async def get(self, path: str, into: Path, *, limit: int | None = None) -> None:
        said = await docker("cp", f"{self.name}:{path}", "-")
        try:
            await asyncio.to_thread(unpack, said.out, into, limit=limit)
        except OSError as error:
            raise SandboxError(f"the files could not be copied out: {error}") from error

    async def remove(self, *paths: str) -> None:
        for path in paths:
            which = [path, "-mindepth", "1", "-delete"] if path.endswith("/") else [path, "-delete"]
            await docker("exec", "-u", "0", self.name, "find", *which, check=False)

    async def snapshot(self, into: Path, paths: Sequence[str]) -> Frozen:
        watch = LinkWatch(paths)
        left_out: list[str] = []
        await docker("pause", self.name)
        try:
            for path in paths:
                said = await docker("cp", f"{self.name}:{path}", "-", check=False)
                parent = into / path.lstrip("/").rpartition("/")[0]
                if said.code == 0:
                    left_out += await asyncio.to_thread(unpack, said.out, parent, link=watch)
                place = into / path.lstrip("/")
                if place.is_symlink() or not place.is_dir():
                    place.unlink(missing_ok=True)
                    place.mkdir(parents=True)
        finally:
            await docker("unpause", self.name)
        return Frozen(into, tuple(paths), tuple(watch.replaced), tuple(left_out))

    async def connection(self, *, six: bool = False) -> socket.socket:
        return await self.network.connection(six=six)

    async def open_ports(self) -> list[int]:
        return await self.network.ports()

    def used(self) -> dict[str, int]:
        return {}


async def _feed(process: asyncio.subprocess.Process, stdin: bytes) -> None:
    assert process.stdin is not None
    with contextlib.suppress(ConnectionError):
        process.stdin.write(stdin)
        await process.stdin.drain()
    process.stdin.close()


class _Kept:
    """Output up to a limit per stream, its beginning and its end."""

    def __init__(self, keep: int, on_output: OnOutput | None) -> None:
        self.half = keep // 2
        self.on_output = on_output
        self.dropped = 0
        self._parts: dict[Stream, tuple[bytearray, bytearray]] = {
            "stdout": (bytearray(), bytearray()),
            "stderr": (bytearray(), bytearray()),
        }

    async def read(self, stream: Stream, source: asyncio.StreamReader | None) -> None:
        assert source is not None
        head, tail = self._parts[stream]
        while data := await source.read(65536):
            if self.on_output is not None:
                self.on_output(stream, data)
            room = max(0, self.half - len(head))
            head += data[:room]
            tail += data[room:]
            if len(tail) > 2 * self.half:
                self.dropped += len(tail) - self.half
                del tail[: len(tail) - self.half]

    def bytes(self, stream: Stream) -> bytes:
        head, tail = self._parts[stream]
        return bytes(head + tail)
