"""The three wires models are spoken to on: chat completions, responses, messages. One object each.

A dialect knows where its tokens are counted, when an answer or a stream is whole, and how it says what failed.
Everything else of a request or an answer passes through as it came.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dayjob.llm.budget import Tokens
from dayjob.llm.faults import ModelFault


class Stream:
    """Watches the events of one streamed answer go by."""

    def __init__(self) -> None:
        self.tokens: Tokens | None = None
        self.finished = False
        self.failed: str | None = None
        """The provider's own error, when it sent one in the middle."""

    def see(self, fact: dict[str, Any]) -> bool:
        """Take note of one event's data; False when the event is not for the caller."""
        raise NotImplementedError

    def done(self) -> None:
        """The end mark of the wire (`[DONE]`) came."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One endpoint of one provider's wire."""

    name: str
    path: str
    tokens: Callable[[dict[str, Any]], Tokens | None]
    whole: Callable[[dict[str, Any]], bool]
    stream: Callable[[], Stream]
    anthropic: bool = False

    def error(self, status: int, kind: str, message: str) -> dict[str, Any]:
        """An error as this wire's clients read it."""
        if self.anthropic:
            names = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error"}
            names |= {404: "not_found_error", 413: "request_too_large", 402: "billing_error"}
            return {
                "type": "error",
                "error": {"type": names.get(status, "api_error"), "message": message, "code": kind},
            }
        type_ = "invalid_request_error" if status < 500 else "server_error"
        return {"error": {"message": message, "type": type_, "param": None, "code": kind}}

    def error_event(self, fault: ModelFault) -> bytes:
        """The same in the middle of a stream, where no status can be sent any more."""
        body = self.error(500, str(fault.label), fault.sentence)
        if self.name == "responses":
            body = {"type": "error", "code": str(fault.label), "message": fault.sentence, "param": None}
        lead = b"" if self.name == "chat" else b"event: error\n"
        return lead + b"data: " + json.dumps(body).encode() + b"\n\n"


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


# -- chat completions ---------------------------------------------------------------------------------------------


def _chat_tokens(answer: dict[str, Any]) -> Tokens | None:
    usage = _dict(answer.get("usage"))
    if "prompt_tokens" not in usage and "completion_tokens" not in usage:
        return None
    details = _dict(usage.get("prompt_tokens_details"))
    return Tokens(
        _count(usage.get("prompt_tokens")),
        _count(usage.get("completion_tokens")),
        _count(details.get("cached_tokens")),
        _count(details.get("cache_creation_tokens")),
    )


def _chat_whole(answer: dict[str, Any]) -> bool:
    choices = answer.get("choices")
    return isinstance(choices, list) and bool(choices) and isinstance(_dict(choices[0]).get("message"), dict)


class _ChatStream(Stream):
    """Usage comes in a last chunk without choices, which is only for callers that asked for it."""

    def see(self, fact: dict[str, Any]) -> bool:
        if "error" in fact:
            self.failed = str(_dict(fact["error"]).get("message", fact["error"]))
        self.tokens = _chat_tokens(fact) or self.tokens
        choices = fact.get("choices")
        if isinstance(choices, list):
            self.finished |= any(_dict(one).get("finish_reason") for one in choices)
        return not (choices == [] and fact.get("usage") is not None)

    def done(self) -> None:
        self.finished = True


# -- responses ----------------------------------------------------------------------------------------------------


def _responses_tokens(answer: dict[str, Any]) -> Tokens | None:
    usage = _dict(answer.get("usage"))
    if "input_tokens" not in usage and "output_tokens" not in usage:
        return None
    return Tokens(
        _count(usage.get("input_tokens")),
        _count(usage.get("output_tokens")),
        _count(_dict(usage.get("input_tokens_details")).get("cached_tokens")),
    )


class _ResponsesStream(Stream):
    def see(self, fact: dict[str, Any]) -> bool:
        kind = fact.get("type")
        if kind in ("response.completed", "response.incomplete", "response.failed"):
            self.finished = True
            self.tokens = _responses_tokens(_dict(fact.get("response"))) or self.tokens
        elif kind == "error":
            self.failed = str(fact.get("message", "error"))
        return True


# -- messages -----------------------------------------------------------------------------------------------------


def _messages_tokens(answer: dict[str, Any]) -> Tokens | None:
    usage = _dict(answer.get("usage"))
    if "input_tokens" not in usage and "output_tokens" not in usage:
        return None
    cached = _count(usage.get("cache_read_input_tokens"))
    writes = _count(usage.get("cache_creation_input_tokens"))
    # Here, unlike elsewhere, the input does not include what the cache gave or took.
    return Tokens(
        _count(usage.get("input_tokens")) + cached + writes, _count(usage.get("output_tokens")), cached, writes
    )


class _MessagesStream(Stream):
    def __init__(self) -> None:
        super().__init__()
        self._usage: dict[str, Any] = {}

    def see(self, fact: dict[str, Any]) -> bool:
        kind = fact.get("type")
        if kind == "message_start":
            self._usage |= _dict(_dict(fact.get("message")).get("usage"))
        elif kind == "message_delta":
            self._usage |= {key: value for key, value in _dict(fact.get("usage")).items() if value is not None}
        elif kind == "message_stop":
            self.finished = True
        elif kind == "error":
            self.failed = str(_dict(fact.get("error")).get("message", "error"))
        self.tokens = _messages_tokens({"usage": self._usage}) or self.tokens
        return True


CHAT = Dialect("chat", "/chat/completions", _chat_tokens, _chat_whole, _ChatStream)
RESPONSES = Dialect(
    "responses",
    "/responses",
    _responses_tokens,
    lambda answer: isinstance(answer.get("output"), list),
    _ResponsesStream,
)
MESSAGES = Dialect(
    "messages",
    "/messages",
    _messages_tokens,
    lambda answer: answer.get("type") == "message" and isinstance(answer.get("content"), list),
    _MessagesStream,
    anthropic=True,
)
COUNT_TOKENS = Dialect(
    "count_tokens",
    "/messages/count_tokens",
    lambda answer: Tokens(),  # counting is free
    lambda answer: "input_tokens" in answer,
    _MessagesStream,
    anthropic=True,
)
DIALECTS = {one.name: one for one in (CHAT, RESPONSES, MESSAGES, COUNT_TOKENS)}
