"""Signing in and out, and the small addresses that tell a client what this is."""

from __future__ import annotations

from urllib.parse import unquote

from starlette.responses import JSONResponse, RedirectResponse, Response

from dayjob.company.drive.api.ocs.instance import status
from dayjob.company.drive.errors import NotFound
from dayjob.company.drive.pages.page import HOME, Page, page
from dayjob.company.journal import identify


@page("GET", "/status.php")
async def show_status(page: Page) -> Response:
    return JSONResponse(status())


@page("GET", "/204")
async def nothing(page: Page) -> Response:
    return Response(status_code=204)


@page("GET POST", "/heartbeat")
async def heartbeat(page: Page) -> Response:
    """Keeps a browser's session alive."""
    return JSONResponse({"token": page.request_token()}) if page.visitor() else JSONResponse({}, 401)


@page("GET", "/csrftoken")
async def csrf_token(page: Page) -> Response:
    return JSONResponse({"token": page.request_token()})


@page("GET PROPFIND", "/.well-known/webdav", "/.well-known/caldav", "/.well-known/carddav")
async def well_known(page: Page) -> Response:
    return RedirectResponse("/remote.php/dav/", 301)


@page("GET", "/avatar/{username}/{size}", "/avatar/{username}")
async def avatar(page: Page, username: str, size: str = "32") -> Response:
    """Nobody has a picture; a client then draws the initial of the name."""
    user = page.drive.accounts.get(username)
    if user is None:
        raise NotFound(f"There is no account {username}.")
    return JSONResponse({"data": {"displayname": user.name}})


@page("GET", "/")
async def front(page: Page) -> Response:
    return RedirectResponse(HOME if page.visitor() else "/index.php/login", 302)


def _local(address: str) -> str:
    """An address within this drive to go to after signing in; anything else leads home."""
    if (
        address.startswith("/")
        and not address.startswith(("//", "/\\"))
        and all(" " < char < "\x7f" for char in address)
    ):
        return address
    return HOME


def _login_page(
    page: Page, status: int = 200, *, user: str = "", problem: str = "", redirect_url: str = ""
) -> Response:
    return page.html(
        "login.html", status, user=user, problem=problem, redirect_url=redirect_url, requesttoken=page.request_token()
    )


@page("GET", "/login")
async def login_form(page: Page) -> Response:
    if page.visitor() is not None:
        return RedirectResponse(HOME, 302)
    return _login_page(page, redirect_url=page.query.get("redirect_url", ""))


@page("POST", "/login")
async def login(page: Page) -> Response:
    form = await page.form()
    wanted = form.get("redirect_url", "")
    user = page.drive.accounts.sign_in(form.get("user", ""), form.get("password", ""))
    if user is None:
        return _login_page(page, 401, user=form.get("user", ""), problem="Wrong password.", redirect_url=wanted)
    identify(user.username)
    token, _ = page.drive.accounts.open_session(user.username)
    response = RedirectResponse(_local(unquote(wanted)), 303)
    page.set_session(response, token)
    return response


@page("GET POST", "/logout")
async def logout(page: Page) -> Response:
    page.visitor()
    if token := page.session():
        page.drive.accounts.close_session(token)
    response = RedirectResponse("/index.php/login", 303)
    response.delete_cookie(page.drive.instance, path="/")
    return response
