"""A request's arguments, wherever they stand: query string, form, multipart or JSON, nested as Rack nests them.

`a[b]=1` is a mapping, `a[]=1&a[]=2` a list, `a[][x]=1&a[][y]=2` a list of mappings. The body wins over the query.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

from python_multipart.multipart import parse_options_header
from starlette.requests import Request

from dayjob.company.bodies import read_body
from dayjob.company.forge.store.base import Refused

DEPTH = 32
BODY_LIMIT = 100 * 1024 * 1024
_PART = re.compile(r"\[([^\[\]]*)\]")


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that came in a multipart body."""

    filename: str
    content_type: str
    data: bytes


def bad(reason: str) -> Refused:
    return Refused(400, {"error": reason})


def query_arguments(query: bytes) -> dict[str, Any]:
    return nested(_pairs(query)) if query else {}


def _pairs(encoded: bytes) -> list[tuple[str, Any]]:
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
        return multipart(await read_body(request, BODY_LIMIT), content_type)
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
        found = json.loads(raw)
    except (ValueError, RecursionError):
        raise bad("Problems parsing JSON") from None
    if not isinstance(found, dict):
        raise bad("The request body must be a JSON object")
    return found


def multipart(raw: bytes, content_type: str) -> dict[str, Any]:
    """Fields and files of a multipart body."""
    from python_multipart.exceptions import FormParserError
    from python_multipart.multipart import MultipartParser

    _, options = parse_options_header(content_type)
    boundary = options.get(b"boundary")
    if not boundary:
        raise bad("The multipart body has no boundary")
    pairs: list[tuple[str, Any]] = []
    headers: dict[str, bytes] = {}
    field, value, data = bytearray(), bytearray(), bytearray()

    def header_end() -> None:
        headers[bytes(field).decode("latin-1").lower()] = bytes(value)
        field.clear()
        value.clear()

    def begin() -> None:
        headers.clear()
        data.clear()

    def end() -> None:
        _, facts = parse_options_header(headers.get("content-disposition", b""))
        name = _text(facts.get(b"name", b""))
        if b"filename" in facts:
            kind = headers.get("content-type", b"application/octet-stream").decode("latin-1")
            pairs.append((name, Upload(_text(facts[b"filename"]), kind, bytes(data))))
        else:
            pairs.append((name, _text(bytes(data))))

    parser = MultipartParser(
        boundary,
        {
            "on_part_begin": begin,
            "on_part_data": lambda chunk, start, stop: data.extend(chunk[start:stop]),
            "on_part_end": end,
            "on_header_field": lambda chunk, start, stop: field.extend(chunk[start:stop]),
            "on_header_value": lambda chunk, start, stop: value.extend(chunk[start:stop]),
            "on_header_end": header_end,
        },
    )
    try:
        parser.write(raw)
        parser.finalize()
    except FormParserError:
        raise bad("The multipart body is not well formed") from None
    return nested(pairs)
