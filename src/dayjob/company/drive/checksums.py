"""File content on its way in: written once, hashed for the blob store and for the checksum a client announced.

ownCloud shows `SHA1:… MD5:… ADLER32:…` for a file. Small files get all three; a big one gets what its sender
announced in `OC-Checksum`, because three more hashes would cost more than the transfer.
"""

from __future__ import annotations

import hashlib
import hmac
import zlib
from dataclasses import dataclass
from typing import Protocol

from dayjob.company.blobs import Blob, BlobWriter
from dayjob.company.drive.errors import BadRequest

SMALL = 4 * 1024 * 1024
HASH_LIMIT = 64 * 1024 * 1024
"""Uploads past this get a random blob name, not a hash: writing the same big file again then counts as a change."""


class _Digest(Protocol):
    def update(self, data: bytes, /) -> None: ...
    def hexdigest(self) -> str: ...


class _Adler32:
    def __init__(self) -> None:
        self.value = 1

    def update(self, data: bytes, /) -> None:
        self.value = zlib.adler32(data, self.value)

    def hexdigest(self) -> str:
        return f"{self.value:08x}"


def _digest(kind: str) -> _Digest:
    return _Adler32() if kind == "ADLER32" else hashlib.new(kind, usedforsecurity=False)


@dataclass(frozen=True, slots=True)
class Content:
    """A stored file and the checksums known of it."""

    blob: Blob
    checksums: str


def parse_checksum(header: str | None) -> tuple[str, str] | None:
    """`OC-Checksum: SHA1:abc…` as (kind, value); None when there is none, or its kind is not known here."""
    if not header:
        return None
    kind, colon, value = header.strip().partition(":")
    if not colon:
        raise BadRequest("OC-Checksum must be a kind and a value, as in SHA1:da39a3ee.")
    kind = kind.strip().upper()
    return (kind, value.strip().lower()) if kind in ("SHA1", "MD5", "ADLER32", "SHA256") else None


class ContentWriter:
    """A blob writer that also proves the sender's checksum. Ends with `finish` or `discard`."""

    def __init__(self, writer: BlobWriter, expected: tuple[str, str] | None, length: int | None) -> None:
        self._writer = writer
        self._expected = expected
        kinds = ["SHA1", "MD5", "ADLER32"] if length is not None and length <= SMALL else []
        if expected is not None and expected[0] not in kinds:
            kinds.append(expected[0])
        self._digests = {kind: _digest(kind) for kind in kinds}

    @property
    def size(self) -> int:
        return self._writer.size

    def write(self, data: bytes) -> None:
        for digest in self._digests.values():
            digest.update(data)
        self._writer.write(data)

    def finish(self) -> Content:
        """The stored content; `BadRequest` (and nothing stored) when it is not what the sender announced."""
        found = {kind: digest.hexdigest() for kind, digest in self._digests.items()}
        if self._expected is not None:
            kind, value = self._expected
            if not hmac.compare_digest(found[kind].encode(), value.encode("utf-8", "replace")):
                self.discard()
                raise BadRequest(
                    f"The checksum of the uploaded file is {found[kind]}, not {value} as announced ({kind})."
                )
        return Content(self._writer.finish(), " ".join(f"{kind}:{value}" for kind, value in found.items()))

    def discard(self) -> None:
        self._writer.discard()
