"""LOCK and UNLOCK."""

from __future__ import annotations

import re

from starlette.responses import Response

from dayjob.company.drive.api.dav.conditions import check
from dayjob.company.drive.api.dav.request import DavRequest
from dayjob.company.drive.errors import BadRequest, Conflict, Forbidden, PreconditionFailed
from dayjob.company.drive.rows import UPDATE, Lock, Place
from dayjob.company.drive.shapes.properties import active_lock, file_headers
from dayjob.company.drive.shapes.xml import DAV, XML_TYPE, parse, serialise
from dayjob.company.drive.store.locks import LONGEST

_DEFAULT = 1800


def _timeout(request: DavRequest) -> int:
    """The first wish in the Timeout header that can be met."""
    for wish in request.headers.get("timeout", "").split(","):
        wish = wish.strip().lower()
        if wish == "infinite":
            return LONGEST
        if found := re.fullmatch(r"second-([0-9]{1,12})", wish):
            return max(1, min(int(found[1]), LONGEST))
    return _DEFAULT


def _answer(request: DavRequest, lock: Lock, status: int) -> Response:
    climb = len(request.locate().path) - len(lock.node_path) if lock.node_path != "/" else len(request.path)
    seen = request.path[: len(request.path) - climb] or "/"
    body = (
        '<?xml version="1.0" encoding="utf-8"?>\n<d:prop xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns"><d:lockdiscovery>'
        f"{active_lock(lock, request.space.address(seen))}</d:lockdiscovery></d:prop>"
    )
    return Response(body, status, {"lock-token": f"<{lock.token}>"}, media_type=XML_TYPE)


async def lock(request: DavRequest) -> Response:
    body = await request.body()
    place = request.locate()
    timeout = _timeout(request)
    check(request, place)
    if not body.strip():
        return _refresh(request, place, timeout)
    root = parse(body)
    scope = root.find(f"{DAV}lockscope")
    kind = root.find(f"{DAV}locktype/{DAV}write")
    if root.tag != f"{DAV}lockinfo" or scope is None or kind is None or len(scope) != 1:
        raise BadRequest("The request body must be a lockinfo element that asks for a write lock.")
    if scope[0].tag not in (f"{DAV}exclusive", f"{DAV}shared"):
        raise BadRequest("A lock is exclusive or shared.")
    deep = request.depth("infinity", ("0", "infinity")) is None
    owner = root.find(f"{DAV}owner")
    drive, view = request.drive, request.view
    status = 200
    with drive.transaction():
        node = place.node
        if node is None:
            # Locking a name that is free makes an empty file there, so that the name is taken.
            view.check_write(request.path)
            request.require_unlocked(place, membership=True)
            empty = drive.company.blobs.put(b"")
            written, _ = view.write(request.path, empty, None, "")
            node, status = written.node, 201
        elif not place.permissions & UPDATE:
            raise Forbidden(f"You may not change {request.path}, so you may not lock it.")
        assert node is not None
        found = drive.locks.take(
            node,
            view.username,
            exclusive=scope[0].tag == f"{DAV}exclusive",
            deep=deep,
            owner_xml="" if owner is None else serialise(owner),
            timeout=timeout,
        )
    answer = _answer(request, found, status)
    if status == 201:
        answer.headers.update(file_headers(request.drive.instance, node))
    return answer


def _refresh(request: DavRequest, place: Place, timeout: int) -> Response:
    if "if" not in request.headers:
        raise BadRequest("A lock is refreshed with its token in the If header; a new one needs a body.")
    for found in request.drive.locks.on(place.owner, place.path):
        if found.token in request.tokens and found.username == request.view.username:
            return _answer(request, request.drive.locks.refresh(found, timeout), 200)
    raise PreconditionFailed("The token in the If header belongs to no lock here.")


async def unlock(request: DavRequest) -> Response:
    place = request.view.need(request.path)
    token = request.headers.get("lock-token", "").strip()
    if not (token.startswith("<") and token.endswith(">")):
        raise BadRequest("The Lock-Token header is missing or not in angle brackets.")
    for found in request.drive.locks.on(place.owner, place.path):
        if found.token == token[1:-1]:
            if found.username != request.view.username:
                raise Forbidden("This lock belongs to somebody else.")
            request.drive.locks.release(found)
            return Response(b"", 204)
    raise Conflict("There is no lock with this token here.")
