"""Which handler answers a path: a tree of path segments, so the cost does not grow with the number of endpoints.

A pattern's segment is fixed text, `{name}` (one segment, percent-decoded, so `group%2Fproject` is one value) or, at
the end, `{name:rest}` (everything that follows). Fixed text wins over `{name}`, which wins over `{name:rest}`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response

Handler = Callable[[Request], Awaitable[Response]]


class NotFound(LookupError):
    """No handler has this path."""


class MethodNotAllowed(LookupError):
    """The path is known, the method is not; `allowed` names those that are."""

    def __init__(self, allowed: Iterable[str]) -> None:
        super().__init__()
        self.allowed = sorted(allowed)


class _Node:
    __slots__ = ("fixed", "handlers", "param", "rest")

    def __init__(self) -> None:
        self.fixed: dict[str, _Node] = {}
        self.param: _Node | None = None
        self.rest: _Node | None = None
        self.handlers: dict[str, tuple[Any, tuple[str, ...]]] = {}


class Router:
    """`add` patterns once at import, `match` a request's method and raw path to (handler, parameters)."""

    def __init__(self, *, tolerant: bool = False) -> None:
        self._root = _Node()
        self._tolerant = tolerant  # doubled and trailing slashes mean nothing

    def add(self, methods: str | Iterable[str], pattern: str, handler: Any) -> None:
        node, names = self._root, []
        for segment in self._split(pattern):
            if segment.startswith("{") and segment.endswith(":rest}"):
                names.append(segment[1:-6])
                node.rest = node.rest or _Node()
                node = node.rest
            elif segment.startswith("{"):
                names.append(segment[1:-1])
                node.param = node.param or _Node()
                node = node.param
            else:
                node = node.fixed.setdefault(segment, _Node())
        for method in methods.split() if isinstance(methods, str) else methods:
            if method in node.handlers:
                raise ValueError(f"{method} {pattern} has a handler already")
            node.handlers[method] = (handler, tuple(names))

    def route(self, methods: str | Iterable[str], *patterns: str) -> Callable[[Any], Any]:
        """`@router.route("GET", "/users/{id}")`"""

        def register(handler: Any) -> Any:
            for pattern in patterns:
                self.add(methods, pattern, handler)
            return handler

        return register

    def patterns(self, method: str) -> list[str]:
        """Every pattern that has a handler for this method."""
        return sorted(self._patterns(self._root, [], method))

    def _patterns(self, node: _Node, path: list[str], method: str) -> Iterator[str]:
        if method in node.handlers:
            names = iter(node.handlers[method][1])
            yield "/" + "/".join(part.format(next(names)) if part.startswith("{") else part for part in path)
        inner = [*node.fixed.items(), ("{{{}}}", node.param), ("{{{}:rest}}", node.rest)]
        for part, below in inner:
            if below is not None:
                yield from self._patterns(below, [*path, part], method)

    def match(self, method: str, raw_path: str) -> tuple[Any, dict[str, str]]:
        """The handler for a path as it stood on the request line (still percent-encoded)."""
        allowed: set[str] = set()
        found = self._walk(self._root, self._split(raw_path), 0, [], method, allowed)
        if found is not None:
            return found
        if allowed:
            raise MethodNotAllowed(allowed)
        raise NotFound(raw_path)

    def _split(self, path: str) -> list[str]:
        path = path.removeprefix("/")
        if self._tolerant:
            return [segment for segment in path.split("/") if segment]
        return path.split("/") if path else []

    def _walk(
        self, node: _Node, segments: list[str], at: int, values: list[str], method: str, allowed: set[str]
    ) -> tuple[Any, dict[str, str]] | None:
        if at == len(segments):
            return self._take(node, values, method, allowed) or (
                self._take(node.rest, [*values, ""], method, allowed) if node.rest else None
            )
        segment = segments[at]
        if (fixed := node.fixed.get(segment)) is not None:
            found = self._walk(fixed, segments, at + 1, values, method, allowed)
            if found is not None:
                return found
        if node.param is not None and segment:
            found = self._walk(node.param, segments, at + 1, [*values, unquote(segment)], method, allowed)
            if found is not None:
                return found
        if node.rest is not None:
            return self._take(node.rest, [*values, unquote("/".join(segments[at:]))], method, allowed)
        return None

    @staticmethod
    def _take(node: _Node, values: list[str], method: str, allowed: set[str]) -> tuple[Any, dict[str, str]] | None:
        handler = node.handlers.get(method)
        if handler is None and method == "HEAD":
            handler = node.handlers.get("GET")
        if handler is None:
            allowed.update(node.handlers)
            return None
        return handler[0], dict(zip(handler[1], values, strict=True))


def raw_path(request: Request) -> str:
    """The request's path still percent-encoded, without the query."""
    raw: bytes = request.scope.get("raw_path") or request.scope["path"].encode()
    return raw.split(b"?", 1)[0].decode("latin-1")
