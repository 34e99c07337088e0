"""The table of pages: of the whole site, of a project (after `/-/`) and of a group (`/groups/NAME/-/`)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.responses import RedirectResponse, Response

from dayjob.company.forge.pages.visit import Visit
from dayjob.http.routing import Router

Handler = Callable[[Visit], Awaitable[Response]]
SITE, PROJECT, GROUP = Router(tolerant=True), Router(tolerant=True), Router(tolerant=True)
OPEN: set[Handler] = set()
"""Pages that a visitor who is not signed in may open, and whose forms need no session."""


def site(methods: str, *patterns: str) -> Callable[[Handler], Handler]:
    return SITE.route(methods, *patterns)


def moved(*old: str, to: str) -> None:
    """Addresses that earlier versions had."""

    @site("GET", *old)
    async def redirect(visit: Visit) -> Response:
        return RedirectResponse(to, 302)


def project(methods: str, *patterns: str) -> Callable[[Handler], Handler]:
    return PROJECT.route(methods, *patterns)


def group(methods: str, *patterns: str) -> Callable[[Handler], Handler]:
    return GROUP.route(methods, *patterns)


def for_anyone(handler: Handler) -> Handler:
    OPEN.add(handler)
    return handler
