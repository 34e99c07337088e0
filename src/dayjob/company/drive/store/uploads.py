"""Uploads that arrive in pieces: chunks lie as plain files in the drive's own folder until they are put together.

Used by both of ownCloud's ways: a folder under `/remote.php/dav/uploads/`, and the older `-chunking-` names.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from dayjob.company.blobs import CHUNK
from dayjob.company.drive.checksums import Content, ContentWriter
from dayjob.company.drive.errors import BadRequest, MethodNotAllowed, NotFound
from dayjob.company.quota import folder_size

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive

_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,150}")


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece that has arrived."""

    name: str
    size: int
    mtime: int
    path: Path


class Uploads:
    """Everybody's unfinished uploads."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive

    def _folder(self, username: str, id: str) -> Path:
        if not _ID.fullmatch(id):
            raise BadRequest("An upload is named with letters, digits, '.', '_' and '-'.")
        own = self.drive.company.own_folder("drive")
        return own / "uploads" / quote(username, safe="").replace(".", "%2E") / id

    def start(self, username: str, id: str) -> None:
        folder = self._folder(username, id)
        if folder.is_dir():
            raise MethodNotAllowed(f"The upload {id} exists already.")
        folder.mkdir(parents=True)

    def continue_or_start(self, username: str, id: str) -> None:
        self._folder(username, id).mkdir(parents=True, exist_ok=True)

    def place(self, username: str, id: str, name: str) -> Path:
        """Where a chunk goes; the upload must have been started."""
        folder = self._folder(username, id)
        if not folder.is_dir():
            raise NotFound(f"There is no upload {id}.")
        if not _ID.fullmatch(name):
            raise BadRequest("A chunk is named with letters, digits, '.', '_' and '-'.")
        return folder / name

    def all(self, username: str) -> list[str]:
        folder = self._folder(username, "x").parent
        return sorted(one.name for one in folder.iterdir()) if folder.is_dir() else []

    def chunks(self, username: str, id: str) -> list[Chunk]:
        """What has arrived, in the order of its numbers."""
        folder = self._folder(username, id)
        if not folder.is_dir():
            raise NotFound(f"There is no upload {id}.")
        found = []
        for path in folder.iterdir():
            if not path.name.startswith("."):
                about = path.stat()
                found.append(Chunk(path.name, about.st_size, int(about.st_mtime), path))
        return sorted(found, key=lambda one: (len(one.name.lstrip("0")), one.name.lstrip("0"), one.name))

    def join(self, chunks: list[Chunk], writer: ContentWriter) -> Content:
        """One file out of the pieces. Slow for big files: call it off the loop."""
        for chunk in chunks:
            with chunk.path.open("rb", buffering=0) as file:
                while data := file.read(CHUNK):
                    writer.write(data)
        return writer.finish()

    def drop(self, username: str, id: str) -> None:
        folder = self._folder(username, id)
        if not folder.is_dir():
            raise NotFound(f"There is no upload {id}.")
        self.drive.company.quota.correct(-folder_size(folder))
        shutil.rmtree(folder, ignore_errors=True)
