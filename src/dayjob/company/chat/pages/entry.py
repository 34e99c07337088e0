"""Coming in and going out: log-in, registration where it is open, log-out."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from dayjob.company.chat.api.session import sign_in
from dayjob.company.chat.errors import ChatError, Unauthenticated
from dayjob.company.chat.pages.page import TOKEN, USER, Missing, Page, page
from dayjob.company.chat.rows import User
from dayjob.company.journal import identify
from dayjob.company.pages import local, see_other
from dayjob.company.pages.cookies import end_cookie, keep_cookie

_TOKENS_LAST = 90 * 24 * 3600  # as the realtime wire says they do


def log_in_form(page: Page, status: int = 200, *, name: str = "", problem: str = "", way: str = "") -> Response:
    return page.show(
        "login.html", status, name=name, problem=problem, way=way or local(page.query.get("next", ""), ""),
        open_to_all=_registration_open(page),
    )  # fmt: skip


def _registration_open(page: Page) -> bool:
    return bool(page.store.settings.get("Accounts_RegistrationForm") == "Public")


@page("GET", "/login")
def show_log_in(page: Page) -> Response:
    if page.somebody is not None:
        return RedirectResponse(local(page.query.get("next", ""), "/home"), 302)
    return log_in_form(page)


@page("POST", "/login")
def log_in(page: Page) -> Response:
    name, way = page.form.line("usernameOrEmail"), local(page.query.get("next", ""), "")
    found = sign_in(page.store, {"user": name, "password": page.form.get("password", "")})
    if found is None:
        return log_in_form(page, 401, name=name, problem="User not found or incorrect password", way=way)
    return _enter(found[0], found[1], way or "/home")


def _enter(user: User, token: str, way: str) -> Response:
    identify(user.username)
    response = see_other(way)
    keep_cookie(response, TOKEN, token, _TOKENS_LAST)
    keep_cookie(response, USER, user.id, _TOKENS_LAST)
    return response


@page("POST", "/logout")
def log_out(page: Page) -> Response:
    page.do("logout")
    if page.session:
        page.chat.live.signed_out(page.session)
    response = see_other("/login")
    end_cookie(response, TOKEN)
    end_cookie(response, USER)
    return response


@page("GET", "/register")
def show_registration(page: Page) -> Response:
    if page.somebody is not None:
        return RedirectResponse("/home", 302)
    if not _registration_open(page):
        raise Missing("Registration is closed here. Ask an administrator for an account.")
    return page.show("register.html", given={}, problem="")


@page("POST", "/register")
def register(page: Page) -> Response:
    given = {key: page.form.line(key) for key in ("name", "email", "username")}
    password = page.form.get("password", "")
    try:
        if not all(given.values()) or not password:
            raise ChatError("Every field is needed.")
        if password != page.form.get("again", ""):
            raise ChatError("The two passwords are not the same.")
        page.do("users.register", **given, password=password)
    except Unauthenticated:
        raise
    except ChatError as error:
        return page.show("register.html", 400, given=given, problem=error.sentence)
    found = sign_in(page.store, {"user": given["username"], "password": password})
    return _enter(found[0], found[1], "/home") if found else see_other("/login")
