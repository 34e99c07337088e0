"""The host's side of workbenches: sandboxes where an evaluator has the examinee's code run while it grades.

An evaluator reaches it at one port of its room, with a token for this grading (`grading/workbench.py` is its side). A
connection is a workbench: made when it opens, gone when it closes. Bytes come back, bounded; nothing of them is run or
believed here. What cannot be done is the command's own failure as long as a fresh workbench can be had, and a fault of
ours otherwise, so nothing that is run there can spoil a grading.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import shutil
import socket
import struct
import tarfile
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import IO, Any

from dayjob import owned
from dayjob.sandbox.connections import Connections
from dayjob.sandbox.relay import CLOSED, pump
from dayjob.sandbox.sandbox import MIB, Finished, Sandbox, SandboxError

PORT = 2998

_LENGTH = struct.Struct(">I")
_LONGEST_MESSAGE = 16 * MIB
_MOST_OUTPUT = 64 * MIB  # of each stream; the middle of more is dropped
_MOST_COLLECTED = 256 * MIB
_MOST_AT_ONCE = 16
_CHUNK = 1 << 16
_IN_MEMORY = 8 * MIB

Make = Callable[[bool, bool], Sandbox]
"""Gives a workbench that has not started; whether the host must be able to reach its ports, and whether it has the
system as the examinee left it."""


class _Refused(Exception):
    """A sentence for the evaluator: it asked for what cannot be done."""


class _Bench:
    """One workbench and what was left running in it."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.servers: list[asyncio.Task[Finished]] = []

    async def stop(self) -> None:
        for server in self.servers:
            server.cancel()
        try:
            await asyncio.gather(*self.servers, return_exceptions=True)
        finally:
            await self.sandbox.stop()


class Workbenches:
    """The workbenches of one grading. Use as `async with`; commands and connections end after `seconds`."""

    def __init__(self, make: Make, sock: socket.socket, seconds: float, *, most: int, installed: bool = False) -> None:
        self.make = make
        self.installed = installed
        """Whether a workbench has the system as the examinee left it, where an evaluator does not say."""
        self.sock = sock
        self.token = secrets.token_urlsafe(24)
        self.most = most
        """Bytes that may be brought at once."""
        self._ends = time.monotonic() + seconds
        self._benches: dict[str, _Bench] = {}
        self._connections = Connections()

    async def __aenter__(self) -> Workbenches:
        self._server = await asyncio.start_server(self._connections.served_by(self._serve), sock=self.sock)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._connections.close(self._server)

    @property
    def _left(self) -> float:
        return max(0.0, self._ends - time.monotonic())

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = _Line(reader, writer)
        try:
            asked = await line.hear()
            if not secrets.compare_digest(str(asked.get("token")).encode(), self.token.encode()):
                return
            if "bench" in asked:
                await self._carry(line, str(asked["bench"]), int(asked["port"]))
            else:
                wanted = asked.get("installed")
                await self._keep(line, bool(asked.get("ports")), self.installed if wanted is None else bool(wanted))
        except (ConnectionError, asyncio.IncompleteReadError, ValueError, KeyError, TypeError):
            pass  # the evaluator is gone, or speaks another language: its own side says so
        except Exception as error:
            with contextlib.suppress(*CLOSED):  # it may be gone as well
                await line.say({"fault": f"the workbench broke: {type(error).__name__}: {error}"})
        finally:
            line.close()

    # -- one workbench -------------------------------------------------------------------------------------------

    async def _keep(self, line: _Line, ports: bool, installed: bool) -> None:
        if len(self._benches) >= _MOST_AT_ONCE:
            await line.say({"fault": f"{_MOST_AT_ONCE} workbenches are open; close one with a with block"})
            return
        try:
            sandbox = await self._started(ports, installed)
        except (SandboxError, OSError) as error:
            kind = "refused" if installed and await self._can_be_had() else "fault"
            await line.say({kind: f"a workbench could not be made: {error}"})
            return
        name, bench = secrets.token_hex(8), _Bench(sandbox)
        self._benches[name] = bench
        try:
            await line.say({"bench": name})
            while True:
                asked = await line.hear()
                try:
                    await self._do(line, bench, asked)
                except _Refused as refusal:
                    await line.say({"refused": str(refusal)})
                except (SandboxError, OSError) as error:
                    if isinstance(error, ConnectionError):
                        raise
                    await line.say({"refused" if await self._can_be_had() else "fault": f"{error}"})
        finally:
            del self._benches[name]
            await bench.stop()

    async def _started(self, ports: bool, installed: bool) -> Sandbox:
        sandbox = self.make(ports, installed)
        try:
            await sandbox.start()
        except BaseException:
            await sandbox.stop()
            raise
        return sandbox

    async def _can_be_had(self) -> bool:
        """Whether a fresh workbench runs a command: then whatever went wrong was of this one's own making.

        With the image's own system, since a broken one may be what the examinee left.
        """
        try:
            sandbox = await self._started(False, False)
            try:
                return (await sandbox.exec(["/bin/true"], cwd="/", within=30)).ok
            finally:
                await sandbox.stop()
        except (SandboxError, OSError):
            return False

    async def _do(self, line: _Line, bench: _Bench, asked: dict[str, Any]) -> None:
        if asked["do"] == "bring":
            await self._bring(line, bench.sandbox, asked)
            await line.say({"ok": True})
        elif asked["do"] == "start":
            running = bench.sandbox.exec(**_command(asked), within=self._left, keep=_CHUNK)
            bench.servers.append(asyncio.create_task(running))
            await line.say({"ok": True})
        elif asked["do"] == "collect":
            await self._send(line, bench.sandbox, Finished(0, b"", b"", 0.0), asked)
        else:
            await self._run(line, bench.sandbox, asked)

    async def _bring(self, line: _Line, sandbox: Sandbox, asked: dict[str, Any]) -> None:
        size = int(asked["size"])
        with tempfile.SpooledTemporaryFile(_IN_MEMORY) as file:
            async for part in line.parts(size):
                if size <= self.most:
                    file.write(part)
            if size > self.most:
                raise _Refused(f"{size} bytes are more than may be brought at once ({self.most})")
            file.seek(0)
            if replaced := [_path(path) for path in asked["replace"]]:
                await sandbox.remove(*replaced)
            await sandbox.unpack(file)

    async def _run(self, line: _Line, sandbox: Sandbox, asked: dict[str, Any]) -> None:
        stdin = b"".join([part async for part in line.parts(int(asked["size"]))])
        within = min(float(asked["timeout"]), self._left)
        keep = min(int(asked["most_output"]), _MOST_OUTPUT)
        if within > 0:
            done = await sandbox.exec(**_command(asked), stdin=stdin, within=within, keep=keep)
        else:
            done = Finished(-9, b"", b"", 0.0, timed_out=True)
        await self._send(line, sandbox, done, asked)

    async def _send(self, line: _Line, sandbox: Sandbox, done: Finished, asked: dict[str, Any]) -> None:
        """Say how a command ended, and send the files that were asked for."""
        with tempfile.SpooledTemporaryFile(_IN_MEMORY) as archive:
            left_out = await _collected(sandbox, [_path(path) for path in asked["collect"]], archive)
            size = archive.tell()
            archive.seek(0)
            await line.say(
                {
                    "exit": done.exit_code,
                    "timed_out": done.timed_out,
                    "dropped": done.dropped,
                    "stdout": len(done.stdout),
                    "stderr": len(done.stderr),
                    "archive": size,
                    "left_out": left_out,
                }
            )
            await line.send(done.stdout)
            await line.send(done.stderr)
            while part := archive.read(_CHUNK):
                await line.send(part)

    # -- a connection to a port in one ---------------------------------------------------------------------------

    async def _carry(self, line: _Line, name: str, port: int) -> None:
        bench = self._benches.get(name)
        try:
            if bench is None or not 0 < port < 65536 or not self._left:
                raise ConnectionRefusedError(f"nothing answers at port {port}")
            there, back = await asyncio.open_connection(sock=await bench.sandbox.connect(port))
        except (SandboxError, OSError) as error:
            await line.say({"refused": str(error)})
            return
        try:
            await line.say({"ok": True})
            async with asyncio.timeout(self._left):
                await asyncio.gather(pump(line.reader, back), pump(there, line.writer))
        except TimeoutError:
            pass  # whoever listens inside cannot keep the evaluator for ever
        finally:
            back.close()


