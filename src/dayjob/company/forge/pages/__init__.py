"""The forge in a browser: GitLab's addresses, our own pages. See docs/pages.md.

`answer` finds the page of an address; the pages stand in one module for each thing a person does.
"""

from __future__ import annotations

import importlib
import re
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import Response

from dayjob.company.forge.errors import Refused, not_found
from dayjob.company.forge.pages import routes
from dayjob.company.forge.pages.visit import PAGES, Visit, reason
from dayjob.company.forge.store import access, namespaces, projects, users
from dayjob.company.pages import token_fits
from dayjob.http.routing import MethodNotAllowed, NotFound, Router, raw_path

if TYPE_CHECKING:
    from dayjob.company.forge.service import Forge

MODULES = (
    "session", "dashboard", "explore", "search", "home", "files", "code", "history", "editing", "ci_editor", "branches",
    "pipelines", "jobs", "releases", "issues", "requests", "comments", "boards", "milestones", "labels", "wiki",
    "members", "settings", "creating", "account",
)  # fmt: skip
HEALTH = {
    "/-/health": "GitLab OK",
    "/-/readiness": '{"status":"ok","master_check":[{"status":"ok"}]}',
    "/-/liveness": '{"status":"ok"}',
}
_UPLOAD = re.compile(r"(?P<project>.+)/uploads/(?P<secret>[0-9a-f]{32})/(?P<name>[^/]+)")
_OLD = re.compile(
    r"(?P<project>/[^/]+/.+?)/(?P<rest>(?:issues|merge_requests|wikis|raw|tree|blob|blame|commits?|compare|branches|tags"
    r"|releases|milestones|labels|boards|project_members|pipelines|jobs|badges)(?:/.*)?)"
)


@cache
def load() -> None:
    """Import every module once, so that its pages are on the table."""
    for name in MODULES:
        importlib.import_module(f"{__name__}.{name}")
    PAGES.environment.filters["segment"] = lambda text: quote(str(text), safe="")


async def answer(forge: Forge, request: Request) -> Response:
    """The page at the request's path, or the forge's own 404."""
    path: str = request.scope["path"]
    if path in HEALTH:
        return Response(HEALTH[path], media_type="application/json" if HEALTH[path].startswith("{") else "text/plain")
    asset = PAGES.asset(request)
    if asset is not None:
        return asset
    load()
    try:
        visit = Visit(forge, request)
    except Refused as no:
        return Response(reason(no), no.status, media_type="text/plain")
    try:
        return await _answer(visit)
    except Refused as no:
        return _refusal(visit, no)
    except NotFound:
        return _refusal(visit, not_found())
    except MethodNotAllowed:
        return _refusal(visit, Refused(405, {"message": "405 Method Not Allowed"}))


async def _answer(visit: Visit) -> Response:
    handler = _handler(visit)
    if visit.posted:
        await visit.read()
        if handler not in routes.OPEN:
            if visit.user is None:
                return visit.sign_in(visit.came_from(visit.path))
            fields = {name: value for name, value in visit.form.items() if isinstance(value, str)}
            if not token_fits(visit.request, visit.session or "", fields):
                message = "This form was not sent from one of your own pages. Open the page again and repeat it."
                raise Refused(422, {"message": message})
    return await handler(visit)


def _handler(visit: Visit) -> routes.Handler:
    """The page of an address; sets where the visit leads."""
    method, raw = visit.request.method, raw_path(visit.request).rstrip("/") or "/"
    place, dash, rest = raw.partition("/-/")
    if dash and place not in ("", "/uploads"):
        if place.startswith("/groups/"):
            _enter_group(visit, place.removeprefix("/groups/"))
            return _match(visit, routes.GROUP, method, rest)
        _enter_project(visit, place)
        return _match(visit, routes.PROJECT, method, rest)
    try:
        return _match(visit, routes.SITE, method, raw)
    except NotFound:
        return _named(visit, method, raw)


def _match(visit: Visit, router: Router, method: str, path: str) -> routes.Handler:
    handler: routes.Handler
    handler, visit.params = router.match(method, path)
    return handler


def _named(visit: Visit, method: str, raw: str) -> routes.Handler:
    """A project, group or person by name; an attachment; or an address as GitLab once wrote it, without `/-/`."""
    from dayjob.company.forge.pages import explore, settings
    from dayjob.company.forge.pages.files import attached
    from dayjob.company.forge.pages.home import home

    name = unquote(raw).strip("/").removesuffix(".git")
    if found := _UPLOAD.fullmatch(raw):
        _enter_project(visit, found["project"])
        visit.params = {"secret": found["secret"]}

        async def send(visit: Visit) -> Response:
            return attached(visit)

        return send
    if not name.isdigit():
        project = projects.find(visit.store, name)
        if project is not None and access.can_see_project(visit.store, visit.user, project):
            visit.project = project
            return _only("GET HEAD", method, home)
        group = namespaces.find(visit.store, name, "group")
        if group is not None and access.can_see_group(visit.store, visit.user, group):
            visit.group = group
            return _only("GET HEAD", method, explore.group_home)
        user = users.find(visit.store, name)
        if user is not None and not user.bot and visit.user is not None:
            visit.params = {"username": user.username}
            return _only("GET HEAD", method, explore.profile)
    if raw.endswith("/edit") and projects.find(visit.store, name.removesuffix("/edit")):
        _enter_project(visit, raw.removesuffix("/edit"))
        return _only("GET HEAD POST", method, settings.general)
    if found := _OLD.fullmatch(raw):
        _enter_project(visit, found["project"])
        return _match(visit, routes.PROJECT, method, found["rest"])
    raise NotFound(raw)


def _only(methods: str, method: str, handler: routes.Handler) -> routes.Handler:
    if method not in methods.split():
        raise MethodNotAllowed(methods.split())
    return handler


def _enter_project(visit: Visit, raw: str) -> None:
    found = projects.find(visit.store, unquote(raw).strip("/")) if not raw.strip("/").isdigit() else None
    if found is None or not access.can_see_project(visit.store, visit.user, found):
        raise not_found("Project")
    visit.project = found


def _enter_group(visit: Visit, raw: str) -> None:
    found = namespaces.find(visit.store, unquote(raw).strip("/"), "group")
    if found is None or not access.can_see_group(visit.store, visit.user, found):
        raise not_found("Group")
    visit.group = found


def _somewhere(visit: Visit) -> bool:
    """Whether an address begins with the name of a group or person, so that something may be there for members."""
    first = visit.path.removeprefix("/groups").strip("/").partition("/")[0]
    return not first.isdigit() and namespaces.find(visit.store, first) is not None


def _refusal(visit: Visit, no: Refused) -> Response:
    """What a rule forbids: a visitor who is not signed in may be allowed to after that, others learn why."""
    if visit.user is None and no.status in (401, 403, 404) and (no.status != 404 or _somewhere(visit)):
        return visit.sign_in(visit.came_from("/") if visit.posted else None)
    if no.status == 404:
        message = "The page does not exist, or you do not have permission to view it."
        return visit.page("refused.html", 404, heading="Page not found", message=message, back="/")
    return visit.page(
        "refused.html", no.status, heading="This did not work", message=reason(no), back=visit.came_from("/")
    )
