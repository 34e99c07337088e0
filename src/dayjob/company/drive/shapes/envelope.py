"""An OCS answer: `meta` and `data`, as XML or JSON; version 1 always says HTTP 200, version 2 means its status."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from starlette.responses import Response

OK, UNAUTHORISED, NOT_FOUND, FAILED = 100, 997, 998, 999
_HTTP = {OK: 200, UNAUTHORISED: 401, NOT_FOUND: 404, 996: 500, FAILED: 500}


@dataclass(frozen=True, slots=True)
class Result:
    """What a handler answers: a status of OCS's own numbering, a sentence when it is a no, and the data."""

    data: Any = None
    code: int = OK
    message: str | None = None
    total: int | None = None


def refusal(code: int, message: str) -> Result:
    return Result(None, code, message)


def render(result: Result, version: int, as_json: bool) -> Response:
    good = result.code in (100, 200)
    code = result.code
    if version == 2:
        code = _HTTP.get(code, code if 200 <= code < 600 else 400)
    elif code == 200:
        code = OK
    meta = {
        "status": "ok" if good else "failure",
        "statuscode": code,
        "message": result.message if result.message is not None else ("OK" if good else None),
        "totalitems": "" if result.total is None else str(result.total),
        "itemsperpage": "",
    }
    status = 401 if result.code == UNAUTHORISED else code if version == 2 else 200
    data = result.data if result.data is not None else []
    if as_json:
        body = json.dumps({"ocs": {"meta": meta, "data": data}}, separators=(",", ":"))
        return Response(body, status, media_type="application/json; charset=utf-8")
    text = f'<?xml version="1.0"?>\n<ocs>\n{_xml("meta", meta, 1)}{_xml("data", data, 1)}</ocs>\n'
    return Response(text.encode("utf-8", "replace"), status, media_type="text/xml; charset=UTF-8")


def _xml(name: str, value: Any, depth: int) -> str:
    """An element. Lists become `element` children; true is 1 and false nothing, as PHP writes them."""
    pad = " " * depth
    if isinstance(value, dict):
        inner = "".join(_xml(str(key), one, depth + 1) for key, one in value.items())
    elif isinstance(value, (list, tuple)):
        inner = "".join(_xml("element", one, depth + 1) for one in value)
    else:
        text = "1" if value is True else "" if value is None or value is False else _clean(str(value))
        return f"{pad}<{name}>{text}</{name}>\n" if text else f"{pad}<{name}/>\n"
    return f"{pad}<{name}>\n{inner}{pad}</{name}>\n" if inner else f"{pad}<{name}/>\n"


def _clean(text: str) -> str:
    """Text that XML can hold."""
    return escape("".join(char for char in text if char in "\t\n\r" or " " <= char < "\ufffe" or char > "\uffff"))
