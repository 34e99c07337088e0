"""One company's board as an ASGI app, and what the company and the compiler ask of it.

Requests under `/api/` go to `api`, files to and from `/uploads`, everything else to `pages`.
"""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.types import Receive, Scope, Send

from dayjob.company.board import pages, storage
from dayjob.company.board.api import Call, Reply, routes, web
from dayjob.company.board.api.call import SAFE, Route, parse_json
from dayjob.company.board.errors import Forbidden, Refused
from dayjob.company.board.rows import User
from dayjob.company.board.store import accounts, talk, workspaces
from dayjob.company.board.store.base import Store, stored_moment
from dayjob.company.board.throttle import Throttle
from dayjob.company.board.words import Teller
from dayjob.company.changes import Difference
from dayjob.company.clock import http_date
from dayjob.company.journal import acting_as, identify
from dayjob.company.quota import OutOfSpace
from dayjob.company.service import Service
from dayjob.http.bodies import read_body
from dayjob.http.multipart import MultiPartException, read_form
from dayjob.http.protocol import closed_websocket
from dayjob.http.routing import MethodNotAllowed, NotFound, Router

if TYPE_CHECKING:
    from dayjob.company.company import Company

_dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_PAGE_NOT_FOUND = {"error": "Page not found."}
# As Django's own path converter has it: small letters only.
_is_uuid = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").fullmatch


class Board(Service):
    """One company's board."""

    name = "board"

    def __init__(self, company: Company) -> None:
        super().__init__(company)
        self.storage = storage.Storage(company.clock)
        self._throttle: Throttle | None = None
        self._settled = False

    def on_reset(self) -> None:
        self._settled = False
        self._throttle = None

    def memory(self) -> dict[str, Any]:
        throttle = self._limits() if "board" in self.company.touched else None
        return {"signing": self.storage.secret.hex(), "seen": throttle.seen if throttle is not None else {}}

    def recall(self, memory: Mapping[str, Any]) -> None:
        self.storage.secret = bytes.fromhex(memory["signing"])
        if memory["seen"] and (throttle := self._limits()) is not None:
            throttle.seen = memory["seen"]

    def set_secrets(self, account: Mapping[str, Any]) -> None:
        with self.transaction() as db:
            accounts.replace_secrets(
                db, str(account["email"]), password=account.get("password"), key=account.get("api_key")
            )

    def describe(self, difference: Difference) -> str:
        return Teller(self.db).tell(difference)

    def failure(self, status: int, message: str) -> Response:
        if status == 500:
            message = "Something went wrong please try again later"
        return JSONResponse({"error": message}, status)

    def _now(self) -> str:
        return stored_moment(self.company.clock.now())

    def store(self, user: str) -> Store:
        """What a store function works with while this person acts."""
        return Store(self.db, self.company.ids, self._now, user)

    def act(self, user: User, method: str, path: str, body: Any = None) -> Reply:
        """Answer a call of the API for someone who came in by a page: the same checks, the same effects."""
        matched = self._match({"method": method, "path": path})
        if isinstance(matched, Refused):
            raise matched
        route, params = matched
        return self._run(route, Call(self, method, params, b"", user, self.store(user.id), "", body), None)

    def mint_key(self, email: str) -> str:
        """A fresh API key for the person with this address."""
        return accounts.mint_key(self.db, email)

    # -- answering -----------------------------------------------------------------------------------------------

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if await closed_websocket(scope, send):
            return
        path: str = scope["path"]
        if path.startswith("/api/"):
            reply = await self._api(scope, receive)
            await _send(send, reply)
        elif path == storage.BUCKET or path.startswith(f"{storage.BUCKET}/"):
            response = await self._files(Request(scope, receive))
            await response(scope, receive, send)
        else:
            response = await pages.answer(self, Request(scope, receive))
            await response(scope, receive, send)

    async def _api(self, scope: Scope, receive: Receive) -> Reply:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        public = scope["path"].startswith("/api/v1/")
        try:
            matched = self._match(scope, routes if public else web.routes)
            key = _key(headers) if public else None
            user = self._authenticate(key) if public else self._signed_in(Request(scope))
            if isinstance(matched, Refused):
                raise matched
            route, params = matched
            body = None
            if scope["method"] not in SAFE:
                body = _body(await read_body(Request(scope, receive)), headers)
            store = self.store(user.id)
            origin = f"{scope['scheme']}://{headers.get(b'host', b'localhost').decode('latin-1')}"
            call = Call(self, scope["method"], params, scope["query_string"], user, store, origin, body)
            return self._run(route, call, key)
        except Refused as refusal:
            return Reply(refusal.status, refusal.body, refusal.headers)

    def _match(self, scope: Mapping[str, Any], routes: Router = routes) -> tuple[Route, dict[str, str]] | Refused:
        """The route of a path. A wrong method is a refusal to give once the caller is known, as Django does."""
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        path = raw.split(b"?", 1)[0].decode("latin-1")
        try:
            route, params = routes.match(scope["method"], path)
        except NotFound:
            raise Refused(404, _PAGE_NOT_FOUND) from None
        except MethodNotAllowed as error:
            method = scope["method"]
            return Refused(405, {"detail": f'Method "{method}" not allowed.'}, {"allow": ", ".join(error.allowed)})
        for name, value in params.items():
            if name.endswith("_id") and not _is_uuid(value):
                raise Refused(404, _PAGE_NOT_FOUND)
        return route, params

    def _authenticate(self, key: str | None) -> User:
        if (name := acting_as()) is not None and (acting := accounts.user_by_name(self.db, name)) is not None:
            identify(acting.username)
            return acting
        if not key:
            raise Refused(401, {"detail": "Authentication credentials were not provided."})
        user = accounts.user_by_key(self.db, key)
        if user is None:
            raise Refused(403, {"detail": "Given API token is not valid"})
        identify(user.username)
        return user

    def _signed_in(self, request: Request) -> User:
        """Whose session it is: the web client's own API takes no keys."""
        token = pages.entry.session_token(request)
        user = accounts.user_by_session(self.db, token) if token else None
        if user is None:
            raise Refused(401, {"detail": "Authentication credentials were not provided."})
        identify(user.username)
        return user

    def _run(self, route: Route, call: Call, key: str | None) -> Reply:
        """Check, count and answer in one stretch; what a refusal interrupts leaves no trace."""
        if not route.permission(call):
            raise Forbidden
        throttle = self._limits()
        more: dict[str, str] = {}
        if throttle is not None and key:
            wait = throttle.wait(key)
            if wait:
                detail = f"Request was throttled. Expected available in {wait} second{'' if wait == 1 else 's'}."
                raise Refused(429, {"detail": detail}, {"retry-after": str(wait)})
            more = throttle.headers(key)
        try:
            if call.method in SAFE:
                reply = route.endpoint(call)
            else:
                with self.transaction():
                    reply = route.endpoint(call)
        except Refused as refusal:
            reply = Reply(refusal.status, refusal.body, refusal.headers)
        except sqlite3.IntegrityError:
            reply = Reply(400, {"error": "The payload is not valid"})
        reply.headers.update(more)
        return reply

    def _limits(self) -> Throttle | None:
        if not self._settled:
            rate = workspaces.rate_limit(self.db)
            self._throttle = Throttle(rate, self.company.clock.seconds) if rate else None
            self._settled = True
        return self._throttle

    # -- files ---------------------------------------------------------------------------------------------------

    async def _files(self, request: Request) -> Response:
        key = request.url.path.removeprefix(storage.BUCKET).strip("/")
        if request.method == "POST" and not key:
            return await self._receive_file(request)
        if request.method not in ("GET", "HEAD") or not key:
            return _object_error(405, "MethodNotAllowed")
        until, signature = (
            request.query_params.get("X-Amz-Expires", ""),
            request.query_params.get("X-Amz-Signature", ""),
        )
        if not (until.isascii() and until.isdigit() and self.storage.may_fetch(key, until, signature)):
            return _object_error(403, "AccessDenied")
        found = talk.attachment_at(self.db, key)
        if found is None or found.blob is None:
            return _object_error(404, "NoSuchKey")
        name = quote(found.attributes["name"], safe="")
        return FileResponse(
            self.company.blobs.path(found.blob),
            media_type=found.attributes["type"],
            headers={
                "content-disposition": f"attachment; filename*=UTF-8''{name}",
                "content-security-policy": "sandbox; default-src 'none'",
                "x-content-type-options": "nosniff",
                "last-modified": http_date(found.updated_at),
            },
        )

    async def _receive_file(self, request: Request) -> Response:
        """A file under the form that `api.uploads.announce` signed."""
        limit = storage.SIZE_LIMIT + 64 * 1024
        try:
            form = await read_form(request, self.company.folder, limit=limit, files=1, fields=40)
        except MultiPartException:
            return _object_error(400, "MalformedPOSTRequest")
        try:
            key, policy, signature = (form.get(one) for one in ("key", "policy", "x-amz-signature"))
            file = form.get("file")
            if not (isinstance(key, str) and isinstance(policy, str) and isinstance(signature, str)):
                return _object_error(403, "AccessDenied")
            allowed = self.storage.allowed_size(key, policy, signature)
            if allowed is None:
                return _object_error(403, "AccessDenied")
            if not isinstance(file, UploadFile):
                return _object_error(400, "IncorrectNumberOfFilesInPostRequest")
            content = await file.read()
        finally:
            await form.close()
        if not 1 <= len(content) <= allowed:
            return _object_error(400, "EntityTooLarge" if content else "EntityTooSmall")
        try:
            blob = await asyncio.to_thread(self.company.blobs.put, content)
        except OutOfSpace:
            return _object_error(507, "XMinioStorageFull")
        talk.keep_content(self.db, key, blob.hash)
        return Response(status_code=204)


