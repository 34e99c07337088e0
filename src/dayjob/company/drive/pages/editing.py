"""The text editor: what somebody else saved in the meantime is never overwritten unasked."""

from __future__ import annotations

from starlette.responses import Response
from starlette.types import ASGIApp

from dayjob.company.drive.errors import BadRequest, DriveError, Forbidden
from dayjob.company.drive.names import name_of
from dayjob.company.drive.pages.acting import write_text
from dayjob.company.drive.pages.listing import trail_to
from dayjob.company.drive.pages.page import Page, address, folder_address, page, path_of, see_other
from dayjob.company.drive.pages.reading import note
from dayjob.company.drive.previews.texts import EDITED, decode
from dayjob.company.drive.rows import UPDATE, Node, Place
from dayjob.company.drive.store.view import View
from dayjob.company.pages import read_form


def _text(page: Page, node: Node) -> tuple[str, str]:
    """The text of a file and its line end; refuses what the editor would spoil."""
    if node.is_folder or node.blob is None:
        raise BadRequest("A folder has no text.")
    if node.size > EDITED:
        raise BadRequest(f"{node.name} is larger than {EDITED // 1024} KB. Download it to change it.")
    raw = page.drive.company.blobs.path(node.blob).read_bytes()
    text, encoding = decode(raw)
    if encoding != "utf-8" and raw:
        raise BadRequest(f"{node.name} is not text in UTF-8, so it cannot be changed here.")
    return text, "\r\n" if "\r\n" in text else "\n"


def _editor(page: Page, place: Place, text: str, etag: str, *, status: int = 200, problem: str = "",
            theirs: bool = False) -> Response:  # fmt: skip
    return page.show(
        "edit.html",
        status,
        place="files",
        name=name_of(place.seen),
        action=address("edit", place.seen),
        shown=address("view", place.seen),
        trail=trail_to(place.seen, "All files", folder_address),
        text=text.replace("\r\n", "\n"),
        etag=etag,
        problem=problem,
        theirs=theirs,
    )


@page("GET", "/apps/files/edit/{path:rest}")
async def editor(page: Page, path: str) -> ASGIApp:
    view = page.view()
    place = view.need(path_of(path))
    assert place.node is not None
    if not place.permissions & UPDATE:
        raise Forbidden(f"You may read {place.seen}, but not change it.")
    text, _ = _text(page, place.node)
    note(page, view, place)
    return _editor(page, place, text, place.node.etag)


@page("POST", "/apps/files/edit/{path:rest}")
async def save(page: Page, path: str) -> ASGIApp:
    """`etag` is the version the text was written from; with `anyway`, a later one is replaced."""
    page.user()
    form = await read_form(page.request, 4 * EDITED)
    page.require_token(form)
    view = page.view()
    place = view.need(path_of(path))
    assert place.node is not None
    text = form.get("text", "")
    if form.get("etag") != place.node.etag and form.get("anyway") != "1":
        said = "Somebody saved another version of this file while you were writing. Your text is still here."
        return _editor(page, place, text, place.node.etag, problem=said, theirs=True)
    return _save(page, view, place, text)


def _save(page: Page, view: View, place: Place, text: str) -> Response:
    old, line_end = _text(page, place.there)
    content = text.replace("\n", line_end).encode("utf-8", "replace")
    try:
        if content != old.encode("utf-8", "replace"):
            write_text(view, place.seen, content)
    except DriveError as error:
        return _editor(page, place, text, place.there.etag, status=error.status, problem=str(error))
    return see_other(address("view", place.seen), f"“{name_of(place.seen)}” is saved.")
