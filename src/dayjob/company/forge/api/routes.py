"""The table of endpoints. `@get("/projects/{id}")` and its siblings put a handler on it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any

from dayjob.http.routing import Router

router = Router(tolerant=True)
RAW_BODY: set[Any] = set()
"""Handlers that read the body themselves, as a stream."""
WITHOUT_ACCOUNT: set[Any] = set()
"""Handlers that look at credentials themselves, because those who ask (runners, running jobs) have no account."""
PREFIX = "/api/v4"


Register = Callable[..., Callable[[Any], Any]]
"""`get` and its siblings."""


def _register(method: str) -> Register:
    def on(*patterns: str) -> Callable[[Any], Any]:
        def keep(handler: Any) -> Any:
            for pattern in patterns:
                router.add(method, PREFIX + pattern, handler)
            return handler

        return keep

    return on


get, post, put, delete, patch = (_register(name) for name in ("GET", "POST", "PUT", "DELETE", "PATCH"))


def both(on: Register, *tails: str) -> Callable[[Any], Any]:
    """Put a handler on the table for projects and for groups; `kind` tells it which: `project` or `group`."""

    def keep(handler: Any) -> Any:
        for kind in ("project", "group"):
            on(*(f"/{kind}s/{{id}}{tail}" for tail in tails))(update_wrapper(partial(handler, kind=kind), handler))
        return handler

    return keep


def raw_body(handler: Any) -> Any:
    RAW_BODY.add(handler)
    return handler


def without_account(handler: Any) -> Any:
    WITHOUT_ACCOUNT.add(handler)
    return handler
