"""The channel between a driver and a company: calls, answers, descriptors and bounds; both ends in one process."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from dayjob.trial.company_process.channel import Channel, ChannelClosed, Operation, Refused, receive_frame, send_frame

Takes = dict[str, Operation]


@asynccontextmanager
async def both(near: Takes, far: Takes, **options: Any) -> AsyncIterator[tuple[Channel, Channel]]:
    ours, theirs = socket.socketpair()
    one, other = Channel(ours, near.get, **options), Channel(theirs, far.get, **options)
    try:
        yield one, other
    finally:
        one.close()
        other.close()


def run(main: Callable[[], Awaitable[Any]]) -> Any:
    async def within() -> Any:
        return await asyncio.wait_for(main(), 30)

    return asyncio.run(within())


async def echo(**given: Any) -> Any:
    return given


async def refuse(**_: Any) -> Any:
    raise Refused("kind", "a sentence")


async def fail(**_: Any) -> Any:
    raise ZeroDivisionError("oh")


def test_a_call_is_answered_refused_or_broken_and_the_channel_goes_on() -> None:
    async def main() -> None:
        async with both({}, {"echo": echo, "refuse": refuse, "fail": fail}) as (one, _):
            assert await one.call("echo", a=1, b="ä\ud800") == {"a": 1, "b": "ä\ud800"}
            with pytest.raises(Refused, match=r"^a sentence$") as refusal:
                await one.call("refuse")
            assert refusal.value.kind == "kind"
            with pytest.raises(Refused, match=r"^fail: ZeroDivisionError: oh$") as broken:
                await one.call("fail")
            assert broken.value.kind == "error"
            with pytest.raises(Refused, match="there is no 'none' here") as unknown:
                await one.call("none")
            assert unknown.value.kind == "unknown"
            assert await one.call("echo") == {}

    run(main)


def test_calls_go_both_ways_and_answers_find_their_calls_in_any_order() -> None:
    async def main() -> None:
        doors = {"a": asyncio.Event(), "b": asyncio.Event()}

        async def wait(name: str) -> str:
            await doors[name].wait()
            return name

        async with both({"echo": echo}, {"wait": wait}) as (one, other):
            calls = [asyncio.create_task(one.call("wait", name=name)) for name in "ab"]
            assert await other.call("echo", x=1) == {"x": 1}
            doors["b"].set()
            assert await calls[1] == "b"
            assert not calls[0].done()
            doors["a"].set()
            assert await calls[0] == "a"

    run(main)


def test_what_is_told_has_no_answer() -> None:
    async def main() -> None:
        heard = asyncio.Event()

        async def hear(text: str) -> None:
            assert text == "hi"
            heard.set()

        async with both({}, {"hear": hear}) as (one, _):
            await one.tell("hear", text="hi")
            await heard.wait()
            assert one._waiting == {}

    run(main)


def test_a_frame_larger_than_a_sockets_buffer_arrives_whole() -> None:
    async def main() -> int:
        async with both({}, {"echo": echo}) as (one, _):
            return len((await one.call("echo", text="x" * 3_000_000))["text"])

    assert run(main) == 3_000_000


def test_descriptors_travel_where_they_are_taken() -> None:
    async def main() -> bytes:
        async def read(fds: list[int]) -> str:
            try:
                assert [os.get_inheritable(fd) for fd in fds] == [False, False]
                return os.read(fds[0], 10).decode() + os.read(fds[1], 10).decode()
            finally:
                for fd in fds:
                    os.close(fd)

        async with both({}, {"read": read}, descriptors=True) as (one, _):
            pipes = [os.pipe() for _ in range(2)]
            for number, (_, end) in enumerate(pipes):
                os.write(end, b"%d" % number)
            found = await one.call("read", fds=[start for start, _ in pipes])
            for pair in pipes:
                for fd in pair:
                    os.close(fd)
            return str(found).encode()

    assert run(main) == b"01"


@pytest.mark.parametrize("size", [0, 1])
def test_a_frame_may_have_its_longest_length_and_not_one_byte_more(size: int) -> None:
    async def main() -> bool:
        async with both({}, {"echo": echo}, longest=1000) as (one, _):
            head = len('{"call": 1, "do": "echo", "with": {"a": ""}}')
            try:
                # The answer is shorter than the call.
                await one.call("echo", a="x" * (1000 - head + size))
            except ChannelClosed:
                return False
            return True

    assert run(main) is (size == 0)


@pytest.mark.parametrize(("calls", "stands"), [(3, True), (4, False)])
def test_so_many_calls_at_once_are_taken_and_no_more(calls: int, stands: bool) -> None:
    async def main() -> bool:
        going, full = asyncio.Event(), asyncio.Event()

        async def wait() -> None:
            if len(other._serving) == 3:
                full.set()
            await going.wait()

        async with both({}, {"wait": wait}, at_once=3) as (one, other):
            asked = [asyncio.create_task(one.call("wait")) for _ in range(calls)]
            if stands:
                await full.wait()
                going.set()
                await asyncio.gather(*asked)
                return not one.closed.is_set()
            results = await asyncio.gather(*asked, return_exceptions=True)
            assert [type(result) for result in results] == [ChannelClosed] * calls
            return False

    assert run(main) is stands


def test_when_one_side_goes_calls_under_way_fail_and_work_for_it_is_cancelled() -> None:
    async def main() -> None:
        cancelled, begun = asyncio.Event(), asyncio.Event()

        async def forever() -> None:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.set()

        async with both({}, {"forever": forever}) as (one, other):
            asked = asyncio.create_task(one.call("forever"))
            await begun.wait()
            one.close()
            with pytest.raises(ChannelClosed):
                await asked
            await cancelled.wait()
            await other.closed.wait()
            for ask in (one.call("x"), one.tell("x"), other.tell("x")):
                with pytest.raises(ChannelClosed):
                    await ask
            one.close()

    run(main)


def nothing(_: str) -> Operation | None:
    return None


def test_a_channel_that_is_idle_is_let_go_and_one_that_is_not_is_not() -> None:
    async def main() -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            channel = Channel(ours, nothing)
            assert channel.let_go() is True
            again = Channel(ours, nothing)
            asked = asyncio.create_task(again.call("x"))
            await asyncio.sleep(0)
            assert again.let_go() is False
            again.close()
            with pytest.raises(ChannelClosed):
                await asked

    run(main)


def test_frames_go_between_a_process_with_a_loop_and_one_without() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, open(os.devnull) as file:
        send_frame(ours, {"do": "ä" * 1000}, [file.fileno()])
        found = receive_frame(theirs)
        assert found is not None
        message, (fd,) = found
        assert message == {"do": "ä" * 1000}
        os.close(fd)
        ours.sendall(b"\x00\x00\x00\x09\x00{")
        ours.shutdown(socket.SHUT_WR)
        assert receive_frame(theirs) is None
        assert receive_frame(theirs) is None
