"""`/remote.php/dav/trash-bin/:user/`: list, read, restore (MOVE into the files) and erase what was deleted."""

from __future__ import annotations

from xml.sax.saxutils import escape

from starlette.responses import Response
from starlette.types import ASGIApp

from dayjob.company.drive.api.dav.finding import Question
from dayjob.company.drive.api.dav.request import DavRequest
from dayjob.company.drive.api.dav.transfer import Download, disposition, parse_range
from dayjob.company.drive.errors import BadRequest, Forbidden, MethodNotAllowed
from dayjob.company.drive.names import encode_path, name_of
from dayjob.company.drive.rows import Trashed
from dayjob.company.drive.shapes.properties import file_id, http_time
from dayjob.company.drive.shapes.xml import DAV, OC, XML_TYPE, element, multistatus, propstat, response, tag

_USUAL = ("resourcetype", "getlastmodified", "getcontentlength", "getcontenttype", "getetag")


async def trash_bin(request: DavRequest, username: str, parts: list[str]) -> ASGIApp:
    """`parts` is what follows the username: nothing, an item's number, or a path inside a deleted folder."""
    trash, method = request.drive.trash, request.method
    if method == "OPTIONS":
        return Response(b"", 200, {"allow": "OPTIONS, PROPFIND, GET, HEAD, MOVE, DELETE", "dav": "1, 3"})
    base = f"/remote.php/dav/trash-bin{encode_path('/' + username)}"
    if not parts:
        if method == "PROPFIND":
            return await _list(request, base, None, trash.items(username))
        if method == "DELETE":
            trash.empty(username)
            return Response(b"", 204)
        raise MethodNotAllowed(f"{method} means nothing here.")
    if not (parts[0].isascii() and parts[0].isdigit() and len(parts[0]) < 19):
        raise BadRequest("What was deleted is addressed by its number.")
    found = trash.get(username, int(parts[0]), "".join(f"/{part}" for part in parts[1:]))
    if method == "PROPFIND":
        return await _list(request, base, found, trash.inside(found) if found.is_folder else [])
    if method in ("GET", "HEAD"):
        return _read(request, found)
    if method == "DELETE":
        trash.erase(found)
        return Response(b"", 204)
    if method == "MOVE":
        space, target = request.destination()
        if space.view.username != username:
            raise Forbidden("The Destination belongs to somebody else.")
        trash.restore(space.view, found, target)
        return Response(b"", 201)
    raise MethodNotAllowed(f"{method} means nothing here.")


def _read(request: DavRequest, found: Trashed) -> ASGIApp:
    if found.is_folder or found.blob is None:
        raise MethodNotAllowed("A folder has no content of its own.")
    headers = {"etag": f'"{found.etag}"', "content-disposition": disposition(found.name),
               "content-security-policy": "default-src 'none';", "x-content-type-options": "nosniff"}  # fmt: skip
    spans = parse_range(request.headers.get("range"), found.size)
    return Download(request.drive.company.blobs.path(found.blob), found.size, found.mime, headers, spans)


async def _list(request: DavRequest, base: str, top: Trashed | None, inside: list[Trashed]) -> Response:
    question = Question(await request.body())
    depth = request.depth("1")
    names = question.names or tuple(f"{DAV}{name}" for name in _USUAL)
    shown = [_describe(request, base, top, names)]
    if depth != 0:
        shown += [_describe(request, base, one, names) for one in inside]
    return Response(multistatus(shown), 207, media_type=XML_TYPE)


def _describe(request: DavRequest, base: str, one: Trashed | None, names: tuple[str, ...]) -> str:
    values = _values(request, one)
    found, missing = [], []
    for name in names:
        value = values.get(name)
        if value is None:
            missing.append(element(name))
        else:
            begin, end = tag(name)
            found.append(f"{begin}>{value}{end}")
    href = f"{base}/" if one is None else f"{base}/{one.item}{encode_path(one.path)}{'/' if one.is_folder else ''}"
    parts = [propstat("".join(found), 200)]
    if missing:
        parts.append(propstat("".join(missing), 404))
    return response(href, parts)


def _values(request: DavRequest, one: Trashed | None) -> dict[str, str]:
    if one is None:
        return {f"{DAV}resourcetype": "<d:collection/>"}
    values = {
        f"{DAV}resourcetype": "<d:collection/>" if one.is_folder else "",
        f"{DAV}getlastmodified": http_time(one.mtime),
        f"{DAV}getetag": f"&quot;{one.etag}&quot;",
        f"{OC}fileid": str(one.id),
        f"{OC}id": file_id(request.drive.instance, one.id),
        f"{OC}size": str(one.total if one.is_folder else one.size),
        f"{OC}trashbin-original-filename": escape(one.name),
        f"{OC}trashbin-original-location": escape((one.origin + one.path).removeprefix("/")),
        f"{OC}trashbin-delete-timestamp": str(one.deleted),
        f"{OC}trashbin-delete-datetime": http_time(one.deleted),
        f"{DAV}displayname": escape(name_of(one.origin + one.path)),
    }
    if not one.is_folder:
        values[f"{DAV}getcontentlength"] = str(one.size)
        values[f"{DAV}getcontenttype"] = one.mime
    return values
