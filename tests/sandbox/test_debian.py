"""The system that rooms stand on: who can make it, what it holds, and what a making that fails leaves."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from dayjob.sandbox import debian
from dayjob.sandbox.embedded import base
from dayjob.sandbox.embedded.identity import Identity, of_this_user
from dayjob.sandbox.embedded.layers import BASE, LayerStore
from dayjob.sandbox.sandbox import SandboxError
from dayjob.task import base_packages
from tests.sandbox.rooms import said

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="root makes it in its place; ordinary users in a namespace")


@pytest.fixture
def store(tmp_path: Path) -> LayerStore:
    """Layers of nobody else, with no system among them."""
    return LayerStore(tmp_path / "cache", of_this_user())


# -- who can make it --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("programs", "uid", "ranges", "why"),
    [
        ((), 0, "", "mmdebstrap is not installed; install it with: apt-get install mmdebstrap"),
        (("mmdebstrap",), 0, "", None),
        (("mmdebstrap",), 5, "ann:1:2", "newuidmap is not installed, which an ordinary user needs; "),
        (("mmdebstrap", "newuidmap"), 5, "", "subuid gives ann no ids; as root: usermod --add-subuids "),
        (("mmdebstrap", "newuidmap"), 5, "anna:100000:65536", "subuid gives ann no ids"),
        (("mmdebstrap", "newuidmap"), 5, "bob:1:2\nann:100000:65536\n", None),
        (("mmdebstrap", "newuidmap"), 5, "5:100000:65536", None),
    ],
)
def test_what_is_missing_is_said_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, programs: tuple[str, ...], uid: int, ranges: str, why: str | None
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: name if name in programs else None)
    monkeypatch.setattr("os.geteuid", lambda: uid)
    monkeypatch.setattr("pwd.getpwuid", lambda _: SimpleNamespace(pw_name="ann"))
    files = {"--add-subuids": tmp_path / "subuid", "--add-subgids": tmp_path / "subgid"}
    for file in files.values():
        file.write_text(ranges)
    monkeypatch.setattr(debian, "_RANGES", {option: str(file) for option, file in files.items()})
    found = debian.obstacle()
    assert (found is None) if why is None else why in str(found)


@pytest.mark.parametrize(("value", "why"), [("host", "DAYJOB_ROOT=host asks"), ("host: no network", "no network")])
def test_the_hosts_system_can_be_asked_for(
    monkeypatch: pytest.MonkeyPatch, store: LayerStore, value: str, why: str
) -> None:
    monkeypatch.setenv("DAYJOB_ROOT", value)
    with pytest.raises(SandboxError, match=why):
        base.own_base(store, lambda _: None)


# -- what it holds ----------------------------------------------------------------------------------------------------


def test_a_system_is_known_by_its_packages_and_their_versions() -> None:
    one = "Package: git\nStatus: ok\nVersion: 1\n\nPackage: jq\nVersion: 2\nDescription: x\n Version: 9\n"
    turned = "Package: jq\nMaintainer: y\nVersion: 2\n\nPackage: git\nVersion: 1\n"
    assert debian.fingerprint(one) == debian.fingerprint(turned)
    assert re.fullmatch("[0-9a-f]{12}", debian.fingerprint(one))
    for other in (one.replace("Version: 1", "Version: 3"), one.replace("jq", "jo"), ""):
        assert debian.fingerprint(other) != debian.fingerprint(one)


def test_another_list_is_another_system(monkeypatch: pytest.MonkeyPatch) -> None:
    before = debian.key()
    monkeypatch.setattr(debian, "PACKAGES", (*base_packages.PACKAGES, "tree"))
    assert debian.key() != before


def test_a_system_says_nothing_of_the_machine_and_knows_the_grader(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "var/log/apt").mkdir(parents=True)
    for name in ("hostname", "resolv.conf", "machine-id", "hosts", "passwd", "group"):
        (tmp_path / "etc" / name).write_text(f"{name} of this machine\n")
    (tmp_path / "var/log/apt/term.log").write_text("Monday\n")
    debian._forget_this_machine(tmp_path)
    assert {one.name: one.read_text() for one in (tmp_path / "etc").iterdir()} == {
        "resolv.conf": "",
        "hosts": "127.0.0.1 localhost\n",
        "passwd": "passwd of this machine\ngrader:x:60000:60000:grader:/tmp:/usr/sbin/nologin\n",
        "group": "group of this machine\ngrader:x:60000:\n",
    }
    assert list((tmp_path / "var/log").iterdir()) == []


@pytest.mark.parametrize("programs", [True, False])
def test_packages_of_python_bring_no_programs_and_their_records_name_none(tmp_path: Path, programs: bool) -> None:
    record = tmp_path / "tool-1.dist-info/RECORD"
    record.parent.mkdir()
    lines = ["tool/bin/inner.py,,\n", "tool-1.dist-info/RECORD,,\n"]
    record.write_text("".join(["../../bin/tool,sha256=a,1\n", "bin/tool,,\n"] * programs + lines))
    if programs:
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin/tool").write_text(f"#!{sys.executable}\n")
    debian._without_programs(tmp_path)
    assert record.read_text() == "".join(lines)
    assert [one.name for one in tmp_path.iterdir()] == ["tool-1.dist-info"]


@as_root
def test_what_is_somebodys_becomes_the_same_ones_of_the_room_with_its_permissions_and_once(tmp_path: Path) -> None:
    place = tmp_path / "system"
    (place / "bin").mkdir(parents=True)
    (place / "bin/su").write_text("x")
    os.chown(place / "bin/su", 0, 7)
    (place / "bin/su").chmod(0o4755)
    os.link(place / "bin/su", place / "bin/second")
    outside = tmp_path / "outside"
    outside.touch(0o600)
    (place / "bin/link").symlink_to(outside)
    base._move_owners(place, Identity(1000, 100))
    found = {
        str(one.relative_to(tmp_path)): (info.st_uid, info.st_gid, info.st_mode & 0o7777)
        for one in (place, *place.rglob("*"))
        if not stat.S_ISLNK((info := one.lstat()).st_mode)
    }
    assert found == {
        "system": (1000, 1000, 0o755), "system/bin": (1000, 1000, 0o755), "system/bin/su": (1000, 1007, 0o4755),
        "system/bin/second": (1000, 1007, 0o4755),
    }  # fmt: skip
    assert (place / "bin/link").lstat().st_uid == 1000
    assert (outside.stat().st_uid, outside.stat().st_mode & 0o7777) == (0, 0o600)


def test_a_room_has_the_programs_and_modules_of_the_list_and_no_name_of_this_machine(cache: Path) -> None:
    modules = ", ".join(sorted(base_packages.MODULES))
    text = said(
        cache,
        f"python3 -c 'import sys, requests, {modules}; print(sys.version_info[:2])'; "
        "for one in git curl wget jq sqlite3 pdftotext convert gcc g++ make unzip zip file less ssh; do "
        "command -v $one > /dev/null || echo $one is missing; done; "
        f"dpkg-query -W {' '.join(base_packages.PACKAGES)} > /dev/null && echo all there; "
        "locale 2>/dev/null | grep -c C.UTF-8; ls /etc/machine-id /etc/pip.conf 2>/dev/null; "
        "cat /etc/hostname /etc/resolv.conf /etc/hosts; ls -A /dev/mapper /home /opt /srv /var/log 2>/dev/null",
    )
    assert text.startswith(f"{base_packages.PYTHON_VERSION}\nall there\n")
    assert "workplace\n127.0.0.1 localhost\n" in text
    assert os.uname().nodename not in text.split()


def test_every_file_of_it_belongs_to_somebody_of_the_room(cache: Path) -> None:
    """Hard links too, which are met twice when owners are moved."""
    strangers = "find / -xdev \\( -uid +65533 -o -gid +65533 \\) ! -path /proc 2>/dev/null"
    assert int(said(cache, f"{strangers}; find /usr/bin -links +1 | wc -l")) > 1


def test_pip_can_exchange_what_came_from_pypi(cache: Path) -> None:
    told = said(cache, "pip list --format=freeze; pip uninstall -y -q python-pptx && pip show python-pptx")
    assert base_packages.WHEELS.keys() <= set(told.lower().replace("_", "-").split())
    assert "Package(s) not found: python-pptx" in told


def test_nothing_of_it_says_where_on_this_machine_it_was_made(cache: Path) -> None:
    store = base.layer_store(cache)
    made = base.own_base(store, lambda _: None)
    words = [str(store.bases.folder).encode(), str(cache).encode()]
    layers = [store.path(made.layers[1]), store.path(made.layers[0]) / "etc"]
    found = [
        str(path)
        for layer in layers
        for path in layer.rglob("*")
        if path.is_file() and not path.is_symlink() and any(word in path.read_bytes() for word in words)
    ]
    assert found == []


# -- a making that fails ----------------------------------------------------------------------------------------------


@pytest.fixture
def no_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine whose way to packages leads nowhere."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")


def left_in(store: LayerStore) -> list[str]:
    return sorted(path.name for path in store.folder.iterdir() if not path.name.startswith(".lock"))


@as_root
def test_without_a_way_to_packages_one_sentence_says_so_and_nothing_is_left(
    store: LayerStore, no_packages: None
) -> None:
    with pytest.raises(SandboxError) as error:
        base.own_base(store, lambda _: None)
    assert re.fullmatch(r"Debian 13 could not be made: [^\n]+", str(error.value))
    assert left_in(store) == []


@as_root
def test_a_disk_that_is_too_small_is_told_before_anything_is_loaded(tmp_path: Path) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "small", str(tmp_path)], check=True)
    try:
        store = LayerStore(tmp_path / "cache", of_this_user())
        with pytest.raises(SandboxError, match=r"^Debian 13 needs 1,200 MB in .*/cache/layers, where 6\d are free$"):
            base.own_base(store, lambda _: None)
        assert left_in(store) == []
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


MAKING = """
import sys
from pathlib import Path
from dayjob.sandbox.embedded.base import own_base
from dayjob.sandbox.embedded.identity import of_this_user
from dayjob.sandbox.embedded.layers import LayerStore
own_base(LayerStore(Path(sys.argv[1]), of_this_user()), lambda words: print(words, flush=True))
"""


@pytest.fixture
def making(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", MAKING, str(tmp_path / "cache")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.wait()


@as_root
def test_a_making_that_is_killed_ends_whole_and_the_next_start_clears_up(
    tmp_path: Path, store: LayerStore, making: subprocess.Popen[str]
) -> None:
    assert making.stdout is not None
    assert making.stdout.readline() == "downloading the system\n"
    (part,) = (one for one in left_in(store) if one.startswith(".making-"))
    making.send_signal(signal.SIGKILL)
    making.wait()
    ends = time.monotonic() + 60
    while any(str(tmp_path) in _command(pid) for pid in os.listdir("/proc") if pid.isdigit()):
        assert time.monotonic() < ends, "something goes on making it"
        time.sleep(0.05)
    assert left_in(store) == [part]
    store.sweep()
    assert left_in(store) == []


def _command(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace")
    except OSError:
        return ""


def test_systems_of_other_versions_are_cleared_away_and_this_ones_stays(store: LayerStore) -> None:
    ours = f"{BASE}{debian.key()}-{of_this_user().first}"
    for name in (ours, f"{ours}-common", f"{BASE}0123-{of_this_user().first}", f"{BASE}0123-5-agent", "another"):
        (store.folder / name / "files").mkdir(parents=True)
    told = base.remove_old(store)
    assert left_in(store) == ["another", ours, f"{ours}-common"]
    assert [line.partition(": ")[2] for line in told] == ["removed, which is of another version"] * 2
