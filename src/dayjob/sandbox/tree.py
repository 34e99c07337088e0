"""A folder as a stream: how files go into a room and come out of it, without running anything that is in the room.

A stream is a series of frames: one line of JSON about an entry, then its bytes. Folders, files and symbolic links
travel, a second name of a file as a reference to its first; pipes, sockets and devices are left out. The last frame
names what was left out. This side uses nothing but system calls, because it runs inside an examinee's mount namespace,
and expects anything there to change between two of them. `receiving` is the other side.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import time
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

CHUNK = 1 << 20

# Deeper or longer than this, an entry is left out: the host could not write it, and nobody's work needs it.
_DEEPEST = 100
_LONGEST = 2000

# How many names of what was left out travel; the others are counted.
MOST_NAMES = 100

_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
OPAQUE = "user.overlay.opaque"


def is_too_deep(name: str) -> bool:
    return name.count("/") > _DEEPEST or len(os.fsencode(name)) > _LONGEST


class TreeError(Exception):
    """A stream that is not whole, or larger than was allowed."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much may travel. Beyond a bound it is an error or, with `partly`, left out."""

    bytes: int | None = None
    entries: int | None = None
    seconds: float | None = None
    partly: bool = False


class LeftOut:
    """What does not travel, and why: the first names, and how many there are."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.count = 0

    def add(self, name: str, why: str = "") -> None:
        self.count += 1
        if len(self.names) < MOST_NAMES:
            self.names.append(name[:200] + (f" ({why})" if why else ""))

    def add_all(self, names: Sequence[str], more: int) -> None:
        """What another list has, as it says it."""
        self.names += names[: MOST_NAMES - len(self.names)]
        self.count += len(names) + more

    @property
    def more(self) -> int:
        return self.count - len(self.names)

    def as_list(self) -> list[str]:
        return [*self.names, f"and {self.more} more"] if self.more else self.names


def send(
    out: int,
    roots: Iterable[tuple[str, str]],
    bounds: Bounds | None = None,
    *,
    changes_in: int | None = None,
    without: Iterable[str] = (),
) -> None:
    """Write each `(path, name)`: the tree at `path`, called `name` in the stream.

    `changes_in` is the writable layer of an overlay: paths are relative to it, what it hides of the layers below
    travels as gone, and folders that hide everything below as new. Names in `without` do not travel at all.
    """
    sender = Sender(out, bounds, layer=changes_in is not None, without=frozenset(without))
    for path, name in roots:
        sender.entry(path, name, changes_in)
    sender.end()


def send_content(out: int, content: bytes, name: str, mode: int) -> None:
    """Write a stream of one file."""
    sender = Sender(out)
    facts = {"name": name, "mode": mode, "uid": 0, "gid": 0, "time": time.time_ns(), "kind": "file"}
    sender.frame({**facts, "size": len(content), "parts": [(0, len(content))] if content else []})
    sender.write(content)
    sender.end()


class Gone(Exception):
    """Nobody reads the stream any more."""


class Sender:
    """Writes frames. Whatever cannot be read is left out; only a bound without `partly` is an error."""

    def __init__(
        self,
        out: int,
        bounds: Bounds | None = None,
        *,
        layer: bool = False,
        without: Container[str] = frozenset(),
    ) -> None:
        self.out = out
        self.without = without
        self.bounds = bounds or Bounds()
        self.layer = layer
        self.left_out = LeftOut()
        self._bytes = 0
        self._entries = 0
        self._ends = None if self.bounds.seconds is None else time.monotonic() + self.bounds.seconds
        self._stopped = False
        self._first_names: dict[tuple[int, int], str] = {}

    def frame(self, facts: dict[str, Any]) -> None:
        self.write(json.dumps(facts).encode() + b"\n")

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self.out, view) :]
            except BrokenPipeError as error:
                raise Gone from error

    def end(self) -> None:
        self.frame({"end": True, "left_out": self.left_out.names, "more": self.left_out.more})

    def entry(self, path: str, name: str, at: int | None = None) -> None:
        """One entry; `path` is relative to the folder open at `at`, so nothing can be swapped on the way to it."""
        if name in self.without or self._is_over(name):
            return
        try:
            self._entry(path, name, at)
        except FileNotFoundError:
            return
        except OSError as error:
            # Replaced while we looked, or held by somebody inside: theirs to lose.
            self._leave_out(name, os.strerror(error.errno or errno.EIO))

    def _leave_out(self, name: str, why: str = "") -> None:
        self.left_out.add(name, why)
        if self.layer:
            # What the image has in its place is not what was left there.
            self.frame({"name": name, "kind": "gone", "time": time.time_ns()})

    def _is_over(self, name: str) -> bool:
        """Whether the entries or the time allowed are used up; said once."""
        if self._stopped:
            return True
        entries, over = self.bounds.entries, ""
        if entries is not None and self._entries >= entries:
            over = f"more than {entries} files and folders"
        elif self._ends is not None and time.monotonic() > self._ends:
            over = f"not copied within {self.bounds.seconds:g} s"
        if over:
            if not self.bounds.partly:
                raise TreeError(over)
            self._stopped = True
            self.left_out.add(name, f"and everything after it: {over}")
        self._entries += 1
        return self._stopped

    def _entry(self, path: str, name: str, at: int | None) -> None:
        info = os.stat(path, dir_fd=at, follow_symlinks=False)
        if is_too_deep(name):
            self.left_out.add(name, "too deep, or its name too long")
        elif stat.S_ISLNK(info.st_mode):
            self.frame({**_facts(name, info), "kind": "link", "target": os.readlink(path, dir_fd=at)})
        elif stat.S_ISDIR(info.st_mode) or stat.S_ISREG(info.st_mode):
            self._opened(path, name, at)
        elif self.layer and stat.S_ISCHR(info.st_mode) and info.st_rdev == 0:
            self.frame({**_facts(name, info), "kind": "gone"})
        else:
            self._leave_out(name)

    def _opened(self, path: str, name: str, at: int | None) -> None:
        """A folder or a file: what it is counts once it is open, not what it was when we looked."""
        fd = os.open(path, _OPEN, dir_fd=at)
        try:
            info = os.fstat(fd)
            if stat.S_ISDIR(info.st_mode):
                self.frame({**_facts(name, info), "kind": "folder", "new": self.layer and _is_opaque(fd)})
                for child in sorted(os.listdir(fd)):
                    self.entry(child, f"{name}/{child}" if name else child, fd)
            elif stat.S_ISREG(info.st_mode):
                self._file(fd, name, info)
            else:
                self._leave_out(name)
        finally:
            os.close(fd)

    def _file(self, fd: int, name: str, info: os.stat_result) -> None:
        facts = _facts(name, info)
        known = (info.st_dev, info.st_ino)
        if info.st_nlink > 1 and known in self._first_names:
            self.frame({**facts, "kind": "same", "as": self._first_names[known]})
            return
        parts = _parts(fd, info.st_size)
        size = sum(length for _, length in parts)
        if self.bounds.bytes is not None and self._bytes + size > self.bounds.bytes:
            if not self.bounds.partly:
                raise TreeError(f"there is more than the {self.bounds.bytes} bytes allowed")
            self._leave_out(name, f"beyond {self.bounds.bytes} bytes")
            return
        self._bytes += size
        if info.st_nlink > 1:
            self._first_names[known] = name
        self.frame({**facts, "kind": "file", "size": info.st_size, "parts": parts})
        for start, length in parts:
            while length:
                data = _read(fd, start, min(length, CHUNK))
                self.write(data)
                start, length = start + len(data), length - len(data)


def _facts(name: str, info: os.stat_result) -> dict[str, Any]:
    mode = stat.S_IMODE(info.st_mode)
    return {"name": name, "mode": mode, "uid": info.st_uid, "gid": info.st_gid, "time": info.st_mtime_ns}


def _is_opaque(folder: int) -> bool:
    try:
        return os.getxattr(folder, OPAQUE) == b"y"
    except OSError:
        return False


def _read(fd: int, start: int, length: int) -> bytes:
    """What is there; zeros where a file became shorter after its size was said."""
    try:
        return os.pread(fd, length, start) or bytes(length)
    except OSError:
        return bytes(length)


def _parts(file: int, size: int) -> list[tuple[int, int]]:
    """Where a file has bytes; its holes do not travel, so that a huge empty file costs nothing."""
    parts = []
    end = 0
    while end < size:
        try:
            start = os.lseek(file, end, os.SEEK_DATA)
        except OSError:
            break
        if start >= size:
            break
        end = min(os.lseek(file, start, os.SEEK_HOLE), size)
        if end <= start:
            break  # cut short while we looked
        parts.append((start, end - start))
    return parts
