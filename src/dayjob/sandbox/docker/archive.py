"""Files in and out of a container as tar streams, the way `docker cp` takes and gives them. Blocking: for threads."""

from __future__ import annotations

import contextlib
import io
import os
import tarfile
import time
from collections.abc import Callable, Container, Sequence
from pathlib import Path
from typing import IO

from dayjob.sandbox.receiving import NOT_HERE
from dayjob.sandbox.tree import Bounds, LeftOut, is_too_deep

# How much more than may be kept is read through, in the hope of smaller files behind it.
_PATIENCE = 4


def pack(out: IO[bytes], contents: Sequence[tuple[bytes | Path, str]], *, mode: int = 0o644, uid: int = 0) -> None:
    """Write a tar of files and trees, each with its name, all owned by `uid`."""

    def owned(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
        entry.uid = entry.gid = uid
        entry.uname = entry.gname = ""
        return entry if entry.isreg() or entry.isdir() or entry.issym() or entry.islnk() else None

    with tarfile.open(fileobj=out, mode="w|") as tar:
        for content, name in contents:
            if isinstance(content, bytes):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode, entry.mtime = len(content), mode, int(time.time())
                tar.addfile(owned(entry) or entry, io.BytesIO(content))
            else:
                tar.add(content, arcname=name, filter=owned)


def repack(archive: IO[bytes], out: IO[bytes]) -> None:
    """Write the folders, files and links of a tar as another, with names below its root, all owned by root."""
    with tarfile.open(fileobj=archive, mode="r|") as given, tarfile.open(fileobj=out, mode="w|") as tar:
        for entry in given:
            name = entry.name.strip("/")
            if not name or ".." in name.split("/") or is_too_deep(name):
                continue
            entry.name = name
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            if entry.isdir() or entry.issym():
                tar.addfile(entry)
            elif entry.isreg() and entry.sparse is None:
                tar.addfile(entry, given.extractfile(entry))


class TooMuch(OSError):
    """There is more than may be copied."""


def unpack(
    source: IO[bytes],
    into: Path,
    bounds: Bounds | None = None,
    *,
    link: Callable[[str, str], str] | None = None,
    only: Container[str] | None = None,
) -> LeftOut:
    """Write what a tar holds below `into`: folders, files and links; returns what was left out.

    Everything becomes readable and ours. Names that are not among `only` are passed over. What leaves the folder, lies
    too deep or is no file, folder or link is left out. Beyond a bound it is `TooMuch` or, when they say `partly`, left
    out as well.
    """
    into.mkdir(parents=True, exist_ok=True)
    left_out = LeftOut()
    try:
        tar = tarfile.open(fileobj=source, mode="r|")  # noqa: SIM115  # closed below, if it opens
    except tarfile.ReadError:
        return left_out  # nothing came: whoever sent it says why
    try:
        with tar:
            _Unpacking(tar, into, bounds or Bounds(), link, only, left_out).all()
    except tarfile.TarError as error:
        raise OSError(f"the stream ended early: {error}") from error
    return left_out


class _Unpacking:
    def __init__(
        self,
        tar: tarfile.TarFile,
        into: Path,
        bounds: Bounds,
        link: Callable[[str, str], str] | None,
        only: Container[str] | None,
        left_out: LeftOut,
    ) -> None:
        self.tar = tar
        self.into = into
        self.bounds = bounds
        self.link = link
        self.only = only
        self.left_out = left_out
        self.ends = None if bounds.seconds is None else time.monotonic() + bounds.seconds
        self.size = self.seen = self.entries = 0
        self.written: set[str] = set()

    def all(self) -> None:
        for entry in self.tar:
            name = entry.name.strip("/")
            if self.only is not None and name not in self.only:
                continue
            self.seen += entry.size
            self.entries += 1
            if over := self._over():
                self._beyond(over, name, f"and everything after it: {over}")
                return
            if entry.isreg() and self._is_too_much(entry.size):
                most = self.bounds.bytes
                self._beyond(f"there is more than the {most} bytes allowed", name, f"beyond {most} bytes")
            elif is_too_deep(name) or not _is_below(self.into, name):
                self.left_out.add(name)
            else:
                self._entry(entry, name)

    def _over(self) -> str:
        """Why nothing more is taken."""
        most = self.bounds
        if most.bytes is not None and most.partly and self.seen > _PATIENCE * most.bytes:
            return f"more than {_PATIENCE} times the {most.bytes} bytes allowed"
        if most.entries is not None and self.entries > most.entries:
            return f"more than {most.entries} files and folders"
        if self.ends is not None and time.monotonic() > self.ends:
            return f"not copied within {most.seconds:g} s"
        return ""

    def _is_too_much(self, size: int) -> bool:
        return self.bounds.bytes is not None and self.size + size > self.bounds.bytes

    def _beyond(self, sentence: str, name: str, why: str) -> None:
        if not self.bounds.partly:
            raise TooMuch(sentence)
        self.left_out.add(name, why)

    def _entry(self, entry: tarfile.TarInfo, name: str) -> None:
        try:
            written = self._write(entry, name)
        except OSError as error:
            if error.errno not in NOT_HERE:
                raise
            written = False
        if not written:
            self.left_out.add(name)
        elif entry.isreg():
            self.size += entry.size

    def _write(self, entry: tarfile.TarInfo, name: str) -> bool:
        """Write one entry; says whether it was one that can be."""
        target = self.into / name
        if entry.isdir():
            target.mkdir(parents=True, exist_ok=True)
            return True
        target.parent.mkdir(parents=True, exist_ok=True)
        if entry.issym():
            target.symlink_to(self.link(name, entry.linkname) if self.link else entry.linkname)
            return True
        if entry.islnk():
            # A second name of a file, and only of one that this very stream has brought.
            first = entry.linkname.strip("/")
            if first not in self.written:
                return False
            os.link(self.into / first, target, follow_symlinks=False)
            return True
        if not entry.isreg():
            return False
        content = self.tar.extractfile(entry)
        assert content is not None
        with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
            while part := content.read(1 << 20):
                file.write(part)
        target.chmod(entry.mode & 0o777 | 0o444)
        with contextlib.suppress(OSError, OverflowError):  # a time that no clock has shown
            os.utime(target, (entry.mtime, entry.mtime))
        self.written.add(name)
        return True


def _is_below(into: Path, name: str) -> bool:
    """Whether a name stays in the folder: no `..`, and no folder above it that is a link."""
    if ".." in name.split("/"):
        return False
    place = into
    for part in name.split("/")[:-1]:
        place = place / part
        if place.is_symlink():
            return False
    return True
