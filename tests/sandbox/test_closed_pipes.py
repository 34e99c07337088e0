"""What is written to somebody who has gone is lost without an error, on the event loop that trials run on."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import uvloop

from dayjob.agent.sandbox_commands import SandboxCommands
from dayjob.company.forge.git.backend import feed
from dayjob.sandbox.docker.sandbox import _feed
from dayjob.sandbox.relay import pump
from dayjob.sandbox.sandbox import Finished, Sandbox
from dayjob.trial.egress import _answer


async def ended() -> asyncio.subprocess.Process:
    """A process that has ended and whose pipes are closed, before anybody has written to it."""
    process = await asyncio.create_subprocess_exec("true", stdin=asyncio.subprocess.PIPE)
    await process.wait()
    assert process.stdin is not None
    await process.stdin.wait_closed()
    return process


def test_a_command_that_has_ended_reads_nothing() -> None:
    async def main() -> int | None:
        process = await ended()
        await _feed(process, b"two\n")
        return process.returncode

    assert uvloop.run(main()) == 0


def test_git_that_has_ended_takes_no_more_and_the_rest_of_the_body_is_read() -> None:
    taken = []

    async def chunks() -> AsyncIterator[bytes]:
        for chunk in (b"one", b"two"):
            taken.append(chunk)
            yield chunk

    async def main() -> int | None:
        process = await ended()
        await feed(process, chunks())
        return process.returncode

    assert uvloop.run(main()) == 0
    assert taken == [b"one", b"two"]


async def gone() -> asyncio.StreamWriter:
    """A connection to somebody who has hung up, which the loop has noticed."""
    here, there = socket.socketpair()
    _, target = await asyncio.open_connection(sock=here)
    there.close()
    target.transport.abort()
    await asyncio.sleep(0.05)
    return target


def test_a_relay_to_somebody_who_has_gone_ends() -> None:
    async def main() -> bool:
        target = await gone()
        source = asyncio.StreamReader()
        source.feed_data(b"too late")
        source.feed_eof()
        await pump(source, target)
        return target.is_closing()

    assert uvloop.run(main())


def test_a_refusal_to_somebody_who_has_gone_ends() -> None:
    async def main() -> bool:
        target = await gone()
        await _answer(target, 403, "No.")
        return target.is_closing()

    assert uvloop.run(main())


def test_a_command_whose_asker_has_gone_runs_to_its_end(tmp_path: Path) -> None:
    writer: asyncio.StreamWriter

    class Talking:
        """A sandbox whose command goes on printing after the one who asked for it hung up."""

        def __init__(self) -> None:
            self.said, self.ended = False, asyncio.Event()

        async def exec(self, argv: list[str], *, on_output: Any, **more: object) -> Finished:
            writer.transport.abort()
            try:
                for _ in range(3):  # the first is what tells the loop
                    await asyncio.sleep(0.05)
                    on_output("stdout", b"too late")
                self.said = True
            finally:
                self.ended.set()
            return Finished(0, b"", b"", 0.1)

    failures: list[dict[str, Any]] = []

    async def main() -> bool:
        nonlocal writer
        sandbox = Talking()
        asyncio.get_running_loop().set_exception_handler(lambda _, failure: failures.append(failure))
        async with SandboxCommands(cast(Sandbox, sandbox), tmp_path / "commands.sock"):
            _, writer = await asyncio.open_unix_connection(tmp_path / "commands.sock")
            writer.write(json.dumps({"argv": ["talk"], "input": 0}).encode() + b"\n")
            await sandbox.ended.wait()
            await asyncio.sleep(0.05)
        return sandbox.said

    assert uvloop.run(main())
    assert failures == []
