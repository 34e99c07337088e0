"""Files in and out of a container as tar streams, the way `docker cp` takes and gives them."""

from __future__ import annotations

import io
import os
import tarfile
import time
from collections.abc import Callable
from pathlib import Path


def packed(content: bytes | Path, name: str, mode: int, uid: int = 0) -> bytes:
    """A tar with one file or tree called `name`, owned by `uid`."""

    def owned(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
        entry.uid = entry.gid = uid
        entry.uname = entry.gname = ""
        return entry if entry.isreg() or entry.isdir() or entry.issym() else None

    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        if isinstance(content, bytes):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(content), mode, int(time.time())
            tar.addfile(owned(entry) or entry, io.BytesIO(content))
        else:
            tar.add(content, arcname=name, filter=owned)
    return out.getvalue()


def unpack(
    data: bytes, into: Path, *, link: Callable[[str, str], str] | None = None, limit: int | None = None
) -> list[str]:
    """Write what a tar holds below `into`: folders, files and links; returns what was left out.

    Everything becomes readable and ours. A name that leaves the folder is left out.
    """
    left_out: list[str] = []
    size = 0
    into.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for entry in tar:
            name = entry.name.strip("/")
            target = into / name
            if name.startswith("..") or "/../" in f"/{name}/" or _through_link(into, name):
                left_out.append(entry.name)
            elif entry.isdir():
                target.mkdir(parents=True, exist_ok=True)
            elif entry.issym():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(link(name, entry.linkname) if link else entry.linkname)
            elif entry.isreg():
                size += entry.size
                if limit is not None and size > limit:
                    raise OSError(f"there is more than the {limit} bytes allowed")
                target.parent.mkdir(parents=True, exist_ok=True)
                source = tar.extractfile(entry)
                assert source is not None
                with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
                    while part := source.read(1 << 20):
                        file.write(part)
                target.chmod(entry.mode & 0o777 | 0o444)
            else:
                left_out.append(entry.name)
    return left_out


def _through_link(into: Path, name: str) -> bool:
    """Whether one of the folders above an entry is a link, which would lead the entry elsewhere."""
    place = into
    for part in name.split("/")[:-1]:
        place = place / part
        if place.is_symlink():
            return True
    return False
