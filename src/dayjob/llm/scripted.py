"""A model played from a file: a real server that speaks all three wires, streams, calls tools, and fails on demand.

`dayjob run --model script:FILE` uses it, and so do the tests. See `script_file` for the file.
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

from dayjob.company.bodies import read_body
from dayjob.llm.script_file import Action, Conversation, Script, load_script
from dayjob.llm.secret import Secret
from dayjob.llm.upstream import TRIAL_HEADER

_MODEL = "scripted"


class ScriptedModel:
    """The ASGI app; every trial plays the script from its beginning. `asked` keeps what came in, for tests."""

    def __init__(self, script: Script, key: Secret | None = None) -> None:
        self.script = script
        self.key = key or Secret(f"script-{secrets.token_urlsafe(24)}")
        self._scripts: dict[str, Script] = {}
        self.asked: list[dict[str, Any]] = []
        self.most_at_once = 0
        self._under_way = 0

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
            await _whole(send, 200, {"object": "list", "data": [{"id": _MODEL, "object": "model"}]})
            return
        wire = _WIRES.get(path)
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

    async def _play(self, wire: _Wire, body: dict[str, Any], send: Send, scope: Scope) -> None:
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
        if action.fault == "garbage":
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
    from dayjob.company.host import Host, bind

    async with Host() as host:
        sock = bind()
        await host.listen(model, sock)
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


# -- the three wires ----------------------------------------------------------------------------------------------


def _text(content: Any) -> str:
    """The words of a message's content, in whatever shape a wire gives it."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(_text(one) for one in content)
    if isinstance(content, dict):
        return _text(content.get("text") or content.get("content") or content.get("output") or "")
    return ""


def _sse(fact: dict[str, Any], name: str = "") -> bytes:
    lead = f"event: {name}\n".encode() if name else b""
    return lead + b"data: " + json.dumps(fact).encode() + b"\n\n"


def _pieces(text: str) -> list[str]:
    return [text[at : at + 12] for at in range(0, len(text), 12)]


class _Wire:
    def read(self, body: dict[str, Any]) -> Conversation:
        raise NotImplementedError

    def whole(self, action: Action, prompt: int, completion: int, number: int) -> dict[str, Any]:
        raise NotImplementedError

    def events(self, action: Action, prompt: int, completion: int, number: int, body: dict[str, Any]) -> list[bytes]:
        raise NotImplementedError


def _conversation(body: dict[str, Any], system: str, messages: list[Any]) -> Conversation:
    rows = [one for one in messages if isinstance(one, dict)]
    systems = [_text(one.get("content")) for one in rows if one.get("role") in ("system", "developer")]
    spoken = [one for one in rows if one.get("role") not in ("system", "developer")]
    system = "\n".join([system, *systems]).strip()
    own = [one for one in spoken if one.get("role") == "assistant" or one.get("type") == "function_call"]
    return Conversation(
        model=str(body.get("model", "")),
        system=system,
        last=_text(spoken[-1]) if spoken else "",
        everything="\n".join([system, *(_text(one) for one in spoken)]),
        turn=len(own) + 1,
    )


class _Chat(_Wire):
    def read(self, body: dict[str, Any]) -> Conversation:
        return _conversation(body, "", body.get("messages") or [])

    def whole(self, action: Action, prompt: int, completion: int, number: int) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": action.text or None}
        if action.calls:
            message["tool_calls"] = [
                {
                    "id": f"call_script{number:04d}{at}",
                    "type": "function",
                    "function": {"name": name, "arguments": text},
                }
                for at, (name, text) in enumerate(action.calls)
            ]
        return {
            "id": f"chatcmpl-script{number:04d}",
            "object": "chat.completion",
            "created": 0,
            "model": _MODEL,
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if action.calls else "stop"}],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": completion,
                "total_tokens": prompt + completion,
            },
        }

    def events(self, action: Action, prompt: int, completion: int, number: int, body: dict[str, Any]) -> list[bytes]:
        def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
            return _sse(
                {
                    "id": f"chatcmpl-script{number:04d}",
                    "object": "chat.completion.chunk",
                    "created": 0,
                    "model": _MODEL,
                    "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
                }
            )

        found = [chunk({"role": "assistant", "content": ""})]
        found += [chunk({"content": piece}) for piece in _pieces(action.text)]
        for at, (name, arguments) in enumerate(action.calls):
            lead = {"index": at, "id": f"call_script{number:04d}{at}", "type": "function"}
            found.append(chunk({"tool_calls": [{**lead, "function": {"name": name, "arguments": ""}}]}))
            found += [
                chunk({"tool_calls": [{"index": at, "function": {"arguments": piece}}]}) for piece in _pieces(arguments)
            ]
        found.append(chunk({}, "tool_calls" if action.calls else "stop"))
        if (body.get("stream_options") or {}).get("include_usage"):
            usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
            facts = {"id": f"chatcmpl-script{number:04d}", "object": "chat.completion.chunk", "created": 0}
            found.append(_sse({**facts, "model": _MODEL, "choices": [], "usage": usage}))
        return [*found, b"data: [DONE]\n\n"]


