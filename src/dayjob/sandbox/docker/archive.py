"""Files in and out of a container as tar streams, the way `docker cp` takes and gives them. Blocking: for threads."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import tarfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from dayjob.sandbox.embedded.tree import is_too_deep

# How much more than may be kept is read through, in the hope of smaller files behind it.
_PATIENCE = 4
# A name this file system does not take, or a thing in the way.
_NOT_HERE = (errno.ENAMETOOLONG, errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.EILSEQ, errno.EINVAL)


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
    *,
    link: Callable[[str, str], str] | None = None,
    limit: int | None = None,
    partly: bool = False,
) -> list[str]:
    """Write what a tar holds below `into`: folders, files and links; returns what was left out.

    Everything becomes readable and ours. What leaves the folder, lies too deep or is no file, folder or link is left
    out. Over `limit` bytes it is `TooMuch`, or with `partly` the files beyond it are left out.
    """
    into.mkdir(parents=True, exist_ok=True)
    try:
        tar = tarfile.open(fileobj=source, mode="r|")  # noqa: SIM115  # closed below, if it opens
    except tarfile.ReadError:
        return []  # nothing came: whoever sent it says why
    try:
        with tar:
            return _unpack(tar, into, link, limit, partly)
    except tarfile.TarError as error:
        raise OSError(f"the stream ended early: {error}") from error


def _unpack(
    tar: tarfile.TarFile, into: Path, link: Callable[[str, str], str] | None, limit: int | None, partly: bool
) -> list[str]:
    left_out: list[str] = []
    size = seen = 0
    for entry in tar:
        name = entry.name.strip("/")
        seen += entry.size
        if entry.isreg() and limit is not None and size + entry.size > limit:
            if not partly:
                raise TooMuch(f"there is more than the {limit} bytes allowed")
            left_out.append(name[:200])
            if seen > _PATIENCE * limit:
                left_out.append("everything after it")
                break
            continue
        if is_too_deep(name) or not _is_below(into, name):
            left_out.append(name[:200])
            continue
        try:
            written = _write(tar, entry, into, name, link)
        except OSError as error:
            if error.errno not in _NOT_HERE:
                raise
            written = False
        if not written:
            left_out.append(name[:200])
        elif entry.isreg():
            size += entry.size
    return left_out


def _write(
    tar: tarfile.TarFile, entry: tarfile.TarInfo, into: Path, name: str, link: Callable[[str, str], str] | None
) -> bool:
    """Write one entry; says whether it was one that can be."""
    target = into / name
    if entry.isdir():
        target.mkdir(parents=True, exist_ok=True)
        return True
    target.parent.mkdir(parents=True, exist_ok=True)
    if entry.issym():
        target.symlink_to(link(name, entry.linkname) if link else entry.linkname)
        return True
    if entry.islnk():
        # The same file under a second name; the first has been written, or was left out and so is this.
        first = entry.linkname.strip("/")
        if not _is_below(into, first) or (into / first).is_symlink() or not (into / first).is_file():
            return False
        os.link(into / first, target)
        return True
    if not entry.isreg():
        return False
    content = tar.extractfile(entry)
    assert content is not None
    with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
        while part := content.read(1 << 20):
            file.write(part)
    target.chmod(entry.mode & 0o777 | 0o444)
    with contextlib.suppress(OSError, OverflowError):  # a time that no clock has shown
        os.utime(target, (entry.mtime, entry.mtime))
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
