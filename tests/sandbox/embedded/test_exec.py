"""Running commands in a room."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
from dayjob.sandbox.sandbox import Finished, SandboxError
from tests.sandbox.rooms import in_room


def run(cache: Path, command: str | list[str], **options: object) -> Finished:
    async def work(room: EmbeddedSandbox) -> Finished:
        return await room.exec(command, **options)  # type: ignore[arg-type]  # each test passes what exec takes

    return in_room(cache, work)


def test_output_and_exit_code_come_back_apart(cache: Path) -> None:
    done = run(cache, "echo out; echo err >&2; exit 7")
    assert (done.stdout, done.stderr, done.exit_code, done.ok) == (b"out\n", b"err\n", 7, False)


def test_a_command_gets_its_environment_folder_and_input(cache: Path) -> None:
    done = run(cache, "pwd; echo $WORD; cat", env={"WORD": "hello"}, cwd="/srv", stdin=b"typed")
    assert done.text == "/srv\nhello\ntyped"


def test_a_command_that_does_not_exist_ends_with_127(cache: Path) -> None:
    done = run(cache, ["no-such-program"])
    assert done.exit_code == 127
    assert "no-such-program" in done.error_text


def test_an_ordinary_user_has_no_capability(cache: Path) -> None:
    done = run(cache, "grep -E 'Cap(Prm|Eff|Amb)' /proc/self/status", user="nobody")
    assert {line.split()[1] for line in done.text.splitlines()} <= {"0000000000000000", "00000000a80405fb"}
    assert "0000000000000000" in done.text


def test_output_is_told_as_it_comes(cache: Path) -> None:
    heard: list[bytes] = []

    async def work(room: EmbeddedSandbox) -> Finished:
        first = asyncio.Event()

        def hear(_: str, data: bytes) -> None:
            heard.append(data)
            first.set()

        running = asyncio.create_task(
            room.exec("echo one; while [ ! -e /tmp/go ]; do sleep 0.01; done; echo two", on_output=hear)
        )
        await asyncio.wait_for(first.wait(), 20)
        assert b"".join(heard) == b"one\n"
        await room.put(b"", "/tmp/go")
        return await running

    assert in_room(cache, work).stdout == b"one\ntwo\n"


def test_a_command_that_takes_too_long_is_killed_with_its_children(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> tuple[Finished, str]:
        done = await room.exec("sleep 77.5 & sleep 77.5", within=0.2)
        return done, (await room.exec("pgrep -f 77.[5] | wc -l")).text

    done, left = in_room(cache, work)
    assert done.timed_out
    assert not done.ok
    assert left == "0\n"


def test_what_runs_in_the_background_lives_on_and_may_keep_printing(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> str:
        done = await room.exec("(while :; do echo noise; sleep 0.01; done) & echo started")
        assert done.text.startswith(("started\n", "noise\n"))
        await asyncio.sleep(0.1)
        return (await room.exec("ls /proc | grep -c '^[0-9]'")).text

    assert int(in_room(cache, work)) > 4


def test_a_flood_of_output_is_cut_in_the_middle_and_counted(cache: Path) -> None:
    done = run(cache, "echo first; yes | head -c 20000000; echo last", keep=100_000)
    assert done.stdout.startswith(b"first\n")
    assert done.stdout.endswith(b"last\n")
    assert len(done.stdout) < 300_000
    assert len(done.stdout) + done.dropped == 20_000_000 + len("first\nlast\n")


def test_a_cancelled_command_is_killed(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> str:
        began = asyncio.Event()
        running = asyncio.create_task(room.exec("echo began; exec sleep 88.5", on_output=lambda *_: began.set()))
        await asyncio.wait_for(began.wait(), 20)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        return (await room.exec("sleep 0.05; pgrep -f 88.[5] | wc -l")).text

    assert in_room(cache, work) == "0\n"


def test_a_very_long_command_line_arrives_whole(cache: Path) -> None:
    assert run(cache, ["python3", "-c", "import sys; print(len(sys.argv[1]))", "x" * 100_000]).text == "100000\n"


def test_a_stopped_room_says_so(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> None:
        await room.stop()
        await room.stop()
        with pytest.raises(SandboxError, match="not running"):
            await room.exec("true")

    in_room(cache, work)


def test_nothing_may_be_kept_of_what_a_command_prints(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> Finished:
        return await room.exec("echo out; echo err >&2; head -c 200000 /dev/zero", keep=0)

    done = in_room(cache, work)
    assert (done.stdout, done.stderr, done.dropped) == (b"", b"", 200008)