class _Responses(_Wire):
    def read(self, body: dict[str, Any]) -> Conversation:
        given = body.get("input")
        rows = [{"role": "user", "content": given}] if isinstance(given, str) else given or []
        return _conversation(body, _text(body.get("instructions")), rows)

    def whole(self, action: Action, prompt: int, completion: int, number: int) -> dict[str, Any]:
        output: list[dict[str, Any]] = []
        if action.text:
            part = {"type": "output_text", "text": action.text, "annotations": [], "logprobs": []}
            lead = {"id": f"msg_script{number:04d}", "type": "message", "role": "assistant", "status": "completed"}
            output.append({**lead, "content": [part]})
        for at, (name, arguments) in enumerate(action.calls):
            call = {
                "id": f"fc_script{number:04d}{at}",
                "call_id": f"call_script{number:04d}{at}",
                "status": "completed",
            }
            output.append({"type": "function_call", **call, "name": name, "arguments": arguments})
        return {
            "id": f"resp_script{number:04d}",
            "object": "response",
            "created_at": 0,
            "status": "completed",
            "error": None,
            "incomplete_details": None,
            "instructions": None,
            "metadata": {},
            "model": _MODEL,
            "output": output,
            "parallel_tool_calls": True,
            "temperature": 1.0,
            "tool_choice": "auto",
            "tools": [],
            "top_p": 1.0,
            "usage": {
                "input_tokens": prompt,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": completion,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": prompt + completion,
            },
        }

    def events(self, action: Action, prompt: int, completion: int, number: int, body: dict[str, Any]) -> list[bytes]:
        final = self.whole(action, prompt, completion, number)
        steps: list[dict[str, Any]] = [
            {"type": "response.created", "response": {**final, "status": "in_progress", "output": [], "usage": None}}
        ]
        for at, item in enumerate(final["output"]):
            where = {"output_index": at, "item_id": item["id"]}
            if item["type"] == "message":
                text, part = item["content"][0]["text"], {**item["content"][0], "text": ""}
                inside = {**where, "content_index": 0}
                opened = {**item, "status": "in_progress", "content": []}
                steps.append({"type": "response.output_item.added", "output_index": at, "item": opened})
                steps.append({"type": "response.content_part.added", **inside, "part": part})
                steps += [
                    {"type": "response.output_text.delta", **inside, "delta": piece, "logprobs": []}
                    for piece in _pieces(text)
                ]
                steps.append({"type": "response.output_text.done", **inside, "text": text, "logprobs": []})
                steps.append({"type": "response.content_part.done", **inside, "part": item["content"][0]})
            else:
                opened = {**item, "status": "in_progress", "arguments": ""}
                steps.append({"type": "response.output_item.added", "output_index": at, "item": opened})
                steps += [
                    {"type": "response.function_call_arguments.delta", **where, "delta": piece}
                    for piece in _pieces(item["arguments"])
                ]
                done = {"name": item["name"], "arguments": item["arguments"]}
                steps.append({"type": "response.function_call_arguments.done", **where, **done})
            steps.append({"type": "response.output_item.done", "output_index": at, "item": item})
        steps.append({"type": "response.completed", "response": final})
        return [_sse({**step, "sequence_number": at}, step["type"]) for at, step in enumerate(steps)]


class _Messages(_Wire):
    def read(self, body: dict[str, Any]) -> Conversation:
        return _conversation(body, _text(body.get("system")), body.get("messages") or [])

    def whole(self, action: Action, prompt: int, completion: int, number: int) -> dict[str, Any]:
        content: list[dict[str, Any]] = [{"type": "text", "text": action.text}] if action.text else []
        for at, (name, arguments) in enumerate(action.calls):
            one = {"type": "tool_use", "id": f"toolu_script{number:04d}{at}", "name": name}
            content.append({**one, "input": json.loads(arguments)})
        return {
            "id": f"msg_script{number:04d}",
            "type": "message",
            "role": "assistant",
            "model": _MODEL,
            "content": content,
            "stop_reason": "tool_use" if action.calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": prompt, "output_tokens": completion},
        }

    def events(self, action: Action, prompt: int, completion: int, number: int, body: dict[str, Any]) -> list[bytes]:
        final = self.whole(action, prompt, completion, number)
        opened = {**final, "content": [], "stop_reason": None, "usage": {"input_tokens": prompt, "output_tokens": 1}}
        steps: list[dict[str, Any]] = [{"type": "message_start", "message": opened}]
        for at, block in enumerate(final["content"]):
            if block["type"] == "text":
                start, deltas = (
                    {**block, "text": ""},
                    [{"type": "text_delta", "text": one} for one in _pieces(block["text"])],
                )
            else:
                start = {**block, "input": {}}
                pieces = _pieces(json.dumps(block["input"]))
                deltas = [{"type": "input_json_delta", "partial_json": one} for one in pieces]
            steps.append({"type": "content_block_start", "index": at, "content_block": start})
            steps += [{"type": "content_block_delta", "index": at, "delta": one} for one in deltas]
            steps.append({"type": "content_block_stop", "index": at})
        ended = {"stop_reason": final["stop_reason"], "stop_sequence": None}
        steps.append({"type": "message_delta", "delta": ended, "usage": {"output_tokens": completion}})
        steps.append({"type": "message_stop"})
        return [_sse(step, step["type"]) for step in steps]


class _Count(_Messages):
    def whole(self, action: Action, prompt: int, completion: int, number: int) -> dict[str, Any]:
        return {"input_tokens": prompt}


_WIRES: dict[str, _Wire] = {
    "/chat/completions": _Chat(),
    "/responses": _Responses(),
    "/messages": _Messages(),
    "/messages/count_tokens": _Count(),
}
