"""What a browser asks for: log-in, folders, previews, sharing, the trash, public links; and `status.php` for clients.

Every address works with and without the leading `/index.php`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope

from dayjob.company.drive.api.auth import challenge
from dayjob.company.drive.api.headers import Headers
from dayjob.company.drive.errors import DriveError, NotAuthenticated
from dayjob.company.drive.names import clean_path
from dayjob.company.drive.pages import (
    account,
    acting,
    editing,
    folders,
    links,
    moving,
    sharing,
    showing,
    trashbin,
    uploading,
)
from dayjob.company.drive.pages.page import PAGES, OutOfDate, Page, SignInFirst, router
from dayjob.http.bodies import BodyTooLarge
from dayjob.http.routing import MethodNotAllowed
from dayjob.http.routing import NotFound as NoRoute

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive

__all__ = ["account", "acting", "answer", "editing", "folders", "links", "moving", "sharing", "showing", "trashbin",
           "uploading"]  # fmt: skip


async def answer(drive: Drive, scope: Scope, receive: Receive, raw: str, headers: Headers) -> ASGIApp:
    request = Request(scope, receive)
    if (asset := PAGES.asset(request)) is not None:
        return asset
    page = Page(drive, request, headers)
    path = raw.removeprefix("/index.php") if raw.startswith("/index.php/") or raw == "/index.php" else raw
    try:
        handler, params = router.match(request.method, path)
        for value in params.values():
            clean_path(value)
        found: ASGIApp = await handler(page, **params)
        return found
    except NoRoute:
        return page.error(404, "Page not found", "There is nothing at this address.")
    except MethodNotAllowed as error:
        response = page.error(405, "Not allowed", "This page cannot be used like that.")
        response.headers["allow"] = ", ".join(error.allowed)
        return response
    except SignInFirst:
        status = 302 if request.method in ("GET", "HEAD") else 303
        return RedirectResponse(f"/index.php/login?redirect_url={quote(page.here(), safe='')}", status)
    except NotAuthenticated as error:
        response = page.error(401, "Not signed in", str(error))
        response.headers["www-authenticate"] = challenge(headers)
        return response
    except OutOfDate as error:
        return page.error(403, "This form is out of date", str(error))
    except DriveError as error:
        heading = "File not found" if error.status == 404 else "This did not work"
        return page.error(error.status, heading, str(error))
    except BodyTooLarge as error:
        return page.error(413, "Too large", str(error))
