"""What snapshots have in common is on the disk once: files of the same content are links to one file.

Variants of a task differ in a document or two, and their snapshots in one database and a blob. Snapshots are never
written to, so a link is as good as a copy; where the file system has no links, copies stay.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

_SMALLEST = 512  # bytes: below, a file costs less than looking for another like it


def share(folder: Path, pool: Path) -> None:
    """Put links to what `pool` has in place of a folder's files; what it has not yet goes into it."""
    _sweep(pool)
    for path, _, names in os.walk(folder):
        for name in names:
            file = Path(path, name)
            if file.stat().st_size >= _SMALLEST and not file.is_symlink():
                with suppress(OSError):  # too many links to one file, or none to be had: the copy stays
                    _share(file, pool)


def _share(file: Path, pool: Path) -> None:
    with file.open("rb") as content:
        kept = pool / hashlib.file_digest(content, "sha256").hexdigest()
        if not kept.exists():
            os.fsync(content.fileno())  # what its name promises is on the disk before the name is
    try:
        os.link(file, kept)
    except FileExistsError:
        beside = file.with_name(f".{file.name}.shared")
        os.link(kept, beside)
        os.replace(beside, file)


def _sweep(pool: Path) -> None:
    """Forget what no snapshot has any more."""
    for entry in os.scandir(pool):
        with suppress(FileNotFoundError):  # another build was faster
            if entry.stat(follow_symlinks=False).st_nlink == 1:
                os.unlink(entry.path)
