"""A folder as rows of a table, and what a download link gives: for accounts and for public links."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime

from starlette.types import ASGIApp

from dayjob.company.drive.api.archive import ZipDownload
from dayjob.company.drive.api.dav.transfer import Download, disposition, parse_range
from dayjob.company.drive.names import clean_path, join, name_of
from dayjob.company.drive.pages.page import Page
from dayjob.company.drive.store.rows import Place
from dayjob.company.drive.store.view import View
from dayjob.company.drive.words import readable


def table_rows(places: list[Place], link: Callable[[Place], str]) -> list[dict[str, str]]:
    rows = []
    for place in places:
        assert place.node is not None
        moment = datetime.fromtimestamp(max(0, min(place.node.mtime, 253_402_300_799)), UTC)
        rows.append(
            {
                "name": name_of(place.seen),
                "kind": place.node.kind,
                "link": link(place),
                "size": readable(place.node.bytes),
                "modified": moment.strftime("%Y-%m-%d %H:%M"),
            }
        )
    return sorted(rows, key=lambda row: (row["kind"] != "folder", row["name"].casefold()))


def trail_to(path: str, top: str, link: Callable[[str], str]) -> list[tuple[str, str]]:
    trail, at = [(top, link("/"))], "/"
    for part in path.split("/")[1:] if path != "/" else []:
        at = join(at, part)
        trail.append((part, link(at)))
    return trail


def chosen(view: View, folder: Place, files: str) -> list[Place]:
    """The entries of a folder that a download names: one, or a JSON list of several; none named means the folder."""
    if not files:
        return [folder]
    try:
        names = json.loads(files) if files.startswith("[") else [files]
    except ValueError:
        names = [files]
    return [view.need(clean_path(join(folder.seen, str(name)))) for name in names if isinstance(names, list)]


def send_places(page: Page, view: View, places: list[Place], name: str) -> ASGIApp:
    first = places[0].node if places else None
    if len(places) == 1 and first is not None and not first.is_folder:
        assert first.blob is not None
        headers = {
            "etag": f'"{first.etag}"',
            "accept-ranges": "bytes",
            "content-disposition": disposition(name_of(places[0].seen) or first.name),
            "content-security-policy": "default-src 'none';",
            "x-content-type-options": "nosniff",
        }
        spans = parse_range(page.headers.get("range"), first.size)
        return Download(page.drive.company.blobs.path(first.blob), first.size, first.mime, headers, spans)
    return ZipDownload(view, places, name)