def _object_error(status: int, code: str) -> Response:
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code><Message>{code}</Message></Error>'
    return Response(text, status, media_type="application/xml")


def _key(headers: dict[bytes, bytes]) -> str | None:
    given = headers.get(b"x-api-key")
    if given is None:
        scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
        given = token.strip() if scheme.lower() == b"bearer" else None
    return given.decode("latin-1") if given else None


def _body(body: bytes, headers: dict[bytes, bytes]) -> Any:
    """What a client sent, by its content type; nothing sent is None."""
    if not body:
        return None
    kind = headers.get(b"content-type", b"application/json").split(b";")[0].strip().lower()
    if kind == b"application/json" or kind.endswith(b"+json"):
        return parse_json(body)
    if kind == b"application/x-www-form-urlencoded":
        return _form(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    detail = f'Unsupported media type "{kind.decode("latin-1")}" in request.'
    raise Refused(415, {"detail": detail})


def _form(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            before = found[name]
            found[name] = [*before, value] if isinstance(before, list) else [before, value]
        else:
            found[name] = value
    return found


async def _send(send: Send, reply: Reply) -> None:
    headers: list[tuple[bytes, bytes]] = [
        (name.encode(), value.encode("latin-1")) for name, value in reply.headers.items()
    ]
    body = b""
    if reply.body is not None:
        body = _dumps(reply.body).encode("utf-8", "replace")
        headers.append((b"content-type", b"application/json"))
    if reply.status != 204:
        headers.append((b"content-length", str(len(body)).encode()))
    headers.append((b"vary", b"Accept"))
    headers.append((b"x-content-type-options", b"nosniff"))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
