"""The host's side of the warden: ask for an errand, await its answers, on the running event loop."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dayjob.sandbox.embedded.warden import LARGEST_MESSAGE, MOST_DESCRIPTORS
from dayjob.sandbox.sandbox import SandboxError

SOURCE = Path(__file__).resolve().parents[3]
# Our own place on the host comes over standard input: what is on a command line can be read by whoever it forks.
START = "import os, sys; sys.path.insert(0, os.read(0, 4096).decode()); from {module} import main; main(sys.argv[1:])"


# Errands that go on after their first answer, until one that says how they ended; every other has one answer.
_LASTING = frozenset({"room", "run", "evaluate"})
_ENDS = frozenset({"error", "exit", "closed"})


class Errand:
    """One errand under way; each answer is its facts and the descriptors that came with them."""

    def __init__(self, *, lasting: bool = False) -> None:
        self.lasting = lasting
        self._answers: asyncio.Queue[tuple[dict[str, Any], list[int]]] = asyncio.Queue()
        self._error = ""

    def add(self, facts: dict[str, Any], fds: list[int]) -> None:
        self._answers.put_nowait((facts, fds))

    async def next(self) -> tuple[dict[str, Any], list[int]]:
        if self._error:
            raise SandboxError(self._error)  # it has ended: there will be no other answer
        facts, fds = await self._answers.get()
        if "error" in facts:
            self._error = facts["error"]
            raise SandboxError(self._error)
        return facts, fds


class Warden:
    """The warden process of this host process. Use as `async with Warden() as warden`.

    `module` is what it runs, in which interpreter, with which environment. `in_memory`: it is told of an errand by
    descriptor only, so that its own memory never holds what was asked.
    """

    def __init__(
        self,
        module: str = "dayjob.sandbox.embedded.warden",
        program: str = sys.executable,
        env: Mapping[str, str] | None = None,
        *,
        in_memory: bool = False,
    ) -> None:
        self._command = [program, "-I", "-S", "-c", START.format(module=module)]
        self._env = dict(env or {})
        self._in_memory = in_memory
        self._errands: dict[int, Errand] = {}
        self._number = 0

    async def __aenter__(self) -> Warden:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            # Starting it takes a millisecond, once per process; asyncio's own way would need a child watcher.
            self._process = subprocess.Popen(  # noqa: ASYNC220  # see above
                [*self._command, str(theirs.fileno())],
                env=self._env,
                cwd="/",
                stdin=subprocess.PIPE,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        assert self._process.stdin is not None
        self._process.stdin.write(str(SOURCE).encode())
        self._process.stdin.close()
        ours.setblocking(False)
        self._sock = ours
        asyncio.get_running_loop().add_reader(ours.fileno(), self._hear)
        return self

    async def __aexit__(self, *_: object) -> None:
        asyncio.get_running_loop().remove_reader(self._sock.fileno())
        self._sock.close()
        # It ends by itself when the socket closes; its children die with it.
        await asyncio.to_thread(self._process.wait)
        self._fail("the warden was stopped")

    @property
    def gone(self) -> bool:
        """Whether the process has ended by itself."""
        return self._process.poll() is not None

    @property
    def pid(self) -> int:
        return self._process.pid

    async def begin(self, errand: str, fds: Sequence[int] = (), **facts: Any) -> Errand:
        """Start an errand; its answers come from the returned object."""
        self._number += 1
        number = self._number
        found = self._errands[number] = Errand(lasting=errand in _LASTING)
        message = json.dumps({"id": number, "errand": errand, **facts}).encode()
        if len(message) < LARGEST_MESSAGE and not self._in_memory:
            await self._send(message, fds)
        else:
            memory = os.memfd_create("errand")
            try:
                os.write(memory, message)
                await self._send(b"file", [memory, *fds])
            finally:
                os.close(memory)
        return found

    async def greet(self, **facts: Any) -> dict[str, Any]:
        """The first words to a process that needs some, and its answer."""
        found = self._errands[0] = Errand()
        await self._send(json.dumps(facts).encode(), ())
        answer, _ = await found.next()
        return answer

    async def ask(self, errand: str, fds: Sequence[int] = (), **facts: Any) -> tuple[dict[str, Any], list[int]]:
        """An errand with one answer."""
        return await (await self.begin(errand, fds, **facts)).next()

    async def _send(self, message: bytes, fds: Sequence[int]) -> None:
        while True:
            try:
                socket.send_fds(self._sock, [message], list(fds))
                return
            except BlockingIOError:
                await asyncio.sleep(0.001)  # the warden is a few forks behind
            except OSError as error:
                raise SandboxError(f"the warden is gone: {error}") from error

    def _hear(self) -> None:
        while True:
            try:
                message, fds, _, _ = socket.recv_fds(self._sock, LARGEST_MESSAGE, MOST_DESCRIPTORS)
            except BlockingIOError:
                return
            except OSError:
                message, fds = b"", []
            if not message:
                asyncio.get_running_loop().remove_reader(self._sock.fileno())
                self._fail("the warden ended unexpectedly")
                return
            for fd in fds:
                os.set_inheritable(fd, False)
            facts = json.loads(message)
            errand = self._errands.get(facts["id"])
            if errand is not None:
                errand.add(facts, fds)
                if not errand.lasting or facts.keys() & _ENDS:
                    del self._errands[facts["id"]]

    def _fail(self, sentence: str) -> None:
        for errand in self._errands.values():
            errand.add({"error": sentence}, [])
        self._errands.clear()
