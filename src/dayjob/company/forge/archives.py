"""Archives of jobs (ZIP) looked into: what is in them, and single files, within bounds. They come from outside."""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

MEMBERS_LIMIT = 20_000
MEMBER_LIMIT = 50 * 1024 * 1024
"""Bytes of one file, unpacked."""
_BROKEN = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, EOFError, ValueError)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or folder of an archive, by its name in the folder that is looked at."""

    name: str
    path: str
    folder: bool
    size: int


def member(archive: Path, path: str) -> bytes | None:
    """A file of the archive; None when there is none of that name, or it cannot be unpacked or is too large."""
    try:
        with zipfile.ZipFile(archive) as found:
            info = found.getinfo(path)
            if info.is_dir() or info.file_size > MEMBER_LIMIT:
                return None
            with found.open(info) as file:
                data = file.read(MEMBER_LIMIT + 1)
            return data if len(data) <= MEMBER_LIMIT else None
    except (KeyError, *_BROKEN):
        return None


def entries(archive: Path, folder: str = "") -> list[Entry] | None:
    """What is in a folder of the archive, folders first; None for what is no archive."""
    prefix = f"{folder.strip('/')}/" if folder.strip("/") else ""
    found: dict[str, Entry] = {}
    try:
        with zipfile.ZipFile(archive) as opened:
            for info in opened.infolist()[:MEMBERS_LIMIT]:
                path = info.filename.removeprefix("./")
                if not path.startswith(prefix) or path == prefix:
                    continue
                name, inside, _ = path[len(prefix) :].partition("/")
                found.setdefault(name, Entry(name, prefix + name, bool(inside), 0 if inside else info.file_size))
    except _BROKEN:
        return None
    return sorted(found.values(), key=lambda one: (not one.folder, one.name))
