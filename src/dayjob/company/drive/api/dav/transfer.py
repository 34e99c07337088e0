"""File content in and out: streamed in pieces, never held whole.

A file goes out in chunks of a megabyte. What comes in is gathered to a few megabytes and handed to a thread that
hashes and writes while the loop already receives the next; small bodies skip the thread.
"""

from __future__ import annotations

import asyncio
import errno
import os
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from dayjob.company.drive.checksums import HASH_LIMIT, Content, ContentWriter, parse_checksum
from dayjob.company.drive.errors import BadRequest, InsufficientStorage, RangeNotSatisfiable

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive

GATHER = 4 * 1024 * 1024
SEND = 1024 * 1024
_RANGE = re.compile(r"bytes=\s*(.+)")
_SPAN = re.compile(r"([0-9]{0,18})-([0-9]{0,18})")
_MOST_SPANS = 20


def out_of_room(error: OSError) -> InsufficientStorage | None:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return InsufficientStorage("The server's disk is full; nothing was changed.")
    return None


async def take(drive: Drive, receive: Receive, *, checksum: str | None, length: int | None, room: int) -> Content:
    """Receive a body into the blob store. Nothing stays behind when the client goes away or something is wrong."""
    expected = parse_checksum(checksum)
    try:
        writer = ContentWriter(drive.company.blobs.writer(HASH_LIMIT), expected, length)
    except OSError as error:
        raise out_of_room(error) or error from error
    try:
        await pour(receive, writer.write, room)
        if length is not None and writer.size != length:
            raise BadRequest(f"Expected {length} bytes, but {writer.size} arrived.")
        return writer.finish()
    except OSError as error:
        writer.discard()
        raise out_of_room(error) or error from error
    except BaseException:
        writer.discard()
        raise


async def pour(receive: Receive, write: Callable[[bytes], None], room: int) -> int:
    """Give the body to `write`, in order and in large pieces, off the loop; returns the number of bytes."""
    loop = asyncio.get_running_loop()
    busy: asyncio.Future[None] | None = None
    parts: list[bytes] = []
    gathered = size = 0
    try:
        while True:
            message = await receive()
            if message["type"] != "http.request":
                raise ClientDisconnect()
            if data := message.get("body", b""):
                parts.append(data)
                gathered += len(data)
                size += len(data)
                if size > room:
                    raise InsufficientStorage("The file is larger than the room left in this drive.")
            if not message.get("more_body"):
                break
            if gathered >= GATHER:
                if busy is not None:
                    await busy
                busy = loop.run_in_executor(None, _write_joined, write, parts)
                parts, gathered = [], 0
        if busy is not None:
            await busy
        _write_joined(write, parts)
    finally:
        if busy is not None:
            # The writer must be at rest before its file is closed or discarded.
            await asyncio.wait([busy])
            busy.exception()
    return size


def _write_joined(write: Callable[[bytes], None], parts: list[bytes]) -> None:
    # One long call instead of many short ones: each hand-over of the interpreter's lock costs more than the copy.
    write(b"".join(parts))


def parse_range(header: str | None, size: int) -> list[tuple[int, int]] | None:
    """The (start, length) spans a Range header asks for; None for the whole file, also when the header is not one."""
    found = _RANGE.fullmatch(header.strip()) if header else None
    if found is None:
        return None
    spans = []
    for part in found[1].split(","):
        span = _SPAN.fullmatch(part.strip())
        if span is None or span[0] == "-":
            return None
        first, last = span[1], span[2]
        if first and last and int(last) < int(first):
            return None
        if not first:
            length = min(int(last), size)
            start = size - length
        else:
            start = int(first)
            length = (min(int(last), size - 1) if last else size - 1) - start + 1
        if length > 0 and start < size:
            spans.append((start, length))
    if not spans:
        raise RangeNotSatisfiable(f"The file has only {size} bytes.", size)
    return None if len(spans) > _MOST_SPANS else spans


def disposition(name: str) -> str:
    """`Content-Disposition` that makes a browser save the file under its name, whatever letters that has."""
    plain = re.sub(r'[^\x20-\x7e]|["\\]', "_", name)
    return f"attachment; filename*=UTF-8''{quote(name, safe='')}; filename=\"{plain}\""


@dataclass(frozen=True, slots=True, eq=False)
class Download:
    """An answer with (a part of) a file: a whole one, one range, or several as multipart."""

    path: Path
    size: int
    mime: str
    headers: dict[str, str]
    spans: list[tuple[int, int]] | None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(self.headers)
        pieces: list[tuple[bytes, int, int]]
        if self.spans is None:
            status, pieces = 200, [(b"", 0, self.size)]
            headers["content-type"] = self.mime
        elif len(self.spans) == 1:
            start, length = self.spans[0]
            status, pieces = 206, [(b"", start, length)]
            headers["content-type"] = self.mime
            headers["content-range"] = f"bytes {start}-{start + length - 1}/{self.size}"
        else:
            status = 206
            boundary = secrets.token_hex(16)
            headers["content-type"] = f"multipart/byteranges; boundary={boundary}"
            pieces = [
                (
                    f"\r\n--{boundary}\r\nContent-Type: {self.mime}\r\n"
                    f"Content-Range: bytes {start}-{start + length - 1}/{self.size}\r\n\r\n".encode(),
                    start,
                    length,
                )
                for start, length in self.spans
            ]
            pieces.append((f"\r\n--{boundary}--\r\n".encode(), 0, 0))
        headers["content-length"] = str(sum(len(head) + length for head, _, length in pieces))
        # The file is opened before anything is said: once open, its bytes are safe whatever happens to its name.
        file = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            named = [(name.encode(), value.encode("latin-1", "replace")) for name, value in headers.items()]
            await send({"type": "http.response.start", "status": status, "headers": named})
            if scope["method"] == "HEAD":
                pieces = [(b"", 0, 0)]
            for number, (head, start, length) in enumerate(pieces, 1):
                if head:
                    await send({"type": "http.response.body", "body": head, "more_body": True})
                while length > SEND and (data := os.pread(file, SEND, start)):
                    start, length = start + len(data), length - len(data)
                    await send({"type": "http.response.body", "body": data, "more_body": True})
                data = os.pread(file, length, start) if length else b""
                await send({"type": "http.response.body", "body": data, "more_body": number < len(pieces)})
        finally:
            os.close(file)
