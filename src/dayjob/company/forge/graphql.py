"""The part of GraphQL that clients use to say who they are: `currentUser`, `metadata`, and a project by its path.

A small reader of queries (fields, aliases, arguments, variables); anything else is answered with GraphQL's own errors.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from dayjob.company.forge.api.about import REVISION, VERSION
from dayjob.company.forge.api.arguments import body_arguments, query_arguments
from dayjob.company.forge.api.call import Call, Json
from dayjob.company.forge.api.credentials import authenticate
from dayjob.company.forge.errors import Refused
from dayjob.company.forge.store import access, projects, visibility
from dayjob.company.forge.store.namespaces import VISIBILITY_NAMES
from dayjob.http.bodies import parse_json

if TYPE_CHECKING:
    from dayjob.company.forge.service import Forge

_TOKEN = re.compile(
    r"[\s,]*(?:(?P<name>[_A-Za-z]\w*)|(?P<text>\"(?:\\.|[^\"\\])*\")|(?P<sign>[{}():$!=\[\]@]|\.\.\.)|(?P<number>-?\d+))"
)
LONGEST = 10_000


class QueryError(Exception):
    """The query cannot be read or asks for what is not here."""


class _Reader:
    def __init__(self, query: str, variables: dict[str, Any]) -> None:
        if len(query) > LONGEST:
            raise QueryError("The query is too long")
        self.variables = variables
        self.tokens: list[tuple[str, str]] = []
        query = re.sub(r"#[^\n]*", "", query)
        at = 0
        while query[at:].strip(" \n\r\t,"):
            found = _TOKEN.match(query, at)
            if found is None:
                raise QueryError(f"Parse error at {query[at : at + 10]!r}")
            at = found.end()
            kind = found.lastgroup or ""
            self.tokens.append((kind, found[kind]))
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self, wanted: str | None = None) -> str:
        found = self.peek()
        if not found or (wanted is not None and found != wanted):
            raise QueryError(f"Parse error: expected {wanted or 'more'}, found {found or 'the end'}")
        self.at += 1
        return found

    def document(self) -> dict[str, tuple[str, dict[str, Any], Any]]:
        if self.peek() in ("query", "mutation", "subscription"):
            if self.take() != "query":
                raise QueryError("Only queries are answered here")
            if self.peek() not in ("{", "("):
                self.take()
            if self.peek() == "(":
                while self.take() != ")":
                    pass
        return self.selection(0)

    def selection(self, depth: int) -> dict[str, tuple[str, dict[str, Any], Any]]:
        if depth > 10:
            raise QueryError("The query is nested too deeply")
        self.take("{")
        found = {}
        while self.peek() != "}":
            alias = name = self.take()
            if self.peek() == ":":
                self.take()
                name = self.take()
            arguments = {}
            if self.peek() == "(":
                self.take()
                while self.peek() != ")":
                    key = self.take()
                    self.take(":")
                    arguments[key] = self.value()
                self.take(")")
            found[alias] = (name, arguments, self.selection(depth + 1) if self.peek() == "{" else None)
        self.take("}")
        return found

    def value(self) -> Any:
        token = self.take()
        if token == "$":
            return self.variables.get(self.take())
        if token.startswith('"'):
            return json.loads(token)
        return {"true": True, "false": False, "null": None}.get(token, token)


def _filled(selection: Any, source: dict[str, Any], kind: str) -> Any:
    found = {}
    for alias, (name, _, inner) in (selection or {}).items():
        if name == "__typename":
            found[alias] = kind
        elif name not in source:
            raise QueryError(f"Field '{name}' doesn't exist on type '{kind}'")
        else:
            value = source[name]
            found[alias] = _filled(inner, value, name) if inner is not None and isinstance(value, dict) else value
    return found


def _resolve(call: Call, name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
    if name == "currentUser":
        user = call.user
        if user is None:
            return "CurrentUser", None
        space = f"{call.base}/{user.username}"
        return "CurrentUser", {
            "id": f"gid://gitlab/User/{user.id}",
            "username": user.username,
            "name": user.name,
            "active": user.state == "active",
            "state": user.state,
            "email": user.email,
            "publicEmail": user.facts.get("public_email"),
            "webUrl": space,
            "webPath": f"/{user.username}",
            "bot": bool(user.bot),
            "human": not user.bot,
            "admin": bool(user.admin),
            "createdAt": user.created_at,
            "avatarUrl": None,
        }
    if name == "metadata":
        return "Metadata", {
            "version": VERSION,
            "revision": REVISION,
            "enterprise": False,
            "kas": {"enabled": False, "version": None},
        }
    if name == "project":
        project = (
            projects.find(call.store, str(arguments.get("fullPath", "")))
            if not str(arguments.get("fullPath", "")).isdigit()
            else None
        )
        if project is None or not access.can_see_project(call.store, call.user, project):
            return "Project", None
        return "Project", {
            "id": f"gid://gitlab/Project/{project.id}",
            "name": project.name,
            "path": project.path,
            "fullPath": project.full_path,
            "description": project.description,
            "visibility": VISIBILITY_NAMES[project.visibility],
            "archived": bool(project.archived),
            "webUrl": f"{call.base}/{project.full_path}",
            "httpUrlToRepo": f"{call.base}/{project.full_path}.git",
            "starCount": project.star_count,
            "forksCount": project.forks_count,
            "openIssuesCount": visibility.open_issues(call.store, call.user, project),
            "createdAt": project.created_at,
            "lastActivityAt": project.last_activity_at,
            "repository": {
                "rootRef": project.default_branch,
                "empty": bool(project.empty),
                "exists": not project.empty,
            },
        }
    raise QueryError(f"Field '{name}' doesn't exist on type 'Query'")


async def answer(forge: Forge, request: Request) -> Response:
    """The answer to one GraphQL request."""
    try:
        args = query_arguments(request.scope["query_string"])
        if request.method == "POST":
            args.update(await body_arguments(request))
        call = Call(forge, request, {}, args)
        authenticate(call)
        variables = args.get("variables") or {}
        if isinstance(variables, str):
            variables = parse_json(variables)
        query = args.get("query")
        if not isinstance(query, str) or not query.strip():
            raise QueryError("No query string was present")
        wanted = _Reader(query, variables if isinstance(variables, dict) else {}).document()
        data: dict[str, Any] = {}
        for alias, (name, arguments, inner) in wanted.items():
            if name == "__typename":
                data[alias] = "Query"
                continue
            kind, source = _resolve(call, name, arguments)
            data[alias] = None if source is None else _filled(inner, source, kind)
        return Json({"data": data})
    except (QueryError, ValueError) as error:
        return Json({"errors": [{"message": str(error), "locations": [{"line": 1, "column": 1}], "path": []}]})
    except Refused as error:
        if error.status == 401:
            return Json({"errors": [{"message": "Invalid token"}]}, 401)
        return Json({"errors": [{"message": str(error)}]}, error.status)
