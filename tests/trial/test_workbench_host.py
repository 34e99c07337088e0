"""The host's side of workbenches, asked by the grader's own: what is passed on, what is bounded, whose fault it is."""

from __future__ import annotations

import asyncio
import io
import os
import socket
import struct
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, cast

import pytest

from dayjob.grading import workbench as client
from dayjob.sandbox.sandbox import Finished, Sandbox, SandboxError
from dayjob.trial import workbench
from dayjob.trial.workbench import Workbenches, _command, _pack, _path, _Refused


class Room:
    """A sandbox that notes what it is asked; `broken` names what fails, and how."""

    def __init__(self, ports: bool, installed: bool, broken: dict[str, Exception]) -> None:
        self.ports = ports
        self.installed = installed
        self.broken = broken
        self.asked: list[tuple[str, Any]] = []
        self.stopped = 0

    def _note(self, what: str, facts: Any = None) -> None:
        self.asked.append((what, facts))
        if what in self.broken:
            raise self.broken[what]

    async def start(self) -> None:
        self._note("start")

    async def stop(self) -> None:
        self.stopped += 1

    async def exec(self, command: list[str], **facts: Any) -> Finished:
        if command == ["/bin/true"]:
            self._note("true", facts)
            return Finished(0, b"", b"", 0.0)
        self._note("exec", {"command": command, **facts})
        if command == ["serve"]:
            await asyncio.Event().wait()
        return Finished(3, b"out", b"err", 0.5, dropped=9)

    async def remove(self, *paths: str) -> None:
        self._note("remove", list(paths))

    async def unpack(self, file: IO[bytes]) -> None:
        with tarfile.open(fileobj=io.BytesIO(file.read()), mode="r:") as tar:
            self._note("unpack", tar.getnames())

    async def get(self, path: str, into: Path, *, limit: int) -> None:
        self._note("get", (path, limit))
        os.mkdir(into)
        if path.endswith("missing"):
            raise SandboxError("there is none")
        os.symlink("content", into / os.path.basename(path))

    async def connect(self, port: int) -> socket.socket:
        self._note("connect", port)
        near, far = socket.socketpair()
        far.sendall(b"from %d" % port)
        far.close()
        near.setblocking(False)
        return near


class Site:
    """Gives rooms, and remembers them."""

    def __init__(self) -> None:
        self.rooms: list[Room] = []
        self.broken: dict[str, Exception] = {}
        self.only_installed = False
        """Whether rooms with the image's own system are whole."""

    def make(self, ports: bool, installed: bool) -> Sandbox:
        broken = self.broken if installed or not self.only_installed else {}
        self.rooms.append(Room(ports, installed, dict(broken)))
        return cast(Sandbox, self.rooms[-1])


def with_host(
    site: Site,
    monkeypatch: pytest.MonkeyPatch,
    ask: Callable[[], Any],
    *,
    seconds: float = 60,
    most: int = 1 << 20,
    token: str | None = None,
    installed: bool = False,
) -> Any:
    """What a grader's side, in a thread of its own, makes of this host."""

    async def main() -> Any:
        sock = socket.create_server(("127.0.0.1", 0))
        monkeypatch.setenv(client.PORT, str(sock.getsockname()[1]))
        sock.setblocking(False)
        async with Workbenches(site.make, sock, seconds, most=most, installed=installed) as benches:
            monkeypatch.setenv(client.TOKEN, benches.token if token is None else token)
            answer = await asyncio.to_thread(ask)
        assert benches._benches == {}
        assert all(room.stopped for room in site.rooms)
        return answer

    return asyncio.run(main())


