"""Who sends a request: a token in one of the places GitLab takes it from, or a browser's session; then `sudo`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dayjob.company.forge.errors import Refused, not_found, refused
from dayjob.company.forge.store import jobs, tokens, users
from dayjob.company.journal import acting_as, identify
from dayjob.company.pages import header_fits

if TYPE_CHECKING:
    from dayjob.company.forge.api.call import Call

SESSION_COOKIE = "_gitlab_session"
UNAUTHORIZED = {"message": "401 Unauthorized"}


def authenticate(call: Call) -> None:
    """Set `call.user` and `call.token`; a wrong token is 401, none at all is nobody."""
    if (name := acting_as()) is not None:
        call.user = users.find(call.store, name)
        if call.user is None or call.user.state != "active":
            raise Refused(401, UNAUTHORIZED)
        identify(call.user.username)
        return
    headers = call.request.headers
    secret = headers.get("private-token")
    if secret is None:
        kind, _, value = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            secret = value.strip()
    if secret is None:
        found = call.args.get("private_token") or call.args.get("access_token")
        secret = str(found) if found is not None else None
    if secret is None and ("job-token" in headers or "job_token" in call.args):
        _by_job(call, headers.get("job-token") or str(call.args.get("job_token")))
    elif secret is None:
        _by_cookie(call)
    else:
        _by_token(call, secret)
    if call.user is not None:
        sudo = headers.get("sudo") or call.args.get("sudo")
        if sudo is not None:
            _sudo(call, str(sudo))
        assert call.user is not None
        identify(call.user.username)


_JOBS_MAY = re.compile(
    r"/api/v4/(job|projects/[^/]+/(jobs/\d+/artifacts.*|jobs/artifacts/.*|packages/generic/.*|releases.*"
    r"|trigger/pipeline|pipelines/\d+/metadata|environments.*|repository/changelog))"
)
"""What the token of a running job opens."""


def _by_job(call: Call, secret: str) -> None:
    job = jobs.by_token(call.store, secret)
    user = users.active(call.store, job.user_id) if job is not None else None
    if job is None or user is None or not _JOBS_MAY.fullmatch(call.address):
        raise Refused(401, UNAUTHORIZED)
    call.user, call.job, call.passing = user, job, True


def _by_cookie(call: Call) -> None:
    session = call.request.cookies.get(SESSION_COOKIE) if "cookie" in call.request.headers else None
    # A page elsewhere can make a browser send a form; only reads are taken on the strength of a cookie alone.
    if session and (call.request.method in ("GET", "HEAD") or header_fits(call.request, session)):
        call.user = users.by_session(call.store, session)


def _by_token(call: Call, secret: str) -> None:
    token = tokens.by_secret(call.store, secret)
    if token is None or token.user_id is None:
        raise Refused(401, UNAUTHORIZED)
    user = users.by_id(call.store, token.user_id)
    if user is None:
        raise Refused(401, UNAUTHORIZED)
    if user.state != "active":
        raise refused(403, "403 Forbidden - Your account has been blocked.")
    call.user, call.token, call.passing = user, token, token.kind == "oauth"
    scopes = token.scope_names
    if "api" not in scopes and not _allowed(call, scopes):
        raise Refused(
            403,
            {
                "error": "insufficient_scope",
                "error_description": "The request requires higher privileges than provided by the access token.",
                "scope": "api read_api" if call.request.method in ("GET", "HEAD") else "api",
            },
        )


def _allowed(call: Call, scopes: list[str]) -> bool:
    reading = call.request.method in ("GET", "HEAD")
    path = call.request.scope["path"]
    if path.startswith("/api/v4/personal_access_tokens/self"):
        return True
    if reading and "read_api" in scopes:
        return True
    if reading and "read_user" in scopes and path.startswith(("/api/v4/user", "/api/v4/users")):
        return True
    return reading and "read_repository" in scopes and "/repository/" in path


def _sudo(call: Call, name: str) -> None:
    if not call.me.admin:
        raise refused(403, "403 Forbidden - Must be admin to use sudo")
    if call.token is None or not {"sudo", "api"} & set(call.token.scope_names):
        raise refused(403, "403 Forbidden - Must be authenticated using an OAuth or personal access token to use sudo")
    user = users.find(call.store, name)
    if user is None:
        raise not_found(f"User with ID or username '{name}'")
    call.user = user
