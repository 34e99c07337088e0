"""Forms that only our own pages can send: a token made from the session, and a look at where the request came from.

The token is an HMAC keyed with the session's secret, so it needs no storage and ends with the session.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request

from dayjob.http.bodies import read_body

FIELD = "authenticity_token"
"""The field every posted form of a page carries; `{{ frame.token }}` writes it."""
_FIELDS = (FIELD, "requesttoken", "csrfmiddlewaretoken")
_HEADERS = ("x-csrf-token", "x-csrftoken", "requesttoken")
_LIMIT = 4 * 1024 * 1024


class Form(dict[str, str]):
    """The fields of a form, the last of each name; `all` has every value of a name (checkboxes, multiple selects)."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        super().__init__(pairs)
        self._pairs = pairs

    def all(self, name: str) -> list[str]:
        return [value for key, value in self._pairs if key == name]

    def line(self, name: str) -> str:
        """A field's text without space around it; empty when it was not sent."""
        return self.get(name, "").strip()


async def read_form(request: Request, limit: int = _LIMIT) -> Form:
    """The fields of a `application/x-www-form-urlencoded` body; what cannot be read is left out."""
    raw = await read_body(request, limit)
    try:
        pairs = parse_qsl(raw.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=2000)
    except ValueError:
        pairs = []
    # A browser ends the lines of a text area with CR LF; nobody else does.
    return Form([(name, value.replace("\r\n", "\n")) for name, value in pairs])


def form_token(session: str) -> str:
    """The token of a session's forms; `session` is the secret in the session's cookie."""
    return hmac.new(session.encode("utf-8", "surrogatepass"), b"dayjob.form", hashlib.sha256).hexdigest()[:40]


def token_fits(request: Request, session: str, form: Mapping[str, str]) -> bool:
    """Whether a posted form was written by this session's own pages. Sent by script, the token may be a header."""
    if not from_here(request):
        return False
    given = next((form[name] for name in _FIELDS if name in form), "")
    return _same(given, session) or header_fits(request, session)


def header_fits(request: Request, session: str) -> bool:
    """Whether a request that relies on a cookie names the session's token in a header: for unsafe calls of an API."""
    return from_here(request) and any(_same(request.headers.get(name, ""), session) for name in _HEADERS)


def _same(given: str, session: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), form_token(session).encode())


def from_here(request: Request) -> bool:
    """Whether the request comes from a page of this server, as far as the browser says; enough for log-in forms."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc.lower() == request.headers.get("host", "").lower()


def local(address: str, otherwise: str = "/") -> str:
    """An address within this server to go to after log-in; anything that leads elsewhere becomes `otherwise`."""
    plain = all(" " < sign < "\x7f" and sign not in '\\"<>' for sign in address)
    return address if plain and address.startswith("/") and not address.startswith("//") else otherwise
