"""A service's pages: its templates over the shared ones, its assets, and answers that carry the one policy."""

from __future__ import annotations

import functools
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from dayjob.company.pages import words
from dayjob.company.pages.assets import Assets
from dayjob.company.pages.frame import NOTICE, Frame

if TYPE_CHECKING:
    from jinja2 import Environment

SHARED = Path(__file__).parent
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self'; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
}


class Pages:
    """Made once per service: `PAGES = Pages(Path(__file__).parent)`, the folder that has `templates/` and `static/`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @functools.cached_property
    def assets(self) -> Assets:
        return Assets(SHARED / "static", self._folder / "static")

    @functools.cached_property
    def environment(self) -> Environment:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined

        found = Environment(
            loader=FileSystemLoader([self._folder / "templates", SHARED / "templates"]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            cache_size=-1,
        )
        found.globals["asset"] = self.assets.address
        found.filters |= {
            "ago": words.ago,
            "bytes": words.size,
            "initials": words.initials,
            "hue": words.hue,
            "count": words.count,
            "moment": moment,
        }
        return found

    def asset(self, request: Request) -> Response | None:
        """The answer to a request for a style sheet or script; None when it asks for something else."""
        return self.assets.answer(request)

    def part(self, template: str, **values: Any) -> str:
        """A piece of a page, for what arrives later."""
        return self.environment.get_template(template).render(**values)

    def page(self, frame: Frame, template: str, status: int = 200, **values: Any) -> Response:
        """A whole page."""
        text = self.part(template, frame=frame, **values)
        response = Response(text, status, _HEADERS, "text/html; charset=utf-8")
        if frame.notices:
            response.delete_cookie(NOTICE, path="/")
        return response

    def error(self, frame: Frame, status: int, heading: str, message: str) -> Response:
        """A page that says what went wrong and how to go on."""
        return self.page(frame, "error.html", status, heading=heading, message=message)


def see_other(address: str, notice: str = "") -> Response:
    """Where to look after a form was posted; the notice is shown there, once."""
    response = RedirectResponse(address, 303, {"cache-control": "no-store"})
    if notice:
        response.set_cookie(NOTICE, quote(notice), max_age=60, path="/", httponly=True, samesite="lax")
    return response


def moment(value: str | datetime | int) -> datetime:
    """A time however a store writes it: ISO text, milliseconds, or a datetime; always with its zone."""
    if isinstance(value, int):
        return datetime.fromtimestamp(value / 1000, UTC)
    found = datetime.fromisoformat(value) if isinstance(value, str) else value
    return found if found.tzinfo else found.replace(tzinfo=UTC)
