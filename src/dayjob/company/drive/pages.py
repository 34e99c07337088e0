"""What a browser (or a client that behaves like one) asks for: log-in, a folder, a public link, `status.php`.

Every address works with and without the leading `/index.php`.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, unquote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope

from dayjob.company.bodies import BodyTooLarge, read_body
from dayjob.company.drive.api.archive import ZipDownload
from dayjob.company.drive.api.auth import challenge, session_token, visitor
from dayjob.company.drive.api.dav.transfer import Download, disposition, parse_range
from dayjob.company.drive.api.headers import Headers
from dayjob.company.drive.api.ocs.instance import status
from dayjob.company.drive.errors import DriveError, NotAuthenticated, NotFound
from dayjob.company.drive.names import clean_path, encode_path, join, name_of
from dayjob.company.drive.passwords import password_fits
from dayjob.company.drive.store.rows import READ, Place, Share, User
from dayjob.company.drive.store.view import LinkView, View
from dayjob.company.drive.version import PRODUCT
from dayjob.company.drive.words import readable
from dayjob.company.journal import identify
from dayjob.company.routing import MethodNotAllowed, Router
from dayjob.company.routing import NotFound as NoRoute

if TYPE_CHECKING:
    from jinja2 import Environment

    from dayjob.company.drive.service import Drive

FORM_LIMIT = 64 * 1024
_HOME = "/index.php/apps/files/"
_CSP = "default-src 'self'; style-src 'self' 'unsafe-inline'; script-src 'none'; frame-ancestors 'self'"
_router = Router(tolerant=True)


class Page:
    """A request for a page: its query, its form if it has one, and who asks."""

    def __init__(self, drive: Drive, request: Request, headers: Headers) -> None:
        self.drive = drive
        self.request = request
        self.headers = headers
        self.query = request.query_params

    async def form(self) -> dict[str, str]:
        body = await read_body(self.request, FORM_LIMIT)
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))

    def visitor(self) -> User | None:
        return visitor(self.drive, self.headers)

    def session(self) -> str | None:
        return session_token(self.drive, self.headers)

    def request_token(self) -> str:
        token = self.session()
        found = self.drive.accounts.session(token) if token else None
        return found[1] if found else ""

    def html(self, template: str, status: int = 200, **values: Any) -> Response:
        text = _templates().get_template(template).render(product=PRODUCT, **values)
        headers = {"content-security-policy": _CSP, "x-content-type-options": "nosniff", "cache-control": "no-store"}
        return Response(text, status, headers, media_type="text/html; charset=utf-8")

    def set_session(self, response: Response, token: str) -> None:
        response.set_cookie(self.drive.instance, token, path="/", httponly=True, samesite="lax")


@functools.cache
def _templates() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    folder = Path(__file__).parent / "templates"
    return Environment(loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined)


async def answer(drive: Drive, scope: Scope, receive: Receive, raw: str, headers: Headers) -> ASGIApp:
    request = Request(scope, receive)
    page = Page(drive, request, headers)
    path = raw.removeprefix("/index.php") if raw.startswith("/index.php/") or raw == "/index.php" else raw
    try:
        handler, params = _router.match(request.method, path)
        for value in params.values():
            clean_path(value)
        found: ASGIApp = await handler(page, **params)
        return found
    except NoRoute:
        return page.html("error.html", 404, heading="Page not found", message="There is nothing at this address.")
    except MethodNotAllowed as error:
        response = page.html("error.html", 405, heading="Not allowed", message="This page cannot be used like that.")
        response.headers["allow"] = ", ".join(error.allowed)
        return response
    except NotAuthenticated as error:
        response = page.html("error.html", 401, heading="Not signed in", message=str(error))
        response.headers["www-authenticate"] = challenge(headers)
        return response
    except DriveError as error:
        heading = "File not found" if error.status == 404 else "This did not work"
        return page.html("error.html", error.status, heading=heading, message=str(error))
    except BodyTooLarge as error:
        return page.html("error.html", 413, heading="Too large", message=str(error))


def page(
    methods: str, *patterns: str
) -> Callable[[Callable[..., Awaitable[ASGIApp]]], Callable[..., Awaitable[ASGIApp]]]:
    return _router.route(methods, *patterns)


# -- the instance ------------------------------------------------------------------------------------------------


@page("GET", "/status.php")
async def show_status(page: Page) -> Response:
    return JSONResponse(status())


@page("GET", "/204")
async def nothing(page: Page) -> Response:
    return Response(status_code=204)


@page("GET", "/heartbeat")
async def heartbeat(page: Page) -> Response:
    return JSONResponse({"token": page.request_token()} if page.visitor() else {}, 200 if page.visitor() else 401)


@page("GET", "/csrftoken")
async def csrf_token(page: Page) -> Response:
    return JSONResponse({"token": page.request_token()})


@page("GET PROPFIND", "/.well-known/webdav", "/.well-known/caldav", "/.well-known/carddav")
async def well_known(page: Page) -> Response:
    return RedirectResponse("/remote.php/dav/", 301)


@page("GET", "/avatar/{username}/{size}", "/avatar/{username}")
async def avatar(page: Page, username: str, size: str = "32") -> Response:
    """Nobody has a picture; a client then draws the initial of the name."""
    user = page.drive.accounts.get(username)
    if user is None:
        raise NotFound(f"There is no account {username}.")
    return JSONResponse({"data": {"displayname": user.name}})


# -- signing in --------------------------------------------------------------------------------------------------


@page("GET", "/")
async def front(page: Page) -> Response:
    return RedirectResponse(_HOME if page.visitor() else "/index.php/login", 302)


def _local(address: str) -> str:
    """An address within this drive to go to after signing in; anything else leads home."""
    if (
        address.startswith("/")
        and not address.startswith(("//", "/\\"))
        and all(" " < char < "\x7f" for char in address)
    ):
        return address
    return _HOME


def _login_page(
    page: Page, status: int = 200, *, user: str = "", problem: str = "", redirect_url: str = ""
) -> Response:
    return page.html(
        "login.html", status, user=user, problem=problem, redirect_url=redirect_url, requesttoken=page.request_token()
    )


@page("GET", "/login")
async def login_form(page: Page) -> Response:
    if page.visitor() is not None:
        return RedirectResponse(_HOME, 302)
    return _login_page(page, redirect_url=page.query.get("redirect_url", ""))


@page("POST", "/login")
async def login(page: Page) -> Response:
    form = await page.form()
    wanted = form.get("redirect_url", "")
    user = page.drive.accounts.sign_in(form.get("user", ""), form.get("password", ""))
    if user is None:
        return _login_page(page, 401, user=form.get("user", ""), problem="Wrong password.", redirect_url=wanted)
    identify(user.username)
    token, _ = page.drive.accounts.open_session(user.username)
    response = RedirectResponse(_local(unquote(wanted)), 303)
    page.set_session(response, token)
    return response


@page("GET POST", "/logout")
async def logout(page: Page) -> Response:
    page.visitor()
    if token := page.session():
        page.drive.accounts.close_session(token)
    response = RedirectResponse("/index.php/login", 303)
    response.delete_cookie(page.drive.instance, path="/")
    return response


# -- one's own files ---------------------------------------------------------------------------------------------


def _need_visitor(page: Page) -> User | Response:
    user = page.visitor()
    if user is not None:
        return user
    if "authorization" in page.headers:
        raise NotAuthenticated("Username or password was incorrect.")
    here = page.request.url.path + (f"?{page.request.url.query}" if page.request.url.query else "")
    return RedirectResponse(f"/index.php/login?redirect_url={quote(here, safe='')}", 302)


def _rows(places: list[Place], link: Callable[[Place], str]) -> list[dict[str, str]]:
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


def _trail(path: str, top: str, link: Callable[[str], str]) -> list[tuple[str, str]]:
    trail, at = [(top, link("/"))], "/"
    for part in path.split("/")[1:] if path != "/" else []:
        at = join(at, part)
        trail.append((part, link(at)))
    return trail


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
        return f"{_HOME}?dir={quote(path)}"

    def entry(one: Place) -> str:
        assert one.node is not None
        return link(one.seen) if one.node.is_folder else f"/remote.php/webdav{encode_path(one.seen)}"

    return page.html(
        "files.html",
        folder=place.seen,
        name=user.name,
        requesttoken=page.request_token(),
        trail=_trail(place.seen, "Home", link),
        entries=_rows(view.entries(place), entry),
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
            return RedirectResponse(f"{_HOME}?dir={quote(one)}", 302)
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


def _chosen(view: View, folder: Place, files: str) -> list[Place]:
    """The entries of a folder that a download names: one, or a JSON list of several; none named means the folder."""
    if not files:
        return [folder]
    try:
        names = json.loads(files) if files.startswith("[") else [files]
    except ValueError:
        names = [files]
    return [view.need(clean_path(join(folder.seen, str(name)))) for name in names if isinstance(names, list)]


def _send(page: Page, view: View, places: list[Place], name: str) -> ASGIApp:
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


@page("GET", "/apps/files/ajax/download.php")
async def download(page: Page) -> ASGIApp:
    """A file, or a folder as a zip: `?dir=/path&files=name`."""
    user = _need_visitor(page)
    if isinstance(user, Response):
        return user
    view = View(page.drive, user.username)
    folder = view.need(clean_path(page.query.get("dir", "/")))
    places = _chosen(view, folder, page.query.get("files", ""))
    return _send(page, view, places, name_of(places[0].seen if len(places) == 1 else folder.seen) or "files")


# -- public links ------------------------------------------------------------------------------------------------


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
    from dayjob.company.drive.api.auth import basic

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
        trail=_trail(place.seen, view.root.name or "Files", link),
        entries=_rows(view.entries(place), entry),
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
    places = _chosen(view, folder, page.query.get("files", ""))
    only = places[0] if len(places) == 1 else folder
    return _send(page, view, places, name_of(only.seen) or view.root.name or "files")
