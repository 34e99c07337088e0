"""Reading what a client sends, with limits: nobody makes the company hold, or work through, more than it said."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator
from typing import Any

from starlette.requests import Request

JSON_LIMIT = 10 * 1024 * 1024
JSON_DEPTH = 32
JSON_VALUES = 100_000
"""The most lists, objects and their members one document may have: each costs a hundred times its text in memory."""

# A string of JSON, closed or not: it always matches, so that no text makes the search begin again.
_STRING = re.compile(rb'"[^"\\]*+(?:\\(?:.|\Z)[^"\\]*+)*+(?:"|\Z)', re.DOTALL)
_NOT_BRACKETS = bytes(one for one in range(256) if one not in b"[]{}")


class BodyTooLarge(Exception):
    """The body is longer than this endpoint takes; answered with 413 in the service's own error shape."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"The request body is larger than {limit} bytes.")
        self.limit = limit


def declared_length(request: Request) -> int | None:
    """What Content-Length says, or None when it is absent or not a number."""
    text = request.headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() else None


async def pieces(request: Request, limit: int) -> AsyncGenerator[bytes, None]:
    """The body as it arrives, if it is at most `limit` bytes."""
    if (declared_length(request) or 0) > limit:
        raise BodyTooLarge(limit)
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit:
            raise BodyTooLarge(limit)
        yield chunk


async def read_body(request: Request, limit: int = JSON_LIMIT) -> bytes:
    """The whole body, if it is at most `limit` bytes."""
    return b"".join([chunk async for chunk in pieces(request, limit)])


class BadJson(ValueError):
    """Not JSON, or more of it than a body may hold."""


def parse_json(raw: bytes | str, **options: Any) -> Any:
    """What a JSON text says, or `BadJson`: none, too deep, or too many values. Options as of `json.loads`."""
    try:
        text = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw
        _measure(text)
        return json.loads(raw, **options)
    except RecursionError:
        raise BadJson("too deeply nested") from None
    except BadJson:
        raise
    except ValueError as error:
        raise BadJson(str(error)) from None


def _measure(text: bytes) -> None:
    """Count brackets and commas: nearly every text passes by their number alone, without a look at what is a string."""
    brackets = text.count(b"[") + text.count(b"{")
    if brackets <= JSON_DEPTH and brackets + text.count(b",") <= JSON_VALUES:
        return
    bare = _STRING.sub(b"", text)
    if bare.count(b"[") + bare.count(b"{") + bare.count(b",") > JSON_VALUES:
        raise BadJson(f"more than {JSON_VALUES} values")
    depth = 0
    for sign in bare.translate(None, _NOT_BRACKETS):
        depth += 1 if sign in b"[{" else -1
        if depth > JSON_DEPTH:
            raise BadJson("too deeply nested")
