"""What a room asks of its warden, in full: how it is made, what a command in it may be, and how it ends."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dayjob.sandbox.embedded import sandbox as module
from dayjob.sandbox.embedded.identity import Identity
from dayjob.sandbox.embedded.image import Image
from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
from dayjob.sandbox.embedded.warden_requests import ERRANDS
from dayjob.sandbox.receiving import Received
from dayjob.sandbox.sandbox import Capabilities, Frozen, Limits, SandboxError
from dayjob.sandbox.tree import Bounds

LIMITS = Limits(memory=100, disk=50, file=30, processes=7, cpus=1.5, files=10, open_files=20)
EXAMINEE = (
    "chown", "dac_override", "fowner", "fsetid", "kill", "setgid", "setuid", "setpcap", "net_bind_service",
    "sys_chroot", "mknod", "audit_write", "setfcap",
)  # fmt: skip


def descriptors(number: int) -> list[int]:
    return [os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC) for _ in range(number)]


class Errand:
    """Answers that were prepared, one after the other."""

    def __init__(self, *answers: tuple[dict[str, Any], list[int]]) -> None:
        self.answers = list(answers)

    async def next(self) -> tuple[dict[str, Any], list[int]]:
        if not self.answers:
            await asyncio.Event().wait()
        return self.answers.pop(0)


class Warden:
    """Notes every errand. A room's first process is a sleeping program of this machine."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int, dict[str, Any]]] = []
        self.answers: list[Callable[[], Errand]] = []
        self.first = subprocess.Popen(["sleep", "1000"])
        self.stdin: list[bytes] = []
        self.says = b""

    async def begin(self, errand: str, fds: Any = (), **facts: Any) -> Errand:
        self.asked.append((errand, len(fds), facts))
        if errand == "room":
            first = os.pidfd_open(self.first.pid)
            network = [*descriptors(1), socket.socket().detach()] if facts["own_network"] else []
            sockets = [socket.socket().detach() for _ in facts["listen"]]
            made = [*descriptors(1), *network, *sockets, *descriptors(1), *descriptors(1)]
            ended: tuple[dict[str, Any], list[int]] = ({"closed": True}, [])
            return Errand(({}, made), ({"pid": self.first.pid}, [*descriptors(4), first]), ended)
        if errand in ("run", "evaluate"):
            self.stdin.append(os.read(fds[-3], 1000))
            os.write(fds[-2], self.says)
            os.write(fds[-1], b"err")
            return self.answers.pop(0)() if self.answers else Errand(({}, []), ({"exit": 3}, []))
        return Errand(({}, []))

    async def ask(self, errand: str, fds: Any = (), **facts: Any) -> tuple[dict[str, Any], list[int]]:
        self.asked.append((errand, len(fds), facts))
        return {}, [socket.socket().detach()] if errand == "outgoing" else []

    def end(self) -> None:
        self.first.kill()
        self.first.wait()


