"""The table of endpoints: each a path, a method, a handler and what it takes. Dispatch and our OpenAPI both read it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.responses import Response

from dayjob.company.chat.api.call import Call
from dayjob.http.routing import Router

Answer = dict[str, Any] | list[Any] | bool | Response
Handler = Callable[[Call], Answer | Awaitable[Answer]]
Registered = TypeVar("Registered", bound=Handler)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`takes` names parameters: `roomId count:int favorite:bool members:list data:object`."""

    method: str
    path: str
    handler: Handler
    auth: bool
    takes: str
    upload: bool
    permissions: tuple[str, ...]


TABLE: list[Endpoint] = []
_router = Router(tolerant=True)
_plain: dict[tuple[str, str], Endpoint] = {}  # those without parameters in their path: found without a walk


def add(found: Endpoint) -> None:
    """Put an endpoint into the table."""
    TABLE.append(found)
    _router.add(found.method, found.path, found)
    if "{" not in found.path:
        _plain[found.method, found.path] = found


def match(method: str, raw_path: str) -> tuple[Endpoint, dict[str, str]]:
    """The endpoint for a path still percent-encoded, and the parameters in it."""
    found = _plain.get((method, raw_path))
    if found is not None:
        return found, {}
    endpoint, parameters = _router.match(method, raw_path)
    assert isinstance(endpoint, Endpoint)
    return endpoint, parameters


def endpoint(
    method: str, *paths: str, takes: str = "", auth: bool = True, upload: bool = False, needs: str = ""
) -> Callable[[Registered], Registered]:
    """`@endpoint("GET", "channels.info", takes="roomId roomName")`; of the permissions in `needs`, one must be held.

    A handler of an `upload` endpoint is asynchronous and reads `call.form`; all others are plain functions.
    """

    def register(handler: Registered) -> Registered:
        for path in paths:
            add(Endpoint(method, f"/api/v1/{path}", handler, auth, takes, upload, tuple(needs.split())))
        return handler

    return register


def listed(name: str, found: list[Any], total: int, offset: int) -> dict[str, Any]:
    """A page of a list, as every paged endpoint answers it."""
    return {name: found, "count": len(found), "offset": offset, "total": total}
