"""A person as the examinee: a terminal in the sandbox, the company's pages in the person's own browser.

The terminal is a real one (a pty) inside, carried to ours over a connection the host makes into the sandbox's network;
the pages are the sandbox's ports, carried the same way, so the company sees the person where it would see an agent.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import socket
import sys
import termios
import tty
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from dayjob.agent.agent import Agent, AgentError, Assignment
from dayjob.agent.command import secrets_of
from dayjob.agent.trajectory import Step, ToolCall, Trajectory
from dayjob.agent.transcript import Transcript
from dayjob.sandbox.relay import Relay
from dayjob.sandbox.sandbox import Sandbox, Stream

# Run inside: says its port, takes one connection, and joins it to a shell's terminal until the shell ends.
_TERMINAL = """
import fcntl, os, pty, select, socket, struct, sys, termios
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
line, _ = listener.accept()
listener.close()
pid, terminal = pty.fork()
if pid == 0:
    os.execvp("bash", ["bash", "-i"])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", int(sys.argv[1]), int(sys.argv[2]), 0, 0))
while True:
    ready, _, _ = select.select([line, terminal], [], [])
    if line in ready:
        data = line.recv(65536)
        os.write(terminal, data or b"\\x04")
        if not data:
            break
    if terminal in ready:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        line.sendall(data)
line.close()
"""


_TOOLS = (
    "For office files its Python has openpyxl, python-docx (import docx), python-pptx (import pptx), pypdf and PIL;"
    " the commands pdftotext and sqlite3 are there too."
)


class Human(Agent):
    """Whoever sits at this process's standard input and output."""

    name = "human"

    async def run(self, assignment: Assignment, sandbox: Sandbox, trajectory: Trajectory) -> None:
        model_port = urlsplit(assignment.environment.get("OPENAI_BASE_URL", "")).port
        doors = {port: _door(port) for port in sorted(await sandbox.open_ports()) if port != model_port}
        services = {port: name for name, url in assignment.services.items() if (port := urlsplit(url).port)}
        assignment.forwarded({name: doors[port].getsockname()[1] for port, name in services.items() if port in doors})
        trajectory.steps.append(Step("user", assignment.instruction))
        call = ToolCall("terminal", {})
        trajectory.steps.append(Step("agent", tool_calls=[call]))
        shown = Transcript(secrets=secrets_of(assignment))
        async with Relay(sandbox, doors):
            _say(_introduction(assignment, doors, services))
            try:
                await _terminal(sandbox, assignment, shown)
            finally:
                call.observation = shown.text()


def _door(port: int) -> socket.socket:
    """A listener of this machine for a page inside: at the same port when that is free."""
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError:
        return socket.create_server(("127.0.0.1", 0))


def _introduction(assignment: Assignment, doors: Mapping[int, socket.socket], services: Mapping[int, str]) -> str:
    pages = "".join(
        f"  {name} (port {port}) is http://127.0.0.1:{doors[port].getsockname()[1]} in your browser\n"
        for port, name in services.items()
        if port in doors
    )
    return (
        f"\n{assignment.instruction}\n\nYou have {assignment.seconds:g} s. This is a terminal in your sandbox; "
        f"leave it with `exit` to be graded.\n{_TOOLS}\n{pages}\n"
    )


async def _terminal(sandbox: Sandbox, assignment: Assignment, shown: Transcript) -> None:
    size = shutil.get_terminal_size()
    told: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    heard = bytearray()

    def hear(_: Stream, data: bytes) -> None:
        heard.extend(data)
        if b"\n" in heard and not told.done() and heard.split()[0].isdigit():
            told.set_result(int(heard.split()[0]))

    argv = ["python_default", "-c", _TERMINAL, str(size.lines), str(size.columns)]
    env = {**assignment.environment, "TERM": os.environ.get("TERM", "xterm")}
    shell = asyncio.create_task(sandbox.exec(argv, env=env, cwd="/workspace", on_output=hear))
    try:
        either: set[asyncio.Future[Any]] = {shell, told}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not told.done():
            raise AgentError(f"no terminal could be opened in the sandbox: {heard.decode('utf-8', 'replace')}")
        line = await sandbox.connect(told.result())
        await _converse(*await asyncio.open_connection(sock=line), shown)
    finally:
        shell.cancel()
        await asyncio.gather(shell, return_exceptions=True)


async def _converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, shown: Transcript) -> None:
    """Keys go in, what the terminal shows comes out, until the shell ends."""
    loop, keys = asyncio.get_running_loop(), sys.stdin.fileno()

    def typed() -> None:
        try:
            data = os.read(keys, 4096)
        except OSError:
            data = b""  # our terminal was closed
        # The end of our input is what Ctrl-D is to a shell.
        writer.write(data or b"\x04")
        if not data:
            loop.remove_reader(keys)

    with _raw(keys):
        loop.add_reader(keys, typed)
        try:
            while data := await reader.read(65536):
                shown.add(data)
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()
        except ConnectionError:
            pass  # the shell ended with the connection
        finally:
            loop.remove_reader(keys)
            writer.close()


@contextlib.contextmanager
def _raw(keys: int) -> Iterator[None]:
    """Our terminal passes every key on as it is; restored whatever happens."""
    if not os.isatty(keys):
        yield
        return
    before = termios.tcgetattr(keys)
    try:
        tty.setraw(keys)
        yield
    finally:
        termios.tcsetattr(keys, termios.TCSADRAIN, before)


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
