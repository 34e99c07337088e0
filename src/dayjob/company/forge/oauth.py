"""`POST /oauth/token` with a user name and a password: how a script without a browser gets a token for the API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from dayjob.company.forge.api.arguments import body_arguments, query_arguments
from dayjob.company.forge.api.call import Json
from dayjob.company.forge.errors import Refused
from dayjob.company.forge.store import tokens, users
from dayjob.company.journal import identify

if TYPE_CHECKING:
    from dayjob.company.forge.service import Forge

PATH = "/oauth/token"
_WORDS = {
    "invalid_request": "The request is missing a required parameter, includes an unsupported parameter value, or is "
    "otherwise malformed.",
    "unsupported_grant_type": "The authorization grant type is not supported by the authorization server.",
    "invalid_grant": "The provided authorization grant is invalid, expired, revoked, does not match the redirection "
    "URI used in the authorization request, or was issued to another client.",
}


async def answer(forge: Forge, request: Request) -> Response:
    """A token of scope `api` for whoever knows the password; OAuth's own errors otherwise."""
    if request.method != "POST":
        return Json({"error": "404 Not Found"}, 404)
    try:
        given = query_arguments(request.scope["query_string"])
        given |= await body_arguments(request)
    except Refused:
        return _refused("invalid_request")
    if given.get("grant_type") != "password":
        return _refused("unsupported_grant_type" if given.get("grant_type") else "invalid_request")
    user = users.by_password(forge.store, str(given.get("username", "")), str(given.get("password", "")))
    if user is None:
        return _refused("invalid_grant")
    identify(user.username)
    _, secret = tokens.issue(forge.store, "oauth", "OAuth", ["api"], "", user_id=user.id)
    made = {"access_token": secret, "token_type": "Bearer", "expires_in": tokens.OAUTH_SECONDS, "scope": "api"}
    return Json({**made, "created_at": int(forge.company.clock.now().timestamp())})


def _refused(error: str) -> Response:
    status = 401 if error == "invalid_grant" else 400
    return Json({"error": error, "error_description": _WORDS[error]}, status)
