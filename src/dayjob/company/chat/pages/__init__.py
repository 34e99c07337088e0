"""Chat in a browser: the way in, rooms that change while one looks, people, administration of accounts and rooms.

Every page and form goes through the store and the API's own handlers, so what a person may do here is what they may
do there. Addresses are Rocket.Chat's.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from dayjob.company.chat.api.forms import read_form as read_multipart
from dayjob.company.chat.errors import ChatError, Unauthenticated, invalid
from dayjob.company.chat.pages import acting, admin, admin_rooms, entry, people, rooms
from dayjob.company.chat.pages.page import PAGES, Handler, Missing, Page, router
from dayjob.company.journal import identify
from dayjob.company.pages import Form, from_here, read_form, token_fits
from dayjob.company.pages.words import size
from dayjob.http.bodies import BodyTooLarge, declared_length
from dayjob.http.routing import MethodNotAllowed, NotFound, raw_path

if TYPE_CHECKING:
    from dayjob.company.chat.service import Chat

__all__ = ["acting", "admin", "admin_rooms", "answer", "entry", "people", "rooms"]

_OPEN = ("/", "/home", "/login", "/register")  # they show the log-in themselves
_FORM_ROOM = 1024 * 1024


async def answer(chat: Chat, request: Request) -> Response:
    """The page at an address; a refusal is a page too."""
    if (asset := PAGES.asset(request)) is not None:
        return asset
    page = Page(chat, request)
    if page.somebody is not None:
        identify(page.somebody.username)
    try:
        handler, parameters = router.match(request.method, raw_path(request))
    except NotFound:
        return _refusal(page, Missing())
    except MethodNotAllowed as error:
        return PlainTextResponse("Method not allowed", 405, {"allow": ", ".join(error.allowed)})
    try:
        return await _run(page, handler, parameters)
    except Unauthenticated:
        return _to_log_in(page)
    except ChatError as error:
        return _refusal(page, error)
    except BodyTooLarge as error:
        sentence = f"That is more than this server takes: at most {size(error.limit)}."
        return _refusal(page, ChatError(sentence, status=413))
    except (UnicodeEncodeError, OverflowError):
        return _refusal(page, invalid("Something in it cannot be stored."))
    finally:
        if page.multipart is not None:
            page.multipart.discard()


async def _run(page: Page, handler: Handler, parameters: dict[str, str]) -> Response:
    path: str = page.request.scope["path"]
    if page.request.method == "POST":
        await _take_form(page)
        entering = path in ("/login", "/register")
        if entering and not from_here(page.request):
            raise ChatError("This form was sent from another site. Open the page here and try again.", status=403)
        if not entering:
            if page.somebody is None:
                raise Unauthenticated()
            if not token_fits(page.request, page.session or "", page.form):
                raise ChatError("This form is out of date. Open the page again and send it once more.", status=403)
    elif page.somebody is None and path not in _OPEN:
        raise Unauthenticated()
    found = handler(page, **parameters)
    return await found if isinstance(found, Awaitable) else found


async def _take_form(page: Page) -> None:
    kind = page.request.headers.get("content-type", "")
    if not kind.startswith("multipart/"):
        page.form = await read_form(page.request)
        return
    if page.somebody is None:
        raise Unauthenticated()
    limit = page.store.settings.number("FileUpload_MaxFileSize")
    if limit >= 0 and (declared_length(page.request) or 0) > limit + _FORM_ROOM:
        raise BodyTooLarge(limit)
    page.multipart = await read_multipart(kind, page.request.stream(), page.chat.company.blobs, limit)
    page.form = Form(list(page.multipart.fields.items()))
    # The company may have been reset, or the session ended, while the file came in.
    now = Page(page.chat, page.request)
    page.session, page.somebody = now.session, now.somebody


def _to_log_in(page: Page) -> Response:
    """Log in first, then come back: to the page, or for a form to the page it was on."""
    wanted = page.request.url.path + (f"?{page.request.url.query}" if page.request.url.query else "")
    if page.request.method == "POST":
        wanted = page.form.line("back") or "/home"
    response = RedirectResponse(f"/login?next={quote(wanted, safe='/')}", 302)
    response.headers["cache-control"] = "no-store"
    return response


def _refusal(page: Page, error: ChatError) -> Response:
    """In words a person can use; the handlers' own sentences are written for programs."""
    heading = {403: "Not allowed", 404: "Page not found"}.get(error.status, "That did not work")
    sentence = error.sentence or "It is not possible."
    if page.wants_part:
        return page.show("refused.html", error.status, sentence=sentence, sections=[])
    return PAGES.error(page.frame(), error.status, heading, sentence)
