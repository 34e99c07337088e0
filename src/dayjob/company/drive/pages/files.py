"""One's own files in a browser."""

from __future__ import annotations

from urllib.parse import quote

from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp

from dayjob.company.drive.errors import NotAuthenticated, NotFound
from dayjob.company.drive.names import clean_path, encode_path, name_of
from dayjob.company.drive.pages.listing import chosen, send_places, table_rows, trail_to
from dayjob.company.drive.pages.page import HOME, Page, page
from dayjob.company.drive.store.rows import Place, User
from dayjob.company.drive.store.view import View


def _need_visitor(page: Page) -> User | Response:
    user = page.visitor()
    if user is not None:
        return user
    if "authorization" in page.headers:
        raise NotAuthenticated("Username or password was incorrect.")
    here = page.request.url.path + (f"?{page.request.url.query}" if page.request.url.query else "")
    return RedirectResponse(f"/index.php/login?redirect_url={quote(here, safe='')}", 302)


@page("GET", "/apps/files")
async def folder(page: Page) -> ASGIApp:
    user = _need_visitor(page)
    if isinstance(user, Response):
        return user
    view = View(page.drive, user.username)
    place = view.need(clean_path(page.query.get("dir", "/")))
    assert place.node is not None
    if not place.node.is_folder:
        return RedirectResponse(f"/remote.php/webdav{encode_path(place.seen)}", 302)

    def link(path: str) -> str:
        return f"{HOME}?dir={quote(path)}"

    def entry(one: Place) -> str:
        assert one.node is not None
        return link(one.seen) if one.node.is_folder else f"/remote.php/webdav{encode_path(one.seen)}"

    return page.html(
        "files.html",
        folder=place.seen,
        name=user.name,
        requesttoken=page.request_token(),
        trail=trail_to(place.seen, "Home", link),
        entries=table_rows(view.entries(place), entry),
        zip=f"/index.php/apps/files/ajax/download.php?dir={quote(place.seen)}",
    )


@page("GET", "/f/{id}")
async def private_link(page: Page, id: str) -> ASGIApp:
    """A link to a file by its number, for whoever can see that file."""
    user = _need_visitor(page)
    if isinstance(user, Response):
        return user
    node = page.drive.tree.by_id(int(id)) if id.isascii() and id.isdigit() and len(id) < 19 else None
    view = View(page.drive, user.username)
    if node is not None:
        for one in _seen_as(view, node.owner, node.path):
            return RedirectResponse(f"{HOME}?dir={quote(one)}", 302)
    raise NotFound("There is no such file, or you may not see it.")


def _seen_as(view: View, owner: str, path: str) -> list[str]:
    """Where a stored path appears in somebody's drive."""
    if owner == view.username:
        return [path]
    found = []
    for share, target in view.drive.shares.received(view.username):
        if share.owner == owner and (path == share.path or path.startswith(f"{share.path}/")):
            found.append(target + path[len(share.path) :])
    return found


@page("GET", "/apps/files/ajax/download.php")
async def download(page: Page) -> ASGIApp:
    """A file, or a folder as a zip: `?dir=/path&files=name`."""
    user = _need_visitor(page)
    if isinstance(user, Response):
        return user
    view = View(page.drive, user.username)
    folder = view.need(clean_path(page.query.get("dir", "/")))
    places = chosen(view, folder, page.query.get("files", ""))
    return send_places(page, view, places, name_of(places[0].seen if len(places) == 1 else folder.seen) or "files")
