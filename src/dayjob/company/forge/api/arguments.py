"""A request's arguments, wherever they stand: query string, form, multipart or JSON, nested as Rack nests them.

`a[b]=1` is a mapping, `a[]=1&a[]=2` a list, `a[][x]=1&a[][y]=2` a list of mappings. The body wins over the query.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

from starlette.requests import Request

from dayjob.company.forge.errors import bad
from dayjob.http.bodies import parse_json, pieces, read_body
from dayjob.http.multipart import FormParserError, PartReader, boundary_of

DEPTH = 32
BODY_LIMIT = 100 * 1024 * 1024
FIELDS_LIMIT = 4096
"""Fields of a query or a form, and parts of a multipart body: what Rack takes."""
FIELD_LIMIT = 10 * 1024 * 1024
"""Bytes of one field of a multipart body that is not a file."""
_PART = re.compile(r"\[([^\[\]]*)\]")


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that came in a multipart body."""

    filename: str
    content_type: str
    data: bytes


def query_arguments(query: bytes) -> dict[str, Any]:
    return nested(_pairs(query)) if query else {}


def _pairs(encoded: bytes) -> list[tuple[str, Any]]:
    if encoded.count(b"&") >= FIELDS_LIMIT:
        raise bad("Too many parameters")
    found: list[tuple[str, Any]] = []
    for part in encoded.split(b"&"):
        if part:
            name, _, value = part.replace(b"+", b" ").partition(b"=")
            found.append((_text(unquote_to_bytes(name)), _text(unquote_to_bytes(value))))
    return found


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise bad("Invalid encoding: arguments must be UTF-8") from None


def nested(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        head, bracket, _ = name.partition("[")
        keys = _PART.findall(name[len(head) :]) if bracket else []
        if not head or len(keys) > DEPTH:
            continue
        _put(found, [head, *keys], value)
    return found


def _put(place: dict[str, Any], keys: list[str], value: Any) -> None:
    name, rest = keys[0], keys[1:]
    if not rest:
        place[name] = value
        return
    if rest[0] == "":
        items = place.setdefault(name, [])
        if not isinstance(items, list):
            raise bad(f"{name} is invalid")
        if len(rest) == 1:
            items.append(value)
            return
        if not items or not isinstance(items[-1], dict) or _holds(items[-1], rest[1:]):
            items.append({})
        _put(items[-1], rest[1:], value)
        return
    inner = place.setdefault(name, {})
    if not isinstance(inner, dict):
        raise bad(f"{name} is invalid")
    _put(inner, rest, value)


def _holds(mapping: dict[str, Any], keys: list[str]) -> bool:
    """Whether the mapping has this value already, so that a repeated one must begin the next item."""
    if keys[0] not in mapping:
        return False
    return len(keys) == 1 or (
        keys[1] != "" and isinstance(mapping[keys[0]], dict) and _holds(mapping[keys[0]], keys[1:])
    )


def check(value: Any, depth: int = 0) -> None:
    """Refuse what no column could hold: NUL bytes, half a surrogate pair, numbers without end, bottomless nesting."""
    if isinstance(value, str):
        if "\0" in value:
            raise bad("string contains null byte")
        if not value.isascii():
            try:
                value.encode("utf-8")
            except UnicodeEncodeError:
                raise bad("Invalid encoding: arguments must be UTF-8") from None
    elif isinstance(value, dict | list):
        if depth > DEPTH:
            raise bad("The arguments are nested too deeply")
        for one in value.values() if isinstance(value, dict) else value:
            check(one, depth + 1)
        if isinstance(value, dict):
            for key in value:
                check(key, depth + 1)
    elif isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise bad("A number is out of range")


async def body_arguments(request: Request) -> dict[str, Any]:
    """What the body says, by its content type; nothing for bodies that are not arguments."""
    content_type = request.headers.get("content-type", "")
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        return await _multipart(pieces(request, BODY_LIMIT), content_type)
    if kind == "application/x-www-form-urlencoded":
        return nested(_pairs(await read_body(request, BODY_LIMIT)))
    raw = await read_body(request, BODY_LIMIT)
    if kind.endswith("json") or not kind:
        return _json(raw)
    return {}


def _json(raw: bytes) -> dict[str, Any]:
    if not raw.strip():
        return {}
    try:
        found = parse_json(raw)
    except ValueError:
        raise bad("Problems parsing JSON") from None
    if not isinstance(found, dict):
        raise bad("The request body must be a JSON object")
    return found


async def _multipart(body: AsyncIterator[bytes], content_type: str) -> dict[str, Any]:
    boundary = boundary_of(content_type)
    if boundary is None:
        raise bad("The multipart body has no boundary")
    parts = _Parts()
    try:
        await parts.read(body, boundary)
    except FormParserError:
        raise bad("The multipart body is not well formed") from None
    return nested(parts.pairs)


class _Parts(PartReader):
    def __init__(self) -> None:
        super().__init__()
        self.pairs: list[tuple[str, Any]] = []
        self._data = bytearray()
        self._disposition: dict[bytes, bytes] = {}

    def part_begin(self) -> None:
        if len(self.pairs) >= FIELDS_LIMIT:
            raise bad("Too many parameters")
        self._data.clear()

    def part_headed(self) -> None:
        self._disposition = self.disposition()

    def part_data(self, data: bytes) -> None:
        if b"filename" not in self._disposition and len(self._data) + len(data) > FIELD_LIMIT:
            raise bad("A parameter is too long")
        self._data.extend(data)

    def part_end(self) -> None:
        name, data = _text(self._disposition.get(b"name", b"")), bytes(self._data)
        filename = self._disposition.get(b"filename")
        if filename is None:
            self.pairs.append((name, _text(data)))
        else:
            kind = self.headers.get("content-type", b"application/octet-stream").decode("latin-1")
            self.pairs.append((name, Upload(_text(filename), kind, data)))
