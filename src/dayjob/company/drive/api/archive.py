"""A folder as one zip file, made while it is sent: nothing is held whole, on disk or in memory."""

from __future__ import annotations

import time
import zipfile
from collections.abc import Iterator

from starlette.types import Receive, Scope, Send

from dayjob.company.blobs import CHUNK
from dayjob.company.drive.api.dav.transfer import disposition
from dayjob.company.drive.names import name_of
from dayjob.company.drive.rows import Place
from dayjob.company.drive.store.view import View

_BIG = 2**31 - 1


class _Outlet:
    """What the zip writer writes to: it cannot go back, so that every byte can leave at once."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes, /) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing is kept back."""

    def close(self) -> None:
        """There is nothing to close: whoever takes the bytes decides when it is over."""

    def take(self) -> bytes:
        data = b"".join(self._parts)
        self._parts.clear()
        return data


class ZipDownload:
    """An answer with the places asked for, each with everything under it."""

    def __init__(self, view: View, places: list[Place], name: str) -> None:
        self.name = name
        self._blobs = view.drive.company.blobs
        # What is in it is settled here, in one look at the tree; the blobs behind it never change.
        self._entries: list[tuple[str, Place]] = []
        for top in places:
            inside = name_of(top.seen) or (top.node.name if top.node else "") or name
            self._entries.append((inside, top))
            for place in view.walk(top):
                self._entries.append((inside + place.seen[len(top.seen.rstrip("/")) :], place))

    def _pieces(self) -> Iterator[bytes]:
        outlet = _Outlet()
        with zipfile.ZipFile(outlet, "w", zipfile.ZIP_STORED) as archive:
            for name, place in self._entries:
                node = place.there
                moment = time.gmtime(max(node.mtime, 315_532_800))[:6]  # zip knows no time before 1980
                if node.is_folder:
                    archive.writestr(zipfile.ZipInfo(f"{name}/", moment), b"")
                    continue
                assert node.blob is not None
                entry = zipfile.ZipInfo(name, moment)
                entry.file_size = node.size
                with (
                    self._blobs.path(node.blob).open("rb", buffering=0) as file,
                    archive.open(entry, "w", force_zip64=node.size > _BIG) as target,
                ):
                    while data := file.read(CHUNK):
                        target.write(data)
                        yield outlet.take()
        yield outlet.take()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [
            (b"content-type", b"application/zip"),
            (b"content-disposition", disposition(f"{self.name}.zip").encode("latin-1", "replace")),
            (b"x-content-type-options", b"nosniff"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if scope["method"] != "HEAD":
            for piece in self._pieces():
                if piece:
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
