"""What a company's process gives up, in which order, and what is said when something cannot be had."""

from __future__ import annotations

import json
import os
import resource
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from dayjob.sandbox import kernel
from dayjob.sandbox.sandbox import Limits
from dayjob.trial.company_process import confine, processes
from dayjob.trial.company_process.confine import Allowance

ALLOWANCE = Allowance(memory=1000, disk=2000, files=30, processes=4, open_files=50)


class Kernel:
    """Notes what would be asked of the kernel; nothing is done. `refuses` names calls that fail."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, uid: int, refuses: tuple[str, ...] = ()) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.refuses = refuses
        for name in ("unshare", "mount", "umount", "bind_read_only", "loopback_up", "bound_capabilities",
                     "set_capabilities", "hide_memory", "no_new_privileges", "filter_calls", "pivot_root"):  # fmt: skip
            monkeypatch.setattr(kernel, name, self._noting(name))
        for name in ("chown", "setgroups", "setresgid", "setresuid", "umask"):
            monkeypatch.setattr(os, name, self._noting(name))
        monkeypatch.setattr(os, "geteuid", lambda: uid)
        monkeypatch.setattr(os, "getpid", lambda: 77)
        monkeypatch.setattr(resource, "getrlimit", lambda _: (1, resource.RLIM_INFINITY))
        monkeypatch.setattr(resource, "setrlimit", lambda number, pair: self.asked.append(("limit", number, pair)))

    def _noting(self, name: str) -> Any:
        def note(*given: Any, **named: Any) -> None:
            if name in self.refuses:
                raise OSError(1, "not permitted")
            self.asked.append((name, *given, *named.values()))

        return note

    def names(self) -> list[str]:
        return [one[0] for one in self.asked if one[0] != "limit"]

    def limits(self) -> dict[int, tuple[int, int]]:
        return {one[1]: one[2] for one in self.asked if one[0] == "limit"}


OWN_VIEW = [
    ("unshare", 0x20000),
    ("mount", "none", "/", "", 0x44000),
    ("mount", "company", "/company", "tmpfs", 6, "size=2000,nr_inodes=30,mode=0700"),
    ("bind_read_only", "/host/snap", "/snapshot"),
    ("umount", "/host"),
]
LAST = ["hide_memory", "no_new_privileges", "filter_calls", "umask"]


def test_root_becomes_an_uid_that_nobody_else_has_in_a_view_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confine, "_HOST", str(tmp_path))
    (tmp_path / "group").write_text("")
    seen = Kernel(monkeypatch, 0)
    assert confine.enter(ALLOWANCE, "/snap", ["/group"], rooted=True) == []
    assert (tmp_path / "group").read_text() == "0"
    expected = [
        tuple(str(word).replace("/host", str(tmp_path)) if isinstance(word, str) else word for word in one)
        for one in OWN_VIEW
    ]
    assert [one for one in seen.asked[:5] if one[0] != "limit"] == expected
    assert ("unshare", 0x40000000 | 0x8000000 | 0x4000000) in seen.asked
    uid = 1_800_000_077
    became: list[tuple[Any, ...]] = [
        ("chown", "/company", uid, uid),
        ("setgroups", []),
        ("setresgid", uid, uid, uid),
        ("setresuid", uid, uid, uid),
    ]
    at = seen.asked.index(became[0])
    assert seen.asked[at : at + 4] == became
    assert seen.names()[-4:] == LAST
    assert seen.asked[-1] == ("umask", 0o077)
    assert not {"bound_capabilities", "set_capabilities"} & set(seen.names())


@pytest.mark.parametrize(("uid", "rooted"), [(1000, True), (1000, False), (0, False)])
def test_whoever_cannot_become_another_gives_up_all_powers(
    monkeypatch: pytest.MonkeyPatch, uid: int, rooted: bool
) -> None:
    seen = Kernel(monkeypatch, uid)
    missing = confine.enter(ALLOWANCE, "/snap", [], rooted=rooted)
    files = [] if rooted else ["the company's process sees the files that its user sees"]
    assert missing == ["memory and CPU of the company are limited per process, not together", *files]
    assert ("bound_capabilities", 0) in seen.asked
    assert ("set_capabilities", 0) in seen.asked
    assert not {"setresuid", "setresgid", "setgroups", "chown"} & set(seen.names())
    assert ("umount" in seen.names()) is rooted
    assert seen.names()[-4:] == LAST


@pytest.mark.parametrize("refused", ["unshare", "loopback_up"])
def test_a_network_that_cannot_be_had_is_said(monkeypatch: pytest.MonkeyPatch, refused: str) -> None:
    Kernel(monkeypatch, 1000, (refused,))
    missing = confine.enter(ALLOWANCE, "/snap", [], rooted=False)
    assert missing[-1] == "the company's process has the host's network"


def test_a_machine_without_a_filter_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Kernel(monkeypatch, 1000)
    monkeypatch.setattr(confine, "_FILTER", b"")
    missing = confine.enter(ALLOWANCE, "/snap", [], rooted=False)
    assert missing[-1] == "the company's system calls are not filtered on this kind of machine"
    assert "filter_calls" not in seen.names()


@pytest.mark.parametrize("uid", [0, 1000])
@pytest.mark.parametrize("memory", [True, False])
def test_a_process_is_limited_in_files_and_where_no_group_does_it_in_memory(
    monkeypatch: pytest.MonkeyPatch, uid: int, memory: bool
) -> None:
    seen = Kernel(monkeypatch, uid)
    confine._limit(ALLOWANCE, memory=memory)
    wanted = {resource.RLIMIT_FSIZE: 2000, resource.RLIMIT_NOFILE: 50, resource.RLIMIT_CORE: 0}
    if memory:
        wanted[resource.RLIMIT_DATA] = 1000
    if uid == 0:
        wanted[resource.RLIMIT_NPROC] = 4
    assert seen.limits() == {number: (value, value) for number, value in wanted.items()}
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1, 40))
    seen.asked.clear()
    confine._limit(ALLOWANCE, memory=False)
    assert seen.limits()[resource.RLIMIT_NOFILE] == (40, 40)
    assert seen.limits()[resource.RLIMIT_CORE] == (0, 0)


# -- the small root ---------------------------------------------------------------------------------------------------


def test_what_is_shown_of_the_host_is_its_programs_python_and_a_few_files() -> None:
    found = confine._shown()
    assert found[-5:] == ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"]
    assert {"/usr", "/bin", "/lib"} <= set(found)
    assert "/" not in found
    assert len(found) == len(set(found))
    for one in found[:-5]:
        assert not [other for other in found if other != one and one.startswith(f"{other}/")]
    seen = [os.path.realpath(place) for place in (sys.prefix, sys.base_prefix, Path(confine.__file__).parents[3])]
    assert [one for one in seen if not any(f"{one}/".startswith(f"{other}/") for other in found)] == []
    shown = {one for one in found if one.startswith("/etc/")}
    names = {"localtime", "mime.types", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives"}
    assert {f"/etc/{name}" for name in names if os.path.lexists(f"/etc/{name}")} <= shown
    assert not {"/etc/passwd", "/etc/shadow", "/home", "/root", "/proc", "/sys", "/var", "/run"} & set(found)


def test_a_folder_behind_a_link_is_shown_under_both_names(tmp_path: Path) -> None:
    real = Path(os.path.realpath(tmp_path)) / "real"
    real.mkdir()
    (real.parent / "link").symlink_to(real)
    (real.parent / "file").touch()
    places = [str(real.parent / "link"), str(real), "relative", str(real.parent / "file"), str(real.parent / "absent")]
    assert confine._links(places) == [str(real.parent / "link")]


def test_files_folders_and_links_are_shown_read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Kernel(monkeypatch, 0)
    root, host = tmp_path / "root", tmp_path / "host"
    (host / "folder").mkdir(parents=True)
    (host / "file").touch()
    (host / "link").symlink_to("folder")
    for name in ("folder", "file", "link"):
        confine._show(str(host / name), str(root))
    confine._show("/dev/null", str(root))
    assert os.readlink(f"{root}{host}/link") == "folder"
    assert os.path.isdir(f"{root}{host}/folder")
    assert os.path.isfile(f"{root}{host}/file")
    assert seen.asked == [
        ("bind_read_only", f"{host}/folder", f"{root}{host}/folder", False),
        ("bind_read_only", f"{host}/file", f"{root}{host}/file", False),
        ("bind_read_only", "/dev/null", f"{root}/dev/null", True),
    ]


@pytest.mark.parametrize(("uid", "flags"), [(0, 0x20000), (1000, 0x10020000)])
def test_a_root_is_made_in_a_namespace_or_it_is_said_that_it_cannot_be(
    monkeypatch: pytest.MonkeyPatch, uid: int, flags: int
) -> None:
    seen = Kernel(monkeypatch, uid)
    written: dict[str, str] = {}
    filled: list[bool] = []
    monkeypatch.setattr(Path, "write_text", lambda self, text: written.update({str(self): text}))
    monkeypatch.setattr(os, "getuid", lambda: uid)
    monkeypatch.setattr(os, "getgid", lambda: 5)
    monkeypatch.setattr(confine, "_fill_root", lambda: filled.append(True))  # can fail: the namespace is what is tested
    assert confine.make_root() is True
    assert seen.asked == [("unshare", flags)]
    assert filled == [True]
    mapped = {"/proc/self/setgroups": "deny", "/proc/self/uid_map": "1000 1000 1", "/proc/self/gid_map": "5 5 1"}
    assert written == (mapped if uid else {})
    Kernel(monkeypatch, uid, ("unshare",))
    assert confine.make_root() is False
    monkeypatch.setattr(sys, "platform", "darwin")
    assert confine.make_root() is False


@pytest.mark.parametrize("works", [True, False])
def test_whether_a_root_can_be_made_is_tried_by_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, works: bool
) -> None:
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nprintf "%s\\n" "$PYTHONPATH" "$@" > {tmp_path}/asked\nexit {int(not works)}\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setattr(sys, "path", ["/a", "", "/b"])
    assert confine.can_make_root() is works
    program = "import sys; from dayjob.trial.company_process.confine import make_root; sys.exit(not make_root())"
    assert (tmp_path / "asked").read_text().splitlines() == ["/a:/b", "-c", program]


@pytest.mark.parametrize(("shown", "root"), [(["/usr"], "/mnt"), (["/mnt/python"], "/media"), (["/mnt"], "/media")])
def test_the_small_root_is_put_together_where_it_covers_nothing_that_is_shown(
    monkeypatch: pytest.MonkeyPatch, shown: list[str], root: str
) -> None:
    seen = Kernel(monkeypatch, 0)
    done: list[Any] = []
    monkeypatch.setattr(confine, "_shown", lambda: shown)  # can fail: where it is put together is what is tested
    monkeypatch.setattr(confine, "_show", lambda path, root: done.append((path, root)))  # can fail: likewise
    monkeypatch.setattr(os, "mkdir", lambda path, mode: done.append((path, mode)))
    monkeypatch.setattr(os, "chdir", done.append)
    confine._fill_root()
    folders = [(f"{root}{name}", 0o755) for name in ("/snapshot", "/company", "/host")]
    assert done == [*((path, root) for path in shown), *folders, root, "/"]
    assert seen.asked == [
        ("mount", "none", "/", "", 0x44000),
        ("mount", "root", root, "tmpfs", 2, "size=1m,mode=0755"),
        ("pivot_root", ".", "host"),
    ]


# -- what the driver hands over ---------------------------------------------------------------------------------------


def test_an_allowance_travels_as_plain_data() -> None:
    assert Allowance(**json.loads(json.dumps(asdict(ALLOWANCE)))) == ALLOWANCE


def test_modules_are_found_where_python_and_our_packages_are_and_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = {name: tmp_path / name for name in ("dayjob", "starlette", "pygit2", "uvloop")}
    for name, folder in ours.items():
        (folder / name).mkdir(parents=True)
    (tmp_path / "other").mkdir()
    places = [str(one) for one in (*ours.values(), tmp_path / "other")]
    monkeypatch.setattr(
        sys, "path", [*places, f"{sys.prefix}/lib/x", f"{sys.base_prefix}/lib/y", f"{sys.prefix}-not/z"]
    )
    wanted = [*places[:4], f"{sys.prefix}/lib/x", f"{sys.base_prefix}/lib/y"]
    assert processes._module_folders() == [str(Path(one).resolve()) for one in wanted]


def test_evidence_is_appended_to_and_its_users_alone(tmp_path: Path) -> None:
    for _ in range(2):
        handle = processes._append(tmp_path / "deep" / "journal", os.O_RDWR)
        assert os.get_inheritable(handle) is False
        os.write(handle, b"x")
        os.close(handle)
    assert (tmp_path / "deep" / "journal").read_bytes() == b"xx"
    assert oct((tmp_path / "deep" / "journal").stat().st_mode) == "0o100600"


def test_a_companys_group_has_its_own_share(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    monkeypatch.setattr(processes, "available", lambda: False)
    assert processes._group(Limits(disk=9)) is None
    monkeypatch.setattr(processes, "available", lambda: True)
    monkeypatch.setattr(processes, "Cgroup", lambda name, limits: made.append((name, limits)))
    processes._group(Limits(disk=9))
    ((name, limits),) = made
    assert name.startswith("company-")
    assert len(name) == len("company-") + 12
    assert limits == Limits(memory=768 << 20, disk=9, processes=256, cpus=1.0)
