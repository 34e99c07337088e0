"""GET, HEAD and OPTIONS."""

from __future__ import annotations

from starlette.responses import Response
from starlette.types import ASGIApp

from dayjob.company.drive.api.dav.conditions import check, etag_in, http_date, not_modified
from dayjob.company.drive.api.dav.request import DavRequest
from dayjob.company.drive.api.dav.transfer import Download, disposition, parse_range
from dayjob.company.drive.names import name_of
from dayjob.company.drive.shapes.properties import file_id, http_time

METHODS = "OPTIONS, GET, HEAD, DELETE, PROPFIND, PUT, PROPPATCH, COPY, MOVE, REPORT, LOCK, UNLOCK, MKCOL"
CLASSES = "1, 2, 3, extended-mkcol"


async def options(request: DavRequest) -> Response:
    headers = {"allow": METHODS, "dav": CLASSES, "ms-author-via": "DAV", "accept-ranges": "bytes"}
    return Response(b"", 200, headers)


async def get(request: DavRequest) -> ASGIApp:
    place = request.view.need(request.path)
    node = place.there
    check(request, place)
    if node.is_folder:
        text = "Files and folders are served here to WebDAV clients; a browser finds them at /index.php/apps/files.\n"
        return Response(text, 200, {"etag": f'"{request.view.etag(place)}"'}, media_type="text/plain")
    headers = {
        "etag": f'"{node.etag}"',
        "oc-etag": f'"{node.etag}"',
        "oc-fileid": file_id(request.drive.instance, node.id),
        "last-modified": http_time(node.mtime),
        "accept-ranges": "bytes",
        "content-disposition": disposition(name_of(place.seen) or node.name),
        "content-security-policy": "default-src 'none';",
        "x-content-type-options": "nosniff",
        "cache-control": "no-store, no-cache, must-revalidate",
    }
    if node.checksums:
        headers["oc-checksum"] = node.checksums.split(" ")[0]
    if not_modified(request, node.etag, node.mtime):
        return Response(b"", 304, headers)
    spans = (
        parse_range(request.headers.get("range"), node.size) if _range_applies(request, node.etag, node.mtime) else None
    )
    assert node.blob is not None
    return Download(request.drive.company.blobs.path(node.blob), node.size, node.mime, headers, spans)


def _range_applies(request: DavRequest, etag: str, mtime: int) -> bool:
    """If-Range: the range counts only while the reader's part still belongs to this content."""
    text = request.headers.get("if-range")
    if text is None:
        return True
    moment = http_date(text)
    return mtime <= moment if moment is not None else etag_in(text, etag)
