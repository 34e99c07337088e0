"""Rules of embedded rooms that need no room: who is who, what an image has, what may be followed, kept and loaded."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import stat
from pathlib import Path
from typing import Any

import pytest

from dayjob.sandbox import kernel
from dayjob.sandbox.embedded import graders, room_commands, warden
from dayjob.sandbox.embedded.client import Errand
from dayjob.sandbox.embedded.identity import FIRST_UID, RANGE, Identity, of_this_user
from dayjob.sandbox.embedded.image import Image
from dayjob.sandbox.embedded.output import Output
from dayjob.sandbox.embedded.ports import diagnostics, listening_ports
from dayjob.sandbox.embedded.uid_ranges import _private
from dayjob.sandbox.grader import GRADER_UID
from dayjob.sandbox.link_rules import REPLACEMENT, LinkWatch
from dayjob.sandbox.sandbox import SandboxError
from dayjob.sandbox.tree import MOST_NAMES

# -- who is who -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "count", "inside_ids", "outside"),
    [
        (1000, 10, (0, 0), (1000, 1000)),
        (1000, 10, (9, 3), (1009, 1003)),
        (1000, 10, (10, 5), (1000, 1005)),
        (1000, 10, (5, -1), (1005, 1000)),
        (1000, 2, (1, 1), (1001, 1001)),
        (1000, 1, (0, 0), (-1, -1)),
    ],
)
def test_an_owner_inside_is_another_outside(
    first: int, count: int, inside_ids: tuple[int, int], outside: tuple[int, int]
) -> None:
    assert Identity(first, count).outside(*inside_ids) == outside


def test_root_gives_a_range_and_an_ordinary_user_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert of_this_user() == Identity(1_900_000_000, 65_536) == Identity(FIRST_UID, RANGE)
    assert of_this_user().separate
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert of_this_user() == Identity(1000, 1)
    assert not of_this_user().separate
    assert GRADER_UID == 60_000


def layers(folder: Path, *contents: dict[str, str]) -> tuple[Path, ...]:
    """Layers with these files, top first."""
    found = []
    for number, files in enumerate(contents):
        for name, text in {"": "", **files}.items():
            place = folder / str(number) / name
            if not name:
                place.mkdir(parents=True)
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        found.append(folder / str(number))
    return tuple(found)


PASSWD = "root:x:0:0:root:/root:/bin/sh\nann:x:7:8:Ann:/home/ann:/bin/sh\nbroken\n"
GROUP = "root:x:0:\nstaff:x:50:\n"


@pytest.mark.parametrize(
    ("user", "ids"),
    [
        (None, (7, 8, "/home/ann")),
        ("", (7, 8, "/home/ann")),
        ("root", (0, 0, "/root")),
        ("0", (0, 0, "/root")),
        ("7", (7, 8, "/home/ann")),
        ("99", (99, 99, "/")),
        ("ann:staff", (7, 50, "/home/ann")),
        ("ann:5", (7, 5, "/home/ann")),
        ("99:staff", (99, 50, "/")),
    ],
)
def test_a_user_is_read_as_a_dockerfile_writes_one(tmp_path: Path, user: str | None, ids: tuple[int, int, str]) -> None:
    found = layers(tmp_path, {}, {"etc/passwd": PASSWD, "etc/group": GROUP}, {"etc/passwd": "ann:x:1:1::/:\n"})
    assert Image(key="k", layers=found, system=(), user="ann").ids(user) == ids


@pytest.mark.parametrize(("user", "sentence"), [("bob", "no user 'bob'"), ("root:none", "/etc/group has no 'none'")])
def test_a_user_or_group_that_is_not_there_is_named(tmp_path: Path, user: str, sentence: str) -> None:
    found = layers(tmp_path, {"etc/passwd": PASSWD, "etc/group": GROUP})
    with pytest.raises(SandboxError, match=sentence):
        Image(key="k", layers=found, system=()).ids(user)


def test_a_link_in_the_place_of_the_users_is_not_followed(tmp_path: Path) -> None:
    found = layers(tmp_path, {}, {"etc/passwd": "root:x:0:0::/from-below:\n"})
    (found[0] / "etc").mkdir()
    (found[0] / "etc" / "passwd").symlink_to("/etc/passwd")
    assert Image(key="k", layers=found, system=()).ids("root") == (0, 0, "/from-below")
    assert (Image(key="k", layers=(), system=()).user, Image(key="k", layers=(), system=()).workdir) == (
        "root",
        "/workspace",
    )


GITS = {"usr/bin/git": "", "usr/lib/git-core/git": "", "utils/bin/git": ""}


@pytest.mark.parametrize("missing", [None, *GITS])
@pytest.mark.parametrize("place", ["usr/lib/git-core/git", "usr/libexec/git-core/git"])
def test_git_is_covered_where_its_own_folder_has_it_too(tmp_path: Path, missing: str | None, place: str) -> None:
    names = [place if name == "usr/lib/git-core/git" else name for name in GITS if name != missing]
    found = layers(tmp_path, dict.fromkeys(names[:1], ""), dict.fromkeys(names[1:], ""))
    doors = Image(key="k", layers=found, system=()).git_doors
    assert doors == ({"/usr/bin/git": "/utils/bin/git"} if missing is None else {})


# -- what may be followed ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt"])
def test_links_to_the_system_are_followed(system: str) -> None:
    watch = LinkWatch(["/workspace"])
    assert watch("workspace/a", f"{system}/x") == f"{system}/x"
    assert watch("workspace/a", f"{system}x/x") == REPLACEMENT
    assert watch.replaced == [f"/workspace/a -> {system}x/x"]


def test_links_that_lead_elsewhere_are_told_of_up_to_a_number_and_a_length() -> None:
    watch = LinkWatch(["/workspace"])
    for number in range(MOST_NAMES + 5):
        assert watch(f"workspace/{number}" + "n" * 300, "/utils/" + "t" * 300) == "/link-withheld-from-the-grader"
    assert len(watch.replaced) == MOST_NAMES
    assert watch.replaced[0] == f"/{('workspace/0' + 'n' * 300)[:200]} -> {('/utils/' + 't' * 300)[:200]}"


# -- what is kept of output -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "keep", "kept", "dropped"),
    [
        ([b"abc"], 10, b"abc", 0),
        ([b"0123456789"], 10, b"0123456789", 0),
        ([b"01234", b"56789"], 10, b"0123456789", 0),
        ([b"01234", b"aaaaa", b"bbbbb"], 10, b"01234bbbbb", 5),
        ([b"01234", b"aaaaa", b"bbb"], 10, b"01234aaaaabbb", 0),
        ([b"01234", b"aaa", b"bb", b"ccccc"], 10, b"01234ccccc", 5),
        ([b"0123", b"4aaaa", b"bbbbb"], 10, b"01234bbbbb", 4),
    ],
)
def test_output_is_kept_from_both_ends(parts: list[bytes], keep: int, kept: bytes, dropped: int) -> None:
    heard: list[tuple[str, bytes]] = []

    async def main() -> tuple[bytes, int]:
        out = Output("stdout", keep, lambda *said: heard.append(said))
        for part in parts:
            os.write(out.writer, part)
            out._hear()
        out.begin()
        out.settle()
        found = out.kept(), out.dropped
        out.close()
        out.close()
        assert not out.is_open
        return found

    assert asyncio.run(main()) == (kept, dropped)
    assert b"".join(data for _, data in heard) == b"".join(parts)


def test_after_the_end_of_a_command_its_output_is_read_and_dropped() -> None:
    async def main() -> tuple[bytes, list[Any]]:
        heard: list[Any] = []
        out = Output("stderr", 100, lambda *said: heard.append(said))
        writer = os.dup(out.writer)
        out.begin()
        os.write(writer, b"before")
        out.settle()
        os.write(writer, b"after")
        assert out._hear() is True
        assert out._hear() is False
        assert out.is_open
        os.close(writer)
        out._hear()
        assert not out.is_open
        return out.kept(), heard

    assert asyncio.run(main()) == (b"before", [("stderr", b"before")])


# -- ports ------------------------------------------------------------------------------------------------------------


def test_ports_that_are_listened_on_are_seen_and_others_are_not() -> None:
    with (
        socket.socket(fileno=diagnostics()) as asked,
        socket.create_server(("127.0.0.1", 0)) as four,
        socket.create_server(("::1", 0), family=socket.AF_INET6) as six,
        socket.socket() as bound,
    ):
        bound.bind(("127.0.0.1", 0))
        found = listening_ports(asked)
        assert found == sorted(set(found))
        assert {four.getsockname()[1], six.getsockname()[1]} <= set(found)
        assert bound.getsockname()[1] not in found
        four.close()
        assert four.fileno() == -1


# -- warm graders -----------------------------------------------------------------------------------------------------

APART = ["utils", "instruction", "workspace", "npc", "home", "root", "tmp", "srv", "mnt", "opt", "var", "run"]


@pytest.mark.parametrize(
    ("files", "plain"),
    [
        ({}, True),
        ({f"{name}/x": "" for name in APART}, True),
        ({"usr/local/lib/x": ""}, False),
        ({"etc/x": ""}, False),
        ({"utils/evaluator.py": ""}, True),
        ({"utils/json.py": ""}, False),
        ({"utils/json/x": ""}, False),
        ({"utils/json.abi3.so": ""}, False),
        ({"utils/jsonx.py": ""}, True),
        ({"utils/dayjob": ""}, False),
    ],
)
def test_a_layer_that_leaves_every_import_as_it_is_may_be_graded_warm(
    tmp_path: Path, files: dict[str, str], plain: bool
) -> None:
    found = layers(tmp_path, {}, files)
    assert graders._plain(found, frozenset({"json", "os"})) is plain


def test_a_linked_utils_is_never_graded_warm(tmp_path: Path) -> None:
    (found,) = layers(tmp_path, {})
    (found / "utils").symlink_to("workspace")
    assert graders._plain((found,), frozenset()) is False


@pytest.mark.parametrize(
    ("env", "warm"),
    [
        ({}, True),
        ({"LANG": "C.UTF-8", "HOME": "/utils"}, True),
        ({"LANG": "de_DE"}, False),
        *(({f"{name}X": "1"}, False) for name in ("LD_", "LC_", "MALLOC_", "GLIBC_", "OPENSSL_")),
        ({"LC_ALL": "C.UTF-8"}, True),
        ({"OLD_": "1"}, True),
    ],
)
def test_settings_that_a_program_reads_at_its_start_need_one_of_its_own(env: dict[str, str], warm: bool) -> None:
    class Started(graders.WarmGraders):
        asked = 0

        async def _start(self, image: Image) -> None:
            self.asked += 1

    async def main() -> int:
        found = Started()
        image = Image(key="k", layers=(Path("/top"), Path("/base")))
        assert await found.of(image, env) is None
        return found.asked

    assert asyncio.run(main()) == (1 if warm and os.geteuid() == 0 else 0)


# -- the warden -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("soft", "hard", "raised"),
    [
        (1024, resource.RLIM_INFINITY, 524_288),
        (1024, 4096, 4096),
        (1024, 1 << 20, 524_288),
        (524_288, 1 << 20, None),
        (1 << 20, 1 << 20, None),
        (4096, 4096, None),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, None),
    ],
)
def test_open_files_are_raised_as_far_as_may_be(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, raised: int | None
) -> None:
    set_to: list[tuple[int, tuple[int, int]]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda *given: set_to.append(given))
    warden._raise_open_files()
    assert set_to == ([] if raised is None else [(resource.RLIMIT_NOFILE, (raised, hard))])
    assert (warden.LARGEST_MESSAGE, warden.MOST_DESCRIPTORS) == (65536, 200)


# -- tables of the kernel's -------------------------------------------------------------------------------------------

CAPABILITIES = (
    "chown dac_override dac_read_search fowner fsetid kill setgid setuid setpcap linux_immutable net_bind_service "
    "net_broadcast net_admin net_raw ipc_lock ipc_owner sys_module sys_rawio sys_chroot sys_ptrace sys_pacct sys_admin "
    "sys_boot sys_nice sys_resource sys_time sys_tty_config mknod lease audit_write audit_control setfcap mac_override "
    "mac_admin syslog wake_alarm block_suspend audit_read perfmon bpf checkpoint_restore"
)


def test_capabilities_have_the_kernels_numbers_and_rooms_have_these() -> None:
    assert " ".join(kernel.CAPABILITIES) == CAPABILITIES
    assert set(room_commands.EXAMINEE_CAPABILITIES) == {
        "chown", "dac_override", "fowner", "fsetid", "kill", "setgid", "setuid", "setpcap", "net_bind_service",
        "sys_chroot", "mknod", "audit_write", "setfcap",
    }  # fmt: skip
    assert set(room_commands.GRADER_CAPABILITIES) == {"dac_override", "dac_read_search", "fowner"}


NUMBERS = {
    "CLONE_NEWNS": 0x20000, "CLONE_NEWUTS": 0x4000000, "CLONE_NEWIPC": 0x8000000,
    "CLONE_NEWUSER": 0x10000000, "CLONE_NEWPID": 0x20000000, "CLONE_NEWNET": 0x40000000,
    "MS_RDONLY": 1, "MS_NOSUID": 2, "MS_NODEV": 4, "MS_NOEXEC": 8, "MS_NOATIME": 1024, "MS_NODIRATIME": 2048,
    "MS_REMOUNT": 32, "MS_BIND": 4096, "MS_REC": 16384, "MS_PRIVATE": 1 << 18, "MS_RELATIME": 1 << 21, "MNT_DETACH": 2,
    "_OPEN_TREE": 428, "_MOVE_MOUNT": 429, "_MOUNT_SETATTR": 442, "_AT_FDCWD": -100, "_AT_EMPTY_PATH": 0x1000,
    "_OPEN_TREE_CLONE": 1, "_MOVE_MOUNT_FROM_FD": 4, "_MOUNT_ATTR_IDMAP": 0x100000,
    "_PR_SET_PDEATHSIG": 1, "_PR_SET_DUMPABLE": 4, "_PR_SET_KEEPCAPS": 8, "_PR_SET_SECCOMP": 22,
    "_PR_CAPBSET_DROP": 24, "_PR_SET_NO_NEW_PRIVS": 38, "_PR_CAP_AMBIENT": 47,
    "_CAPABILITY_VERSION_3": 0x20080522,
}  # fmt: skip


def test_numbers_are_those_of_the_kernels_headers() -> None:
    assert {name: getattr(kernel, name) for name in NUMBERS} == NUMBERS


def test_the_folder_of_locks_is_this_users_alone(tmp_path: Path) -> None:
    place = tmp_path / "deep" / "run" / "locks"
    for _ in range(2):
        _private(place)
        assert [stat.S_IMODE(one.stat().st_mode) for one in (place, place.parent)] == [0o700, 0o700]
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        _private(tmp_path / "file")
    (tmp_path / "link").symlink_to(place)
    with pytest.raises(OSError, match="is not a folder of this user"):
        _private(tmp_path / "link")


def test_an_errand_that_failed_says_so_however_often_it_is_asked() -> None:
    async def story() -> None:
        errand = Errand(lasting=True)
        errand.add({"pid": 7}, [])
        assert await errand.next() == ({"pid": 7}, [])
        errand.add({"error": "no such room"}, [])
        for _ in range(2):
            with pytest.raises(SandboxError, match="no such room"):
                await errand.next()

    asyncio.run(story())
