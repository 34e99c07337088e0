"""What is written to somebody who has gone is lost without an error, on the event loop that trials run on."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator

import uvloop

from dayjob.company.forge.git.backend import feed
from dayjob.sandbox.docker.sandbox import _feed
from dayjob.sandbox.relay import pump


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


def test_a_relay_to_somebody_who_has_gone_ends() -> None:
    async def main() -> bool:
        here, there = socket.socketpair()
        _, target = await asyncio.open_connection(sock=here)
        there.close()
        target.transport.abort()
        await asyncio.sleep(0.05)
        source = asyncio.StreamReader()
        source.feed_data(b"too late")
        source.feed_eof()
        await pump(source, target)
        return target.is_closing()

    assert uvloop.run(main())
