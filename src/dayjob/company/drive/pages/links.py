"""Public links in a browser: the page with its preview or its files, the password, the download, uploads."""

from __future__ import annotations

from urllib.parse import quote

from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp

from dayjob.company.drive.api.auth import basic
from dayjob.company.drive.errors import BadRequest, Forbidden, NotFound
from dayjob.company.drive.names import name_of, parent_of
from dayjob.company.drive.pages import uploading
from dayjob.company.drive.pages.listing import Order, Row, modified_at, trail_to
from dayjob.company.drive.pages.page import OutOfDate, Page, page, path_of, see_other
from dayjob.company.drive.pages.reading import chosen, note, send, send_inline
from dayjob.company.drive.pages.showing import pdf_leaf, preview, require_picture
from dayjob.company.drive.previews.kinds import kind_of
from dayjob.company.drive.rows import CREATE, READ, Place, Share
from dayjob.company.drive.store.view import LinkView
from dayjob.company.journal import identify
from dayjob.company.pages import from_here
from dayjob.company.passwords import password_fits


class Link:
    """A public link somebody has opened: its share, what it shows, and the addresses below it."""

    def __init__(self, page: Page, share: Share) -> None:
        self.view = LinkView(page.drive, share)
        self.share = share
        self.here = f"/index.php/s/{share.token}"
        self.absolute = f"{page.drive.base_url()}{self.here}"
        self.name = self.view.root.name or share.owner

    def address(self, path: str) -> str:
        return f"{self.here}?path={quote(path)}"

    def picture(self, path: str) -> str:
        return f"{self.here}/raw?path={quote(path)}"

    def download(self, place: Place) -> str:
        if place.seen == "/":
            return f"{self.absolute}/download"
        files = quote(name_of(place.seen), safe="")
        return f"{self.absolute}/download?path={quote(parent_of(place.seen))}&files={files}"

    def row(self, place: Place) -> Row:
        node = place.there
        name = name_of(place.seen) or self.name
        return Row(name, place.seen, node.is_folder, kind_of(name, node.is_folder), self.address(place.seen),
                   self.download(place), node.bytes, modified_at(node.mtime))  # fmt: skip


def _share(page: Page, token: str) -> Share:
    share = page.drive.shares.by_token(token)
    if share is None:
        raise NotFound("This link does not exist, or its time is over. Ask whoever gave it to you for another one.")
    if page.visitor() is None:
        identify(f"link:{share.id}")
    return share


def _is_open(page: Page, share: Share) -> bool:
    """Whether the visitor may look: there is no password, or it was given (in this session or with this request)."""
    if share.password is None or page.drive.accounts.has_opened(page.session(), share.id):
        return True
    credentials = basic(page.headers)
    return credentials is not None and password_fits(credentials[1], share.password)


def _opened(page: Page, token: str, then: str = "") -> Link | Response:
    """The link, or the way to its password page."""
    share = _share(page, token)
    if _is_open(page, share):
        return Link(page, share)
    return RedirectResponse(f"/index.php/s/{quote(token)}/authenticate{then}", 302)


@page("GET", "/s/{token}")
async def show_link(page: Page, token: str) -> ASGIApp:
    link = _opened(page, token)
    if isinstance(link, Response):
        return link
    view, share = link.view, link.share
    place = view.locate(path_of(page.query.get("path", "/")))
    if place.node is None:
        raise NotFound("There is no such file or folder behind this link.")
    readable = bool(share.permissions & READ)
    if not readable:
        place = view.locate("/")
    assert place.node is not None
    if readable:
        note(page, view, place)
    sharer = page.drive.accounts.get(share.initiator)
    row = link.row(place)
    is_folder = place.node.is_folder
    order = Order.read(page.query, link.address(place.seen))
    shown, pages = order.arrange([link.row(one) for one in view.entries(place)])
    where = f"path={quote(place.seen)}"
    return page.show(
        "share.html",
        name=row.name,
        sharer=sharer.name if sharer else share.initiator,
        readable=readable,
        folder=is_folder,
        trail=trail_to(place.seen, link.name, link.address),
        rows=shown,
        order=order,
        pages=pages,
        file=row,
        preview=await preview(page, place.seen if place.seen != "/" else f"/{row.name}", place.node, link.picture)
        if readable and not is_folder
        else None,
        picture=link.picture(place.seen),
        leaf=lambda number: f"{link.here}/leaf/{number}?{where}",
        download=f"{link.absolute}/download",
        expires=share.expires,
        can_add=is_folder and bool(share.permissions & CREATE),
        action=f"{link.here}/upload",
        here=place.seen,
        room=page.drive.tree.room(share.owner),
    )


