"""Every request to the drive comes in here: who it is from, which part answers, and what a refusal looks like."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from dayjob.company.drive import pages
from dayjob.company.drive.api import ocs
from dayjob.company.drive.api.auth import challenge, forged, link_share, signed_in
from dayjob.company.drive.api.dav import finding, locking, reading, writing
from dayjob.company.drive.api.dav.chunks import uploads
from dayjob.company.drive.api.dav.principals import top
from dayjob.company.drive.api.dav.request import DavRequest, Space
from dayjob.company.drive.api.dav.trashbin import trash_bin
from dayjob.company.drive.api.headers import Headers, read_headers
from dayjob.company.drive.errors import (
    DriveError,
    Locked,
    NotAuthenticated,
    NotFound,
    NotImplementedHere,
    RangeNotSatisfiable,
    TooLarge,
)
from dayjob.company.drive.names import decode_path, encode_path
from dayjob.company.drive.shapes.xml import error as error_body
from dayjob.company.drive.store.view import LinkView, View
from dayjob.http.bodies import BodyTooLarge

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive

_METHODS: dict[str, Callable[[DavRequest], Awaitable[ASGIApp]]] = {
    "OPTIONS": reading.options,
    "GET": reading.get,
    "HEAD": reading.get,
    "PROPFIND": finding.propfind,
    "REPORT": finding.report,
    "PUT": writing.put,
    "MKCOL": writing.mkcol,
    "DELETE": writing.delete,
    "MOVE": writing.move,
    "COPY": writing.copy,
    "PROPPATCH": writing.proppatch,
    "LOCK": locking.lock,
    "UNLOCK": locking.unlock,
}
_OLD_ROOT = "/remote.php/webdav"
_ROOT = "/remote.php/dav"
_PUBLIC_ROOT = "/public.php/webdav"


async def answer(drive: Drive, scope: Scope, receive: Receive, send: Send) -> None:
    """The drive's ASGI app."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1003})
        return
    raw = _raw_path(scope)
    headers = read_headers(scope)
    drive.note_base_url(f"{scope.get('scheme', 'http')}://{_host(drive, headers)}")
    response: ASGIApp
    if raw.startswith(("/remote.php/", "/public.php/")) or raw in ("/remote.php", "/public.php"):
        try:
            response = await _dav(drive, scope, receive, raw, headers)
        except DriveError as error:
            response = refusal(error, headers)
        except BodyTooLarge as error:
            response = refusal(TooLarge(str(error)), headers)
    elif raw.startswith("/ocs/"):
        response = await ocs.wire.answer(drive, scope, receive, raw, headers)
    else:
        response = await pages.answer(drive, scope, receive, raw, headers)
    await response(scope, receive, send)


def _raw_path(scope: Scope) -> str:
    """The path as it stood on the request line, with bytes outside ASCII escaped so that it is one kind of text."""
    raw: bytes = (scope.get("raw_path") or scope["path"].encode()).split(b"?", 1)[0]
    return raw.decode() if raw.isascii() else "".join(chr(one) if one < 128 else f"%{one:02x}" for one in raw)


def _host(drive: Drive, headers: Headers) -> str:
    """The Host header, if it is a host at all: it is written into pages."""
    host = headers.get("host", "")
    if _is_host(host):
        return host
    return f"{drive.company.world.host}:{drive.company.world.ports['drive']}"


@functools.lru_cache(256)
def _is_host(text: str) -> bool:
    return bool(text) and all(char.isalnum() or char in ".-:[]_" for char in text)


def failure(status: int, message: str) -> Response:
    """An error that happened outside of any handler, in WebDAV's shape."""
    if status == 413:
        return refusal(TooLarge(message), {})
    return Response(error_body(DriveError.wire_name, message), status, media_type="application/xml; charset=utf-8")


