"""Reading what a client sends, with a limit: nobody can make the company hold more than it said it would."""

from __future__ import annotations

from starlette.requests import Request

JSON_LIMIT = 10 * 1024 * 1024


class BodyTooLarge(Exception):
    """The body is longer than this endpoint takes; answered with 413 in the service's own error shape."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"The request body is larger than {limit} bytes.")
        self.limit = limit


def declared_length(request: Request) -> int | None:
    """What Content-Length says, or None when it is absent or not a number."""
    text = request.headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() else None


async def read_body(request: Request, limit: int = JSON_LIMIT) -> bytes:
    """The whole body, if it is at most `limit` bytes."""
    if (declared_length(request) or 0) > limit:
        raise BodyTooLarge(limit)
    parts, size = [], 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit:
            raise BodyTooLarge(limit)
        parts.append(chunk)
    return b"".join(parts)