@page("GET", "/s/{token}/authenticate", "/s/{token}/authenticate/{redirect}")
async def ask_password(page: Page, token: str, redirect: str = "") -> ASGIApp:
    _share(page, token)
    return _password_page(page, token, redirect)


def _password_page(page: Page, token: str, redirect: str, problem: str = "") -> Response:
    then = "/download" if redirect == "download" else ""
    action = f"/index.php/s/{quote(token)}/authenticate{then}"
    return page.show("share_password.html", 401 if problem else 200, action=action, problem=problem)


@page("POST", "/s/{token}/authenticate", "/s/{token}/authenticate/{redirect}")
async def give_password(page: Page, token: str, redirect: str = "") -> ASGIApp:
    form = await page.visitor_form()
    share = _share(page, token)
    if share.password is not None and not password_fits(form.get("password", ""), share.password):
        return _password_page(page, token, redirect, "The password is wrong. Try again.")
    session = page.drive.accounts.open_link(page.session(), share.id)
    response = see_other(f"/index.php/s/{share.token}{'/download' if redirect == 'download' else ''}")
    page.set_session(response, session)
    return response


@page("GET", "/s/{token}/download", "/s/{token}/download/{name}")
async def download_link(page: Page, token: str, name: str = "") -> ASGIApp:
    link = _opened(page, token, "/download")
    if isinstance(link, Response):
        return link
    folder = link.view.need(path_of(page.query.get("path", "/")))
    places = chosen(link.view, folder, page.query.getlist("files") + page.query.getlist("files[]"))
    only = places[0] if len(places) == 1 else folder
    return send(page, link.view, places, name_of(only.seen) or link.name or "files")


def _file(page: Page, token: str) -> tuple[Link, Place]:
    link = _opened(page, token)
    if isinstance(link, Response):
        raise Forbidden("This link needs its password.")
    place = link.view.need(path_of(page.query.get("path", "/")))
    if place.node is None or place.node.is_folder:
        raise BadRequest("This is a folder.")
    return link, place


@page("GET", "/s/{token}/raw")
async def raw_link(page: Page, token: str) -> ASGIApp:
    link, place = _file(page, token)
    require_picture(link.row(place).name)
    return send_inline(page, link.view, place)


@page("GET", "/s/{token}/leaf/{number}")
async def leaf_link(page: Page, token: str, number: str) -> ASGIApp:
    _, place = _file(page, token)
    return await pdf_leaf(page, place.there, number)


# -- uploads ------------------------------------------------------------------------------------------------------


def _target(page: Page, token: str, folder: str) -> tuple[Link, uploading.Target]:
    if not from_here(page.request):
        raise OutOfDate("Open the page again and send it once more.")
    link = _opened(page, token)
    if isinstance(link, Response):
        raise Forbidden("This link needs its password.")
    return link, uploading.target_in(link.view, folder)


@page("GET", "/s/{token}/upload/check")
async def check_upload(page: Page, token: str) -> ASGIApp:
    _, target = _target(page, token, page.query.get("dir", "/"))
    return JSONResponse(uploading.check(target, page.query.get("name", ""), uploading.asked_size(page)))


@page("PUT", "/s/{token}/upload")
async def upload_one(page: Page, token: str) -> ASGIApp:
    _, target = _target(page, token, page.query.get("dir", "/"))
    return await uploading.take_one(page, target)


@page("POST", "/s/{token}/upload")
async def upload(page: Page, token: str) -> ASGIApp:
    """A name that is taken becomes another: a visitor replaces nothing."""
    link, target = _target(page, token, "/")
    form, files = await uploading.read_upload(page, target.room)
    link, target = _target(page, token, form.get("dir", "/"))
    saved, problems = await uploading.store_all(target, files, "both")
    return see_other(link.address(target.folder.seen), uploading.said(saved, problems))