def refusal(error: DriveError, headers: Headers) -> Response:
    inner = f"  <d:lock-token-submitted><d:href>{escape(error.path)}</d:href></d:lock-token-submitted>\n" if isinstance(
        error, Locked
    ) else ""  # fmt: skip
    response = Response(
        error_body(error.wire_name, str(error), inner), error.status, media_type="application/xml; charset=utf-8"
    )
    if error.status == 401:
        response.headers["www-authenticate"] = challenge(headers)
    elif error.status == 405:
        response.headers["allow"] = reading.METHODS
    elif isinstance(error, RangeNotSatisfiable):
        response.headers["content-range"] = f"bytes */{error.size}"
    return response


async def _dav(drive: Drive, scope: Scope, receive: Receive, raw: str, headers: Headers) -> ASGIApp:
    if _under(raw, _PUBLIC_ROOT):
        return await _public(drive, scope, receive, raw, headers, _PUBLIC_ROOT, None)
    if _under(raw, f"{_ROOT}/public-files"):
        token, _, _ = raw[len(_ROOT) + 14 :].partition("/")
        if token:
            return await _public(drive, scope, receive, raw, headers, f"{_ROOT}/public-files/{token}", token)
    if not _under(raw, _OLD_ROOT) and not _under(raw, _ROOT):
        raise NotFound("There is no service at this address.")
    user = signed_in(drive, headers)
    if forged(drive, scope, headers):
        raise NotAuthenticated("CSRF check not passed: send the session's requesttoken as a header.")
    space = Space(View(drive, user.username), _OLD_ROOT)

    def resolve(address: str) -> tuple[Space, str] | None:
        if _under(address, _OLD_ROOT):
            return space, decode_path(address[len(_OLD_ROOT) :])
        home = f"{_ROOT}/files"
        if _under(address, home):
            parts = decode_path(address[len(home) :]).split("/", 2)
            if len(parts) > 1 and parts[1].lower() == user.username.lower():
                mine = f"{home}{encode_path('/' + user.username)}"
                return Space(space.view, mine), "/" + (parts[2] if len(parts) > 2 else "")
        return None

    if _under(raw, _OLD_ROOT):
        return await _files(
            DavRequest(drive, scope, receive, headers, space, decode_path(raw[len(_OLD_ROOT) :]), resolve)
        )
    parts = [part for part in decode_path(raw[len(_ROOT) :]).split("/") if part]
    request = DavRequest(drive, scope, receive, headers, space, "/", resolve)
    if len(parts) < 2 or parts[0] not in ("files", "uploads", "trash-bin"):
        return await top(request, user, parts)
    if parts[1].lower() != user.username.lower():
        raise NotFound(f"There is no {parts[0]} of {parts[1]} here for {user.username}.")
    if parts[0] == "uploads":
        return await uploads(request, user.username, parts[2:])
    if parts[0] == "trash-bin":
        return await trash_bin(request, user.username, parts[2:])
    found = resolve(raw)
    assert found is not None
    request.space, request.path = found
    return await _files(request)


async def _public(
    drive: Drive, scope: Scope, receive: Receive, raw: str, headers: Headers, root: str, token: str | None
) -> ASGIApp:
    """A public link as a file space: the token is the user name, or part of the address."""
    share = link_share(drive, headers, token)
    space = Space(LinkView(drive, share), root)

    def resolve(address: str) -> tuple[Space, str] | None:
        return (space, decode_path(address[len(root) :])) if _under(address, root) else None

    return await _files(DavRequest(drive, scope, receive, headers, space, decode_path(raw[len(root) :]), resolve))


async def _files(request: DavRequest) -> ASGIApp:
    handler = _METHODS.get(request.method)
    if handler is None:
        raise NotImplementedHere(f"The method {request.method} is not known here.")
    try:
        return await handler(request)
    except Locked as error:
        error.path = request.space.address(error.path)
        raise


def _under(raw: str, root: str) -> bool:
    return raw == root or raw.startswith(f"{root}/")
