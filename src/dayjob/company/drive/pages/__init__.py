"""What a browser (or a client that behaves like one) asks for: log-in, a folder, a public link, `status.php`.

Every address works with and without the leading `/index.php`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope

from dayjob.company.bodies import BodyTooLarge
from dayjob.company.drive.api.auth import challenge
from dayjob.company.drive.api.headers import Headers
from dayjob.company.drive.errors import DriveError, NotAuthenticated
from dayjob.company.drive.names import clean_path
from dayjob.company.drive.pages import account, files, links
from dayjob.company.drive.pages.page import Page, router
from dayjob.company.routing import MethodNotAllowed
from dayjob.company.routing import NotFound as NoRoute

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive

__all__ = ["account", "answer", "files", "links"]


async def answer(drive: Drive, scope: Scope, receive: Receive, raw: str, headers: Headers) -> ASGIApp:
    request = Request(scope, receive)
    page = Page(drive, request, headers)
    path = raw.removeprefix("/index.php") if raw.startswith("/index.php/") or raw == "/index.php" else raw
    try:
        handler, params = router.match(request.method, path)
        for value in params.values():
            clean_path(value)
        found: ASGIApp = await handler(page, **params)
        return found
    except NoRoute:
        return page.html("error.html", 404, heading="Page not found", message="There is nothing at this address.")
    except MethodNotAllowed as error:
        response = page.html("error.html", 405, heading="Not allowed", message="This page cannot be used like that.")
        response.headers["allow"] = ", ".join(error.allowed)
        return response
    except NotAuthenticated as error:
        response = page.html("error.html", 401, heading="Not signed in", message=str(error))
        response.headers["www-authenticate"] = challenge(headers)
        return response
    except DriveError as error:
        heading = "File not found" if error.status == 404 else "This did not work"
        return page.html("error.html", error.status, heading=heading, message=str(error))
    except BodyTooLarge as error:
        return page.html("error.html", 413, heading="Too large", message=str(error))
