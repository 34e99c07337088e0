"""Which OCS handler answers, who may call it, and how its result is sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope

from dayjob.company.drive.api.auth import challenge, session_token, visitor
from dayjob.company.drive.api.headers import Headers
from dayjob.company.drive.api.ocs import groups, instance, shares, users
from dayjob.company.drive.api.ocs.call import Call, read_arguments
from dayjob.company.drive.errors import DriveError
from dayjob.company.drive.shapes.envelope import NOT_FOUND, UNAUTHORISED, Result, refusal, render
from dayjob.company.pages.forms import header_fits
from dayjob.http.bodies import BodyTooLarge
from dayjob.http.routing import MethodNotAllowed, NotFound, Router

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive

Handler = Callable[..., Result]
ANYONE, MEMBER, ADMIN = "anyone", "member", "admin"

ROUTES = Router(tolerant=True)
_SHARING = "/apps/files_sharing/api/v1"

_ENDPOINTS: tuple[tuple[str, str, str, Handler], ...] = (
    ("GET", "/config", ANYONE, instance.config),
    ("POST", "/person/check", ANYONE, instance.check_person),
    ("GET", "/cloud/capabilities", ANYONE, instance.capabilities),
    ("GET", "/cloud/user", MEMBER, users.me),
    ("GET", "/privatedata/getattribute", MEMBER, instance.get_attributes),
    ("GET", "/privatedata/getattribute/{app}", MEMBER, instance.get_attributes),
    ("GET", "/privatedata/getattribute/{app}/{key}", MEMBER, instance.get_attributes),
    ("POST", "/privatedata/setattribute/{app}/{key}", MEMBER, instance.set_attribute),
    ("POST", "/privatedata/deleteattribute/{app}/{key}", MEMBER, instance.delete_attribute),
    ("GET", "/cloud/users", MEMBER, users.search),
    ("POST", "/cloud/users", MEMBER, users.create),
    ("GET", "/cloud/users/{userid}", MEMBER, users.read),
    ("PUT", "/cloud/users/{userid}", MEMBER, users.change),
    ("DELETE", "/cloud/users/{userid}", MEMBER, users.delete),
    ("PUT", "/cloud/users/{userid}/enable", MEMBER, users.enable),
    ("PUT", "/cloud/users/{userid}/disable", MEMBER, users.disable),
    ("GET", "/cloud/users/{userid}/groups", MEMBER, groups.of_user),
    ("POST", "/cloud/users/{userid}/groups", MEMBER, groups.add_user),
    ("DELETE", "/cloud/users/{userid}/groups", MEMBER, groups.remove_user),
    ("GET", "/cloud/users/{userid}/subadmins", ADMIN, groups.subadmin_of),
    ("POST", "/cloud/users/{userid}/subadmins", ADMIN, groups.make_subadmin),
    ("DELETE", "/cloud/users/{userid}/subadmins", ADMIN, groups.unmake_subadmin),
    ("GET", "/cloud/groups", MEMBER, groups.search),
    ("POST", "/cloud/groups", ADMIN, groups.create),
    ("GET", "/cloud/groups/{groupid}", MEMBER, groups.read),
    ("DELETE", "/cloud/groups/{groupid}", ADMIN, groups.delete),
    ("GET", "/cloud/groups/{groupid}/subadmins", ADMIN, groups.subadmins),
    ("GET", "/cloud/apps", ADMIN, instance.apps),
    ("GET", "/cloud/apps/{appid}", ADMIN, instance.app),
    ("POST", "/cloud/apps/{appid}", ADMIN, instance.enable_app),
    ("DELETE", "/cloud/apps/{appid}", ADMIN, instance.disable_app),
    ("GET", f"{_SHARING}/shares", MEMBER, shares.find),
    ("POST", f"{_SHARING}/shares", MEMBER, shares.create),
    ("GET", f"{_SHARING}/shares/{{id}}", MEMBER, shares.read),
    ("PUT", f"{_SHARING}/shares/{{id}}", MEMBER, shares.change),
    ("DELETE", f"{_SHARING}/shares/{{id}}", MEMBER, shares.delete),
    ("POST", f"{_SHARING}/shares/pending/{{id}}", MEMBER, shares.accept),
    ("DELETE", f"{_SHARING}/shares/pending/{{id}}", MEMBER, shares.decline),
    ("GET", f"{_SHARING}/sharees", MEMBER, shares.sharees),
    ("GET", f"{_SHARING}/remote_shares", MEMBER, shares.remote_shares),
    ("GET", f"{_SHARING}/remote_shares/pending", MEMBER, shares.remote_shares),
)
for _method, _pattern, _access, _handler in _ENDPOINTS:
    ROUTES.add(_method, _pattern, (_access, _handler))


async def answer(drive: Drive, scope: Scope, receive: Receive, raw: str, headers: Headers) -> Response:
    request = Request(scope, receive)
    version = 2 if raw.startswith("/ocs/v2.php") else 1
    as_json = request.query_params.get("format") == "json"
    try:
        result = await _result(drive, request, raw, headers)
    except DriveError as error:
        result = refusal(error.status, str(error))
        if error.status == 401:
            result = refusal(UNAUTHORISED, str(error))
    except BodyTooLarge as error:
        response = render(refusal(413, str(error)), version, as_json)
        response.status_code = 413
        return response
    response = render(result, version, as_json)
    if response.status_code == 401:
        response.headers["www-authenticate"] = challenge(headers)
    return response


def _has_token(drive: Drive, request: Request, headers: Headers) -> bool:
    token = session_token(drive, headers)
    return token is not None and header_fits(request, token)


async def _result(drive: Drive, request: Request, raw: str, headers: Headers) -> Result:
    for root in ("/ocs/v1.php", "/ocs/v2.php", "/ocs"):
        if raw == root or raw.startswith(f"{root}/"):
            path = raw[len(root) :]
            break
    try:
        (access, handler), params = ROUTES.match(request.method, path)
    except NotFound:
        return refusal(NOT_FOUND, "There is no such call; see the documentation of the OCS interface.")
    except MethodNotAllowed as error:
        return refusal(NOT_FOUND, f"This call takes {' or '.join(error.allowed)}.")
    args, lists = await read_arguments(request)
    # A cookie alone does not speak for anybody here: another site's page could make a browser send it.
    named = "authorization" in headers or headers.get("ocs-apirequest", "").lower() == "true"
    user = visitor(drive, headers) if named or _has_token(drive, request, headers) else None
    if user is None and (access != ANYONE or "authorization" in headers):
        return refusal(UNAUTHORISED, "Unauthorised")
    call = Call(drive, user, args, lists)
    if access == ADMIN and not call.is_admin:
        return refusal(UNAUTHORISED, "Only an administrator may do this.")
    found: Result = handler(call, **params)
    return found
