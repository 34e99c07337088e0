"""Names for what must not outlive its process: each carries the mark of the process it belongs to.

A mark is the machine's boot, the PID namespace, the pid and when the process started, so neither a reused pid nor the
same pid in another container is taken for the owner. What a killed process left is found by its name alone.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shutil
import stat
import sys
import tempfile
from pathlib import Path

_MARKED = re.compile(r"dayjob-(?P<kind>[a-z]+)-(?P<mark>[0-9a-f]{8}\.[0-9a-f]+\.\d+\.\d+)-")


@functools.cache
def _here() -> str:
    """This boot of this machine, and our PID namespace."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text()[:8]
        return f"{boot}.{os.stat('/proc/self/ns/pid').st_ino:x}"
    except OSError:
        return "00000000.0"


def start_time(pid: int) -> str | None:
    """When a process started, in the kernel's ticks; None when there is no such process."""
    if sys.platform != "linux":
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return None
        except PermissionError:
            pass  # it is there, and somebody else's
        return "0"
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else fields[19]


def mark() -> str:
    """The mark of this process."""
    return mark_of(os.getpid())


@functools.cache
def mark_of(pid: int) -> str:
    return f"{_here()}.{pid}.{start_time(pid)}"


def prefix(kind: str) -> str:
    """How the name of something of ours begins; `kind` is one lower-case word."""
    return f"dayjob-{kind}-{mark()}-"


def mark_in(name: str) -> str | None:
    found = _MARKED.match(name)
    return found["mark"] if found else None


def is_gone(owner: str, *, other_boots: bool = True) -> bool:
    """Whether the process with this mark has certainly ended. `other_boots`: marks of other boots are this machine's.

    Of another container's processes nothing is known, so what is theirs is theirs.
    """
    boot, space, pid, start = owner.split(".")
    here_boot, here_space = _here().split(".")
    if boot != here_boot:
        return other_boots
    return space == here_space and start_time(int(pid)) != start


def pid_of(owner: str) -> int:
    return int(owner.split(".")[2])


def folder(kind: str) -> Path:
    """A temporary folder of this process; should it be killed, the next sweep removes it."""
    return Path(tempfile.mkdtemp(prefix=prefix(kind)))


def private(folder: Path) -> Path:
    """Have a folder that nobody else can look into; one of ours that others could until now is closed.

    One that is meant for everybody (as /tmp is) or belongs to somebody else is left as it is.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    facts = folder.stat()
    if facts.st_uid == os.geteuid() and facts.st_mode & 0o077 and not facts.st_mode & stat.S_ISVTX:
        with contextlib.suppress(PermissionError):  # a file system whose modes were settled when it was mounted
            folder.chmod(0o700)
    return folder


def private_cache(cache: Path, part: str) -> Path:
    """The folder of a cache where something of ours is kept. A cache made now is private as a whole."""
    if not cache.exists():
        private(cache)
    return private(cache / part)


def abandoned_folders() -> list[Path]:
    """Our own temporary folders whose process has ended."""
    found = []
    for entry in os.scandir(tempfile.gettempdir()):
        owner = mark_in(entry.name)
        if owner is not None and is_gone(owner):
            try:
                facts = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue  # another sweep was faster
            if stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid():
                found.append(Path(entry.path))
    return sorted(found)


def sweep_folders() -> list[str]:
    """Remove them; returns a sentence for each."""
    done = []
    for path in abandoned_folders():
        shutil.rmtree(path, ignore_errors=True)
        done.append(f"{path}: removed, process {pid_of(mark_in(path.name) or '')} has ended")
    return done