def test_a_command_goes_in_and_its_end_comes_out(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site()

    def ask() -> Any:
        with client.Workbench(ports=False) as bench:
            return bench.execute(["make", "x"], "/srv", {"A": "b"}, b"in", 7, ["/a/b", "/missing"], most_output=100)

    ended = with_host(site, monkeypatch, ask)
    assert (ended.code, ended.stdout, ended.stderr, ended.timed_out, ended.dropped) == (3, b"out", b"err", False, 9)
    assert ended.left_out == ["/missing"]
    with tarfile.open(fileobj=ended.archive, mode="r:") as tar:
        assert tar.getnames() == ["a/b"]
    (room,) = site.rooms
    assert room.ports is False
    assert room.stopped == 1
    _, ran, got, missing = room.asked
    assert ran == (
        "exec",
        {"command": ["make", "x"], "env": {"A": "b"}, "cwd": "/srv", "stdin": b"in", "within": 7.0, "keep": 100},
    )
    assert (got, missing) == (("get", ("/a/b", 256 << 20)), ("get", ("/missing", 256 << 20)))


def test_output_is_kept_up_to_a_bound_whatever_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site()

    def ask() -> None:
        with client.Workbench() as bench:
            bench.execute(["x"], "/", {}, most_output=1 << 40).archive.close()

    with_host(site, monkeypatch, ask)
    assert site.rooms[0].ports is True
    assert site.rooms[0].asked[1][1]["keep"] == 64 << 20


def test_what_is_brought_replaces_what_is_there_and_is_bounded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    site = Site()
    (tmp_path / "a").write_bytes(b"x" * 1000)

    def ask() -> str:
        with client.Workbench() as bench:
            bench.bring(tmp_path / "a")
            (tmp_path / "a").write_bytes(b"x" * 20_000)
            with pytest.raises(client.Refused) as refusal:
                bench.bring(tmp_path / "a")
            bench.run(["true"], cwd="/")
            return str(refusal.value)

    sentence = with_host(site, monkeypatch, ask, most=10_240)
    assert sentence.endswith("bytes are more than may be brought at once (10240)")
    assert [what for what, _ in site.rooms[0].asked] == ["start", "remove", "unpack", "exec"]
    assert site.rooms[0].asked[1:3] == [("remove", [str(tmp_path / "a")]), ("unpack", [str(tmp_path / "a")[1:]])]


def test_a_server_stays_until_its_workbench_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site()

    def ask() -> bytes:
        with client.Workbench() as bench:
            bench.start(["serve"], cwd="/srv", env={"A": "b"})
            with bench.connect(8000) as sock:
                return sock.makefile("rb").read()

    assert with_host(site, monkeypatch, ask) == b"from 8000"
    (room,) = site.rooms
    (facts,) = [facts for what, facts in room.asked if what == "exec"]
    assert (facts["command"], facts["cwd"], facts["env"], facts["keep"]) == (["serve"], "/srv", {"A": "b"}, 1 << 16)
    assert 0 < facts["within"] <= 60


@pytest.mark.parametrize("port", [0, 65536, -1])
def test_no_port_is_refused_without_asking_the_room(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    site = Site()

    def ask() -> None:
        with client.Workbench() as bench, pytest.raises(ConnectionRefusedError, match="nothing answers at port"):
            bench.connect(port)

    with_host(site, monkeypatch, ask)
    assert [what for what, _ in site.rooms[0].asked] == ["start"]


def test_a_port_where_nothing_listens_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site()
    site.broken = {"connect": ConnectionRefusedError("nobody")}

    def ask() -> None:
        with client.Workbench() as bench, pytest.raises(ConnectionRefusedError, match="nobody"):
            bench.connect(65535)

    with_host(site, monkeypatch, ask)


@pytest.mark.parametrize("token", ["", "wrong", "tökén"])
def test_without_the_token_there_is_no_workbench(monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    site = Site()

    def ask() -> None:
        with pytest.raises(client.NotIsolated, match="gone"):
            client.Workbench()

    with_host(site, monkeypatch, ask, token=token)
    assert site.rooms == []


@pytest.mark.parametrize(
    ("broken", "fresh", "kind"),
    [
        ({"exec": SandboxError("no shell")}, {}, "refused"),
        ({"exec": OSError("no memory")}, {}, "refused"),
        ({"exec": SandboxError("no shell")}, {"start": SandboxError("no room")}, "fault"),
        ({"exec": SandboxError("no shell")}, {"true": OSError("no fork")}, "fault"),
        ({"start": SandboxError("no room")}, {}, "none"),
        ({"start": OSError("no disk")}, {}, "none"),
        ({"exec": ZeroDivisionError("ours")}, {}, "broke"),
    ],
)
def test_a_failure_is_the_commands_own_as_long_as_a_fresh_workbench_can_be_had(
    monkeypatch: pytest.MonkeyPatch, broken: dict[str, Exception], fresh: dict[str, Exception], kind: str
) -> None:
    site = Site()
    site.broken = broken

    def ask() -> str:
        try:
            with client.Workbench() as bench:
                site.broken = fresh
                done = bench.run(["true"], cwd="/")
                return f"refused {done.returncode} {done.stderr}"
        except client.NotIsolated as fault:
            return f"fault {fault}"

    said = with_host(site, monkeypatch, ask)
    first = next(iter(broken.values()))
    assert (
        said
        == {
            "refused": f"refused 126 workbench: {first}\n",
            "fault": f"fault {first}",
            "none": f"fault a workbench could not be made: {first}",
            "broke": "fault the workbench broke: ZeroDivisionError: ours",
        }[kind]
    )
    assert all(room.stopped for room in site.rooms)
    if kind in ("refused", "fault"):
        assert [room.ports for room in site.rooms] == [True, False]
    if kind == "refused":
        assert site.rooms[1].asked[1] == ("true", {"cwd": "/", "within": 30})


def test_sixteen_workbenches_may_be_open_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    def ask() -> str:
        benches = [client.Workbench() for _ in range(16)]
        with pytest.raises(client.NotIsolated) as fault:
            client.Workbench()
        for bench in benches:
            bench.close()
        return str(fault.value)

    site = Site()
    assert with_host(site, monkeypatch, ask) == "16 workbenches are open; close one with a with block"
    assert len(site.rooms) == 16


def test_when_the_time_for_workbenches_is_up_commands_end_at_once_as_timed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site()

    def ask() -> None:
        with client.Workbench() as bench:
            with pytest.raises(subprocess.TimeoutExpired):
                bench.run(["make"], cwd="/")
            with pytest.raises(ConnectionRefusedError):
                bench.connect(80)

    with_host(site, monkeypatch, ask, seconds=-1)
    assert [what for what, _ in site.rooms[0].asked] == ["start"]


@pytest.mark.parametrize(
    "message",
    [b"[]", b"1", b"{", b'{"do": "run"}', struct.pack(">I", (16 << 20) + 1), b'{"do": "bring", "size": "x"}'],
)
def test_what_is_no_message_ends_the_connection_and_its_workbench(
    monkeypatch: pytest.MonkeyPatch, message: bytes
) -> None:
    site = Site()

    def ask() -> bytes:
        bench = client.Workbench()
        whole = message if message.startswith(b"\x01") else struct.pack(">I", len(message)) + message
        bench._sock.sendall(whole)
        return bench._sock.recv(1)

    assert with_host(site, monkeypatch, ask) == b""
    assert site.rooms[0].stopped == 1


# -- the rules --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/a/b", "/a/b"),
        ("/a/../b/", "/b"),
        ("//a", "/a"),
        ("/../a", "/a"),
        ("/", None),
        ("//", None),
        ("/a/..", None),
        ("a", None),
        ("", None),
        ("/a\0b", None),
    ],
)
def test_a_path_is_absolute_plain_and_not_the_root(path: str, found: str | None) -> None:
    if found is None:
        with pytest.raises(_Refused, match="is no path in a workbench"):
            _path(path)
    else:
        assert _path(path) == found


def test_a_command_may_run_in_the_root() -> None:
    asked = {"argv": ["a", 1], "env": {"A": 2}, "cwd": "/"}
    assert _command(asked) == {"command": ["a", "1"], "env": {"A": "2"}, "cwd": "/"}


@pytest.mark.parametrize(
    "wrong", [{"argv": []}, {"argv": ["a\0"]}, {"env": {"A\0": ""}}, {"env": {"A": "\0"}}, {"cwd": "relative"}]
)
def test_a_command_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(_Refused):
        _command({"argv": ["a"], "env": {}, "cwd": "/", **wrong})


def test_an_archive_holds_files_folders_and_links_within_its_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbench, "_MOST_COLLECTED", 10)
    for number, (name, size) in enumerate({"a": 4, "b": 6, "c": 1}.items()):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / name).write_bytes(b"x" * size)
    archive = io.BytesIO()
    assert _pack(archive, tmp_path, ["/x/a", "/b", "/c", "/absent"]) == ["/c"]
    assert names(archive) == ["x/a", "b"]
    (tmp_path / "0" / "d").mkdir()
    (tmp_path / "0" / "d" / "link").symlink_to("x")
    os.mkfifo(tmp_path / "0" / "d" / "pipe")
    archive = io.BytesIO()
    assert _pack(archive, tmp_path, ["/d"]) == ["/d/pipe"]
    assert names(archive) == ["d", "d/link"]


