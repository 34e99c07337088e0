"""Putting, removing and stopping with trees an examinee made for it: only its room is touched, and nothing hangs."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from dayjob.sandbox.cgroups import groups
from dayjob.sandbox.embedded.removal import remove_path
from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
from dayjob.sandbox.sandbox import SandboxError
from tests.sandbox.rooms import in_room


def test_what_is_put_through_links_stays_in_the_room(cache: Path, tmp_path: Path) -> None:
    """The links lead to folders that the host has too."""
    (tmp_path / "target").write_text("the host's")

    async def work(room: EmbeddedSandbox) -> str:
        await room.exec(
            f"mkdir -p {tmp_path}; rm -r /workspace; ln -s {tmp_path} /workspace; echo x > /workspace/target"
        )
        await room.put(b"new", "/workspace/target")
        await room.put(b"new", "/workspace/deep/er/file")
        await room.put(tmp_path, "/workspace/folder")
        return (await room.exec(f"cat {tmp_path}/target {tmp_path}/deep/er/file {tmp_path}/folder/target")).text

    assert in_room(cache, work) == "newnewthe host's"
    assert (tmp_path / "target").read_text() == "the host's"
    assert os.listdir(tmp_path) == ["target"]


@pytest.mark.parametrize(
    ("trap", "there"),
    [
        ("mkfifo /workspace/place", True),
        ("ln -s /dev/zero /workspace/place", True),
        ("ln -s place /workspace/place", True),
        ("ln -s /proc/self/fd/0 /workspace/place", True),
        ("python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('/workspace/place')\"", True),
        ("mkdir -p /workspace/place/full", False),
        ("rm -r /workspace; mkfifo /workspace", False),
        ("rm -r /workspace; ln -s /nowhere/at/all /workspace", False),
        ("rm -r /workspace; ln -s workspace /workspace", False),
    ],
)
def test_a_trap_in_the_place_is_replaced_or_an_error_and_never_waited_for(cache: Path, trap: str, there: bool) -> None:
    async def work(room: EmbeddedSandbox) -> str:
        await room.exec(trap)
        try:
            await asyncio.wait_for(room.put(b"put", "/workspace/place"), 30)
        except SandboxError as error:
            return str(error)
        return (await room.exec("cat /workspace/place", within=10)).text

    said = in_room(cache, work)
    assert (said == "put") is there
    assert "Traceback" not in said


def test_what_is_got_through_links_is_the_rooms_own(cache: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the host's")

    async def work(room: EmbeddedSandbox) -> None:
        await room.exec(f"rm -r /workspace; ln -s {tmp_path} /workspace; ln -s {secret} /tmp/link")
        await room.get("/workspace/secret", tmp_path / "a")
        await room.get("/tmp/link", tmp_path / "b")

    in_room(cache, work)
    assert list((tmp_path / "a").iterdir()) == []
    assert (tmp_path / "b/link").is_symlink()


DEEP = """
import os
os.makedirs("/var/tmp/trap"); os.chdir("/var/tmp/trap")
for _ in range(3000):
    os.mkdir("d"); os.mkfifo("p"); os.symlink("/etc", "l"); os.chdir("d")
"""


def test_a_folder_of_any_depth_is_removed_and_no_link_in_it_followed(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> str:
        done = await room.exec(["python3", "-c", DEEP], within=60)
        assert done.ok, done.error_text
        await room.remove("/var/tmp/trap")
        return (await room.exec("ls -A /var/tmp; ls /etc/passwd")).text

    assert in_room(cache, work) == "/etc/passwd\n"


def test_folders_of_the_image_are_removed_too(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> str:
        await room.exec("mkdir -p /etc/ssl/mine/deep; touch /etc/ssl/mine/deep/file")
        await room.remove("/etc/ssl", "/usr/local/")
        return (await room.exec("ls -d /etc/ssl /usr/local; ls -A /usr/local")).text

    assert in_room(cache, work) == "/usr/local\n"


def test_a_folder_that_somebody_keeps_filling_is_given_up(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dayjob.sandbox.embedded.sandbox.COPY_SECONDS", 1.0)
    filling = "mkdir /var/tmp/trap; cd /var/tmp/trap; n=0; while :; do n=$((n+1)); : > $n; done 2>/dev/null"

    async def work(room: EmbeddedSandbox) -> str:
        for _ in range(4):
            await room.exec(f"({filling}) >/dev/null 2>&1 &")
        assert (await room.exec("until [ -e /var/tmp/trap/50 ]; do sleep 0.02; done", within=60)).ok
        try:
            await asyncio.wait_for(room.remove("/var/tmp/trap/"), 60)
        except SandboxError as error:
            return str(error)
        return "it was emptied"

    said = in_room(cache, work)
    assert said == "it was emptied" or "somebody keeps writing there" in said


def test_emptying_follows_no_link_and_keeps_the_folder(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/kept").touch()
    (tmp_path / "in/a/b/c").mkdir(parents=True)
    (tmp_path / "in/a/b/link").symlink_to(tmp_path / "outside")
    (tmp_path / "in/link").symlink_to(tmp_path / "outside")
    remove_path(f"{tmp_path}/in/")
    assert os.listdir(tmp_path / "in") == []
    remove_path(f"{tmp_path}/in")
    remove_path(f"{tmp_path}/in")
    assert os.listdir(tmp_path) == ["outside"]
    assert os.listdir(tmp_path / "outside") == ["kept"]


STUBBORN = """
import os, signal, time
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
for _ in range(30):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True: time.sleep(1)
print("ready", flush=True)
while True: time.sleep(1)
"""


def test_a_room_full_of_processes_that_mind_no_signal_stops(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> str:
        ready = asyncio.Event()
        held = asyncio.create_task(room.exec(["python3", "-c", STUBBORN], on_output=lambda *_: ready.set()))
        await asyncio.wait_for(ready.wait(), 60)
        await asyncio.wait_for(room.stop(), 30)
        await asyncio.gather(held, return_exceptions=True)
        return room.name

    name = in_room(cache, work)
    assert not [path for path in groups() if name in path.name]
