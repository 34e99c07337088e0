"""What a company's process gives up before it answers anybody: the host's files, its network, its uid, its powers.

The warm process makes a small root once: the system's programs and Python's own folders, read-only, and nothing else of
the host. Each company's process takes a copy of it with a disk of its own size (in memory, counted as its own) and the
snapshot, read-only. As root it becomes an uid that nobody else has; an ordinary user stays that user.
"""

from __future__ import annotations

import os
import resource
import ssl
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dayjob import seccomp
from dayjob.sandbox import kernel

SNAPSHOT, OWN, _HOST = "/snapshot", "/company", "/host"

# One uid for each process: high, and clear of the rooms' ranges and of what distributions hand out.
_FIRST_UID = 1_800_000_000

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = ("localtime", "mime.types", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives")
_DEVICES = ("null", "zero", "full", "random", "urandom")


try:
    _FILTER = seccomp.program()
except LookupError:
    _FILTER = b""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one company may use at most."""

    memory: int
    disk: int
    files: int
    processes: int
    open_files: int


def can_make_root() -> bool:
    """Whether `make_root` can be done here, tried by a process of its own."""
    program = f"import sys; from {__name__} import make_root; sys.exit(not make_root())"
    paths = os.pathsep.join(path for path in sys.path if path)
    return subprocess.run([sys.executable, "-c", program], env={"PYTHONPATH": paths}).returncode == 0


def make_root() -> bool:
    """Leave the host's files for a small root of our own, kept for every process forked from here.

    Returns whether it could be done; without it companies see the host's files as this user does.
    """
    if sys.platform != "linux":
        return False
    try:
        if os.geteuid() == 0:
            kernel.unshare(kernel.CLONE_NEWNS)
        else:
            _user_namespace()
        _fill_root()
    except OSError:
        return False
    return True


def _user_namespace() -> None:
    uid, gid = os.getuid(), os.getgid()
    kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")


def _fill_root() -> None:
    kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    shown = _shown()  # looked up before anything is covered
    # The new root is put together over a folder that every system has; what it covers is not shown.
    root = "/mnt"
    if any(path == root or path.startswith(f"{root}/") for path in shown):
        root = "/media"
    kernel.mount("root", root, "tmpfs", kernel.MS_NOSUID, "size=1m,mode=0755")
    for path in shown:
        _show(path, root)
    for name in (SNAPSHOT, OWN, _HOST):
        os.mkdir(root + name, 0o755)
    os.chdir(root)
    kernel.pivot_root(".", _HOST.lstrip("/"))
    os.chdir("/")


def _shown() -> list[str]:
    """What of the host a company's process needs: programs, Python, our own code, a few files and devices."""
    python = [sys.prefix, sys.base_prefix, sys.exec_prefix, str(Path(__file__).parents[3]), *sys.path]
    folders = sorted({str(Path(one).resolve()) for one in (*python, sys.executable) if one and os.path.exists(one)})
    settings = [f"/etc/{name}" for name in _ETC]
    wanted = [one for one in (*_SYSTEM, *settings) if os.path.lexists(one)]
    found: list[str] = []
    for path in (*wanted, *folders, *_links(python), *_certificates()):
        if path != "/" and not any(path == one or path.startswith(f"{one}/") for one in found):
            found.append(path)
    return found + [f"/dev/{name}" for name in _DEVICES]


def _certificates() -> list[str]:
    """Where this Python finds certificates, which libraries read when they are loaded."""
    paths = ssl.get_default_verify_paths()
    named = {paths.openssl_cafile, paths.openssl_capath}
    return sorted({os.path.realpath(path) for path in named if os.path.exists(path)})


def _links(paths: Iterable[str]) -> list[str]:
    """Folders that are reached through a link are shown under the name they are asked for, too."""
    return [
        path for path in paths if path.startswith("/") and os.path.isdir(path) and str(Path(path).resolve()) != path
    ]


def _show(path: str, root: str) -> None:
    target = root + path
    os.makedirs(os.path.dirname(target), 0o755, exist_ok=True)
    if os.path.islink(path):
        os.symlink(os.readlink(path), target)
        return
    if os.path.isdir(path):
        os.makedirs(target, 0o755, exist_ok=True)
    else:
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))
    kernel.bind_read_only(path, target, devices=path.startswith("/dev/"))


def enter(allowance: Allowance, snapshot: str, groups: Sequence[str], *, rooted: bool) -> list[str]:
    """Become a company's process: nothing here can be undone. Returns what could not be enforced.

    `groups` are the control groups' files to join; `rooted` whether `make_root` made one.
    """
    missing = []
    host = _HOST if rooted else ""
    for group in groups:
        with open(host + group, "w") as file:
            file.write("0")
    if not groups:
        missing.append("memory and CPU of the company are limited per process, not together")
    if rooted:
        _own_view(allowance, host + snapshot)
    else:
        missing.append("the company's process sees the files that its user sees")
    try:
        kernel.unshare(kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS)
        kernel.loopback_up()
    except OSError:
        missing.append("the company's process has the host's network")
    _limit(allowance, memory=not groups)
    if os.geteuid() == 0 and rooted:
        uid = _FIRST_UID + os.getpid()
        os.chown(OWN, uid, uid)
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    elif sys.platform == "linux":
        # Without a root of its own it could not reach its files as anybody else.
        kernel.bound_capabilities(0)
        kernel.set_capabilities(0)
    kernel.hide_memory()
    kernel.no_new_privileges()
    if _FILTER:
        kernel.filter_calls(_FILTER)
    else:
        missing.append("the company's system calls are not filtered on this kind of machine")
    os.umask(0o077)
    return missing


def _own_view(allowance: Allowance, snapshot: str) -> None:
    """A disk of its own, the snapshot, and nothing more of the host."""
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    options = f"size={allowance.disk},nr_inodes={allowance.files},mode=0700"
    kernel.mount("company", OWN, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)
    kernel.bind_read_only(snapshot, SNAPSHOT)
    kernel.umount(_HOST)


def _limit(allowance: Allowance, *, memory: bool) -> None:
    limits: Mapping[int, int] = {
        resource.RLIMIT_FSIZE: allowance.disk,
        resource.RLIMIT_NOFILE: allowance.open_files,
        resource.RLIMIT_CORE: 0,
        **({resource.RLIMIT_DATA: allowance.memory} if memory else {}),
        # Counted by uid: an ordinary user has other processes too.
        **({resource.RLIMIT_NPROC: allowance.processes} if os.geteuid() == 0 else {}),
    }
    for number, value in limits.items():
        hard = resource.getrlimit(number)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(number, (value, value))
