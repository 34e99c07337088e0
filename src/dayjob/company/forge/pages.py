"""The few pages of the forge that are read without an API: sign-in, a merge request, a wiki page, raw files, avatars.

Every page is sent with a policy that runs no scripts, whatever people put into their text.
"""

from __future__ import annotations

import mimetypes
import re
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

import pygit2
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from dayjob.company.bodies import read_body
from dayjob.company.forge.api.arguments import bad, query_arguments
from dayjob.company.forge.api.credentials import SESSION_COOKIE
from dayjob.company.forge.git.reading import entry_at, resolve, text
from dayjob.company.forge.markdown import render
from dayjob.company.forge.store import access, merge_requests, projects, users, wikis
from dayjob.company.forge.store.base import Refused, Store
from dayjob.company.forge.store.projects import Project
from dayjob.company.forge.store.users import User
from dayjob.company.forge.store.wikis import Wiki
from dayjob.company.journal import identify

if TYPE_CHECKING:
    from dayjob.company.forge import Forge

POLICY = (
    "default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"
)
_MERGE_REQUEST = re.compile(
    r"/(?P<project>.+?)/(?:-/)?merge_requests/(?P<iid>\d{1,15})(?:/(?:diffs|commits|pipelines))?/?"
)
_WIKI = re.compile(r"/(?P<project>.+?)/(?:-/)?wikis/(?P<slug>.+?)/?")
_RAW = re.compile(r"/(?P<project>.+?)/(?:-/)?raw/(?P<rest>.+)")
_UPLOAD = re.compile(r"/(?P<project>.+?)/uploads/(?P<secret>[0-9a-f]{32})/(?P<name>[^/]+)")
_UPLOAD_BY_ID = re.compile(r"/-/project/(?P<id>\d{1,15})/uploads/(?P<secret>[0-9a-f]{32})/(?P<name>[^/]+)")
_AVATAR = re.compile(r"/uploads/-/system/(?P<kind>user|project|group|topic)/avatar/(?P<id>\d{1,15})/[^/]+")
_HEALTH = {
    "/-/health": "GitLab OK",
    "/-/readiness": '{"status":"ok","master_check":[{"status":"ok"}]}',
    "/-/liveness": '{"status":"ok"}',
}
_SAFE_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/x-icon", "image/svg+xml")


async def answer(forge: Forge, request: Request) -> Response:
    """The page at the request's path, or the forge's own 404."""
    path = request.scope["path"]
    if path in _HEALTH:
        kind = "application/json" if _HEALTH[path].startswith("{") else "text/plain"
        return Response(_HEALTH[path], media_type=kind)
    store = forge.store
    session = request.cookies.get(SESSION_COOKIE)
    user = users.by_session(store, session) if session else None
    if user is not None:
        identify(user.username)
    if path == "/users/sign_in":
        return await _sign_in(forge, request, user)
    if path == "/users/sign_out":
        if session:
            store.db.execute("DELETE FROM sessions WHERE hash=?", (users.digest(session),))
        away = RedirectResponse("/users/sign_in", 302)
        away.delete_cookie(SESSION_COOKIE)
        return away
    if request.method not in ("GET", "HEAD"):
        return _missing()
    return _page(forge, store, request, user, path)


def _page(forge: Forge, store: Store, request: Request, user: User | None, path: str) -> Response:
    if path == "/":
        return RedirectResponse("/users/sign_in" if user is None else f"/{user.username}", 302)
    if found := _AVATAR.fullmatch(path):
        return _avatar(forge, store, found["kind"], int(found["id"]))
    if found := _UPLOAD_BY_ID.fullmatch(path):
        return _upload(forge, store, user, projects.find(store, int(found["id"])), found["secret"], found["name"])
    for pattern, show in ((_MERGE_REQUEST, _merge_request), (_WIKI, _wiki), (_RAW, _raw)):
        if found := pattern.fullmatch(path):
            project = projects.find(store, found["project"])
            if project is None or not access.can_see_project(store, user, project):
                return _missing() if user else RedirectResponse(f"/users/sign_in?redirect_to={quote(path)}", 302)
            return show(store, project, found, user)
    if found := _UPLOAD.fullmatch(path):
        return _upload(forge, store, user, projects.find(store, found["project"]), found["secret"], found["name"])
    project = projects.find(store, path.strip("/").removesuffix(".git")) if not path.strip("/").isdigit() else None
    if project is not None and access.can_see_project(store, user, project):
        return _project(store, project, user)
    return _missing()


