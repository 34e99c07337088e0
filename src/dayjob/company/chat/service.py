"""The chat service of one company: its ASGI app, its store, its realtime hub, and words for what changed."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send

from dayjob.company.changes import Difference
from dayjob.company.chat import api, files, pages, words
from dayjob.company.chat.api.call import Call
from dayjob.company.chat.api.endpoints import Answer, match
from dayjob.company.chat.api.forms import read_form
from dayjob.company.chat.errors import ChatError, Unauthenticated, forbidden, invalid
from dayjob.company.chat.pages.live import PATH as LIVE
from dayjob.company.chat.pages.live import Live, Viewer
from dayjob.company.chat.realtime.hub import Hub
from dayjob.company.chat.realtime.methods.calling import READING
from dayjob.company.chat.realtime.session import Session
from dayjob.company.chat.rows import User
from dayjob.company.chat.store import Store
from dayjob.company.journal import WORK_HERE, acting_as, current, identify
from dayjob.company.pages import PREFIX
from dayjob.company.quota import OutOfSpace
from dayjob.company.service import Service
from dayjob.http.bodies import BodyTooLarge, declared_length, parse_json, read_body
from dayjob.http.routing import MethodNotAllowed, NotFound

if TYPE_CHECKING:
    from dayjob.company.company import Company

api.load()

_FORM_ROOM = 2 * 1024 * 1024  # what a form may hold besides its largest file
_JSON = (b"content-type", b"application/json")
_NO_MESSAGES = (PREFIX, "/avatar/", "/assets/", "/emoji-custom/", "/api/info")
_KEPT_COUNT, _KEPT_SIZE = 64, 32 * 1024

Key = tuple[bytes, bytes, bytes | None, bytes | None, bytes | None]


@dataclass(frozen=True, slots=True)
class _Kept:
    """An answer to a read, good for as long as the database has seen no other change."""

    changes: int
    account: str | None
    start: Message
    body: Message


class Chat(Service):
    """Rocket.Chat's wire."""

    name = "chat"

    def __init__(self, company: Company) -> None:
        super().__init__(company)
        self._kept: dict[Key, _Kept] = {}
        self._known: dict[bytes, tuple[int, User]] = {}
        self.store = Store(self)
        self.hub = Hub(self)
        self.live = Live(self)
        self.store.listener = self._hear

    def failure(self, status: int, message: str) -> Response:
        type = "error-file-too-large" if status == 413 else "error-internal" if status >= 500 else "error"
        return JSONResponse({"success": False, "error": f"{message} [{type}]", "errorType": type}, status)

    def describe(self, difference: Difference) -> str:
        return words.describe(self.store, difference)

    def is_look(self, scope: Scope) -> bool:
        """Whatever reads over HTTP; a realtime client looks by being there."""
        if scope["type"] != "http":
            return False
        path: str = scope["path"]
        if scope["method"] == "POST":
            return path.startswith("/api/v1/method.call/") and path.endswith(READING)
        return scope["method"] in ("GET", "HEAD") and not path.startswith(_NO_MESSAGES)

    @property
    def watched(self) -> bool:
        roles = [session.role for session in self.hub.people()] + [viewer.role for viewer in self.live.viewers]
        return any(role in WORK_HERE for role in roles)

    def set_secrets(self, account: Mapping[str, Any]) -> None:
        user = self.store.accounts.named(account["username"])
        if user is not None:
            self.store.accounts.set_password(user, account["password"])
            self.store.accounts.drop_tokens(user)

    def on_reset(self) -> None:
        self.on_rewind()
        self.hub.close_all()
        self.live.close_all()

    def on_rewind(self) -> None:
        self._kept.clear()
        self._known.clear()
        self.store.forget()

    def _hear(self, topic: str, facts: dict[str, Any]) -> None:
        self.hub.hear(topic, facts)
        self.live.hear(topic, facts)

    # -- serving -------------------------------------------------------------------------------------------------

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._realtime(scope, receive, send)
            return
        path: str = scope["path"]
        if path.startswith(("/api/", "/hooks/")):
            key = _key(scope) if scope["method"] == "GET" and acting_as() is None else None
            before = self.db.total_changes
            kept = self._kept.get(key) if key is not None else None
            if kept is not None and kept.changes == before:
                identify(kept.account)
                await send(kept.start)
                await send(kept.body)
                return
            status, headers, body = await self._rest(scope, receive)
            if isinstance(body, Response):
                await body(scope, receive, send)
                return
            head = scope["method"] == "HEAD"
            headers = [_JSON, (b"content-length", str(len(body)).encode()), *headers]
            start: Message = {"type": "http.response.start", "status": status, "headers": headers}
            rest: Message = {"type": "http.response.body", "body": b"" if head else body}
            if key is not None and status == 200 and len(body) <= _KEPT_SIZE and self.db.total_changes == before:
                self._keep(key, _Kept(before, _account(), start, rest))
            await send(start)
            await send(rest)
            return
        request = Request(scope, receive)
        response = files.answer(self, request) or await pages.answer(self, request)
        await response(scope, receive, send)

    def _keep(self, key: Key, answer: _Kept) -> None:
        """A read that was answered is answered again from memory until anything at all is written."""
        if b"statistics" in key[0]:  # it tells the time
            return
        if len(self._kept) >= _KEPT_COUNT:
            self._kept.clear()
        self._kept[key] = answer

    async def _realtime(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        if path == LIVE:
            await Viewer(self, scope, receive, send).run()
            return
        sockjs = path.startswith("/sockjs/") and path.endswith("/websocket")
        if path != "/websocket" and not (sockjs and path != "/sockjs/websocket"):
            if path != "/sockjs/websocket":
                await receive()
                await send({"type": "websocket.close", "code": 1008})
                return
            sockjs = False
        await Session(self, scope, receive, send, sockjs=sockjs).run()

    async def _rest(self, scope: Scope, receive: Receive) -> tuple[int, list[tuple[bytes, bytes]], bytes | Response]:
        try:
            answer = await self._answer(scope, receive)
        except ChatError as error:
            return error.status, [], _dumps(error.body)
        except MethodNotAllowed as error:
            allow = [(b"allow", ", ".join(error.allowed).encode())]
            return 405, allow, _dumps({"status": "error", "message": "API endpoint does not exist"})
        except NotFound:
            return 404, [], _dumps({"status": "error", "message": "API endpoint does not exist"})
        except OutOfSpace:
            return 400, [], _dumps(ChatError("There is no storage left", "error-file-upload-failed").body)
        except (UnicodeEncodeError, OverflowError):
            # A lone surrogate, or a number larger than any column holds.
            return 400, [], _dumps(invalid("A value cannot be stored").body)
        if isinstance(answer, Response):
            return 0, [], answer
        if isinstance(answer, dict):
            answer["success"] = True
        return 200, [], _dumps(answer)

    async def _answer(self, scope: Scope, receive: Receive) -> Answer:
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        endpoint, path = match(scope["method"], raw.split(b"?", 1)[0].decode("latin-1"))
        headers: dict[bytes, bytes] = dict(scope["headers"])
        query = _query(scope["query_string"])
        body: Any = None
        form = None
        if endpoint.method in ("POST", "PUT"):
            request = Request(scope, receive)
            kind = headers.get(b"content-type", b"").decode("latin-1")
            if endpoint.upload and kind.startswith("multipart/"):
                if endpoint.auth:
                    _signed_in(self._who(headers))
                limit = self.store.settings.number("FileUpload_MaxFileSize")
                if limit >= 0 and (declared_length(request) or 0) > limit + _FORM_ROOM:
                    raise BodyTooLarge(limit)
                form = await read_form(kind, request.stream(), self.company.blobs, limit)
            elif kind.startswith("multipart/"):
                text = await read_form(kind, request.stream(), self.company.blobs, 0)
                body = dict(text.fields)
                text.discard()
            else:
                body = _body(await read_body(request), kind)
        try:
            # From here on nothing waits: what a request reads and writes is one step for everybody else.
            user, token = self._who(headers)
            if user is not None:
                identify(user.username)
            elif endpoint.auth:
                raise Unauthenticated()
            if endpoint.permissions and not any(
                self.store.access.can(_must(user), one) for one in endpoint.permissions
            ):
                raise forbidden()
            host = headers.get(b"host", b"localhost").decode("latin-1")
            call = Call(self, user, token, path, query, body if form is None else {}, f"http://{host}")
            call.form = form
            answer = endpoint.handler(call)
            if endpoint.upload and inspect.isawaitable(answer):
                answer = await answer
            assert not isinstance(answer, Awaitable)
            return answer
        finally:
            if form is not None:
                form.discard()

    def _who(self, headers: dict[bytes, bytes]) -> tuple[User | None, str | None]:
        if (name := acting_as()) is not None:
            return self.store.accounts.named(name), None
        token, user_id = headers.get(b"x-auth-token"), headers.get(b"x-user-id")
        if not token or not user_id:
            return None, None
        text, changes = token.decode("latin-1"), self.db.total_changes
        known = self._known.get(token)
        if known is not None and known[0] == changes and known[1].id == user_id.decode("latin-1"):
            return known[1], text
        user = self.store.accounts.bearer(text, user_id.decode("latin-1"))
        if user is not None:
            if len(self._known) >= _KEPT_COUNT:
                self._known.clear()
            self._known[token] = (changes, user)
        return user, text

    def visitor(self, request: Request) -> User | None:
        """Who asks for a page or a file: by header, by the parameters of a link, or by a browser's cookies."""
        found, _ = self._who(dict(request.scope["headers"]))
        if found is not None:
            return found
        pairs = [(request.query_params.get("rc_token"), request.query_params.get("rc_uid"))]
        try:
            cookies = SimpleCookie(request.headers.get("cookie", ""))
            pairs.append(
                (cookies["rc_token"].value, cookies["rc_uid"].value)
                if {"rc_token", "rc_uid"} <= set(cookies)
                else (None, None)
            )
        except CookieError:
            pass
        for token, user_id in pairs:
            if token and user_id and (user := self.store.accounts.bearer(token, user_id)) is not None:
                return user
        return None


def _key(scope: Scope) -> Key:
    """What an answer depends on besides the database."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    path: bytes = scope.get("raw_path") or scope["path"].encode()
    token, user_id = headers.get(b"x-auth-token"), headers.get(b"x-user-id")
    return path, scope["query_string"], token, user_id, headers.get(b"host")


def _account() -> str | None:
    visit = current.get()
    return visit.account if visit is not None else None


def _signed_in(found: tuple[User | None, str | None]) -> None:
    if found[0] is None:
        raise Unauthenticated()


def _must(user: User | None) -> User:
    if user is None:
        raise Unauthenticated()
    return user


_encode = json.JSONEncoder(separators=(",", ":")).encode


def _dumps(answer: Any) -> bytes:
    return _encode(answer).encode()


def _query(raw: bytes) -> dict[str, Any]:
    """Parameters by name; `name[]=a&name[]=b` is a list."""
    if not raw:
        return {}
    found: dict[str, Any] = {}
    if not (b"%" in raw or b"+" in raw or b"[" in raw or b";" in raw) and raw.count(b"&") < 20:
        # Most queries are a few plain words; taking them apart is all there is to do.
        for part in raw.decode("latin-1").split("&"):
            name, _, value = part.partition("=")
            found[name] = value
        return found
    try:
        pairs = parse_qsl(raw.decode("latin-1"), keep_blank_values=True, max_num_fields=1000)
    except ValueError:
        raise invalid("Too many query parameters") from None
    for name, value in pairs:
        if name.endswith("[]"):
            earlier = found.setdefault(name[:-2], [])
            if not isinstance(earlier, list):
                raise invalid(f"{name[:-2]} is given both as one value and as a list")
            earlier.append(value)
        else:
            found[name] = value
    return found


def _finite(text: str) -> float:
    """A number JSON can carry back; infinity and the like cannot be."""
    found = float(text)
    if not math.isfinite(found):
        raise ValueError(text)
    return found


def _body(raw: bytes, kind: str) -> Any:
    if kind.startswith("application/x-www-form-urlencoded"):
        return _query(raw)
    if not raw.strip():
        return {}
    try:
        found = parse_json(raw, parse_float=_finite, parse_constant=_finite)
    except ValueError:
        raise ChatError("The body is not valid JSON", "error-invalid-json") from None
    if not isinstance(found, dict | list):
        raise invalid("must be object")
    return found
