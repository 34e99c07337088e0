"""The gateway's wire, as sandboxes reach it: `/v1/chat/completions`, `/v1/responses`, `/v1/messages`, `/v1/models`.

`/v1/judge` (see `judge`) and `/v1/ready` (does the model answer?) are ours. A pass is sent as a bearer token or as
`x-api-key`. Errors have the shape of the wire they answer, and say with `x-should-retry: false` that the gateway has
already retried.
"""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from dayjob.http.bodies import BodyTooLarge, read_body
from dayjob.http.protocol import closed_websocket
from dayjob.http.routing import MethodNotAllowed, NotFound, Router, raw_path
from dayjob.llm.check import ask_once
from dayjob.llm.dialects import CHAT, COUNT_TOKENS, MESSAGES, RESPONSES, Dialect
from dayjob.llm.faults import STATUS, Label, ModelFault
from dayjob.llm.gateway import Gateway, Pass
from dayjob.llm.judge import Judge
from dayjob.llm.judge_case import JudgeRequest
from dayjob.llm.outside_requests import reaches_outside

BODY_LIMIT = 64 * 1024 * 1024
DEPTH_LIMIT = 100
"""How deep a body's lists and objects may be nested: far beyond any tool's schema, far below what Python can follow."""
_HEADER = re.compile(r"[\x20-\x7e]{0,1000}")
_MOST_STRANGE = 20
_router = Router(tolerant=True)
for _dialect in (CHAT, RESPONSES, MESSAGES, COUNT_TOKENS):
    for _prefix in ("/v1", ""):
        _router.add("POST", f"{_prefix}{_dialect.path}", _dialect)
for _prefix in ("/v1", ""):
    _router.add("GET", f"{_prefix}/models", "models")
    _router.add("GET", f"{_prefix}/models/{{model:rest}}", "models")
    _router.add("POST", f"{_prefix}/judge", "judge")
    _router.add("GET", f"{_prefix}/ready", "ready")


class BadRequest(Exception):
    """The request cannot be understood."""


