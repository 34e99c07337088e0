"""GitLab's REST dialect (`/api/v4`): finds the handler, reads the arguments, checks the credentials, answers.

Each module of this package registers the handlers of one family of resources on `router`.
"""

from __future__ import annotations

import importlib
import inspect
from functools import cache
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from dayjob.company.forge.api.arguments import body_arguments, check, query_arguments
from dayjob.company.forge.api.call import Call, Json, no_content
from dayjob.company.forge.api.credentials import authenticate
from dayjob.company.forge.api.routes import RAW_BODY, router
from dayjob.company.forge.store.base import Refused
from dayjob.company.routing import MethodNotAllowed, NotFound, raw_path

if TYPE_CHECKING:
    from dayjob.company.forge import Forge

FAMILIES = (
    "about",
    "uploads",
    "users",
    "keys",
    "tokens",
    "groups",
    "members",
    "projects",
    "forks",
    "tree",
    "files",
    "commits",
    "branches",
    "compare",
    "issues",
    "issue_relations",
    "labels",
    "milestones",
    "notes",
    "discussions",
    "merge_requests",
    "merging",
    "approvals",
    "events",
    "wikis",
    "releases",
    "snippets",
    "pipelines",
    "shelves",
    "hooks",
    "search",
    "packages",
    "boards",
    "exchange",
    "templates",
)


@cache
def load() -> None:
    """Import every family once, so that its handlers are on the router."""
    for name in FAMILIES:
        importlib.import_module(f"{__name__}.{name}")


async def answer(forge: Forge, request: Request) -> Response:
    """The answer to one API request; rules that say no become the wire's own errors."""
    load()
    try:
        handler, path = router.match(request.method, raw_path(request))
        args = query_arguments(request.scope["query_string"])
        if request.method not in ("GET", "HEAD") and handler not in RAW_BODY:
            args.update(await body_arguments(request))
        check(args)
        check(path)
        call = Call(forge, request, path, args)
        authenticate(call)
        if forge.throttle.enabled and call.user is not None and (seconds := forge.throttle.wait(call.user.id)):
            return PlainTextResponse("Retry later\n", 429, {"retry-after": str(seconds)})
        found: Any = handler(call)
        if inspect.isawaitable(found):
            found = await found
        if isinstance(found, Response):
            return found
        if found is None:
            return no_content()
        return Json(found, 201 if request.method == "POST" else 200)
    except Refused as error:
        return Json(error.body, error.status)
    except NotFound:
        return Json({"error": "404 Not Found"}, 404)
    except MethodNotAllowed as error:
        return Json({"error": "405 Not Allowed"}, 405, headers={"allow": ", ".join(error.allowed)})
