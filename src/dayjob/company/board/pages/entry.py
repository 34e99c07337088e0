"""Coming in and going out: an address, then a password, then the workspace."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from dayjob.company.board.api.call import parse_json
from dayjob.company.board.errors import Refused
from dayjob.company.board.pages.page import PAGES, SESSION, Page, session_token
from dayjob.company.board.store import accounts, workspaces
from dayjob.company.journal import identify
from dayjob.company.pages import Form, from_here, local, read_form, token_fits
from dayjob.company.pages.cookies import end_cookie, keep_cookie
from dayjob.company.pages.forms import form_token
from dayjob.http.bodies import read_body

if TYPE_CHECKING:
    from dayjob.company.board import Board

_ELSEWHERE = "This form was sent from another site. Open the page here and try again."


async def answer(board: Board, request: Request) -> Response | None:
    """The answer at one of the addresses of the way in; None for every other address."""
    path = "/" + request.url.path.strip("/")
    if path in ("/", "/sign-in", "/auth") and request.method in ("GET", "HEAD"):
        return _open(Page(board, request))
    if path == "/auth/get-csrf-token" and request.method in ("GET", "HEAD"):
        return _token(Page(board, request))
    if request.method != "POST":
        return RedirectResponse("/", 302) if path in ("/sign-in/email", "/auth/sign-in", "/auth/sign-out") else None
    if path == "/auth/email-check":
        return await _known(board, request)
    if path == "/sign-in/email":
        return _take_address(Page(board, request), await read_form(request))
    if path == "/auth/sign-in":
        return _take_password(Page(board, request), await read_form(request))
    if path == "/auth/sign-out":
        return _leave(Page(board, request), await read_form(request))
    return None


def _open(page: Page) -> Response:
    wanted = local(page.query.get("next_path", "/"))
    if page.somebody is None:
        return _ask(page, wanted)
    identify(page.user.username)
    if wanted != "/":
        return RedirectResponse(wanted, 302)
    workspace = workspaces.home_of(page.db, page.user.id)
    if workspace is None:
        return PAGES.page(page.frame(), "nowhere.html")
    return RedirectResponse(f"/{workspace.slug}/", 302)


def _token(page: Page) -> Response:
    """What Plane's clients ask for before they sign in, and send back as a header."""
    token = form_token(page.session) if page.session else secrets.token_hex(20)
    return JSONResponse({"csrf_token": token}, headers={"cache-control": "no-store"})


def _ask(
    page: Page, wanted: str, email: str = "", *, status: int = 200, problem: str = "", known: bool = False
) -> Response:
    page.somebody = None
    return PAGES.page(
        page.frame(), "sign-in.html", status, wanted=wanted, email=email, problem=problem, known=known
    )  # fmt: skip


def _take_address(page: Page, form: Form) -> Response:
    email, wanted = form.line("email"), local(form.get("next_path", "/"))
    if not from_here(page.request):
        return _ask(page, wanted, email, status=403, problem=_ELSEWHERE)
    if accounts.user_by_email(page.db, email) is None:
        return _ask(page, wanted, email, problem="No account found with this email. Check it and try again.")
    return _ask(page, wanted, email, known=True)


def _take_password(page: Page, form: Form) -> Response:
    email, wanted = form.line("email"), local(form.get("next_path", "/"))
    if not from_here(page.request):
        return _ask(page, wanted, email, status=403, problem=_ELSEWHERE)
    user = accounts.check_password(page.db, email, form.get("password", ""))
    if user is None:
        problem = "Invalid email or password. Try again."
        return _ask(page, wanted, email, status=401, problem=problem, known=True)
    identify(user.username)
    entered = RedirectResponse(wanted, 302, {"cache-control": "no-store"})
    keep_cookie(entered, SESSION, accounts.open_session(page.db, user.id))
    return entered


def _leave(page: Page, form: Form) -> Response:
    if page.session is not None:
        if page.somebody is not None and not token_fits(page.request, page.session, form):
            words = "This form is out of date. Open the page again and send it once more."
            return PAGES.error(page.frame(), 403, "Not allowed", words)
        accounts.close_session(page.db, page.session)
    gone = RedirectResponse("/", 302, {"cache-control": "no-store"})
    end_cookie(gone, SESSION)
    return gone


async def _known(board: Board, request: Request) -> Response:
    """Plane's own question before it asks for a password."""
    try:
        sent = parse_json(await read_body(request, 64 * 1024))
    except Refused as refused:
        return JSONResponse(refused.body, refused.status)
    asked = sent.get("email") if isinstance(sent, dict) else None
    exists = isinstance(asked, str) and accounts.user_by_email(board.db, asked) is not None
    return JSONResponse({"status": "CREDENTIAL", "existing": exists, "is_password_autoset": False})


__all__ = ["answer", "session_token"]
