"""The lists of files: a folder, what is shared, favourites, search; and the way to a file by its number."""

from __future__ import annotations

from urllib.parse import quote

from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp

from dayjob.company.drive.errors import NotFound
from dayjob.company.drive.names import name_of
from dayjob.company.drive.pages.listing import Order, rows, trail_to
from dayjob.company.drive.pages.page import FILES, HOME, Page, address, folder_address, page, path_of
from dayjob.company.drive.pages.reading import chosen, note, send
from dayjob.company.drive.pages.trashbin import show_trash
from dayjob.company.drive.rows import CREATE, Place, Share
from dayjob.company.drive.store.view import View

MOST_FOUND = 500
TITLES = {
    "favorites": ("Favourites", "Star a file or folder to find it here."),
    "sharingin": ("Shared with you", "What colleagues share with you appears here and among your files."),
    "sharingout": ("Shared by you", "What you share with colleagues appears here."),
    "sharinglinks": ("Shared by link", "Files and folders that have a public link appear here."),
}


@page("GET", "/apps/files")
async def folder(page: Page) -> ASGIApp:
    view = page.view()
    wanted = page.query.get("view", "files")
    if wanted == "trashbin":
        return show_trash(page, view)
    if wanted in TITLES:
        return _collection(page, view, wanted)
    place = view.need(path_of(page.query.get("dir", "/")))
    if not place.there.is_folder:
        return RedirectResponse(address("view", place.seen), 302)
    note(page, view, place)
    order = Order.read(page.query, folder_address(place.seen))
    found = rows(view, view.entries(place))
    shown, pages = order.arrange(found)
    return page.show(
        "folder.html",
        place="files",
        folder=place.seen,
        heading=name_of(place.seen) or "All files",
        trail=trail_to(place.seen, "All files", folder_address),
        rows=shown,
        order=order,
        pages=pages,
        folders=sum(row.folder for row in found),
        files=sum(not row.folder for row in found),
        bytes=sum(row.size for row in found),
        can_add=bool(place.permissions & CREATE),
        download=f"{FILES}/ajax/download.php?dir={quote(place.seen)}",
    )


def _collection(page: Page, view: View, wanted: str) -> Response:
    """Favourites and what is shared: from all over the drive."""
    top = view.locate("/")
    if wanted == "favorites":
        places = view.favorites(top)
    elif wanted == "sharingin":
        places = [view.locate(target) for _, target in page.drive.shares.received(view.username)]
    else:
        links = wanted == "sharinglinks"
        given = [one for one in page.drive.shares.given_by(view.username) if one.is_link == links]
        places = _places(view, given)
    heading, nothing = TITLES[wanted]
    return _list(page, view, places, f"{HOME}?view={wanted}", place=wanted, heading=heading, nothing=nothing)


def _places(view: View, shares: list[Share]) -> list[Place]:
    seen = dict.fromkeys(view.seen_as(share.owner, share.path) for share in shares)
    return [view.locate(path) for path in seen if path is not None]


def _list(
    page: Page, view: View, places: list[Place], base: str, *, place: str, heading: str, nothing: str, search: str = ""
) -> Response:
    order = Order.read(page.query, base)
    shown, pages = order.arrange(rows(view, places))
    return page.show(
        "collection.html", search=search, place=place, heading=heading, nothing=nothing, rows=shown, order=order,
        pages=pages, count=len(places),
    )  # fmt: skip


@page("GET", "/apps/files/search")
async def search(page: Page) -> ASGIApp:
    view = page.view()
    text = page.query.get("q", "").strip()[:200]
    places = view.search(view.locate("/"), text, MOST_FOUND) if text else []
    heading = f"Files and folders named “{text}”" if text else "Search files and folders"
    nothing = "Nothing has this in its name." if text else "Type a part of a name into the field at the top."
    base = f"{FILES}/search?q={quote(text)}"
    return _list(page, view, places, base, place="", heading=heading, nothing=nothing, search=text)


@page("GET", "/f/{id}")
async def private_link(page: Page, id: str) -> ASGIApp:
    """A link to a file by its number, for whoever can see that file."""
    view = page.view()
    node = page.drive.tree.by_id(int(id)) if id.isascii() and id.isdigit() and len(id) < 19 else None
    seen = view.seen_as(node.owner, node.path) if node is not None else None
    if seen is None:
        raise NotFound("There is no such file, or you may not see it.")
    return RedirectResponse(folder_address(seen), 302)


@page("GET", "/apps/files/ajax/download.php")
async def download(page: Page) -> ASGIApp:
    """A file, or a folder or several things as a zip: `?dir=/path&files=name`, `files[]=name&files[]=other`."""
    view = page.view()
    folder = view.need(path_of(page.query.get("dir", "/")))
    files = page.query.getlist("files") + page.query.getlist("files[]")
    places = chosen(view, folder, files)
    return send(page, view, places, name_of(places[0].seen if len(places) == 1 else folder.seen) or "files")