class _Line:
    """What is said over one connection: a length, a message as JSON, and as many bytes as it says."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def hear(self) -> dict[str, Any]:
        (length,) = _LENGTH.unpack(await self.reader.readexactly(_LENGTH.size))
        if length > _LONGEST_MESSAGE:
            raise ValueError("the message is too long")
        found = json.loads(await self.reader.readexactly(length))
        if not isinstance(found, dict):
            raise ValueError("the message is no object")
        return found

    async def parts(self, size: int) -> AsyncIterator[bytes]:
        while size > 0:
            part = await self.reader.read(min(size, _CHUNK))
            if not part:
                raise ConnectionResetError("the evaluator is gone")
            size -= len(part)
            yield part

    async def say(self, message: dict[str, Any]) -> None:
        text = json.dumps(message).encode()
        await self.send(_LENGTH.pack(len(text)) + text)

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    def close(self) -> None:
        self.writer.close()


def _command(asked: dict[str, Any]) -> dict[str, Any]:
    """What of a request is a command's: words and variables without null characters, in a folder that can be."""
    argv, env = [str(word) for word in asked["argv"]], {str(name): str(value) for name, value in asked["env"].items()}
    if not argv or any("\0" in word for word in (*argv, *env, *env.values())):
        raise _Refused("a command and its variables cannot hold null characters")
    return {"command": argv, "env": env, "cwd": _path(asked["cwd"], top=True)}


def _path(path: object, *, top: bool = False) -> str:
    found = os.path.normpath(str(path))
    if not found.startswith("/") or (found.strip("/") == "" and not top) or "\0" in found:
        raise _Refused(f"'{path}' is no path in a workbench")
    return "/" + found.lstrip("/")


async def _collected(sandbox: Sandbox, paths: Sequence[str], archive: IO[bytes]) -> list[str]:
    """Write a tar of these paths of a sandbox; returns those that could not be had."""
    left_out: list[str] = []
    folder = owned.folder("workbench")
    try:
        for number, path in enumerate(paths):
            try:
                await sandbox.get(path, folder / str(number), limit=_MOST_COLLECTED)
            except (SandboxError, OSError):
                left_out.append(path)
                shutil.rmtree(folder / str(number), ignore_errors=True)
        left_out += await asyncio.to_thread(_pack, archive, folder, paths)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    return left_out


def _pack(archive: IO[bytes], folder: Path, paths: Sequence[str]) -> list[str]:
    left_out, total = list[str](), 0

    def bounded(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
        nonlocal total
        total += entry.size
        if total <= _MOST_COLLECTED and (entry.isreg() or entry.isdir() or entry.issym()):
            return entry
        left_out.append(f"/{entry.name}")
        return None

    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for number, path in enumerate(paths):
            place = folder / str(number) / path.rpartition("/")[2]
            with contextlib.suppress(FileNotFoundError):
                tar.add(place, arcname=path[1:], filter=bounded)
    return left_out
