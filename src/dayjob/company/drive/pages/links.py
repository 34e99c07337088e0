"""Public links in a browser: the page, the password, the download."""

from __future__ import annotations

from urllib.parse import quote

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp

from dayjob.company.drive.api.auth import basic
from dayjob.company.drive.errors import NotFound
from dayjob.company.drive.names import clean_path, name_of
from dayjob.company.drive.pages.listing import chosen, send_places, table_rows, trail_to
from dayjob.company.drive.pages.page import Page, page
from dayjob.company.drive.passwords import password_fits
from dayjob.company.drive.store.rows import READ, Place, Share
from dayjob.company.drive.store.view import LinkView
from dayjob.company.drive.words import readable
from dayjob.company.journal import identify


def _share(page: Page, token: str) -> Share:
    share = page.drive.shares.by_token(token)
    if share is None:
        raise NotFound("This link does not exist, or its time is over.")
    identify(f"link:{share.id}")
    return share


def _open(page: Page, share: Share) -> bool:
    """Whether the visitor may look: there is no password, or it was given (in this session or with this request)."""
    if share.password is None or page.drive.accounts.has_opened(page.session(), share.id):
        return True
    credentials = basic(page.headers)
    return credentials is not None and password_fits(credentials[1], share.password)


@page("GET", "/s/{token}")
async def show_link(page: Page, token: str) -> ASGIApp:
    share = _share(page, token)
    if not _open(page, share):
        return RedirectResponse(f"/index.php/s/{quote(token)}/authenticate", 302)
    view = LinkView(page.drive, share)
    here = f"{page.drive.base_url()}/index.php/s/{share.token}"
    place = view.locate(clean_path(page.query.get("path", "/")))
    if place.node is None:
        raise NotFound("There is no such folder behind this link.")
    sharer = page.drive.accounts.get(share.initiator)

    def link(path: str) -> str:
        return f"/index.php/s/{share.token}?path={quote(path)}"

    def entry(one: Place) -> str:
        assert one.node is not None
        if one.node.is_folder:
            return link(one.seen)
        folder = one.seen[: -len(name_of(one.seen))]
        return f"{here}/download?path={quote(folder)}&files={quote(name_of(one.seen), safe='')}"

    return page.html(
        "share.html",
        name=view.root.name or share.owner,
        sharer=sharer.name if sharer else share.initiator,
        readable=bool(share.permissions & READ),
        folder=place.node.is_folder,
        trail=trail_to(place.seen, view.root.name or "Files", link),
        entries=table_rows(view.entries(place), entry),
        size=readable(place.node.bytes),
        download=f"{here}/download",
        webdav=f"{page.drive.base_url()}/public.php/webdav",
        token=share.token,
    )


@page("GET", "/s/{token}/authenticate", "/s/{token}/authenticate/{redirect}")
async def ask_password(page: Page, token: str, redirect: str = "") -> ASGIApp:
    _share(page, token)
    return page.html("share_password.html", token=token, problem="")


@page("POST", "/s/{token}/authenticate", "/s/{token}/authenticate/{redirect}")
async def give_password(page: Page, token: str, redirect: str = "") -> ASGIApp:
    form = await page.form()
    share = _share(page, token)
    if share.password is not None and not password_fits(form.get("password", ""), share.password):
        return page.html("share_password.html", 401, token=token, problem="The password is wrong. Try again.")
    session = page.drive.accounts.open_link(page.session(), share.id)
    response = RedirectResponse(f"/index.php/s/{share.token}{'/download' if redirect == 'download' else ''}", 303)
    page.set_session(response, session)
    return response


@page("GET", "/s/{token}/download", "/s/{token}/download/{name}")
async def download_link(page: Page, token: str, name: str = "") -> ASGIApp:
    share = _share(page, token)
    if not _open(page, share):
        return RedirectResponse(f"/index.php/s/{quote(token)}/authenticate/download", 302)
    view = LinkView(page.drive, share)
    folder = view.need(clean_path(page.query.get("path", "/")))
    places = chosen(view, folder, page.query.get("files", ""))
    only = places[0] if len(places) == 1 else folder
    return send_places(page, view, places, name_of(only.seen) or view.root.name or "files")