class Wire:
    """The ASGI app; `trial` and `roles` limit whose passes are taken."""

    def __init__(self, gateway: Gateway, trial: str | None, roles: frozenset[str] | None) -> None:
        self._gateway = gateway
        self._trial = trial
        self._roles = roles

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if await closed_websocket(scope, send):
            return
        request = Request(scope, receive)
        dialect = CHAT
        try:
            what, _ = _router.match(request.method, raw_path(request))
            dialect = what if isinstance(what, Dialect) else CHAT
            who = self._holder(request)
            if who is None:
                response = _error(
                    dialect, 401, "invalid_api_key", "This is not a pass the gateway knows, or it is closed."
                )
            elif what == "models":
                response = self._models(who)
            elif what == "ready":
                response = await self._ready(who)
            elif what == "judge":
                response = await self._judge(who, await _json(request))
            else:
                await self._call(who, dialect, await _json(request), request, send)
                return
        except NotFound:
            if (who := self._holder(request)) is not None and len(who.strange) < _MOST_STRANGE:
                who.strange[f"{request.method} {scope['path'][:80]}"] += 1
            response = _error(CHAT, 404, "unknown_url", f"The gateway has no {request.url.path}.")
        except MethodNotAllowed as error:
            response = _error(CHAT, 405, "method_not_allowed", f"Use {' or '.join(error.allowed)} here.")
        except BodyTooLarge as error:
            response = _error(dialect, 413, "request_too_large", str(error))
        except BadRequest as error:
            response = _error(dialect, 400, "invalid_request", str(error))
        except ModelFault as fault:
            response = _error(dialect, STATUS[fault.label], str(fault.label), fault.sentence)
        except ClientDisconnect:
            return
        await response(scope, receive, send)

    def _holder(self, request: Request) -> Pass | None:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            token = request.headers.get("x-api-key", "")
        who = self._gateway.holder(token.strip())
        if who is None or self._trial not in (None, who.trial):
            return None
        return who if self._roles is None or who.role in self._roles else None

    def _models(self, who: Pass) -> Response:
        chosen = who.model
        names = (chosen.model, *chosen.also) if chosen else ()
        rows = [{"id": one, "object": "model", "created": 0, "owned_by": "dayjob"} for one in names]
        return _answer(200, {"object": "list", "data": rows})

    async def _ready(self, who: Pass) -> Response:
        """Whether the model answers: 200 or 503, with the reason. A pass asks until it was answered once."""
        found = who.checked
        if found is None or not found.ready:
            found = who.checked = await ask_once(who)
        return _answer(200 if found.ready else 503, found.as_dict())

    async def _judge(self, who: Pass, body: dict[str, Any]) -> Response:
        if who.role != "judge":
            return _error(CHAT, 403, "wrong_role", f"A pass for {who.role} does not judge.")
        try:
            asked = JudgeRequest.from_json(body)
        except ValueError as error:
            raise BadRequest(str(error)) from error
        votes = who.model.votes if who.model else 1
        verdict = await Judge(who, votes=votes).decide(asked)
        return _answer(200, verdict.as_dict())

    async def _call(self, who: Pass, dialect: Dialect, body: dict[str, Any], request: Request, send: Send) -> None:
        if who.role == "examinee" and who.model is not None and not who.model.outside:
            beyond = reaches_outside(body)
            if beyond is not None:
                raise BadRequest(
                    f"This request would reach outside the company: {beyond}. The gateway passes on none of it."
                )
        reply = _Reply(dialect, send)
        headers = {name: value for name, value in request.headers.items() if name.startswith(("anthropic-", "openai-"))}
        for name, value in headers.items():
            if not _HEADER.fullmatch(value):
                raise BadRequest(f"The header {name} must be at most 1000 printable ASCII characters.")
        work = asyncio.ensure_future(who.run(self._answer(who, dialect, body, headers, reply)))
        gone = asyncio.ensure_future(_until_gone(request))
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                work.cancel()
            await asyncio.gather(work, return_exceptions=True)
            if not work.cancelled() and isinstance(error := work.exception(), ModelFault):
                await reply.fail(error)
            elif not work.cancelled():
                work.result()
        finally:
            work.cancel()
            gone.cancel()

    async def _answer(
        self, who: Pass, dialect: Dialect, body: dict[str, Any], headers: dict[str, str], reply: _Reply
    ) -> None:
        answer = await self._gateway.ask(who, dialect, body, headers)
        if answer.events is None:
            await reply.whole(answer.status, answer.content_type, answer.body or b"")
            return
        try:
            # The first event is there already: taken before anything is sent, so that a caller that is gone by now
            # ends the stream, and with it the call, as one that goes later does.
            async for event in answer.events:
                await reply.start(answer.status, answer.content_type)
                await reply.event(event)
            await reply.end()
        finally:
            # A caller that goes away while something is sent leaves the stream where it is: it is ended here, so that
            # its turn at the provider is free at once.
            await answer.events.aclose()  # type: ignore[attr-defined]  # a generator


class _Reply:
    """One answer on its way to the caller: knows whether a status can still be sent."""

    def __init__(self, dialect: Dialect, send: Send) -> None:
        self._dialect = dialect
        self._send = send
        self._started = False

    async def whole(self, status: int, content_type: str, body: bytes) -> None:
        headers = [(b"content-type", content_type.encode()), (b"content-length", str(len(body)).encode())]
        self._started = True
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})

    async def start(self, status: int, content_type: str) -> None:
        """Send the status, once."""
        if self._started:
            return
        headers = [(b"content-type", content_type.encode()), (b"cache-control", b"no-cache")]
        self._started = True
        await self._send({"type": "http.response.start", "status": status, "headers": headers})

    async def event(self, data: bytes) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def end(self) -> None:
        await self._send({"type": "http.response.body", "body": b""})

    async def fail(self, fault: ModelFault) -> None:
        if self._started:
            await self.event(self._dialect.error_event(fault))
            await self.end()
            return
        status = STATUS[fault.label]
        body = json.dumps(self._dialect.error(status, str(fault.label), fault.sentence)).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"x-should-retry", b"false"),
        ]
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})


async def _until_gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _json(request: Request) -> dict[str, Any]:
    raw = await read_body(request, BODY_LIMIT)
    try:
        found = json.loads(raw, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"The body is not JSON: {error}.") from error
    if not isinstance(found, dict):
        raise BadRequest("The body must be a JSON object.")
    if _deeper_than(found, DEPTH_LIMIT):
        raise BadRequest(f"The body is nested more than {DEPTH_LIMIT} deep.")
    return found


def _deeper_than(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _answer(status: int, body: dict[str, Any]) -> Response:
    return Response(json.dumps(body), status, media_type="application/json")


def _error(dialect: Dialect, status: int, kind: str, message: str) -> Response:
    response = _answer(status, dialect.error(status, kind, message))
    if status >= 500 or kind in set(Label):
        response.headers["x-should-retry"] = "false"
    return response
