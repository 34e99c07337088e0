"""Files into a room, out of it, and the frozen copy a grader gets."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
from dayjob.sandbox.link_rules import REPLACEMENT, LinkWatch
from dayjob.sandbox.sandbox import Frozen, Limits, SandboxError
from tests.sandbox.rooms import in_room


def test_bytes_and_folders_go_in_and_come_out_the_same(cache: Path, tmp_path: Path) -> None:
    source = tmp_path / "in"
    (source / "sub").mkdir(parents=True)
    (source / "sub" / "ünï.txt").write_bytes(b"\0\xff" * 100_000)
    (source / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (source / "run.sh").chmod(0o755)
    (source / "link").symlink_to("sub")

    async def work(room: EmbeddedSandbox) -> str:
        await room.put(source, "/workspace/given")
        await room.put(b"text", "/workspace/deep/er/file.txt", mode=0o600)
        await room.get("/workspace", tmp_path / "out")
        return (await room.exec("/workspace/given/run.sh; stat -c '%u %a' deep/er/file.txt; ls given/link")).text

    assert in_room(cache, work) == "ran\n0 600\nünï.txt\n"
    out = tmp_path / "out" / "workspace"
    assert (out / "given/sub/ünï.txt").read_bytes() == b"\0\xff" * 100_000
    assert os.readlink(out / "given/link") == "sub"
    assert (out / "deep/er/file.txt").read_text() == "text"


def test_a_file_put_in_place_of_a_planted_link_does_not_follow_it(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> str:
        await room.exec("echo safe > /tmp/target; ln -s /tmp/target /tmp/place")
        await room.put(b"new", "/tmp/place")
        return (await room.exec("cat /tmp/target /tmp/place")).text

    assert in_room(cache, work) == "safe\nnew"


def test_getting_more_than_the_limit_is_an_error(cache: Path, tmp_path: Path) -> None:
    async def work(room: EmbeddedSandbox) -> None:
        await room.exec("head -c 200000 /dev/zero | tr '\\0' x > /workspace/big")
        with pytest.raises(SandboxError, match="100000 bytes"):
            await room.get("/workspace", tmp_path / "out", limit=100_000)

    in_room(cache, work)


def freeze(cache: Path, into: Path, prepare: str) -> Frozen:
    async def work(room: EmbeddedSandbox) -> Frozen:
        await room.exec(prepare)
        return await room.snapshot(into, ("/workspace", "/tmp"))

    return in_room(cache, work)


def test_a_frozen_copy_has_no_pipes_sockets_or_links_to_secrets(cache: Path, tmp_path: Path) -> None:
    frozen = freeze(
        cache,
        tmp_path,
        "cd /workspace; mkfifo pipe; ln -s /utils/references/answer.txt answer; ln -s ../utils up;"
        "ln -s /proc/self/environ e; mkdir -p a/b; ln -s /usr a/b/d; ln -s a/b/d/../../utils/x sly;"
        "ln -s / root; ln -s notes.txt own;"
        "ln -s /usr/bin/python3 python; ln -s /tmp/x there; echo hello > notes.txt",
    )
    work = frozen.folder / "workspace"
    assert not (work / "pipe").exists()
    assert frozen.left_out == ("workspace/pipe",)
    assert {name: os.readlink(work / name) for name in ("answer", "up", "e", "sly", "root")} == dict.fromkeys(
        ("answer", "up", "e", "sly", "root"), REPLACEMENT
    )
    assert len(frozen.replaced_links) == 5
    assert [os.readlink(work / name) for name in ("own", "python", "there")] == [
        "notes.txt", "/usr/bin/python3", "/tmp/x",
    ]  # fmt: skip
    assert (work / "notes.txt").read_text() == "hello\n"


def test_a_huge_file_of_nothing_costs_nothing(cache: Path, tmp_path: Path) -> None:
    frozen = freeze(cache, tmp_path, "truncate -s 400M /workspace/empty; echo x >> /workspace/empty")
    file = frozen.folder / "workspace" / "empty"
    assert file.stat().st_size == 400 * 1024 * 1024 + 2
    assert file.stat().st_blocks * 512 < 1024 * 1024


COUNTER = """
import itertools, os
os.chdir("/workspace")
for number in itertools.count():
    for name in ("a", "b"):
        with open("/tmp/part", "w") as file:
            file.write(str(number))
        os.replace("/tmp/part", name)
"""


def test_processes_stand_still_for_the_copy_and_go_on_afterwards(cache: Path, tmp_path: Path) -> None:
    async def work(room: EmbeddedSandbox) -> tuple[int, bool]:
        await room.put(COUNTER.encode(), "/tmp/count.py")
        await room.exec("python3 /tmp/count.py >/dev/null 2>&1 &")
        assert (await room.exec("until [ -s /workspace/b ]; do sleep 0.02; done", within=60)).ok
        await room.snapshot(tmp_path, ("/workspace",))
        first = (await room.exec("cat /workspace/a")).text
        await room.exec(f'while [ "$(cat /workspace/a)" = "{first.strip()}" ]; do sleep 0.02; done', within=60)
        later = (await room.exec("cat /workspace/a")).text
        a, b = (int((tmp_path / "workspace" / name).read_text()) for name in "ab")
        return a - b, first != later

    apart, went_on = in_room(cache, work)
    assert went_on
    assert apart in (0, 1)


def test_a_grader_sees_the_frozen_files_and_its_own_writes_stay_with_it(cache: Path, tmp_path: Path) -> None:
    frozen = freeze(cache, tmp_path, "echo work > /workspace/file; chmod 600 /workspace/file; echo t > /tmp/t")

    async def work(room: EmbeddedSandbox) -> str:
        return (await room.exec("cat /workspace/file /tmp/t; echo mine > /workspace/file; echo x > /tmp/new")).text

    assert in_room(cache, work, frozen=frozen) == "work\nt\n"
    assert (tmp_path / "workspace" / "file").read_text() == "work\n"
    assert not (tmp_path / "tmp" / "new").exists()


@pytest.mark.parametrize(
    ("name", "target", "safe"),
    [
        ("workspace/a", "b", True),
        ("workspace/a", "../workspace/b", True),
        ("workspace/a", "../../../workspace/b", True),
        ("workspace/a", "/workspace", True),
        ("workspace/a", "/workspaces/b", False),
        ("workspace/a", "..", False),
        ("workspace/a", "/usr/../utils", False),
        ("workspace/x/y", "../../utils/evaluator.py", False),
        ("workspace/a", "/dev/null", True),
        ("workspace/a", "/dev/fd/4", False),
    ],
)
def test_a_link_is_safe_only_when_it_cannot_lead_elsewhere(name: str, target: str, safe: bool) -> None:
    assert LinkWatch(("/workspace",)).is_safe(name, target) is safe


def test_withheld_files_are_gone_and_emptied_folders_stay(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> str:
        await room.exec("mkdir -p /utils/deep; echo x > /utils/deep/x; echo y > /workspace/y")
        await room.remove("/utils/", "/workspace/y", "/workspace/never-there")
        return (await room.exec("ls -A /utils /workspace")).text

    assert in_room(cache, work) == "/utils:\n\n/workspace:\n"


def test_a_full_disk_is_only_the_rooms_own(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> tuple[str, str]:
        done = await room.exec("head -c 90000000 /dev/zero > /workspace/full")
        return done.error_text, (
            await room.exec("rm /workspace/full; echo fine > /workspace/ok; cat /workspace/ok")
        ).text

    error, after = in_room(cache, work, limits=Limits(disk=32 * 1024 * 1024))
    assert "No space left on device" in error
    assert after == "fine\n"
