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
from dayjob.company.forge.api.routes import RAW_BODY, WITHOUT_ACCOUNT, router
from dayjob.company.forge.errors import Refused
from dayjob.company.journal import acting_as, identify
from dayjob.company.quota import OutOfSpace
from dayjob.http.routing import MethodNotAllowed, NotFound, raw_path

if TYPE_CHECKING:
    from dayjob.company.forge.service import Forge

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
    "protected_refs",
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
    "jobs",
    "job_artifacts",
    "pipeline_schedules",
    "runner_jobs",
    "runners",
    "ci_lint",
    "settings_resources",
    "deploying",
    "feature_flags",
    "instance_resources",
    "hooks",
    "integrations",
    "job_token_scope",
    "single_settings",
    "search",
    "packages",
    "boards",
    "project_export",
    "templates",
)


@cache
def load() -> None:
    """Import every family once, so that its handlers are on the router."""
    for name in FAMILIES:
        importlib.import_module(f"{__name__}.{name}")


async def answer(forge: Forge, request: Request) -> Response:
    """The answer to one API request, remembered or found now."""
    if request.method != "GET" or forge.throttle.enabled or acting_as() is not None:
        return (await _found(forge, request))[1]
    store, cache = forge.store, forge.read_cache
    key = cache.key(store, request.scope)
    known = cache.find(key)
    if known is not None:
        identify(known[0])
        return known[1]
    call, response = await _found(forge, request)
    if call is not None and not call.passing:
        cache.keep(store, key, call.user.username if call.user is not None else None, response)
    return response


async def _found(forge: Forge, request: Request) -> tuple[Call | None, Response]:
    """(the request as a call, if it became one; its answer); rules that say no become the wire's own errors."""
    load()
    call = None
    try:
        address = raw_path(request)
        handler, path = router.match(request.method, address)
        args = query_arguments(request.scope["query_string"])
        if request.method not in ("GET", "HEAD") and handler not in RAW_BODY:
            args.update(await body_arguments(request))
        check(args)
        check(path)
        call = Call(forge, request, path, args, address=address)
        if handler not in WITHOUT_ACCOUNT:
            authenticate(call)
        if forge.throttle.enabled and call.user is not None and (seconds := forge.throttle.wait(call.user.id)):
            return call, PlainTextResponse("Retry later\n", 429, {"retry-after": str(seconds)})
        found: Any = handler(call)
        if inspect.isawaitable(found):
            found = await found
        if isinstance(found, Response):
            return call, found
        if found is None:
            return call, no_content()
        return call, Json(found, 201 if request.method == "POST" else 200)
    except Refused as error:
        return call, Json(error.body, error.status, headers=error.headers)
    except OutOfSpace:
        return call, Json({"message": "413 Request Entity Too Large - there is no storage left"}, 413)
    except NotFound:
        return call, Json({"error": "404 Not Found"}, 404)
    except MethodNotAllowed as error:
        return call, Json({"error": "405 Not Allowed"}, 405, headers={"allow": ", ".join(error.allowed)})
