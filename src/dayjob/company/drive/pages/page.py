"""What every page has: the request with its form and visitor, the drive's frame around it, a place in the router."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from dayjob.company.drive.api.auth import session_token, visitor
from dayjob.company.drive.api.headers import Headers
from dayjob.company.drive.errors import DriveError, NotAuthenticated
from dayjob.company.drive.names import clean_path
from dayjob.company.drive.rows import User
from dayjob.company.drive.store.view import View
from dayjob.company.pages import (
    Form,
    Frame,
    Pages,
    Person,
    Search,
    form_token,
    frame,
    from_here,
    local,
    read_form,
    see_other,
    token_fits,
)
from dayjob.company.pages.cookies import keep_cookie
from dayjob.http.routing import Router

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive

FILES = "/index.php/apps/files"
HOME = f"{FILES}/"
PAGES = Pages(Path(__file__).parent)
router = Router(tolerant=True)
Handler = Callable[..., Awaitable[ASGIApp]]


class SignInFirst(DriveError, status=401):
    """Nobody is signed in: the log-in page comes first, and then the page that was asked for."""


class OutOfDate(DriveError, status=403):
    """A form that this session's pages did not write."""


class Page:
    """A request for a page: its query, its form if it has one, and who asks."""

    def __init__(self, drive: Drive, request: Request, headers: Headers) -> None:
        self.drive = drive
        self.request = request
        self.headers = headers
        self.query = request.query_params

    # -- who ------------------------------------------------------------------------------------------------------

    def visitor(self) -> User | None:
        return visitor(self.drive, self.headers)

    def user(self) -> User:
        user = self.visitor()
        if user is not None:
            return user
        if "authorization" in self.headers:
            raise NotAuthenticated("Username or password was incorrect.")
        raise SignInFirst("Log in first.")

    def view(self) -> View:
        """The drive as the one who asks sees it."""
        return View(self.drive, self.user().username)

    def session(self) -> str | None:
        """The secret of the session, if it is still open."""
        token = session_token(self.drive, self.headers)
        return token if token and self.drive.accounts.session(token) is not None else None

    def request_token(self) -> str:
        session = self.session()
        return form_token(session) if session else ""

    def require_token(self, form: Form) -> None:
        """Refuse what another site's page could have sent; whoever names a password with each request may pass."""
        if "authorization" in self.headers:
            return
        session = self.session()
        if session is None or not token_fits(self.request, session, form):
            raise OutOfDate("Open the page again and send it once more.")

    async def form(self) -> Form:
        """The form that was posted; its token has been checked."""
        self.user()
        form = await read_form(self.request)
        self.require_token(form)
        return form

    async def visitor_form(self) -> Form:
        """A form that needs no account: it must come from a page of this server."""
        if not from_here(self.request):
            raise OutOfDate("Open the page again and send it once more.")
        return await read_form(self.request)

    def here(self) -> str:
        """The address to come back to after log-in: this one, or the one a form was sent from."""
        url = self.request.url
        if self.request.method != "GET":
            url_text = self.headers.get("referer", "")
            parts = urlsplit(url_text) if len(url_text) < 4000 else urlsplit("")
            return local(f"{parts.path}{'?' + parts.query if parts.query else ''}", HOME)
        return url.path + (f"?{url.query}" if url.query else "")

    # -- answering ------------------------------------------------------------------------------------------------

    def frame(self, search: str = "") -> Frame:
        user = self.visitor()
        session = self.session()
        person = Person(user.name, user.username, "/index.php/logout") if user is not None else None
        return frame(
            self.drive,
            self.request,
            session=session if person else None,
            person=person,
            search=Search(f"{FILES}/search", "Search files and folders", value=search) if person else None,
            home=HOME if person else "/",
        )

    def show(self, template: str, status: int = 200, *, search: str = "", **values: Any) -> Response:
        """A page for somebody who is signed in, with the sidebar's facts."""
        user = self.visitor()
        if user is not None:
            tree = self.drive.tree
            root = tree.get(user.username, "/")
            values.setdefault("used", root.total if root else 0)
            values.setdefault("quota", tree.quota(user.username))
        values.setdefault("place", "")
        return PAGES.page(self.frame(search), template, status, **values)

    def error(self, status: int, heading: str, message: str) -> Response:
        return PAGES.error(self.frame(), status, heading, message)

    def set_session(self, response: Response, token: str) -> None:
        keep_cookie(response, self.drive.instance, token)


def page(methods: str, *patterns: str) -> Callable[[Handler], Handler]:
    return router.route(methods, *patterns)


def folder_address(path: str) -> str:
    return f"{HOME}?dir={quote(path)}"


def address(verb: str, path: str) -> str:
    """The page that does something with a file: `/index.php/apps/files/view/Company/handbook.md`."""
    return f"{FILES}/{verb}{quote(path)}"


def path_of(text: str) -> str:
    """The drive path in a page's address or form."""
    return clean_path(f"/{text}")


__all__ = ["FILES", "HOME", "PAGES", "Form", "OutOfDate", "Page", "SignInFirst", "address", "folder_address", "page",
           "path_of", "router", "see_other"]  # fmt: skip
