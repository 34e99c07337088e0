"""Signing in and out, and the small addresses that tell a client what this is."""

from __future__ import annotations

from starlette.responses import JSONResponse, RedirectResponse, Response

from dayjob.company.drive.api.ocs.instance import status
from dayjob.company.drive.errors import NotFound
from dayjob.company.drive.pages.page import HOME, Page, page
from dayjob.company.journal import identify
from dayjob.company.pages import Form, local, read_form, see_other
from dayjob.company.pages.cookies import end_cookie


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


def _login_page(page: Page, status: int = 200, *, user: str = "", problem: str = "", wanted: str = "") -> Response:
    return page.show("login.html", status, user=user, problem=problem, redirect_url=wanted)


@page("GET", "/login")
async def login_form(page: Page) -> Response:
    wanted = page.query.get("redirect_url", "")
    if page.visitor() is not None:
        return RedirectResponse(local(wanted, HOME), 302)
    return _login_page(page, wanted=wanted)


@page("POST", "/login")
async def login(page: Page) -> Response:
    form = await page.visitor_form()
    wanted = form.get("redirect_url", "")
    user = page.drive.accounts.sign_in(form.get("user", ""), form.get("password", ""))
    if user is None:
        return _login_page(page, 401, user=form.get("user", ""), problem="Wrong password.", wanted=wanted)
    identify(user.username)
    response = see_other(local(wanted, HOME))
    page.set_session(response, page.drive.accounts.open_session(user.username))
    return response


@page("GET POST", "/logout")
async def logout(page: Page) -> Response:
    """Ends the session. As a link it must carry the session's request token, as ownCloud's does."""
    session = page.session()
    if page.visitor() is not None and session is not None:
        form = await read_form(page.request) if page.request.method == "POST" else Form(list(page.query.items()))
        page.require_token(form)
        page.drive.accounts.close_session(session)
    response = see_other("/index.php/login")
    end_cookie(response, page.drive.instance)
    return response
