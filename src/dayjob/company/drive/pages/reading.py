"""What a page lets somebody read: noted in the journal as the WebDAV request that would have shown the same, and sent.

So a grader asks one question, whichever way a file was read: `accessed("owncloud", "/remote.php/webdav/Finance/x.md")`.
"""

from __future__ import annotations

import json

from starlette.types import ASGIApp

from dayjob.company.drive.api.archive import ZipDownload
from dayjob.company.drive.api.dav.transfer import Download, disposition, parse_range
from dayjob.company.drive.names import clean_path, join, name_of
from dayjob.company.drive.pages.page import Page
from dayjob.company.drive.rows import Node, Place
from dayjob.company.drive.store.view import LinkView, View
from dayjob.company.journal import Visit, current

_SAFE = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "x-content-type-options": "nosniff",
}


def note(page: Page, view: View, *places: Place) -> None:
    """Write down that these were shown: a file as read, a folder as listed. A link's files by their owner's path."""
    visit = current.get()
    if visit is None or page.request.method == "HEAD":
        return
    for place in places:
        path = place.path if isinstance(view, LinkView) else place.seen
        method = "PROPFIND" if place.node is not None and place.node.is_folder else "GET"
        seen = Visit(visit.service, visit.role, visit.phase, method, f"/remote.php/webdav{path}")
        seen.account, seen.status = visit.account, 207 if method == "PROPFIND" else 200
        page.drive.company.record(seen)


def chosen(view: View, folder: Place, files: list[str]) -> list[Place]:
    """The entries of a folder that a download names: each by name or in a JSON list; none named means the folder."""
    names: list[str] = []
    for text in files:
        try:
            found = json.loads(text) if text.startswith("[") else [text]
        except (ValueError, RecursionError):
            found = [text]
        names += [str(one) for one in found]
    return [view.need(clean_path(join(folder.seen, name))) for name in names if name] or [folder]


def send(page: Page, view: View, places: list[Place], name: str) -> ASGIApp:
    """One file as it is; a folder or several things as a zip."""
    first = places[0].node
    if len(places) == 1 and first is not None and not first.is_folder:
        note(page, view, places[0])
        headers = {"content-disposition": disposition(name_of(places[0].seen) or first.name), **_SAFE}
        return _file(page, first, first.mime, headers)
    inside = [one for place in places for one in (place, *view.walk(place))]
    note(page, view, *(one for one in inside if one.node is not None and not one.node.is_folder))
    return ZipDownload(view, places, name)


def send_inline(page: Page, view: View, place: Place) -> ASGIApp:
    """A file for an `<img>` of a page: shown there, and without rights of its own when it is opened by itself."""
    assert place.node is not None
    note(page, view, place)
    return _file(page, place.node, place.node.mime, dict(_SAFE))


def _file(page: Page, node: Node, mime: str, headers: dict[str, str]) -> ASGIApp:
    assert node.blob is not None
    headers |= {"etag": f'"{node.etag}"', "accept-ranges": "bytes", "cache-control": "private, no-cache"}
    spans = parse_range(page.headers.get("range"), node.size)
    return Download(page.drive.company.blobs.path(node.blob), node.size, mime, headers, spans)
