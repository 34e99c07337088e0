"""What an examinee finds in a room, and what it cannot find or do there."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from dayjob.sandbox.embedded.identity import FIRST_UID, of_this_user
from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
from dayjob.sandbox.embedded.site import EmbeddedSite
from tests.sandbox.rooms import in_room, said


def test_a_room_has_the_folders_tasks_expect(cache: Path) -> None:
    assert said(cache, "cd /workspace && ls -d /instruction /utils /npc /home /tmp && touch here && echo written") == (
        "/home\n/instruction\n/npc\n/tmp\n/utils\nwritten\n"
    )


def test_the_default_python_can_import_what_graders_need(cache: Path) -> None:
    assert said(cache, "python_default -c 'import requests; print(requests.get.__name__)'") == "get\n"


def test_git_never_waits_for_somebody_to_turn_the_page(cache: Path) -> None:
    seen = said(
        cache,
        "git init -q . && git config user.name a && git config user.email a@b.c &&"
        ' git commit -q --allow-empty -m "$(seq 200)" &&'
        ' timeout 20 python3 -c \'import pty; pty.spawn(["git", "log"])\' < /dev/null | tail -n 1',
    )
    assert seen.split() == ["200"]


def test_office_files_can_be_read_and_written(cache: Path) -> None:
    seen = said(cache, "python3 -c 'import openpyxl, docx, pptx, pypdf, PIL' && which pdftotext sqlite3")
    assert seen == "/usr/bin/pdftotext\n/usr/bin/sqlite3\n"


def test_the_hosts_system_is_read_only(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYJOB_ROOT", "host")
    assert "Read-only file system" in said(cache, "touch /usr/bin/python3 /usr/bin/mine")


def test_a_system_of_its_own_can_be_changed_and_the_next_room_has_it_whole(cache: Path) -> None:
    assert said(cache, "rm /usr/bin/git && touch /usr/bin/mine && echo done") == "done\n"
    assert said(cache, "ls /usr/bin/git; test -e /usr/bin/mine || echo gone") == "/usr/bin/git\ngone\n"


def test_the_hosts_files_and_environment_are_invisible(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYJOB_TEST_SECRET", "do-not-tell")
    text = said(cache, "env; ls -A /root /home /usr/local/bin; cat /etc/passwd /etc/hostname /etc/resolv.conf; ls /etc")
    assert "do-not-tell" not in text
    assert socket.gethostname() not in text.split()
    for name in ("sudoers", "machine-id"):
        assert name not in text.split()


def test_of_the_hosts_etc_a_room_has_only_harmless_parts(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYJOB_ROOT", "host")
    text = said(cache, "cat /etc/passwd /etc/hostname; ls /etc")
    assert socket.gethostname() not in text.split()
    for name in ("shadow", "ssh", "sudoers", "machine-id"):
        assert name not in text.split()


def test_only_the_rooms_own_processes_are_visible(cache: Path) -> None:
    assert said(cache, "ls /proc | grep -c '^[0-9]'") in ("4\n", "5\n")  # the first process, sh, ls, grep


def test_root_inside_is_an_ordinary_uid_outside(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> int:
        began = asyncio.Event()
        asleep = asyncio.create_task(room.exec("echo began; exec sleep 30.125", on_output=lambda *_: began.set()))
        await asyncio.wait_for(began.wait(), 20)
        found = [pid for pid in map(int, _numbers()) if b"30.125" in _command(pid)]
        uid = os.stat(f"/proc/{found[0]}").st_uid
        asleep.cancel()
        await asyncio.gather(asleep, return_exceptions=True)
        return uid

    uid = in_room(cache, work)
    assert uid >= FIRST_UID if of_this_user().separate else uid == os.geteuid() != 0


def _numbers() -> list[str]:
    return [name for name in os.listdir("/proc") if name.isdigit()]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.parametrize(
    "attempt",
    [
        "unshare --user --map-root-user true",
        "unshare --mount true",
        "mount -t tmpfs none /mnt",
        "umount /proc",
        "mount -o remount,rw /usr/bin",
        "hostname other",
        "dmesg",
        "swapoff -a && swapon /dev/vda",
        "ip link set lo down",
        "python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3)'",
        "python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)'",
        "mknod /tmp/disk b 254 0 && head -c 1 /tmp/disk",
        "echo 1 > /proc/sys/kernel/panic",
        "echo c > /proc/sysrq-trigger",
        "nsenter -t 1 -m true",
        "chroot /proc/1/root ls /root",
    ],
)
def test_root_inside_has_no_power_over_the_machine(cache: Path, attempt: str) -> None:
    async def work(room: EmbeddedSandbox) -> int:
        return (await room.exec(attempt)).exit_code

    assert in_room(cache, work) != 0


def test_system_calls_that_docker_refuses_are_refused(cache: Path) -> None:
    program = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for number in (272, 165, 250, 321, 425, 435, 999):
    result = libc.syscall(number, 0, 0, 0, 0, 0)
    print(number, result, os.strerror(ctypes.get_errno()))
"""
    text = said(cache, ["python3", "-c", program])
    if os.uname().machine == "x86_64":
        refused, unknown = "-1 Operation not permitted", "-1 Function not implemented"
        assert text.splitlines() == [f"{n} {refused}" for n in (272, 165, 250, 321, 425)] + [
            f"{n} {unknown}" for n in (435, 999)
        ]


