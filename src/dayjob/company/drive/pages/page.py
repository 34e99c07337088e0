"""What every page has: the request with its form and visitor, a template, a place in the router."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from dayjob.company.bodies import read_body
from dayjob.company.drive.api.auth import session_token, visitor
from dayjob.company.drive.api.headers import Headers
from dayjob.company.drive.store.rows import User
from dayjob.company.drive.version import PRODUCT
from dayjob.company.routing import Router

if TYPE_CHECKING:
    from jinja2 import Environment

    from dayjob.company.drive.service import Drive

FORM_LIMIT = 64 * 1024
HOME = "/index.php/apps/files/"
_CSP = "default-src 'self'; style-src 'self' 'unsafe-inline'; script-src 'none'; frame-ancestors 'self'"
router = Router(tolerant=True)


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


def page(
    methods: str, *patterns: str
) -> Callable[[Callable[..., Awaitable[ASGIApp]]], Callable[..., Awaitable[ASGIApp]]]:
    return router.route(methods, *patterns)