def _html(title: str, body: str, status: int = 200) -> Response:
    style = (
        "body{font-family:sans-serif;margin:2rem "
        "auto;max-width:60rem;line-height:1.5}label{display:block;margin-top:1rem}"
    )
    page = (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)} · GitLab</title>'
        f"<style>{style}</style></head><body>{body}</body></html>"
    )
    return Response(
        page,
        status,
        media_type="text/html",
        headers={"content-security-policy": POLICY, "x-content-type-options": "nosniff", "x-frame-options": "DENY"},
    )


def _missing() -> Response:
    return _html(
        "Not Found",
        "<h1>404: Page not found</h1><p>The page could not be found or you don't have permission to view it.</p>",
        404,
    )


# -- signing in --------------------------------------------------------------------------------------------------


async def _sign_in(forge: Forge, request: Request, user: User | None) -> Response:
    if request.method == "POST":
        return await _try_sign_in(forge, request)
    if user is not None:
        return RedirectResponse("/", 302)
    return _sign_in_form("", _way(request))


def _way(request: Request) -> str:
    """Where to go afterwards: a path of this forge, never another site."""
    try:
        wanted = str(query_arguments(request.scope["query_string"]).get("redirect_to", ""))
    except Refused:
        return ""
    return wanted if wanted.startswith("/") and not wanted.startswith(("//", "/\\")) else ""


def _sign_in_form(problem: str, way: str, status: int = 200) -> Response:
    alert = f'<div role="alert" class="flash-alert">{escape(problem)}</div>' if problem else ""
    action = "/users/sign_in" + (f"?redirect_to={quote(way)}" if way else "")
    return _html(
        "Sign in",
        f"""<h1>GitLab</h1>{alert}<form action="{escape(action)}" method="post" class="js-sign-in-form">
<label for="user_login">Username or primary email</label>
<input type="text" name="user[login]" id="user_login"
 autocomplete="username" autofocus required data-testid="username-field">
<label for="user_password">Password</label>
<input type="password" name="user[password]" id="user_password"
 autocomplete="current-password" required data-testid="password-field">
<p><button type="submit" data-testid="sign-in-button">Sign in</button></p></form>""",
        status,
    )


async def _try_sign_in(forge: Forge, request: Request) -> Response:
    raw = await read_body(request, 64 * 1024)
    try:
        fields = query_arguments(raw)
        given = fields.get("user")
        if not isinstance(given, dict):
            raise bad("user is missing")
        login, password = str(given.get("login", "")), str(given.get("password", ""))
    except Refused:
        return _sign_in_form("Invalid login or password.", _way(request), 422)
    user = users.by_password(forge.store, login, password)
    if user is None:
        return _sign_in_form("Invalid login or password.", _way(request), 422)
    identify(user.username)
    response = RedirectResponse(_way(request) or "/", 302)
    response.set_cookie(SESSION_COOKIE, users.open_session(forge.store, user), httponly=True, samesite="lax", path="/")
    return response


# -- things ------------------------------------------------------------------------------------------------------


