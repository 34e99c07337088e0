"""Our own OpenAPI description of the REST wire, made from the table of endpoints."""

from __future__ import annotations

import re
from typing import Any

from dayjob.company.chat.api.endpoints import TABLE, Endpoint
from dayjob.company.chat.defaults import VERSION

_KINDS: dict[str, dict[str, Any]] = {
    "": {"type": "string"},
    "int": {"type": "integer"},
    "bool": {"type": "boolean"},
    "list": {"type": "array", "items": {}},
    "object": {"type": "object"},
    "file": {"type": "string", "format": "binary"},
    "any": {},
}


def description() -> dict[str, Any]:
    """The whole document, the same every time."""
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in TABLE:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.0.3",
        "info": {"title": "Dayjob chat: Rocket.Chat's REST wire", "version": VERSION},
        "paths": dict(sorted(paths.items())),
        "components": {
            "securitySchemes": {
                "token": {"type": "apiKey", "in": "header", "name": "X-Auth-Token"},
                "user": {"type": "apiKey", "in": "header", "name": "X-User-Id"},
            }
        },
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    names = [one.partition(":") for one in endpoint.takes.split()]
    fields = {name: _KINDS[kind] for name, _, kind in names}
    operation: dict[str, Any] = {
        "operationId": f"{endpoint.method.lower()}-{endpoint.path.removeprefix('/api/v1/').strip('/')}",
        "responses": {
            "default": {
                "description": "The answer, or an error in Rocket.Chat's shape",
                "content": {"application/json": {}},
            }
        },
    }
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)}", endpoint.path)
    ]
    if endpoint.method in ("POST", "PUT"):
        schema = {"type": "object", "properties": fields}
        content: dict[str, Any] = {"application/json": {"schema": schema}}
        if endpoint.upload:
            content = {"multipart/form-data": {"schema": schema}}
        operation["requestBody"] = {"content": content}
    else:
        parameters += [{"name": name, "in": "query", "schema": schema} for name, schema in fields.items()]
    if parameters:
        operation["parameters"] = parameters
    if endpoint.auth:
        operation["security"] = [{"token": [], "user": []}]
    return operation
