"""A folder as a stream: how files go into a room and come out of it, without running anything that is in the room.

A stream is a series of frames: one line of JSON about an entry, then its bytes. Only folders, files and symbolic links
travel; pipes, sockets and devices are left out, and named in the last frame. The reader and the writer use nothing but
system calls, because they run inside an examinee's mount namespace.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import time
from collections.abc import Callable, Iterable
from typing import Any, BinaryIO

CHUNK = 1 << 20

# Deeper or longer than this, an entry is left out: the host could not write it, and nobody's work needs it.
_DEEPEST = 100
_LONGEST = 2000


def is_too_deep(name: str) -> bool:
    return name.count("/") > _DEEPEST or len(name) > _LONGEST


class TreeError(Exception):
    """A stream that is not whole, or larger than was allowed."""


def send(out: int, roots: Iterable[tuple[str, str]], *, limit: int | None = None) -> None:
    """Write each `(path, name)`: the tree at `path`, called `name` in the stream. Over `limit` bytes is an error."""
    sender = Sender(out, limit)
    for path, name in roots:
        sender.entry(path, name)
    sender.frame({"end": True, "left_out": sender.left_out[:100]})


def send_content(out: int, content: bytes, name: str, mode: int) -> None:
    """Write a stream of one file."""
    sender = Sender(out, None)
    facts = {"name": name, "mode": mode, "uid": 0, "gid": 0, "time": time.time_ns(), "kind": "file"}
    sender.frame({**facts, "size": len(content), "parts": [(0, len(content))] if content else []})
    sender.write(content)
    sender.frame({"end": True, "left_out": []})


class Sender:
    """Writes frames."""

    def __init__(self, out: int, limit: int | None) -> None:
        self.out = out
        self.limit = limit
        self.sent = 0
        self.left_out: list[str] = []

    def frame(self, facts: dict[str, Any]) -> None:
        self.write(json.dumps(facts).encode() + b"\n")

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self.out, view) :]

    def entry(self, path: str, name: str, at: int | None = None) -> None:
        """One entry; `path` is relative to the folder open at `at`, so nothing can be swapped on the way to it."""
        try:
            info = os.stat(path, dir_fd=at, follow_symlinks=False)
        except FileNotFoundError:
            return
        if is_too_deep(name):
            self.left_out.append(name[:200])
            return
        facts: dict[str, Any] = {"name": name, "mode": stat.S_IMODE(info.st_mode), "uid": info.st_uid,
                                 "gid": info.st_gid, "time": info.st_mtime_ns}  # fmt: skip
        if stat.S_ISLNK(info.st_mode):
            self.frame({**facts, "kind": "link", "target": os.readlink(path, dir_fd=at)})
        elif stat.S_ISDIR(info.st_mode):
            self.frame({**facts, "kind": "folder"})
            folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)
            try:
                for child in sorted(os.listdir(folder)):
                    self.entry(child, f"{name}/{child}" if name else child, folder)
            finally:
                os.close(folder)
        elif stat.S_ISREG(info.st_mode):
            self.file(path, at, facts, info.st_size)
        else:
            self.left_out.append(name)

    def file(self, path: str, at: int | None, facts: dict[str, Any], size: int) -> None:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=at)
        try:
            parts = _parts(file, size)
            self.sent += sum(length for _, length in parts)
            if self.limit is not None and self.sent > self.limit:
                raise TreeError(f"there is more than the {self.limit} bytes allowed")
            self.frame({**facts, "kind": "file", "size": size, "parts": parts})
            for start, length in parts:
                while length:
                    data = os.pread(file, min(length, CHUNK), start) or bytes(min(length, CHUNK))
                    self.write(data)
                    start, length = start + len(data), length - len(data)
        finally:
            os.close(file)


def _parts(file: int, size: int) -> list[tuple[int, int]]:
    """Where a file has bytes; its holes do not travel, so that a huge empty file costs nothing."""
    parts = []
    end = 0
    while end < size:
        try:
            start = os.lseek(file, end, os.SEEK_DATA)
        except OSError:
            break
        end = os.lseek(file, start, os.SEEK_HOLE)
        parts.append((start, min(end, size) - start))
    return parts


def receive(
    source: BinaryIO,
    folder: str,
    *,
    owner: Callable[[int, int], tuple[int, int]] | None = None,
    link: Callable[[str, str], str] | None = None,
) -> list[str]:
    """Write a stream below `folder`; returns what was left out.

    `owner` gives the uid and gid an entry gets here (absent: whoever runs this); `link` may replace a symbolic link's
    target. Names that would leave the folder are refused.
    """
    folders: list[tuple[str, int, int]] = []
    while True:
        line = source.readline()
        if not line.endswith(b"\n"):
            raise TreeError("the stream ended early")
        facts = json.loads(line)
        if facts.get("error"):
            raise TreeError(facts["error"])
        if facts.get("end"):
            break
        name = facts["name"]
        if name.startswith("/") or ".." in name.split("/"):
            raise TreeError(f"'{name}' would leave the folder")
        path = os.path.join(folder, name) if name else folder
        os.makedirs(os.path.dirname(path), exist_ok=True)
        _write(source, facts, path, link)
        if owner is not None:
            uid, gid = owner(facts["uid"], facts["gid"])
            os.chown(path, uid, gid, follow_symlinks=False)
        if facts["kind"] == "folder":
            folders.append((path, facts["mode"], facts["time"]))
        elif facts["kind"] == "file":
            os.chmod(path, facts["mode"])
            os.utime(path, ns=(facts["time"], facts["time"]))
    for path, mode, changed in reversed(folders):
        os.chmod(path, mode)
        os.utime(path, ns=(changed, changed))
    left_out: list[str] = facts["left_out"]
    return left_out


def _write(source: BinaryIO, facts: dict[str, Any], path: str, link: Callable[[str, str], str] | None) -> None:
    if facts["kind"] == "folder":
        if os.path.islink(path) or not os.path.isdir(path):
            _remove(path)
            os.mkdir(path, 0o700)
        return
    _remove(path)
    if facts["kind"] == "link":
        target = facts["target"]
        os.symlink(link(facts["name"], target) if link else target, path)
        return
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.ftruncate(file, facts["size"])
        for start, length in facts["parts"]:
            while length:
                data = source.read(min(length, CHUNK))
                if not data:
                    raise TreeError("the stream ended early")
                view = memoryview(data)
                while view:
                    done = os.pwrite(file, view, start)
                    view, start, length = view[done:], start + done, length - done
    finally:
        os.close(file)


def _remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