def names(archive: io.BytesIO) -> list[str]:
    archive.seek(0)
    with tarfile.open(fileobj=archive, mode="r:") as tar:
        return tar.getnames()


@pytest.mark.parametrize("usually", [True, False])
@pytest.mark.parametrize("asked", [True, False, None])
def test_the_system_is_as_it_was_left_where_somebody_says_so(
    monkeypatch: pytest.MonkeyPatch, usually: bool, asked: bool | None
) -> None:
    site = Site()

    def ask() -> int:
        with client.Workbench(installed=asked) as bench:
            return bench.run("true").returncode

    assert with_host(site, monkeypatch, ask, installed=usually) == 3
    assert [room.installed for room in site.rooms] == [usually if asked is None else asked]


def test_a_system_in_which_nothing_can_be_run_fails_its_commands_and_is_no_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    site = Site()
    site.broken, site.only_installed = {"start": SandboxError("no such loader")}, True

    def ask() -> Any:
        with client.Workbench(installed=True) as bench:
            done = bench.run("true", collect=["/a"])
            refused = []
            for what in (lambda: bench.connect(80), lambda: bench.start("x"), lambda: bench.bring("/etc/hosts")):
                with pytest.raises((client.Refused, ConnectionRefusedError)) as caught:
                    what()
                refused.append(str(caught.value))
            return done, bench.files("/etc"), refused

    done, files, refused = with_host(site, monkeypatch, ask)
    assert (done.returncode, done.stdout, done.left_out, files) == (126, "", ["/a"], {})
    assert done.stderr == "workbench: a workbench could not be made: no such loader\n"
    assert refused == ["a workbench could not be made: no such loader"] * 3


@pytest.mark.parametrize("installed", [True, False])
def test_where_the_images_own_does_not_start_either_it_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    site = Site()
    site.broken = {"start": SandboxError("no space")}

    def ask() -> str:
        with pytest.raises(client.NotIsolated) as caught:
            client.Workbench(installed=installed)
        return str(caught.value)

    assert with_host(site, monkeypatch, ask) == "a workbench could not be made: no space"
    assert [room.installed for room in site.rooms] == ([True, False] if installed else [False])


def test_files_are_collected_without_running_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site()

    def ask() -> Any:
        with client.Workbench() as bench:
            return bench.files("/etc/a", "b")

    assert with_host(site, monkeypatch, ask) == {}  # links are no files
    assert [what for what, _ in site.rooms[0].asked] == ["start", "get", "get"]
    assert [facts[0] for what, facts in site.rooms[0].asked if what == "get"] == ["/etc/a", "/workspace/b"]