def _merge_request(store: Store, project: Project, found: re.Match[str], user: User | None) -> Response:
    request = merge_requests.find(store, project, int(found["iid"]))
    if request is None:
        return _missing()
    author = store.one(User, "id=?", request.author_id)
    state = {"opened": "Open", "merged": "Merged", "closed": "Closed"}[request.state]
    return _html(
        f"{request.title} (!{request.iid})",
        f"""<p><a href="/{escape(project.full_path)}">{escape(project.full_path)}</a></p>
<div class="js-mr-header merge-request" data-state="{request.state}" data-iid="{request.iid}">
<h1 class="title" data-testid="title-content">{escape(request.title)}</h1>
<span class="gl-badge">{state}</span> {escape(author.name if author else "Ghost User")} requested to merge
<code>{escape(request.source_branch)}</code> into <code>{escape(request.target_branch)}</code></div>
<div class="description md">{render(request.description or "")}</div>""",
    )


def _wiki(store: Store, project: Project, found: re.Match[str], user: User | None) -> Response:
    page = wikis.find(store, Wiki("project", project.id), found["slug"])
    if page is None:
        return _missing()
    links = "".join(
        f'<li><a href="/{escape(project.full_path)}/-/wikis/{quote(one.slug)}">{escape(one.title)}</a></li>'
        for one in wikis.pages(store, Wiki("project", project.id))
    )
    return _html(
        page.title,
        f"""<p><a href="/{escape(project.full_path)}">{escape(project.full_path)}</a></p>
<h1 class="wiki-page-title" data-testid="wiki-page-title">{escape(page.title)}</h1>
<div class="js-wiki-page-content md" data-testid="wiki-page-content">{render(page.content)}</div>
<nav><ul class="wiki-pages">{links}</ul></nav>""",
    )


def _project(store: Store, project: Project, user: User | None) -> Response:
    body = (
        f'<h1 data-testid="project-name-content">{escape(project.name)}</h1><p>{escape(project.description or "")}</p>'
    )
    if project.readme and not project.empty:
        repo = store.repos.open(project.id)
        commit = resolve(repo, project.default_branch or "main")
        blob = entry_at(commit, project.readme) if commit is not None else None
        if isinstance(blob, pygit2.Blob):
            body += f'<article class="file-content md">{render(text(blob.data))}</article>'
    return _html(project.name, body)


def _raw(store: Store, project: Project, found: re.Match[str], user: User | None) -> Response:
    if project.visibility == 0 and access.project_level(store, user, project) < access.REPORTER:
        return _missing()
    repo = store.repos.open(project.id)
    parts = found["rest"].split("/")
    for cut in range(1, len(parts)):
        commit = resolve(repo, "/".join(parts[:cut]))
        blob = entry_at(commit, "/".join(parts[cut:])) if commit is not None else None
        if isinstance(blob, pygit2.Blob):
            return file_response(blob.data, parts[-1])
    return _missing()


def file_response(data: bytes, name: str) -> Response:
    """A file as its own content, in a way no browser will run."""
    guessed = mimetypes.guess_type(name)[0] or ""
    kind = (
        guessed
        if guessed in _SAFE_IMAGES
        else "application/octet-stream"
        if b"\0" in data[:8000]
        else "text/plain; charset=utf-8"
    )
    return Response(
        data,
        media_type=kind,
        headers={
            "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
            "x-content-type-options": "nosniff",
            "content-disposition": "inline",
        },
    )


def _upload(forge: Forge, store: Store, user: User | None, project: Project | None, secret: str, name: str) -> Response:
    row = store.db.execute("SELECT project_id, filename, blob FROM uploads WHERE secret=?", (secret,)).fetchone()
    if project is None or row is None or row[0] != project.id or not access.can_see_project(store, user, project):
        return _missing()
    return file_response(forge.company.blobs.path(row[2]).read_bytes(), row[1])


def _avatar(forge: Forge, store: Store, kind: str, row_id: int) -> Response:
    if kind == "topic":
        found = store.value("SELECT json_extract(body, '$.avatar') FROM records WHERE kind='topic' AND id=?", row_id)
    else:
        table = {"user": "users", "project": "projects", "group": "namespaces"}[kind]
        found = store.value(f"SELECT avatar FROM {table} WHERE id=?", row_id)
    if not found:
        return _missing()
    blob, _, name = str(found).partition(":")
    return file_response(forge.company.blobs.path(blob).read_bytes(), name)
