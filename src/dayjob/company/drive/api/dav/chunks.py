"""Uploads in pieces, both ways ownCloud has them.

New: MKCOL `/remote.php/dav/uploads/:user/:id`, PUT the pieces into it, MOVE its `.file` to where it belongs.
Old: PUT each piece to `name-chunking-id-count-index` with `OC-Chunked`; the last to arrive makes the file.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import secrets
from pathlib import Path

from starlette.responses import Response

from dayjob.company.drive.api.dav import transfer
from dayjob.company.drive.api.dav.conditions import check
from dayjob.company.drive.api.dav.request import DavRequest, Space
from dayjob.company.drive.checksums import HASH_LIMIT, Content, ContentWriter, parse_checksum
from dayjob.company.drive.errors import BadRequest, Forbidden, MethodNotAllowed, NotFound, PreconditionFailed
from dayjob.company.drive.names import encode_path
from dayjob.company.drive.rows import Place
from dayjob.company.drive.shapes.properties import file_headers, http_time
from dayjob.company.drive.shapes.xml import XML_TYPE, multistatus, propstat, response
from dayjob.company.drive.store.uploads import Chunk

_OLD = re.compile(r"([A-Za-z0-9_-]{1,64})-([0-9]{1,6})-([0-9]{1,6})")
_WHOLE = ".file"


def is_old_chunk(path: str) -> bool:
    name, mark, facts = path.rpartition("-chunking-")
    return bool(name and mark) and _OLD.fullmatch(facts) is not None


async def put_old_chunk(request: DavRequest) -> Response:
    path, _, facts = request.path.rpartition("-chunking-")
    found = _OLD.fullmatch(facts)
    assert found is not None
    transfer_id, total, number = found[1], int(found[2]), int(found[3])
    if number >= total:
        raise BadRequest("The chunk's number does not fit the number of chunks.")
    place = _may_write(request, request.space, path)
    username = request.view.username
    mark = hashlib.blake2b(f"{request.space.href}{path}".encode(), digest_size=8).hexdigest()
    id = f"{transfer_id}-{total}-{mark}"
    uploads = request.drive.uploads
    uploads.continue_or_start(username, id)
    room = request.drive.tree.room(place.owner) + (place.node.size if place.node else 0)
    await _receive(request, uploads.place(username, id, f"{number:06d}"), room)
    chunks = uploads.chunks(username, id)
    if len(chunks) < total:
        return Response(b"", 201)
    return await _finish(request, request.space, path, chunks, username, id)


async def _receive(request: DavRequest, target: Path, room: int) -> None:
    """A piece into its file, whole or not at all. Its own checksum, if announced, is proved when all are together."""
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    taken = 0
    try:
        with part.open("wb", buffering=0) as file:

            def write(data: bytes) -> None:
                nonlocal taken
                request.drive.company.quota.take(len(data))
                taken += len(data)
                view = memoryview(data)
                while view:
                    view = view[file.write(view) :]

            await transfer.pour(request.receive, write, room)
        now = request.drive.company.clock.now().timestamp()
        os.utime(part, (now, now))  # it is told as the time the piece arrived at, which is the company's
        taken = _replaced(part, target)
    except OSError as error:
        raise transfer.out_of_room(error) or error from error
    finally:
        # Given back: what did not become the piece, or the piece that was here before.
        request.drive.company.quota.correct(-taken)
        part.unlink(missing_ok=True)


def _replaced(part: Path, target: Path) -> int:
    """Put the piece in its place; returns the size of the one that was there."""
    size = target.stat().st_size if target.exists() else 0
    os.replace(part, target)
    return size


def _may_write(request: DavRequest, space: Space, path: str) -> Place:
    if path == "/":
        raise MethodNotAllowed("The top folder is not a file.")
    place = space.view.check_write(path)
    check(request, place)
    request.require_unlocked(place, membership=place.node is None)
    return place


async def _finish(
    request: DavRequest, space: Space, path: str, chunks: list[Chunk], username: str, id: str
) -> Response:
    """Put the pieces together and the file in its place."""
    drive = request.drive
    size = sum(chunk.size for chunk in chunks)
    place = _may_write(request, space, path)
    drive.tree.require_room(place.owner, size - (place.node.size if place.node else 0))
    content = await asyncio.to_thread(_join, request, chunks, size)
    _may_write(request, space, path)
    mtime = request.mtime()
    written, new = space.view.put(path, content, mtime)
    drive.uploads.drop(username, id)
    assert written.node is not None
    headers = file_headers(request.drive.instance, written.node)
    if mtime is not None:
        headers["x-oc-mtime"] = "accepted"
    return Response(b"", 201 if new else 204, headers)


def _join(request: DavRequest, chunks: list[Chunk], size: int) -> Content:
    expected = parse_checksum(request.headers.get("oc-checksum"))
    try:
        writer = ContentWriter(request.drive.company.blobs.writer(HASH_LIMIT), expected, size)
    except OSError as error:
        raise transfer.out_of_room(error) or error from error
    try:
        return request.drive.uploads.join(chunks, writer)
    except OSError as error:
        writer.discard()
        raise transfer.out_of_room(error) or error from error


async def uploads(request: DavRequest, username: str, parts: list[str]) -> Response:
    """Everything under `/remote.php/dav/uploads/:user/`; `parts` is what follows in the path."""
    store, method = request.drive.uploads, request.method
    if method == "OPTIONS":
        return Response(b"", 200, {"allow": "OPTIONS, MKCOL, PUT, MOVE, DELETE, PROPFIND", "dav": "1, 3"})
    if len(parts) > 2:
        raise NotFound("An upload has no folders inside.")
    if method == "MKCOL" and len(parts) == 1:
        store.start(username, parts[0])
        return Response(b"", 201)
    if method == "DELETE" and len(parts) == 1:
        store.drop(username, parts[0])
        return Response(b"", 204)
    if method == "PUT" and len(parts) == 2:
        if parts[1] == _WHOLE:
            raise Forbidden("The whole file is made by moving it, not by writing it.")
        target = store.place(username, parts[0], parts[1])
        new = not target.exists()
        await _receive(request, target, request.drive.tree.room(username))
        return Response(b"", 201 if new else 204)
    if method == "MOVE" and len(parts) == 2 and parts[1] == _WHOLE:
        return await _move_whole(request, username, parts[0])
    if method == "PROPFIND":
        return _list(request, username, parts)
    raise MethodNotAllowed(f"{method} means nothing here.")


async def _move_whole(request: DavRequest, username: str, id: str) -> Response:
    chunks = request.drive.uploads.chunks(username, id)
    space, path = request.destination()
    if space.view.username != username:
        raise Forbidden("The Destination belongs to somebody else.")
    if space.view.locate(path).node is not None and not request.overwrite():
        raise PreconditionFailed("There is something at the Destination already, and Overwrite is F.")
    declared = request.headers.get("oc-total-length", "")
    size = sum(chunk.size for chunk in chunks)
    if declared.isascii() and declared.isdigit() and int(declared[:18]) != size:
        raise BadRequest(f"The chunks add up to {size} bytes, not to {declared}.")
    return await _finish(request, space, path, chunks, username, id)


def _list(request: DavRequest, username: str, parts: list[str]) -> Response:
    depth = request.depth("1")
    base = f"/remote.php/dav/uploads{encode_path('/' + username)}"
    folder = "<d:resourcetype><d:collection/></d:resourcetype>"
    found = []
    if not parts:
        found.append(response(f"{base}/", [propstat(folder, 200)]))
        if depth != 0:
            found += [response(f"{base}/{id}/", [propstat(folder, 200)]) for id in request.drive.uploads.all(username)]
    else:
        chunks = request.drive.uploads.chunks(username, parts[0])
        if len(parts) == 1:
            found.append(response(f"{base}/{parts[0]}/", [propstat(folder, 200)]))
        else:
            chunks = [chunk for chunk in chunks if chunk.name == parts[1]]
            if not chunks:
                raise NotFound(f"There is no chunk {parts[1]}.")
        if depth != 0 or len(parts) == 2:
            for chunk in chunks:
                inner = (
                    f"<d:resourcetype/><d:getcontentlength>{chunk.size}</d:getcontentlength>"
                    f"<d:getlastmodified>{http_time(chunk.mtime)}</d:getlastmodified>"
                )
                found.append(response(f"{base}/{parts[0]}/{chunk.name}", [propstat(inner, 200)]))
    return Response(multistatus(found), 207, media_type=XML_TYPE)
