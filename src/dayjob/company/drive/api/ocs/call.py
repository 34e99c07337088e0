"""An OCS request as a handler sees it: who asks, and what with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from starlette.datastructures import UploadFile
from starlette.requests import Request

from dayjob.company.drive.errors import BadRequest
from dayjob.company.drive.rows import User
from dayjob.http.bodies import parse_json, read_body
from dayjob.http.multipart import MultiPartException, read_form

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive

LIMIT = 1024 * 1024
_NUMBER = re.compile(r"-?[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Call:
    """Arguments come from the query and the body alike; `user` is None only where nobody need be signed in."""

    drive: Drive
    visitor: User | None
    args: dict[str, str]
    lists: dict[str, list[str]]

    @property
    def user(self) -> User:
        assert self.visitor is not None
        return self.visitor

    @property
    def is_admin(self) -> bool:
        return self.drive.accounts.is_admin(self.user.username)

    def text(self, name: str) -> str | None:
        return self.args.get(name)

    def number(self, name: str, default: int) -> int:
        """A whole number; anything else counts as the default, as PHP would read it."""
        return number(self.args.get(name), default)


def number(text: str | None, default: int) -> int:
    return int(text) if text is not None and _NUMBER.fullmatch(text.strip()) else default


async def read_arguments(request: Request) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Query and body together, the last value of each name and, for `name[]`, all of them."""
    pairs = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True, max_num_fields=1000)
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if request.method in ("POST", "PUT", "DELETE", "PATCH"):
        pairs += await _body(request, kind)
    args: dict[str, str] = {}
    lists: dict[str, list[str]] = {}
    for name, value in pairs:
        if "\0" in name or "\0" in value:
            raise BadRequest("An argument holds a NUL character.")
        try:
            (name + value).encode("utf-8")
        except UnicodeEncodeError as error:
            raise BadRequest("An argument is not valid UTF-8.") from error
        bare = name.removesuffix("[]")
        args[bare] = value
        lists.setdefault(bare, []).append(value)
    return args, lists


async def _body(request: Request, kind: str) -> list[tuple[str, str]]:
    if kind == "multipart/form-data":
        try:
            form = await read_form(request, None, limit=LIMIT, files=0, fields=1000)
        except MultiPartException as error:
            raise BadRequest("The form in the request body cannot be read.") from error
        return [(name, value) for name, value in form.multi_items() if not isinstance(value, UploadFile)]
    body = await read_body(request, LIMIT)
    if not body.strip():
        return []
    if kind == "application/json":
        try:
            found: Any = parse_json(body)
        except ValueError as error:
            raise BadRequest("The request body is not JSON.") from error
        if not isinstance(found, dict):
            raise BadRequest("The JSON in the request body must be an object.")
        return [(str(name), _plain(value)) for name, value in found.items() if not isinstance(value, (dict, list))]
    try:
        return parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=1000, errors="strict")
    except ValueError as error:
        raise BadRequest("The form in the request body cannot be read.") from error


def _plain(value: Any) -> str:
    return "true" if value is True else "false" if value is False else "" if value is None else str(value)
