"""A file by itself: its preview, its picture or its pages for the preview, and everything known about it."""

from __future__ import annotations

import base64
import html
import posixpath
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp

from dayjob.company.drive.errors import BadRequest, NotFound
from dayjob.company.drive.names import join, name_of, parent_of
from dayjob.company.drive.pages.listing import modified_at, rows, trail_to
from dayjob.company.drive.pages.page import Page, address, folder_address, page, path_of
from dayjob.company.drive.pages.reading import note, send_inline
from dayjob.company.drive.pages.sharing import told_shares
from dayjob.company.drive.previews.kinds import WORDS, WRITTEN, kind_of
from dayjob.company.drive.previews.runner import read_document
from dayjob.company.drive.previews.texts import read_table, read_text
from dayjob.company.drive.rows import Node, Place
from dayjob.company.mime import mime_of
from dayjob.company.pages import highlight, markdown

_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/x-icon", "image/svg+xml")
_CODE_LINES = 5000
_HEADING = re.compile(r"(</?h)([1-5])(?=>)")
_PICTURE = re.compile(r'<img src="([^"]*)"')


async def preview(page: Page, path: str, node: Node, picture: Callable[[str], str]) -> dict[str, Any]:
    """What a page shows of a file: `as` names the piece of template, `problem` says why there is nothing to see.

    `path` is where its reader sees it, `picture` the address of a picture at a path.
    """
    name = name_of(path)
    kind = kind_of(name)
    assert node.blob is not None
    content = page.drive.company.blobs.path(node.blob)
    if kind in WRITTEN or (kind == "other" and node.size):
        text = read_text(content)
        if text.encoding and kind == "markdown" and text.text:
            return {"as": "markdown", "html": _markdown(text.text, path, picture), "notes": text.notes}
        if text.encoding:
            return _written(kind, name, text.text, text.notes)
        kind = "other"
    if kind == "image" and mime_of(name) == "image/svg+xml":
        return {"as": "image", "notes": []}
    if kind in ("docx", "xlsx", "pptx", "odt", "ods", "odp", "pdf", "image"):
        found = await read_document(kind, node.blob, content, node.size)
        return {"as": _piece(kind), "notes": [], **found}
    if not node.size:
        return {"problem": "This file is empty.", "notes": []}
    return {"problem": f"There is no preview of this kind of file ({WORDS[kind].lower()}). Download it to open it.",
            "notes": []}  # fmt: skip


def _markdown(text: str, path: str, picture: Callable[[str], str]) -> str:
    """The page's own heading is the first, so the file's stand one lower; its pictures lie beside it."""

    def beside(tag: re.Match[str]) -> str:
        source = unquote(html.unescape(tag[1]))
        if source.startswith(("/", "data:")) or kind_of(source) != "image":
            return tag[0]
        return f'<img src="{html.escape(picture(posixpath.normpath(join(parent_of(path), source))))}"'

    lowered = _HEADING.sub(lambda tag: f"{tag[1]}{int(tag[2]) + 1}", markdown.render(text))
    return _PICTURE.sub(beside, lowered)


def _written(kind: str, name: str, text: str, notes: list[str]) -> dict[str, Any]:
    if not text:
        return {"problem": "This file is empty.", "notes": notes}
    if kind == "csv":
        return {"as": "sheets", "headed": True, **read_table(text, name), "notes": notes}
    lines = highlight.lines(text.removesuffix("\n"), name if kind == "code" else "plain.txt")
    if len(lines) > _CODE_LINES:
        notes = [*notes, f"The first {_CODE_LINES} lines are shown. Download the file for the rest."]
    return {"as": "code", "lines": lines[:_CODE_LINES], "notes": notes}


def _piece(kind: str) -> str:
    return {"docx": "blocks", "odt": "blocks", "xlsx": "sheets", "ods": "sheets", "pptx": "slides",
            "odp": "slides"}.get(kind, kind)  # fmt: skip


def _file(page: Page, path: str) -> tuple[Place, Node]:
    place = page.view().need(path_of(path))
    if place.there.is_folder:
        raise BadRequest(f"{place.seen} is a folder.")
    return place, place.there


@page("GET", "/apps/files/view/{path:rest}")
async def show_file(page: Page, path: str) -> ASGIApp:
    view = page.view()
    place = view.need(path_of(path))
    node = place.there
    if node.is_folder:
        return RedirectResponse(folder_address(place.seen), 302)
    note(page, view, place)
    shown = await preview(page, place.seen, node, lambda path: address("raw", path))
    return page.show(
        "view.html",
        place="files",
        file=rows(view, [place])[0],
        trail=trail_to(place.seen, "All files", folder_address),
        preview=shown,
        picture=address("raw", place.seen),
        leaf=lambda number: address(f"leaf/{number}", place.seen),
    )


@page("GET", "/apps/files/raw/{path:rest}")
async def raw(page: Page, path: str) -> ASGIApp:
    """A picture as an `<img>` shows it."""
    place, _ = _file(page, path)
    require_picture(name_of(place.seen))
    return send_inline(page, page.view(), place)


def require_picture(name: str) -> None:
    if mime_of(name) not in _PICTURES:
        raise BadRequest("Only pictures are shown like this; use the download for other files.")


@page("GET", "/apps/files/leaf/{number}/{path:rest}")
async def leaf(page: Page, number: str, path: str) -> ASGIApp:
    """One page of a PDF as a picture."""
    _, node = _file(page, path)
    return await pdf_leaf(page, node, number)


async def pdf_leaf(page: Page, node: Node, number: str) -> Response:
    assert node.blob is not None
    found = await read_document("pdf", node.blob, page.drive.company.blobs.path(node.blob), node.size)
    leaves = found.get("pages", [])
    at = int(number) if number.isascii() and number.isdigit() and len(number) < 6 else 0
    if not 1 <= at <= len(leaves):
        raise NotFound(f"There is no page {number}.")
    headers = {"cache-control": "private, max-age=600", "x-content-type-options": "nosniff"}
    return Response(base64.b64decode(leaves[at - 1]["png"]), 200, headers, "image/png")


@page("GET", "/apps/files/details/{path:rest}")
async def details(page: Page, path: str) -> ASGIApp:
    view = page.view()
    place = view.need(path_of(path))
    node = place.there
    owner = page.drive.accounts.get(place.owner)
    return page.show(
        "details.html",
        name=name_of(place.seen) or "All files",
        path=place.seen,
        kind=WORDS[kind_of(name_of(place.seen), node.is_folder)],
        mime=node.mime,
        size=node.bytes,
        inside=len(view.entries(place)) if node.is_folder else None,
        modified=modified_at(node.mtime),
        created=modified_at(node.created),
        owner=owner.name if owner else place.owner,
        checksums=[one.split(":", 1) for one in node.checksums.split()],
        link=f"{page.drive.base_url()}/index.php/f/{node.id}",
        shares=told_shares(page, view.username, place),
        share_address=address("sharing", place.seen),
        back=folder_address(parent_of(place.seen)),
    )
