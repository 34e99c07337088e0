"""One trial's evidence, a part at a time: pages of its journal, its changes, its workspace, its other files.

Everything here was shaped by an examinee: any part may be missing, huge or misshapen, and no path leaves the folder.
"""

from __future__ import annotations

import json
import mmap
import tarfile
import zlib
from array import array
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

# What of one file is shown on a page.
LARGEST_TEXT = 256 * 1024
MOST_FILES = 5000
# An archive that unpacks to more than this is not read further: it is not one that a trial wrote.
LARGEST_UNPACKED = 1024 * 1024 * 1024
PICTURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in the workspace archive or in the evidence folder."""

    name: str
    size: int
    kind: str = "file"

    @property
    def slug(self) -> str:
        """Its name as one part of an address."""
        return self.name.replace("~", "~~").replace("/", "~")


@dataclass(frozen=True, slots=True)
class Content:
    """What is shown of a file: text, or the picture it is, or a few bytes in hexadecimal."""

    text: str
    picture: str
    cut: bool
    size: int


class JournalPages:
    """The lines of a journal by their number, found as pages are turned."""

    def __init__(self, path: Path) -> None:
        self._map: mmap.mmap | bytes = b""
        try:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):  # no journal, or nothing in it yet
            pass
        self._starts = array("Q", [0])
        self.complete = False

    def rows(self, first: int, count: int) -> list[dict[str, Any]]:
        while not self.complete and len(self._starts) <= first + count:
            place = self._map.find(b"\n", self._starts[-1])
            if place < 0:
                self.complete = True  # a line without its end is still being written
            else:
                self._starts.append(place + 1)
        found = []
        for number in range(first, min(first + count, len(self._starts) - 1)):
            try:
                row = json.loads(bytes(self._map[self._starts[number] : self._starts[number + 1]]))
            except ValueError:
                row = {"kind": "unreadable"}
            found.append(row if isinstance(row, dict) else {"kind": "unreadable"})
        return found

    @property
    def known(self) -> int:
        return len(self._starts) - 1


def read_changes(folder: Path) -> list[dict[str, Any]]:
    try:
        found = json.loads((folder / "changes.json").read_bytes())
    except (OSError, ValueError):  # not collected, or not yet
        return []
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def evidence_files(folder: Path) -> list[Entry]:
    """Every ordinary file of the trial, logs first."""
    found = []
    for path in folder.rglob("*"):
        inside = path.relative_to(folder)
        if inside.parts[0] == "earlier" or path.name.startswith(".") or path.is_symlink() or not path.is_file():
            continue
        found.append(Entry(inside.as_posix(), path.stat().st_size))
        if len(found) >= MOST_FILES:
            break
    return sorted(found, key=lambda entry: (not entry.name.startswith("logs/"), entry.name))


def read_evidence(folder: Path, slug: str) -> tuple[Entry, Content] | None:
    for entry in evidence_files(folder):
        if entry.slug == slug:
            with (folder / entry.name).open("rb") as file:
                return entry, content(file.read(LARGEST_TEXT + 1), entry.size)
    return None


def picture(folder: Path, name: str) -> tuple[bytes, str] | None:
    """A picture of the evidence by its path, when it is inside the folder and really a picture."""
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        return None
    data = path.read_bytes()
    kind = picture_kind(data)
    return (data, kind) if kind else None


def archive_files(folder: Path) -> list[Entry]:
    """What the workspace held at the end."""
    found: list[Entry] = []
    try:
        with tarfile.open(folder / "workspace.tar.gz", "r:gz") as archive:
            for member in archive:
                if len(found) >= MOST_FILES or archive.offset > LARGEST_UNPACKED:
                    break
                kind = "file" if member.isfile() else "link" if member.issym() or member.islnk() else "folder"
                if kind != "folder":
                    found.append(Entry(_plain(member.name), member.size, kind))
    except (OSError, tarfile.TarError, zlib.error, EOFError):  # no archive, or one that cannot be read to its end
        pass
    return found


def archive_file(folder: Path, slug: str, most: int = LARGEST_TEXT) -> tuple[Entry, bytes] | None:
    """One file of the archive, up to `most` bytes and one."""
    try:
        with tarfile.open(folder / "workspace.tar.gz", "r:gz") as archive:
            for number, member in enumerate(archive):
                if number >= MOST_FILES * 2 or archive.offset > LARGEST_UNPACKED:
                    return None
                entry = Entry(_plain(member.name), member.size)
                if entry.slug == slug and member.isfile():
                    file = archive.extractfile(member)
                    return (entry, file.read(most + 1)) if file is not None else None
    except (OSError, tarfile.TarError, zlib.error, EOFError):
        return None
    return None


def content(data: bytes, size: int) -> Content:
    shown = data[:LARGEST_TEXT]
    kind = picture_kind(shown)
    if kind:
        return Content("", kind, len(data) < size, size)
    if b"\0" in shown[:8192]:
        lines = [shown[at : at + 16] for at in range(0, min(len(shown), 1024), 16)]
        text = "\n".join(f"{at * 16:08x}  {line.hex(' ')}" for at, line in enumerate(lines))
        return Content(text, "", size > 1024, size)
    return Content(shown.decode("utf-8", "replace"), "", len(shown) < size, size)


def picture_kind(data: bytes) -> str:
    """The media type of a picture a browser may be shown; SVG is a document that can hold scripts, and is none."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in PICTURES.items() if data.startswith(start)), "")


def _plain(name: str) -> str:
    return PurePosixPath(name).as_posix().lstrip("/")
