"""Server-sent events as bytes: cut a stream where one event ends, and read an event's data."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from typing import Any

_END = re.compile(rb"\r?\n\r?\n")
DONE = b"[DONE]"


async def split_events(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Whole events, each with the blank line that ends it; what is left over when the stream ends comes last."""
    pending = b""
    async for chunk in chunks:
        pending += chunk
        start = 0
        for mark in _END.finditer(pending):
            yield pending[start : mark.end()]
            start = mark.end()
        pending = pending[start:]
    if pending:
        yield pending


def is_whole(event: bytes) -> bool:
    """Whether the blank line that ends an event is there."""
    return event.endswith((b"\n\n", b"\n\r\n"))


def data_of(event: bytes) -> bytes:
    """An event's data; empty for comments and events without any."""
    lines = [line[5:].removeprefix(b" ") for line in event.splitlines() if line.startswith(b"data:")]
    return b"\n".join(lines)


def fact_of(event: bytes) -> dict[str, Any] | None:
    """An event's data as JSON; None when there is none or it is the end mark. Raises ValueError when it is not JSON."""
    data = data_of(event)
    if not data or data == DONE:
        return None
    found = json.loads(data)
    if not isinstance(found, dict):
        raise ValueError("an event's data is not an object")
    return found
