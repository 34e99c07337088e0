"""The board in a browser, at Plane's addresses: the way in, projects, items as list and board, cycles, modules, people.

Every page reads from the store and acts through the API's own endpoints, so what a person may do here is what they
may do there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from dayjob.company.board.errors import Refused
from dayjob.company.board.pages import (
    acting,
    analytics,
    archives,
    cycles,
    entry,
    export,
    home,
    intake,
    item,
    items,
    members,
    modules,
    notes,
    person,
    settings,
    views,
)
from dayjob.company.board.pages.page import PAGES, Handler, Missing, Page, Unauthenticated, router, sentence
from dayjob.company.journal import identify
from dayjob.company.pages import read_form, token_fits
from dayjob.http.routing import MethodNotAllowed, NotFound, raw_path

if TYPE_CHECKING:
    from dayjob.company.board import Board

__all__ = [
    "acting", "analytics", "answer", "archives", "cycles", "entry", "export", "home", "intake", "item", "items",
    "members", "modules", "notes", "person", "settings", "views",
]  # fmt: skip


async def answer(board: Board, request: Request) -> Response:
    """The page at an address; a refusal is a page too."""
    if (asset := PAGES.asset(request)) is not None:
        return asset
    if (found := await entry.answer(board, request)) is not None:
        return found
    page = Page(board, request)
    if page.somebody is not None:
        identify(page.somebody.username)
    try:
        handler, parameters = router.match(request.method, raw_path(request))
        return await _run(page, handler, parameters)
    except NotFound:
        return _refusal(page, Missing()) if page.somebody or request.method == "GET" else _no_page()
    except MethodNotAllowed as error:
        return JSONResponse({"error": "Page not found."}, 405, {"allow": ", ".join(error.allowed)})
    except Unauthenticated:
        return _to_log_in(page)
    except Refused as refusal:
        return _refusal(page, refusal)


async def _run(page: Page, handler: Handler, parameters: dict[str, str]) -> Response:
    if page.request.method == "POST":
        page.form = await read_form(page.request)
    _ = page.user
    if page.request.method == "POST" and not token_fits(page.request, page.session or "", page.form):
        raise Refused(403, {"error": "This form is out of date. Open the page again and send it once more."})
    slug, project = parameters.pop("slug"), parameters.pop("project_id", None)
    page.enter(slug, project)
    if page.request.method != "POST":
        return handler(page, **parameters)
    # What a form does in several steps is done whole or not at all.
    with page.board.transaction():
        return handler(page, **parameters)


def _no_page() -> Response:
    return JSONResponse({"error": "Page not found."}, 404)


def _to_log_in(page: Page) -> Response:
    """Sign in first, then come back: to the page, or for a form to the page it was on."""
    wanted = page.form.line("back") or "/" if page.request.method == "POST" else page.address
    # A script that asked for a part tells by the path that it was sent to sign in.
    place = "/auth/" if page.wants_part else "/"
    response = RedirectResponse(f"{place}?next_path={quote(wanted, safe='/')}", 302)
    response.headers["cache-control"] = "no-store"
    return response


def _refusal(page: Page, refusal: Refused) -> Response:
    if page.somebody is None and refusal.status == 404:
        return _to_log_in(page)
    heading = {403: "Not allowed", 404: "Page not found"}.get(refusal.status, "That did not work")
    words = sentence(refusal)
    if refusal.status == 404 and "error" in refusal.body and not isinstance(refusal, Missing):
        words = "There is no such page, or you are not allowed to see it."
    if page.wants_part:
        return PAGES.page(page.frame(), "refused.html", refusal.status, sentence=words)
    return PAGES.error(page.frame(), refusal.status, heading, words)
