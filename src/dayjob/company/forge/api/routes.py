"""The table of endpoints. `@get("/projects/{id}")` and its siblings put a handler on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dayjob.http.routing import Router

router = Router(tolerant=True)
RAW_BODY: set[Any] = set()
"""Handlers that read the body themselves, as a stream."""
PREFIX = "/api/v4"


def _register(method: str) -> Callable[..., Callable[[Any], Any]]:
    def on(*patterns: str) -> Callable[[Any], Any]:
        def keep(handler: Any) -> Any:
            for pattern in patterns:
                router.add(method, PREFIX + pattern, handler)
            return handler

        return keep

    return on


get, post, put, delete, patch = (_register(name) for name in ("GET", "POST", "PUT", "DELETE", "PATCH"))


def raw_body(handler: Any) -> Any:
    RAW_BODY.add(handler)
    return handler