class Scene:
    """A site with this warden, on a machine without control groups unless they are wanted."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, *, separate: bool = True) -> None:
        self.warden = Warden()
        layer = folder / "layer"
        (layer / "etc").mkdir(parents=True)
        (layer / "etc" / "passwd").write_text(
            "root:x:0:0::/root:\nann:x:5:6::/home/ann:\ngrader:x:60000:60000::/tmp:\n"
        )
        self.image = Image(
            key="k",
            layers=(layer,),
            grading=layer,
            system=("/usr/bin",),
            env={"A": "image", "B": "image"},
            workdir="/w",
        )
        monkeypatch.setattr(module, "available", lambda: False)

        async def nobody(*_: Any) -> None:
            return

        self.site = SimpleNamespace(
            identity=Identity(1000, 10 if separate else 1), ranges=None, warden=self.warden, bwrap="/usr/bin/bwrap",
            covered=["/usr/x"], capabilities=Capabilities("embedded"), graders=SimpleNamespace(of=nobody, grading=None),
        )  # fmt: skip

    def room(self, **options: Any) -> EmbeddedSandbox:
        return EmbeddedSandbox(cast(Any, self.site), self.image, limits=LIMITS, **options)


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    found = Scene(tmp_path, monkeypatch)
    yield found
    found.warden.end()


def started(scene: Scene, **options: Any) -> tuple[dict[str, Any], EmbeddedSandbox]:
    async def main() -> EmbeddedSandbox:
        room = scene.room(**options)
        begun = await room.start()
        assert list(begun.listeners) == list(options.get("listen") or ())
        assert room.alive()
        assert room.pid == scene.warden.first.pid
        for sock in begun.listeners.values():
            sock.close()
        await room.stop()
        assert not room.alive()
        return room

    room = asyncio.run(asyncio.wait_for(main(), 30))
    assert scene.warden.first.wait(10) == -signal.SIGKILL
    (_, passed, facts) = scene.warden.asked[0]
    assert passed == 0
    return facts, room


PLAIN = {
    "bwrap": "/usr/bin/bwrap", "mapped": False, "first_uid": 1000, "uids": 10, "own_network": True, "listen": [],
    "processes": 39, "on_disk": [], "frozen": {}, "frozen_whole": False, "beside": {}, "withheld": (),
    "writable": None, "replaced": {}, "hostname": "workplace", "disk": 50, "inodes": 10, "system": ("/usr/bin",),
    "covered": ["/usr/x"], "clock": "", "copied": False,
}  # fmt: skip
HOSTS = {"/etc/hosts": "127.0.0.1 localhost\n", "/etc/hostname": "workplace\n"}


def test_a_plain_room_is_asked_for_like_this(scene: Scene) -> None:
    facts, room = started(scene, name="A Task: x" + "y" * 60)
    assert room.name.startswith("A-Task-xyyy")
    assert len(room.name) == 40 + 1 + 12
    expected = {**PLAIN, "name": room.name, "layers": [str(scene.image.layers[0])], "files": HOSTS}
    assert facts == expected


def test_a_room_has_its_ports_names_files_and_disk(scene: Scene, tmp_path: Path) -> None:
    facts, _ = started(
        scene, listen=[80, 81], hosts={"office.test": "127.0.0.1"}, files={"/a": "b"}, withheld=("/utils/",),
        on_disk=tmp_path / "disk",
    )  # fmt: skip
    assert facts["listen"] == [80, 81]
    hosts = "127.0.0.1 localhost\n127.0.0.1 office.test\n"
    assert facts["files"] == {"/etc/hosts": hosts, "/etc/hostname": "workplace\n", "/a": "b"}
    assert (facts["withheld"], facts["on_disk"]) == (("/utils/",), [str(tmp_path / "disk")])


@pytest.mark.parametrize("whole", [True, False])
def test_a_graders_room_may_write_to_its_scratch_alone_and_sees_the_frozen_files(
    scene: Scene, tmp_path: Path, whole: bool
) -> None:
    frozen = Frozen(tmp_path / "f", ("/workspace", "/tmp"), whole=whole)
    facts, _ = started(scene, kind="evaluator", frozen=frozen)
    assert facts["writable"] == ("/var/tmp", "/utils")
    assert facts["frozen"] == {"/workspace": str(tmp_path / "f/workspace"), "/tmp": str(tmp_path / "f/tmp")}
    assert facts["frozen_whole"] is whole


@pytest.mark.parametrize("installed", [True, False])
def test_a_workbench_has_the_system_as_it_was_left_once_its_first_process_runs(
    scene: Scene, tmp_path: Path, installed: bool
) -> None:
    frozen = Frozen(tmp_path / "f", ("/workspace",), system=("/usr", "/etc"))
    facts, _ = started(scene, kind="workbench", frozen=frozen, installed=installed)
    folders = {"/usr": str(tmp_path / "f/usr"), "/etc": str(tmp_path / "f/etc")}
    assert facts["beside"] == (folders if installed else {})
    later = [(errand, facts) for errand, _, facts in scene.warden.asked[1:]]
    assert later == ([("reveal", {"paths": ["/usr", "/etc"]})] if installed else [])


def test_without_a_network_of_its_own_a_room_has_the_hosts(scene: Scene) -> None:
    facts, _ = started(scene, own_network=False, listen=None)
    assert (facts["own_network"], facts["listen"]) == (False, [])


def test_an_image_with_its_own_system_covers_nothing(scene: Scene) -> None:
    scene.image = Image(key="k", layers=scene.image.layers, system=())
    assert started(scene)[0]["covered"] == []


def test_a_room_with_uids_of_its_own_gives_them_back(scene: Scene) -> None:
    given: list[Any] = []
    own = SimpleNamespace(first=77_000, descriptors=())

    async def take() -> Any:
        return own

    scene.site.ranges = SimpleNamespace(take=take, give_back=given.append)
    facts, _ = started(scene)
    assert (facts["mapped"], facts["first_uid"]) == (True, 77_000)
    assert given == [own]


def test_a_room_that_is_given_up_while_its_builder_has_just_ended_is_ended_by_its_first_process(scene: Scene) -> None:
    gone = subprocess.Popen(["true"])
    builder = os.pidfd_open(gone.pid)
    gone.wait(10)
    first = os.pidfd_open(scene.warden.first.pid)
    begun = Errand(({}, [*descriptors(4), builder]), ({"pid": 1}, [*descriptors(4), first]), ({"closed": True}, []))

    async def main() -> None:
        room = scene.room()
        room._room = cast(Any, begun)
        await room.stop()

    asyncio.run(asyncio.wait_for(main(), 30))
    assert scene.warden.first.wait(10) == -signal.SIGKILL
    assert begun.answers == []


def test_a_stop_that_is_cancelled_is_carried_through(scene: Scene) -> None:
    given: list[Any] = []
    own = SimpleNamespace(first=77_000, descriptors=())

    async def take() -> Any:
        return own

    scene.site.ranges = SimpleNamespace(take=take, give_back=given.append)

    async def main() -> None:
        room = scene.room()
        await room.start()
        ending, ended = asyncio.Event(), asyncio.Event()

        class Slow:
            async def next(self) -> tuple[dict[str, Any], list[int]]:
                ending.set()
                await ended.wait()
                return {"closed": True}, []

        room._room = cast(Any, Slow())
        stopping = asyncio.create_task(room.stop())
        await ending.wait()
        stopping.cancel()
        await asyncio.sleep(0)
        assert given == []
        ended.set()
        with pytest.raises(asyncio.CancelledError):
            await stopping
        assert given == [own]

    asyncio.run(asyncio.wait_for(main(), 30))


def test_what_graders_import_is_left_out_only_where_nothing_needs_it(scene: Scene, tmp_path: Path) -> None:
    grading, task, base = (tmp_path / name for name in ("grading", "task", "base"))
    image = Image(key="k", layers=(grading, task, base), grading=grading, system=())
    plain = image.without_grading()
    assert (plain.layers, plain.grading, plain.key) == ((task, base), None, "k")
    assert plain.without_grading() == plain
    assert image.layers == (grading, task, base)


# -- commands ---------------------------------------------------------------------------------------------------------


def ran(scene: Scene, *arguments: Any, **options: Any) -> tuple[Any, int, dict[str, Any]]:
    room_options = options.pop("room", {})

    async def main() -> Any:
        room = scene.room(**room_options)
        await room.start()
        try:
            return await room.exec(*arguments, **options)
        finally:
            await room.stop()

    done = asyncio.run(asyncio.wait_for(main(), 30))
    errand, passed, facts = scene.warden.asked[1]
    assert errand == "run"
    return done, passed, facts


DEFAULTS = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8",
    "PIP_BREAK_SYSTEM_PACKAGES": "1", "PIP_ROOT_USER_ACTION": "ignore", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "GIT_PAGER": "cat",
}  # fmt: skip


def test_both_base_images_have_the_same_environment() -> None:
    dockerfile = Path(__file__).parents[3] / "base_image/Dockerfile"
    (text,) = re.findall(r"^ENV ((?:.*\\\n)*.*)", dockerfile.read_text("utf-8"), re.MULTILINE)
    said = dict(one.split("=") for one in text.replace("\\", "").split())
    assert said == {name: value for name, value in DEFAULTS.items() if name != "PATH"}


def test_a_command_is_root_with_dockers_powers_in_the_images_folder(scene: Scene) -> None:
    scene.warden.says = b"out"
    done, passed, facts = ran(scene, ["do", "it"], env={"B": "mine"}, stdin=b"in", room={"env": {"C": "room"}})
    assert (done.exit_code, done.stdout, done.stderr, done.timed_out, done.dropped) == (3, b"out", b"err", False, 0)
    assert scene.warden.stdin == [b"in"]
    assert passed == 1 + 1 + 4 + 3
    env = facts.pop("env")
    assert env == {**DEFAULTS, "HOME": "/root", "A": "image", "B": "mine", "C": "room"}
    assert facts == {
        "program": "do", "argv": ["do", "it"], "cgroups": [], "own_network": True, "cwd": "/w", "uid": 0, "gid": 0,
        "capabilities": EXAMINEE,
        "rlimits": {"fsize": 30, "nofile": 20, "nproc": 7, "core": 0, "data": 100},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "uid", "gid", "home", "powers"),
    [
        ({"user": "ann"}, 5, 6, "/home/ann", ()),
        ({"user": "0:6"}, 0, 6, "/root", EXAMINEE),
        ({"grader": True}, 60000, 60000, "/tmp", ("dac_override", "dac_read_search", "fowner")),
        ({"grader": True, "user": "ann"}, 60000, 60000, "/tmp", ("dac_override", "dac_read_search", "fowner")),
    ],
)
def test_a_command_has_its_users_ids_and_powers(
    scene: Scene, options: dict[str, Any], uid: int, gid: int, home: str, powers: tuple[str, ...]
) -> None:
    _, _, facts = ran(scene, "echo $HOME", cwd="/srv", **options)
    assert facts["argv"] == ["/bin/sh", "-c", "echo $HOME"]
    assert (facts["uid"], facts["gid"], facts["env"]["HOME"], facts["cwd"]) == (uid, gid, home, "/srv")
    assert facts["capabilities"] == powers


def test_where_there_is_one_uid_everybody_is_root_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(tmp_path, monkeypatch, separate=False)
    try:
        _, _, facts = ran(scene, ["x"], user="ann")
        assert (facts["uid"], facts["gid"], facts["capabilities"]) == (0, 0, EXAMINEE)
    finally:
        scene.warden.end()


def test_a_command_that_takes_too_long_is_killed_with_its_group(scene: Scene) -> None:
    program = "import os, signal, time\nos.setsid()\nprint('ready', flush=True)\ntime.sleep(600)\n"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()

        class Slow(Errand):
            async def next(self) -> tuple[dict[str, Any], list[int]]:
                if self.answers:
                    return self.answers.pop(0)
                await asyncio.to_thread(process.wait)
                return {"exit": -9}, []

        scene.warden.answers = [lambda: Slow(({"pid": process.pid}, [os.pidfd_open(process.pid)]))]

        done, _, _ = ran(scene, ["sleep"], within=0.2)
        assert process.wait(10) == -signal.SIGKILL
    assert (done.exit_code, done.timed_out) == (-9, True)


def test_a_warm_grader_is_told_the_code_and_whether_its_set_is_this_rooms(scene: Scene) -> None:
    async def warm(image: Any, env: dict[str, str]) -> Any:
        assert env["E"] == "f"
        return scene.warden

    scene.site.graders = SimpleNamespace(of=warm, grading=scene.image.grading)

    async def main() -> Any:
        loaded = []
        for files in ({}, {"/utils/dayjob/x": ""}):
            room = scene.room(files=files)
            room._namespaces, room._user = descriptors(4), descriptors(1)
            done = await room.evaluate("pass", env={"E": "f"}, cwd="/c", stdin=b"n", within=9, utils=True)
            loaded.append(scene.warden.asked[-1])
            await room.stop()
        return done, loaded

    done, ((errand, _, facts), (_, _, other)) = asyncio.run(asyncio.wait_for(main(), 30))
    assert (errand, done.exit_code) == ("evaluate", 3)
    assert (facts["program"], facts["code"], facts["utils"]) == ("/usr/local/bin/python_default", "pass", True)
    assert (facts["loaded"], other["loaded"]) == (True, False)
    assert (facts["uid"], facts["cwd"]) == (60000, "/c")


def test_a_grader_without_a_warm_one_is_started_isolated(scene: Scene) -> None:
    async def main() -> None:
        room = scene.room()
        await room.start()
        await room.evaluate("pass", env={}, cwd="/c", utils=True)
        await room.evaluate("pass", env={}, cwd="/c")
        await room.stop()

    asyncio.run(asyncio.wait_for(main(), 30))
    first, second = (facts for errand, _, facts in scene.warden.asked if errand == "run")
    python = "/usr/local/bin/python_default"
    assert first["argv"] == [python, "-I", "-c", "import sys; sys.path.insert(0, '/utils'); pass"]
    assert second["argv"] == [python, "-I", "-c", "pass"]
    assert first["uid"] == 60000


def test_a_room_that_is_not_there_says_so(scene: Scene) -> None:
    async def main() -> None:
        room = scene.room()
        with pytest.raises(SandboxError, match="the sandbox is not running"):
            await room.exec(["true"])
        with pytest.raises(SandboxError, match="the sandbox is not running"):
            await room.remove("/x")
        assert await room.open_ports() == []
        assert room.used() == {}
        await room.stop()

    asyncio.run(main())


def test_files_are_removed_and_everything_stopped_by_errands(scene: Scene) -> None:
    async def main() -> None:
        room = scene.room()
        await room.start()
        await room.remove("/a", "/b/")
        await room._stand_still(True)
        await room._stand_still(False)
        (await room._socket(True)).close()
        await room.stop()

    asyncio.run(asyncio.wait_for(main(), 30))
    assert scene.warden.asked[1:] == [
        ("remove", 2, {"paths": ["/a", "/b/"], "seconds": 120.0}),
        ("signal_all", 2, {"signal": int(signal.SIGSTOP)}),
        ("signal_all", 2, {"signal": int(signal.SIGCONT)}),
        ("outgoing", 2, {"six": True}),
    ]


def test_a_warden_knows_every_errand_that_rooms_send_it_on() -> None:
    known = {name: errand.__name__ for name, errand in ERRANDS.items()}
    names = ("outgoing", "room", "mapping", "try_mapping", "run", "bring_in", "take_out", "remove", "reveal",
             "signal_all")  # fmt: skip
    assert known == {name: name for name in names}


@pytest.mark.parametrize(
    ("options", "asked", "whole"),
    [
        ({}, False, False),
        ({}, True, True),
        ({"frozen": True}, False, True),
        ({"on_disk": True}, False, True),
    ],
)
def test_a_snapshot_takes_what_differs_from_the_image_or_everything(
    scene: Scene, tmp_path: Path, options: dict[str, bool], asked: bool, whole: bool
) -> None:
    taken: list[tuple[Any, ...]] = []

    class Room(EmbeddedSandbox):
        async def _take_out(self, roots: Any, into: Path, bounds: Bounds, **how: Any) -> Received:
            taken.append((roots, bounds, how["owned"], how["changes"], scene.warden.asked[-1][2]))
            return Received()

    async def main() -> Frozen:
        given = {
            "frozen": Frozen(tmp_path, ("/workspace",)) if options.get("frozen") else None,
            "on_disk": tmp_path if options.get("on_disk") else None,
        }
        room = Room(cast(Any, scene.site), scene.image, limits=LIMITS, **cast(Any, given))
        room._namespaces, room._user = descriptors(4), descriptors(1)
        found = await room.snapshot(tmp_path / "into", ("/workspace", "/tmp"), whole=asked)
        await room.stop()
        return found

    found = asyncio.run(asyncio.wait_for(main(), 30))
    assert (found.paths, found.whole, found.folder) == (("/workspace", "/tmp"), whole, tmp_path / "into")
    roots = [("/workspace", "workspace"), ("/tmp", "tmp")] if whole else [("workspace", "workspace"), ("tmp", "tmp")]
    bounds = Bounds(None, None, 120.0, False) if asked else Bounds(50, 10, 120.0, True)
    assert taken == [(roots, bounds, True, not whole, {"signal": int(signal.SIGSTOP)})]
    assert scene.warden.asked[-1][2] == {"signal": int(signal.SIGCONT)}
    assert (tmp_path / "into" / "workspace").is_dir()
