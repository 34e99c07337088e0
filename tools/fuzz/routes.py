"""What there is to ask: every route of the four services, with the names its handler reads, as the services have it."""

from __future__ import annotations

import inspect
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import quote

from tools.fuzz import values

_NAME = re.compile(
    r"(?:call|page|visit|form|body|args|query|payload|fields)(?:\.\w+)?[\(\[.](?:get\()?\s*\"([a-z_A-Z]{2,40})\""
)
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_DAV = ("PROPFIND", "PROPPATCH", "PUT", "GET", "HEAD", "MKCOL", "MOVE", "COPY", "DELETE", "LOCK", "UNLOCK", "REPORT",
        "SEARCH", "OPTIONS", "POST", "PATCH")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Route:
    """One thing that can be asked; `names` are the parameters its handler is seen to read."""

    service: str
    method: str
    pattern: str
    names: tuple[str, ...]


@cache
def _names(handler: Any) -> tuple[str, ...]:
    try:
        source = inspect.getsource(handler)
    except (OSError, TypeError):
        return ()
    return tuple(dict.fromkeys(_NAME.findall(source)))


@cache
def _module_names(module: str) -> tuple[str, ...]:
    import sys

    return _names(sys.modules[module])


def _of(service: str, router: Any, prefix: str = "") -> Iterator[Route]:
    for method in _METHODS:
        for pattern in router.patterns(method):
            handler = router.match(method, re.sub(r"\{[^}]*\}", "1", pattern))[0]
            handler = handler[-1] if isinstance(handler, tuple) else getattr(handler, "endpoint", handler)
            names = (*_names(handler), *_module_names(handler.__module__)[:12])
            yield Route(service, method, prefix + pattern, tuple(dict.fromkeys(names)))


def all_routes() -> list[Route]:
    from dayjob.company.board.api import routes as board
    from dayjob.company.board.pages.page import router as board_pages
    from dayjob.company.chat.api.endpoints import TABLE
    from dayjob.company.chat.pages.page import router as chat_pages
    from dayjob.company.chat.service import Chat
    from dayjob.company.drive.api.ocs.wire import ROUTES
    from dayjob.company.drive.pages.page import router as drive_pages
    from dayjob.company.drive.service import Drive
    from dayjob.company.forge import Forge, api
    from dayjob.company.forge.api.routes import router as forge

    assert all((Chat, Drive, Forge))  # importing a service puts its routes on their routers
    api.load()
    found = [
        Route("chat", one.method, one.path, tuple(name.partition(":")[0] for name in one.takes.split()))
        for one in TABLE
    ]
    found += _of("chat", chat_pages)
    found += _of("forge", forge)
    found += _of("board", board)
    found += _of("board", board_pages)
    found += _of("drive", ROUTES, "/ocs/v1.php")
    found += _of("drive", drive_pages, "/index.php")
    for base in ("/remote.php/webdav", "/remote.php/dav/files/larkspur", "/remote.php/dav/uploads/larkspur"):
        found += [Route("drive", method, f"{base}/{{path:rest}}", ()) for method in _DAV]
    found.append(Route("forge", "POST", "/api/graphql", ("query", "variables", "operationName")))
    found += [Route("forge", "GET", f"/larkspur/{{project}}{end}", ()) for end in
              ("", "/-/issues", "/-/tree/{ref:rest}", "/-/blob/{ref:rest}", "/-/commits/{ref}", "/-/compare/{ref}",
               ".git/info/refs", "/-/merge_requests/{iid}/diffs", "/-/wikis/{slug}")]  # fmt: skip
    return found


def address(route: Route, dice: random.Random, known: tuple[str, ...] = ()) -> str:
    """The route's path with values in it, and often a query."""
    parts = []
    for part in route.pattern.split("/"):
        if "{" not in part:
            parts.append(part)
            continue
        said = dice.choice(_usual(part, known)) if dice.random() < 0.8 else values.text(dice)[:2000]
        before, _, rest = part.partition("{")
        parts.append(before + quote(said, safe="", errors="replace") + rest.partition("}")[2])
    path = "/".join(parts)
    if route.method in ("GET", "HEAD", "DELETE", "REPORT") and dice.random() < 0.7:
        names = [*route.names, "page", "per_page", "count", "offset", "sort", "query", "fields", "search", "cursor"]
        chosen = [name for name in names if dice.random() < 0.25]
        pairs = (f"{quote(name)}{dice.choice(('', '', '', '[]', '[a]'))}={_encoded(dice)}" for name in chosen)
        path += "?" + "&".join(pairs)
    return path[:15_000]


def _usual(part: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """What stands in such a place of an address, most of the time."""
    if part == "{slug}":
        return ("larkspur",)
    numbers = tuple(map(str, range(1, 8)))
    if part == "{id}":
        return (*known, "larkspur/api-server", *numbers[:3])
    if part.endswith("_id}"):
        return (*known, *known, *numbers)
    return (*values.WORDS, *numbers, "GENERAL", *known)


def _encoded(dice: random.Random) -> str:
    if dice.random() < 0.05:
        return dice.choice(("%ff", "%", "%00", "+", "%u0041"))
    return quote(str(values.value(dice))[:3000], safe="", errors="replace")
