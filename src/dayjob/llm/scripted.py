"""A model played from a file: a real server that speaks all three wires, streams, calls tools, and fails on demand.

`dayjob run --model script:FILE` uses it, and so do the tests. See `script_file` for the file, and `obedient` for the
one without a file.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from dayjob.http.bodies import read_body
from dayjob.llm.obedient import Obedient
from dayjob.llm.script_file import Script, load_script
from dayjob.llm.script_wires import MODEL, WIRES, ScriptedWire
from dayjob.llm.secret import Secret
from dayjob.llm.upstream import TRIAL_HEADER


class ScriptedModel:
    """The ASGI app; every trial plays the script from its beginning. `asked` keeps what came in, for tests."""

    def __init__(self, script: Script | Obedient, key: Secret | None = None) -> None:
        self.script = script
        self.key = key or Secret(f"script-{secrets.token_urlsafe(24)}")
        self._scripts: dict[str, Script | Obedient] = {}
        self.asked: list[dict[str, Any]] = []
        self.most_at_once = 0
        self._under_way = 0

    def go_on(self, trial: str, other: str) -> None:
        """Play on for another trial from where this one is."""
        if (script := self._scripts.get(trial)) is not None:
            self._scripts[other] = script.fresh()

    @classmethod
    def load(cls, file: Path) -> ScriptedModel:
        return cls(load_script(file))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1003})
            return
        request = Request(scope, receive)
        path = scope["path"].removeprefix("/v1")
        given = request.headers.get("authorization", "").removeprefix("Bearer ") or request.headers.get("x-api-key")
        if given != self.key.reveal():
            await _whole(send, 401, {"error": {"message": f"Incorrect API key provided: {given}"}})
            return
        if path == "/models":
            await _whole(send, 200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})
            return
        wire = WIRES.get(path)
        if wire is None:
            await _whole(send, 404, {"error": {"message": f"The scripted model has no {scope['path']}."}})
            return
        body = json.loads(await read_body(request, 64 * 1024 * 1024))
        self.asked.append(body)
        self._under_way += 1
        self.most_at_once = max(self.most_at_once, self._under_way)
        try:
            await self._play(wire, body, send, scope)
        finally:
            self._under_way -= 1

    async def _play(self, wire: ScriptedWire, body: dict[str, Any], send: Send, scope: Scope) -> None:
        trial = dict(scope["headers"]).get(TRIAL_HEADER.encode(), b"").decode("latin-1")
        script = self._scripts.setdefault(trial, self.script.fresh())
        action = script.answer(wire.read(body))
        await asyncio.sleep(action.delay)
        if action.status != 200:
            headers = [] if action.retry_after is None else [(b"retry-after", f"{action.retry_after:g}".encode())]
            await _whole(send, action.status, {"error": {"message": action.message, "type": "scripted"}}, headers)
            return
        if action.fault == "silence":
            await asyncio.sleep(3600)
        if action.fault == "drop":
            await _cut(send, scope, None)
            return
        if action.fault == "garbage" or (action.fault == "short" and not body.get("stream")):
            content_type = b"text/event-stream" if body.get("stream") else b"application/json"
            data = b'data: {"choices": [{"del\n\n' if body.get("stream") else b'{"choices": [{"mess'
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", content_type)]})
            await send({"type": "http.response.body", "body": data})
            return
        prompt, completion = action.usage or (_tokens(json.dumps(body)), _tokens(action.text))
        number = len(self.asked)
        if not body.get("stream"):
            answer = wire.whole(action, prompt, completion, number)
            if action.fault == "half":
                await _cut(send, scope, json.dumps(answer).encode())
                return
            await _whole(send, 200, answer)
            return
        events = wire.events(action, prompt, completion, number, body)
        if action.fault == "half":
            await _cut(send, scope, b"".join(events[: max(1, len(events) // 2)]), b"text/event-stream")
            return
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        if action.fault == "short":
            events = events[: max(1, len(events) // 2)]
        for event in events:
            await send({"type": "http.response.body", "body": event, "more_body": True})
            await asyncio.sleep(action.chunk_delay)
        await send({"type": "http.response.body", "body": b""})


@dataclass(frozen=True, slots=True)
class Serving:
    """A scripted model being served."""

    base_url: str
    key: Secret
    model: ScriptedModel


@asynccontextmanager
async def serve_script(model: ScriptedModel) -> AsyncIterator[Serving]:
    """Serve on a free port of this machine for as long as the block lasts."""
    from dayjob.http.server import Server, bind

    async with Server() as server:
        sock = bind()
        await server.listen(model, sock)
        yield Serving(f"http://127.0.0.1:{sock.getsockname()[1]}/v1", model.key, model)


async def _whole(
    send: Send, status: int, body: dict[str, Any], headers: list[tuple[bytes, bytes]] | None = None
) -> None:
    data = json.dumps(body).encode()
    lead = [(b"content-type", b"application/json"), (b"content-length", str(len(data)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": lead + (headers or [])})
    await send({"type": "http.response.body", "body": data})


async def _cut(send: Send, scope: Scope, data: bytes | None, content_type: bytes = b"application/json") -> None:
    """End the connection before the answer is whole: it promises more than it sends, and the server closes it."""
    if data is not None:
        headers = [(b"content-type", content_type), (b"content-length", str(len(data) + 1000).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": data[: len(data) - 5], "more_body": True})
    transport = getattr(getattr(send, "__self__", None), "transport", None)
    if transport is not None:
        transport.close()


def _tokens(text: str) -> int:
    """A model-free estimate that is always the same."""
    return (len(text) + 3) // 4
