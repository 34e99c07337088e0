"""A scripted action on each of the three wires: whole, or as the events of a stream."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import Any

from dayjob.llm.script_file import Action, Conversation

MODEL = "scripted"


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


class ScriptedWire(ABC):
    """One endpoint."""

    @abstractmethod
    def read(self, body: dict[str, Any]) -> Conversation:
        """What a request says."""

    @abstractmethod
    def whole(self, action: Action, prompt: int, completion: int, number: int) -> dict[str, Any]:
        """An action as a whole answer."""

    @abstractmethod
    def events(self, action: Action, prompt: int, completion: int, number: int, body: dict[str, Any]) -> list[bytes]:
        """An action as the events of a stream."""


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


def _finish(action: Action) -> str:
    return "length" if action.cut_short else "tool_calls" if action.calls else "stop"


class _Chat(ScriptedWire):
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
            "model": MODEL,
            "choices": [{"index": 0, "message": message, "finish_reason": _finish(action)}],
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
                    "model": MODEL,
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
        found.append(chunk({}, _finish(action)))
        if (body.get("stream_options") or {}).get("include_usage"):
            usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
            facts = {"id": f"chatcmpl-script{number:04d}", "object": "chat.completion.chunk", "created": 0}
            found.append(_sse({**facts, "model": MODEL, "choices": [], "usage": usage}))
        return [*found, b"data: [DONE]\n\n"]


class _Responses(ScriptedWire):
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
            "model": MODEL,
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


class _Messages(ScriptedWire):
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
            "model": MODEL,
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


WIRES: dict[str, ScriptedWire] = {
    "/chat/completions": _Chat(),
    "/responses": _Responses(),
    "/messages": _Messages(),
    "/messages/count_tokens": _Count(),
}
