"""Commands from a process on the host, run in a sandbox: one connection to a socket is one command.

The caller (`sandbox_command_program`) sends a JSON object with `argv`, `cwd` and the length of its input, then the
input; it hears frames of one letter, four bytes of length and content: `o` and `e` for what is printed, `x` for the
exit code.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path

from dayjob.sandbox.connections import Connections
from dayjob.sandbox.relay import CLOSED
from dayjob.sandbox.sandbox import Sandbox, SandboxError, Stream

_LARGEST_INPUT = 256 * 1024 * 1024


class SandboxCommands:
    """Answers at a socket that only this user reaches, for as long as the block lasts."""

    def __init__(self, sandbox: Sandbox, place: Path) -> None:
        self._sandbox = sandbox
        self._place = place
        self._connections = Connections()

    async def __aenter__(self) -> SandboxCommands:
        self._server = await asyncio.start_unix_server(self._connections.served_by(self._run), self._place)
        self._place.chmod(0o600)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._connections.close(self._server)

    async def _run(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        def say(kind: bytes, data: bytes) -> None:
            with contextlib.suppress(*CLOSED):  # whoever asked may be gone; the command ends as it would
                writer.write(kind + len(data).to_bytes(4) + data)

        def hear(stream: Stream, data: bytes) -> None:
            say(b"o" if stream == "stdout" else b"e", data)

        try:
            wanted = json.loads(await reader.readline())
            if not isinstance(wanted["argv"], list) or not 0 <= int(wanted["input"]) <= _LARGEST_INPUT:
                raise ValueError("that is no command")
            given = await reader.readexactly(int(wanted["input"]))
            argv = [str(word) for word in wanted["argv"]]
            cwd = str(wanted.get("cwd") or "/workspace")
            done = await self._sandbox.exec(argv, cwd=cwd, stdin=given, on_output=hear, keep=0)
            say(b"x", str(done.exit_code).encode())
        except (ValueError, KeyError, TypeError, SandboxError, asyncio.IncompleteReadError) as error:
            say(b"e", f"the command cannot be run in the sandbox: {error}\n".encode())
            say(b"x", b"125")
        finally:
            with contextlib.suppress(*CLOSED):
                await writer.drain()
            writer.close()
