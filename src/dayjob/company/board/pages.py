"""The board in a browser: for now the way in (address, then password) and the list of projects behind it."""

from __future__ import annotations

from html import escape
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from dayjob.company.board.api.call import parse_json
from dayjob.company.board.records import Project, User, Workspace
from dayjob.company.board.refusals import Refused
from dayjob.company.board.rows import find
from dayjob.company.board.store import accounts
from dayjob.company.bodies import read_body
from dayjob.company.journal import identify

if TYPE_CHECKING:
    from dayjob.company.board import Board

SESSION = "session-id"

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; background: #fff; color: #1d1f24; }
main { max-width: 24rem; margin: 12vh auto; padding: 0 1rem; }
main.wide { max-width: 48rem; margin: 3rem auto; }
h1 { font-size: 1.5rem; } label { display: block; margin: 1rem 0 .25rem; font-size: .9rem; color: #5b5e66; }
input { width: 100%; box-sizing: border-box; padding: .6rem; border: 1px solid #c9ccd3; border-radius: .4rem;
  font: inherit; }
button { width: 100%; margin-top: 1.25rem; padding: .65rem; border: 0; border-radius: .4rem; background: #3f76ff;
  color: #fff; font: inherit; cursor: pointer; }
.wrong { color: #b3261e; } li { margin: .4rem 0; }
"""


def _page(title: str, body: str, *, wide: bool = False, status: int = 200) -> HTMLResponse:
    kind = ' class="wide"' if wide else ""
    text = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>'
        f"<body><main{kind}>{body}</main></body></html>"
    )
    return HTMLResponse(
        text, status, headers={"content-security-policy": "default-src 'self'; style-src 'unsafe-inline'"}
    )


def _ask_address(next_path: str, wrong: str = "") -> Response:
    complaint = f'<p class="wrong" role="alert">{escape(wrong)}</p>' if wrong else ""
    return _page(
        "Sign in",
        f"""<h1>Work in all dimensions.</h1><p>Welcome back to Plane.</p>{complaint}
<form method="post" action="/sign-in/email">
<input type="hidden" name="next_path" value="{escape(next_path)}">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="email" placeholder="name@company.com" required autofocus>
<button type="submit">Continue</button></form>""",
    )


def _ask_password(email: str, next_path: str, wrong: str = "") -> Response:
    complaint = f'<p class="wrong" role="alert">{escape(wrong)}</p>' if wrong else ""
    return _page(
        "Sign in",
        f"""<h1>Work in all dimensions.</h1><p>Welcome back to Plane.</p>{complaint}
<form method="post" action="/auth/sign-in/">
<input type="hidden" name="next_path" value="{escape(next_path)}">
<label for="email">Email</label>
<input id="email" name="email" type="email" value="{escape(email)}" readonly>
<label for="password">Enter password</label>
<input id="password" name="password" type="password" autocomplete="current-password" placeholder="Enter password"
  required autofocus>
<button type="submit">Go to workspace</button></form>""",
        status=200 if not wrong else 401,
    )


def _local(path: str) -> str:
    """A path on this very server; anything else leads home."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/"


def session_token(request: Request) -> str | None:
    try:
        found = SimpleCookie(request.headers.get("cookie", "")).get(SESSION)
    except CookieError:
        return None
    return found.value if found else None


def signed_in(board: Board, request: Request) -> User | None:
    token = session_token(request)
    user = accounts.user_by_session(board.db, token) if token else None
    if user is not None:
        identify(user.username)
    return user


async def answer(board: Board, request: Request) -> Response:
    path, method = request.url.path.rstrip("/") or "/", request.method
    if method == "POST" and path in ("/sign-in/email", "/auth/sign-in", "/auth/sign-out", "/auth/email-check"):
        return await _posted(board, request, path)
    if method not in ("GET", "HEAD"):
        return JSONResponse({"error": "Page not found."}, 404)
    user = signed_in(board, request)
    if user is None:
        return _ask_address(_local(request.query_params.get("next_path", path)))
    if path in ("/", "/sign-in"):
        workspace = _home(board, user)
        if workspace is None:
            return _page("Plane", f"<h1>{escape(user.display_name)}</h1><p>You are in no workspace yet.</p>", wide=True)
        return RedirectResponse(f"/{workspace.slug}/projects/", 302)
    slug = path.strip("/").split("/")[0]
    found = accounts.workspace(board.db, slug)
    if found is None or not accounts.workspace_role(board.db, slug, user.id):
        return _page("Plane", "<h1>Page not found</h1><p>There is no such page, or not for you.</p>", status=404)
    return _projects(board, found, user)


async def _posted(board: Board, request: Request, path: str) -> Response:
    body = await read_body(request, 64 * 1024)
    form = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    email, next_path = form.get("email", "").strip(), _local(form.get("next_path", "/"))
    if path == "/auth/email-check":
        try:
            sent = parse_json(body)
        except Refused as refused:
            return JSONResponse(refused.body, refused.status)
        known = isinstance(sent, dict) and isinstance(sent.get("email"), str)
        exists = known and accounts.user_by_email(board.db, sent["email"]) is not None
        return JSONResponse({"status": "CREDENTIAL", "existing": exists, "is_password_autoset": False})
    if path == "/sign-in/email":
        if accounts.user_by_email(board.db, email) is None:
            return _ask_address(next_path, "No account found with this email. Check it and try again.")
        return _ask_password(email, next_path)
    if path == "/auth/sign-out":
        if token := session_token(request):
            accounts.close_session(board.db, token)
        gone = RedirectResponse("/", 302)
        gone.delete_cookie(SESSION)
        return gone
    user = accounts.check_password(board.db, email, form.get("password", ""))
    if user is None:
        return _ask_password(email, next_path, "Invalid email or password. Try again.")
    identify(user.username)
    entered = RedirectResponse(next_path, 302)
    entered.set_cookie(SESSION, accounts.open_session(board.db, user.id), httponly=True, samesite="lax")
    return entered


def _home(board: Board, user: User) -> Workspace | None:
    found = find(
        board.db,
        Workspace,
        "JOIN workspace_members m ON m.workspace = workspaces.id WHERE m.member = ? AND m.is_active"
        " ORDER BY workspaces.created_at LIMIT 1",
        (user.id,),
    )
    return found[0] if found else None


def _projects(board: Board, workspace: Workspace, user: User) -> Response:
    rows = find(
        board.db,
        Project,
        "JOIN project_members m ON m.project = projects.id AND m.member = ? AND m.is_active"
        " WHERE projects.workspace = ? AND archived_at IS NULL ORDER BY m.sort_order",
        (user.id, workspace.id),
    )
    listed = "".join(f"<li><strong>{escape(one.identifier)}</strong> {escape(one.name)}</li>" for one in rows)
    body = (
        f"<h1>{escape(workspace.name)}</h1><p>Signed in as {escape(user.display_name)}.</p><h2>Projects</h2>"
        f"<ul>{listed or '<li>None yet.</li>'}</ul>"
        '<form method="post" action="/auth/sign-out/"><button type="submit">Sign out</button></form>'
    )
    return _page(f"{workspace.name} - Projects", body, wide=True)
