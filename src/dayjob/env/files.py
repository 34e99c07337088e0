"""Files of a sandbox as a driver names, reads and compares them."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path

from dayjob.env.values import EnvError


def absolute(path: str) -> None:
    if not path.startswith("/") or "\0" in path or path.endswith("/"):
        raise EnvError(f"'{path}' is no file's place; write it from the root, such as /workspace/answer.txt.")


def content_of(place: Path, path: str) -> bytes:
    if place.is_symlink() or not place.is_file():
        raise EnvError(f"There is no file at '{path}' in the sandbox.")
    return place.read_bytes()


def digest(folder: Path) -> str:
    """Names, kinds, modes and contents; times are the machine's and do not count."""
    total = hashlib.sha256()
    for place in sorted(folder.rglob("*")):
        info = place.lstat()
        linked = place.readlink() if place.is_symlink() else ""
        total.update(f"{place.relative_to(folder)}\0{info.st_mode:o}\0{linked}\0".encode("utf-8", "surrogateescape"))
        if stat.S_ISREG(info.st_mode):
            total.update(place.read_bytes())
    return total.hexdigest()
