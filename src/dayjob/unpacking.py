"""Archives unpacked so that nothing lands outside the folder they are unpacked into, under every Python 3.11.

Python's own filters came with 3.11.4, and Debian 12 has 3.11.2. The check below holds everywhere, Python's where it is.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any, Literal

Filter = Literal["data", "tar", "fully_trusted"]


def unpack(tar: tarfile.TarFile, into: Path, filter: Filter = "data", *, numeric_owner: bool = False) -> None:
    """Write everything below `into`; raises `tarfile.TarError` before anything is written if a name leads elsewhere.

    `data` is for archives of strangers: no devices, and no links that point outside. With the others links may point
    anywhere, so whoever reads the result has to be confined, or the archive one's own.
    """
    entries = tar.getmembers()
    check(entries, links_anywhere=filter != "data")
    if filter == "data" and (odd := next((one.name for one in entries if one.isdev()), None)):
        raise tarfile.TarError(f"'{odd}' is no file, folder or link")
    by_python: Any = {"filter": filter} if hasattr(tarfile, "data_filter") else {}
    tar.extractall(into, numeric_owner=numeric_owner, **by_python)


def check(entries: Iterable[tarfile.TarInfo], *, links_anywhere: bool) -> None:
    """Refuse names that lead outside, by themselves or through a link, and links that point outside."""
    entries = list(entries)
    names = {entry.name for entry in entries}
    links = {entry.name for entry in entries if entry.issym()}
    for entry in entries:
        path = PurePosixPath(entry.name)
        above = {str(one) for one in path.parents}
        if path.is_absolute() or ".." in path.parts or above & links or (entry.islnk() and entry.linkname not in names):
            raise tarfile.TarError(f"'{entry.name}' would leave the folder")
        if entry.issym() and not links_anywhere and _leaves(path.parent, entry.linkname):
            raise tarfile.TarError(f"'{entry.name}' points out of the folder")


def _leaves(folder: PurePosixPath, target: str) -> bool:
    """Whether a link in `folder` leads above the top."""
    if target.startswith("/"):
        return True
    depth = len(folder.parts)
    for part in PurePosixPath(target).parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return True
    return False
