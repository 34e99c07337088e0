"""Signing in and out."""

from __future__ import annotations

from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from dayjob.company.forge.api.credentials import SESSION_COOKIE
from dayjob.company.forge.pages.routes import for_anyone, site
from dayjob.company.forge.pages.visit import SIGN_IN, Visit
from dayjob.company.forge.store import users
from dayjob.company.journal import identify
from dayjob.company.pages import from_here, local
from dayjob.company.pages.cookies import end_cookie, keep_cookie


@for_anyone
@site("GET POST", SIGN_IN)
async def sign_in(visit: Visit) -> Response:
    wanted = visit.query.get("redirect_to")
    way = local(wanted if isinstance(wanted, str) else "", "")
    if not visit.posted:
        return RedirectResponse(way or "/", 302) if visit.user is not None else _form(visit, way)
    given = visit.form.get("user")
    fields = given if isinstance(given, dict) else {}
    login, password = str(fields.get("login", "")), str(fields.get("password", ""))
    user = users.by_password(visit.store, login.strip(), password) if from_here(visit.request) else None
    if user is None:
        return _form(visit, way, login=login, wrong=True)
    identify(user.username)
    response = RedirectResponse(way or "/", 302)
    keep_cookie(response, SESSION_COOKIE, users.open_session(visit.store, user))
    return response


def _form(visit: Visit, way: str, login: str = "", *, wrong: bool = False) -> Response:
    action = SIGN_IN + (f"?redirect_to={quote(way)}" if way else "")
    return visit.page("sign_in.html", 422 if wrong else 200, action=action, login=login, wrong=wrong)


@site("POST", "/users/sign_out")
async def sign_out(visit: Visit) -> Response:
    if visit.session:
        users.close_session(visit.store, visit.session)
    away = RedirectResponse(SIGN_IN, 303)
    end_cookie(away, SESSION_COOKIE)
    return away