def test_an_examinee_cannot_end_or_trace_the_rooms_first_process(cache: Path) -> None:
    program = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
os.kill(1, 9)
print(libc.ptrace(16, 1, 0, 0), os.strerror(ctypes.get_errno()))
"""

    async def work(room: EmbeddedSandbox) -> tuple[str, str]:
        tried = await room.exec(["python3", "-c", program])
        return tried.text, (await room.exec("echo still here")).text

    assert in_room(cache, work) == ("-1 Operation not permitted\n", "still here\n")


def test_orphans_are_reaped(cache: Path) -> None:
    count = (
        "for i in 1 2 3 4 5; do sh -c 'sleep 0.01 &'; done; sleep 0.2; grep -l '^State:.Z' /proc/[0-9]*/status | wc -l"
    )
    assert said(cache, count) == "0\n"


def test_there_is_no_way_out_of_the_network(cache: Path) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        program = f"""
import socket
for address in (("127.0.0.1", {port}), ("192.0.2.1", 80), ("10.0.0.1", 53)):
    try:
        socket.create_connection(address, 1)
        print("reached", address)
    except OSError as error:
        print(type(error).__name__)
"""
        assert said(cache, ["python3", "-c", program]).splitlines() == ["ConnectionRefusedError", "OSError", "OSError"]


def test_the_hosts_abstract_sockets_are_out_of_reach(cache: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0dayjob-test-abstract")
        server.listen()
        program = "import socket; socket.socket(socket.AF_UNIX).connect('\\0dayjob-test-abstract')"
        assert "ConnectionRefusedError" in said(cache, ["python3", "-c", program])


def test_two_rooms_have_the_same_ports_and_reach_only_their_own(cache: Path) -> None:
    async def main() -> list[str]:
        async with EmbeddedSite(cache) as site:
            image = await site.base()
            rooms = [EmbeddedSandbox(site, image, listen=[3000], hosts={"office.test": "127.0.0.1"}) for _ in range(2)]
            started = [await room.start() for room in rooms]
            servers = []
            try:
                for number, one in enumerate(started):

                    def answer(_: asyncio.StreamReader, out: asyncio.StreamWriter, number: int = number) -> None:
                        out.write(f"I am {number}".encode())
                        out.close()

                    servers.append(await asyncio.start_server(answer, sock=one.listeners[3000]))
                ask = "import socket; print(socket.create_connection(('office.test', 3000), 5).recv(99).decode())"
                return [(await room.exec(["python3", "-c", ask])).text for room in rooms]
            finally:
                for server in servers:
                    server.close()
                for room in rooms:
                    await room.stop()

    assert asyncio.run(main()) == ["I am 0\n", "I am 1\n"]


def test_rooms_do_not_see_each_others_files(cache: Path) -> None:
    async def main() -> str:
        async with EmbeddedSite(cache) as site:
            image = await site.base()
            rooms = [EmbeddedSandbox(site, image) for _ in range(2)]
            for room in rooms:
                await room.start()
            try:
                await rooms[0].exec("echo mine > /workspace/mine; echo mine > /tmp/mine; echo mine > /dev/shm/mine")
                return (await rooms[1].exec("ls -A /workspace /tmp /dev/shm")).text
            finally:
                for room in rooms:
                    await room.stop()

    assert "mine" not in asyncio.run(main())


KILLED = """
import os, socket
from dayjob.sandbox.embedded import room_building
from dayjob.sandbox.embedded.request_process import Child

def killed(*_):
    os.kill(os.getpid(), 9)

room_building._answer_mapping = killed
request = {"id": 1, "mapped": False, "copied": False, "first_uid": os.getuid(), "uids": 1, "processes": 1000,
           "layers": [], "on_disk": [], "frozen": {}, "beside": {}, "clock": ""}
room_building.room(Child(socket.socketpair()[0], request, []))
"""


def test_nothing_is_left_of_a_room_that_is_killed_while_its_users_are_mapped() -> None:
    held, holding = os.pipe()  # by whatever the program starts, for as long as it lives
    with subprocess.Popen([sys.executable, "-c", KILLED], pass_fds=(holding,)) as program:
        os.close(holding)
        assert program.wait(60) == -signal.SIGKILL
    ready, _, _ = select.select([held], [], [], 60)
    assert ready
    assert os.read(held, 1) == b""
    os.close(held)
