"""Files by the hash of their content: read from the snapshot and the company's own folder, written only to the latter.

A blob is never changed and never half there: it is streamed to a temporary name and renamed when whole.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from dayjob.company.quota import Quota

CHUNK = 1024 * 1024
UNHASHED = "x"
"""What the name of a blob that was too big to hash begins with; no hash does, so nobody else can have the same blob."""


@dataclass(frozen=True, slots=True)
class Blob:
    """What identifies a stored file: SHA-256 of its bytes, and how many there are."""

    hash: str
    size: int


class BlobWriter:
    """Takes bytes, then becomes a blob (`finish`) or nothing (`discard`)."""

    def __init__(self, folder: Path, hash_limit: int | None = None, quota: Quota | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        fd, name = tempfile.mkstemp(prefix=".part-", dir=folder)
        self._file: BinaryIO = os.fdopen(fd, "wb", buffering=0)
        self._name = Path(name)
        self._digest: hashlib._Hash | None = hashlib.sha256()
        self._hash_limit = hash_limit
        self._quota = quota or Quota()
        self.size = 0

    def write(self, data: bytes) -> None:
        """Take more of it; `OutOfSpace` when the company has no room."""
        self._quota.take(len(data))
        self.size += len(data)
        if self._hash_limit is not None and self.size > self._hash_limit:
            self._digest = None
        if self._digest is not None:
            self._digest.update(data)
        view = memoryview(data)
        while view:
            view = view[self._file.write(view) :]

    def finish(self) -> Blob:
        self._file.close()
        blob = Blob(self._digest.hexdigest() if self._digest else UNHASHED + secrets.token_hex(32)[1:], self.size)
        target = blob_path(self._folder, blob.hash)
        target.parent.mkdir(exist_ok=True)
        if target.exists():
            self._quota.correct(-self.size)  # the same content is there already, and counted
        os.replace(self._name, target)
        return blob

    def discard(self) -> None:
        if not self._file.closed:
            self._quota.correct(-self.size)
        self._file.close()
        self._name.unlink(missing_ok=True)


def blob_path(folder: Path, hash: str) -> Path:
    return folder / hash[:2] / hash[2:]


class BlobStore:
    """All blobs a company can see. `folder` is asked for at the first write, so reading costs no disk."""

    def __init__(self, pristine: Path | None, folder: Callable[[], Path], quota: Quota | None = None) -> None:
        self._quota = quota or Quota()
        self._pristine = pristine
        self._folder = folder
        self._written = False

    def path(self, hash: str) -> Path:
        """Where the blob lies; `FileNotFoundError` if there is none."""
        if len(hash) != 64 or not hash.isalnum():
            raise FileNotFoundError(hash)
        for folder in (self._folder() if self._written else None, self._pristine):
            if folder is not None and (found := blob_path(folder, hash)).is_file():
                return found
        raise FileNotFoundError(hash)

    def writer(self, hash_limit: int | None = None) -> BlobWriter:
        """A new blob to be. Past `hash_limit` bytes its name is random, because hashing costs more than copying."""
        self._written = True
        return BlobWriter(self._folder(), hash_limit, self._quota)

    def drop(self, hash: str) -> None:
        """Delete an unhashed blob. One named by its content stays: another service may hold the same content."""
        if hash.startswith(UNHASHED) and len(hash) == 64 and hash.isalnum():
            path = blob_path(self._folder(), hash)
            if path.is_file():
                self._quota.correct(-path.stat().st_size)
                path.unlink(missing_ok=True)

    def put(self, data: bytes) -> Blob:
        writer = self.writer()
        try:
            writer.write(data)
        except OSError:
            writer.discard()
            raise
        return writer.finish()

    def adopt(self) -> None:
        """Look in the writable folder too: it was filled by an earlier process (kept state)."""
        self._written = True

    def reset(self, folder: Callable[[], Path]) -> None:
        self._folder = folder
        self._written = False


async def read_range(path: Path, start: int, length: int) -> AsyncIterator[bytes]:
    """The bytes of a file from `start`, in chunks. A read of cached pages is shorter than handing over to a thread."""
    with path.open("rb", buffering=0) as file:
        file.seek(start)
        while length > 0 and (chunk := file.read(min(CHUNK, length))):
            length -= len(chunk)
            yield chunk
