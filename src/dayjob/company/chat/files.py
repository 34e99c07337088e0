"""Pictures and files by address: /avatar/…, /file-upload/…, /emoji-custom/…, /assets/…"""

from __future__ import annotations

import hashlib
import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from dayjob.company.blobs import read_range
from dayjob.company.journal import identify
from dayjob.http.routing import MethodNotAllowed, NotFound, Router, raw_path

if TYPE_CHECKING:
    from dayjob.company.chat.service import Chat

ROUTES = Router(tolerant=True)
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
_COLOURS = (
    "#f44336",
    "#e91e63",
    "#9c27b0",
    "#673ab7",
    "#3f51b5",
    "#2196f3",
    "#00796b",
    "#388e3c",
    "#8d6e63",
    "#546e7a",
)
# Shown in the page; everything else is offered for download, so that no upload can run as a page of ours.
_INLINE = ("image/png", "image/jpeg", "image/gif", "image/webp", "audio/", "video/", "application/pdf", "text/plain")
_SAFE = {"x-content-type-options": "nosniff", "content-security-policy": "default-src 'none'; sandbox"}


def answer(chat: Chat, request: Request) -> Response | None:
    """The response, or None when the address is not one of these."""
    try:
        handler, request.scope["path_params"] = ROUTES.match(request.method, raw_path(request))
    except (NotFound, MethodNotAllowed):
        return None
    response = handler(chat, request)
    assert isinstance(response, Response)
    return response


def _blob(chat: Chat, request: Request, hash: str, type: str, name: str) -> Response:
    try:
        path = chat.company.blobs.path(hash)
    except FileNotFoundError:
        return Response("Not found", 404)
    disposition = "inline" if type.startswith(_INLINE) else "attachment"
    headers = _SAFE | {
        "content-disposition": f"{disposition}; filename*=UTF-8''{quote(name, safe='')}",
        "cache-control": "public, max-age=3600",
    }
    return _File(path, request.headers.get("range"), type, headers)


class _File(Response):
    """A stored file, whole or one range of it, sent as it is read."""

    def __init__(self, path: Path, wanted: str | None, type: str, headers: dict[str, str]) -> None:
        self._path = path
        size = path.stat().st_size
        self._start, self._length, status = 0, size, 200
        found = _RANGE.fullmatch(wanted or "")
        if found is not None and any(found.groups()):
            first, last = (int(one) if one else None for one in found.groups())
            start = first if first is not None else max(size - (last or 0), 0)
            end = min(last if last is not None and first is not None else size - 1, size - 1)
            if start > end:
                self._length, status = 0, 416
                headers = headers | {"content-range": f"bytes */{size}"}
            else:
                self._start, self._length, status = start, end - start + 1, 206
                headers = headers | {"content-range": f"bytes {start}-{end}/{size}"}
        length = {"content-length": str(self._length), "accept-ranges": "bytes"}
        super().__init__(None, status, headers | length, type)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        if scope["method"] != "HEAD":
            async for chunk in read_range(self._path, self._start, self._length):
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


@ROUTES.route("GET", "/avatar/{name}")
def avatar(chat: Chat, request: Request) -> Response:
    name = request.path_params["name"]
    user = chat.store.accounts.named(name)
    if user is None and "." in name:
        user = chat.store.accounts.named(name.rpartition(".")[0])
    if user is not None and user.avatar is not None:
        if user.avatar_type == "link":
            return RedirectResponse(user.avatar, 302)
        return _blob(chat, request, user.avatar, user.avatar_type or "image/png", user.username)
    return _initials(user.username if user else name)


@ROUTES.route("GET", "/avatar/uid/{id}")
def avatar_by_id(chat: Chat, request: Request) -> Response:
    user = chat.store.accounts.get(request.path_params["id"])
    if user is None:
        return Response("Not found", 404)
    return RedirectResponse(f"/avatar/{quote(user.username)}", 307)


@ROUTES.route("GET", "/avatar/room/{id}")
def room_avatar(chat: Chat, request: Request) -> Response:
    room = chat.store.rooms.get(request.path_params["id"])
    return _initials((room.name or room.fname or room.id) if room and room.type == "c" else "#")


def _initials(name: str) -> Response:
    colour = _COLOURS[hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=1).digest()[0] % len(_COLOURS)]
    letter = escape(name.lstrip("@#")[:1].upper() or "?")
    picture = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200" width="200" height="200">'
        f'<rect width="100%" height="100%" fill="{colour}"/>'
        '<text x="50%" y="50%" dy="0.36em" text-anchor="middle" fill="#ffffff" font-family="Helvetica, Arial" '
        f'font-size="125">{letter}</text></svg>'
    )
    headers = {**_SAFE, "cache-control": "public, max-age=3600"}
    return Response(picture.encode("utf-8", "replace"), media_type="image/svg+xml", headers=headers)


@ROUTES.route("GET", "/file-upload/{id}/{name:rest}", "/ufs/{store}/{id}/{name:rest}")
def upload(chat: Chat, request: Request) -> Response:
    found = chat.store.uploads.get(request.path_params["id"])
    if found is None:
        return Response("Not found", 404)
    if chat.store.settings.get("FileUpload_ProtectFiles"):
        user = chat.visitor(request)
        room = chat.store.rooms.get(found.room_id)
        if user is not None:
            identify(user.username)
        if user is None or room is None or not chat.store.access.may_read(user, room):
            return Response("Forbidden", 403)
    return _blob(chat, request, found.blob, found.type, found.name)


@ROUTES.route("GET", "/emoji-custom/{name}")
def emoji(chat: Chat, request: Request) -> Response:
    name = request.path_params["name"].rpartition(".")[0] or request.path_params["name"]
    found = chat.store.administration.emoji_named(name)
    return _blob(chat, request, found.blob, found.type, found.name) if found else Response("Not found", 404)


@ROUTES.route("GET", "/assets/{name}")
def asset(chat: Chat, request: Request) -> Response:
    name = request.path_params["name"].partition(".")[0]
    found = chat.store.administration.asset(name)
    return _blob(chat, request, found[0], found[1], name) if found else Response("Not found", 404)


@ROUTES.route("GET", "/sockjs/info")
def sockjs_info(chat: Chat, request: Request) -> Response:
    about: dict[str, Any] = {"websocket": True, "origins": ["*:*"], "cookie_needed": False, "entropy": 4}
    return JSONResponse(about)
