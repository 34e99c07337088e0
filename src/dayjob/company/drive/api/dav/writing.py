"""PUT, MKCOL, DELETE, MOVE, COPY and PROPPATCH."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from starlette.responses import Response

from dayjob.company.drive.api.dav import transfer
from dayjob.company.drive.api.dav.chunks import is_old_chunk, put_old_chunk
from dayjob.company.drive.api.dav.conditions import check, http_date
from dayjob.company.drive.api.dav.request import DavRequest
from dayjob.company.drive.errors import (
    BadRequest,
    Conflict,
    Forbidden,
    MethodNotAllowed,
    PreconditionFailed,
    UnsupportedMedia,
)
from dayjob.company.drive.names import parent_of
from dayjob.company.drive.rows import UPDATE, Place
from dayjob.company.drive.shapes.properties import LIVE, file_headers, file_id
from dayjob.company.drive.shapes.xml import (
    DAV,
    OC,
    XML_TYPE,
    element,
    multistatus,
    parse,
    propstat,
    response,
    serialise,
)
from dayjob.company.drive.store.view import LinkView

_FAVORITE = f"{OC}favorite"
_TIMES = (f"{DAV}getlastmodified", f"{DAV}lastmodified")


async def put(request: DavRequest) -> Response:
    headers = request.headers
    if "content-range" in headers:
        raise BadRequest("A file cannot be changed in parts: send it whole.")
    if headers.get("oc-chunked") and is_old_chunk(request.path):
        return await put_old_chunk(request)
    if request.path == "/":
        raise MethodNotAllowed("The top folder is not a file.")
    path = request.path
    if isinstance(request.view, LinkView):
        path = request.view.upload_name(path)

    def allowed() -> Place:
        place = request.view.check_write(path)
        check(request, place)
        request.require_unlocked(place, membership=place.node is None)
        return place

    place = allowed()
    mtime = request.mtime()
    old = place.node.size if place.node else 0
    room = request.drive.tree.room(place.owner) + old
    length = request.length()
    if length is not None and length > room:
        request.drive.tree.require_room(place.owner, length - old)
    content = await transfer.take(
        request.drive, request.receive, checksum=headers.get("oc-checksum"), length=_exact_length(request), room=room
    )
    # The world went on while the body arrived: what was allowed then must still be allowed now.
    allowed()
    place, new = request.view.put(path, content, mtime)
    answer = file_headers(request.drive.instance, place.there)
    if mtime is not None:
        answer["x-oc-mtime"] = "accepted"
    return Response(b"", 201 if new else 204, answer)


def _exact_length(request: DavRequest) -> int | None:
    """What a finished body must measure: only the plain Content-Length binds."""
    text = request.headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


async def mkcol(request: DavRequest) -> Response:
    body = await request.body()
    properties: list[Element] = []
    if body:
        kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
        if kind not in ("application/xml", "text/xml"):
            raise UnsupportedMedia("The body of MKCOL must be XML, or absent.")
        root = parse(body)
        if root.tag != f"{DAV}mkcol":
            raise UnsupportedMedia("The body of MKCOL must be a mkcol element.")
        properties = [one for one in root.iterfind(f"{DAV}set/{DAV}prop/*") if one.tag != f"{DAV}resourcetype"]
    place = request.locate()
    if place.node is not None:
        raise MethodNotAllowed("There is something at this address already.")
    check(request, place)
    request.require_unlocked(place, membership=True)
    with request.drive.transaction():
        node = request.view.make_folder(request.path)
        for one in properties:
            if one.tag not in LIVE:
                request.drive.properties.set(node.id, one.tag, serialise(one))
    return Response(b"", 201, {"oc-fileid": file_id(request.drive.instance, node.id)})


async def delete(request: DavRequest) -> Response:
    place = request.view.need(request.path)
    check(request, place)
    if not place.is_mount:
        request.require_unlocked(place, deep=True, membership=True)
    request.view.remove(request.path)
    return Response(b"", 204)


async def move(request: DavRequest) -> Response:
    request.depth("infinity", ("infinity",))
    return _transport(request, moving=True)


async def copy(request: DavRequest) -> Response:
    # Depth 1 means nothing for COPY, but a common client sends it for folders and means all of them.
    depth = request.depth("infinity", ("0", "1", "infinity"))
    return _transport(request, moving=False, deep=depth != 0)


def _transport(request: DavRequest, *, moving: bool, deep: bool = True) -> Response:
    overwrite = request.overwrite()
    space, target = request.destination()
    if space.view.username != request.view.username or type(space.view) is not type(request.view):
        raise Forbidden("The Destination belongs to somebody else.")
    view = request.view
    place = view.need(request.path)
    check(request, place)
    there = view.locate(target)
    if view.locate(parent_of(target)).node is None:
        raise Conflict("The folder of the Destination does not exist.")
    if there.node is not None and not overwrite:
        raise PreconditionFailed("There is something at the Destination already, and Overwrite is F.")
    if moving and not place.is_mount:
        request.require_unlocked(place, deep=True, membership=True)
    request.require_unlocked(there, deep=True, membership=True)
    new = view.move(request.path, target) if moving else view.copy(request.path, target, deep=deep)
    made = view.locate(target).node
    assert made is not None
    return Response(b"", 201 if new else 204, file_headers(request.drive.instance, made))


async def proppatch(request: DavRequest) -> Response:
    """All changes or none: when one is refused, the others fail with it."""
    root = parse(await request.body())
    if root.tag != f"{DAV}propertyupdate":
        raise BadRequest("The request body must be a propertyupdate element.")
    place = request.view.need(request.path)
    check(request, place)
    request.require_unlocked(place)
    if not place.permissions & UPDATE and not place.is_mount:
        raise Forbidden(f"You may not change {request.path}.")
    changes: list[tuple[str, Element, bool]] = []
    for child in root:
        if child.tag in (f"{DAV}set", f"{DAV}remove"):
            for prop in child.iterfind(f"{DAV}prop"):
                changes.extend((one.tag, one, child.tag == f"{DAV}set") for one in prop)
    refused = {name for name, one, setting in changes if not _may_set(name, one, setting)}
    href = request.space.address(request.path, folder=place.node is not None and place.node.is_folder)
    names = list(dict.fromkeys(name for name, _, _ in changes))
    if refused:
        parts = [propstat("".join(element(name) for name in names if name in refused), 403)]
        if len(refused) < len(names):
            parts.append(propstat("".join(element(name) for name in names if name not in refused), 424))
        return Response(multistatus([response(href, parts)]), 207, media_type=XML_TYPE)
    with request.drive.transaction():
        for name, one, setting in changes:
            _set(request, place, name, one, setting)
    body = multistatus([response(href, [propstat("".join(map(element, names)), 200)])])
    return Response(body, 207, media_type=XML_TYPE)


def _moment(text: str | None) -> int | None:
    text = (text or "").strip()
    return int(text) if re.fullmatch(r"[0-9]{1,12}", text) else http_date(text)


def _may_set(name: str, found: Element, setting: bool) -> bool:
    if name in _TIMES:
        return setting and _moment(found.text) is not None
    return name == _FAVORITE or name not in LIVE


def _set(request: DavRequest, place: Place, name: str, found: Element, setting: bool) -> None:
    node = place.there
    properties = request.drive.properties
    if name in _TIMES:
        moment = _moment(found.text)
        assert moment is not None
        request.drive.tree.set_mtime(node, moment)
    elif name == _FAVORITE:
        starred = setting and (found.text or "").strip().lower() in ("1", "true")
        properties.set_favorite(node.id, request.view.username, starred)
    elif setting:
        properties.set(node.id, name, serialise(found))
    else:
        properties.remove(node.id, name)
