"""Who a request is from: Basic credentials, or the cookie of a browser session; for public links, the token."""

from __future__ import annotations

import base64
import binascii
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.types import Scope

from dayjob.company.drive.api.headers import Headers
from dayjob.company.drive.errors import NotAuthenticated
from dayjob.company.drive.rows import Share, User
from dayjob.company.journal import acting_as, identify
from dayjob.company.pages.forms import header_fits
from dayjob.company.passwords import password_fits

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive

_HARMLESS = ("GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT")


def challenge(headers: Headers) -> str:
    """What a 401 asks for. A script in a page gets a scheme browsers do not know, so that no dialogue pops up."""
    scheme = "DummyBasic" if headers.get("x-requested-with", "").lower() == "xmlhttprequest" else "Basic"
    return f'{scheme} realm="ownCloud", charset="UTF-8"'


def basic(headers: Headers) -> tuple[str, str] | None:
    """Login and password of a Basic Authorization header; None when there is none that can be read."""
    kind, _, value = headers.get("authorization", "").partition(" ")
    if kind.lower() != "basic":
        return None
    try:
        text = base64.b64decode(value.strip(), validate=True)
    except (binascii.Error, ValueError):
        return None
    try:
        login, colon, password = text.decode("utf-8").partition(":")
    except UnicodeDecodeError:
        login, colon, password = text.decode("latin-1").partition(":")
    return (login, password) if colon else None


def session_token(drive: Drive, headers: Headers) -> str | None:
    """The secret in the session cookie."""
    text = headers.get("cookie")
    if not text or drive.instance not in text:
        return None
    try:
        morsel = SimpleCookie(text).get(drive.instance)
    except CookieError:
        return None
    return morsel.value if morsel is not None else None


def visitor(drive: Drive, headers: Headers) -> User | None:
    """The account behind the request, if its credentials or its session are good."""
    user: User | None
    if (name := acting_as()) is not None:
        user = drive.accounts.get(name)
    elif (given := headers.get("authorization")) is not None:
        memo, key = drive.memo(), ("authorization", given)
        if key not in memo:
            credentials = basic(headers)
            memo[key] = drive.accounts.sign_in(*credentials) if credentials is not None else None
        user = memo[key]
    else:
        token = session_token(drive, headers)
        username = drive.accounts.session(token) if token else None
        user = drive.accounts.get(username) if username else None
    if user is not None:
        identify(user.username)
    return user


def forged(drive: Drive, scope: Scope, headers: Headers) -> bool:
    """Whether a request would act by the cookie of a browser session alone, without that session's request token."""
    if "authorization" in headers or scope["method"] in _HARMLESS:
        return False
    token = session_token(drive, headers)
    return token is not None and drive.accounts.session(token) is not None and not header_fits(Request(scope), token)


def signed_in(drive: Drive, headers: Headers) -> User:
    user = visitor(drive, headers)
    if user is None:
        raise NotAuthenticated("Username or password was incorrect, or none was given.")
    return user


def link_share(drive: Drive, headers: Headers, token: str | None) -> Share:
    """The public link a request may use: named by `token` or as the Basic user, with its password if it has one."""
    credentials = basic(headers) or ("", "")
    share = drive.shares.by_token(token or credentials[0])
    if share is None:
        raise NotAuthenticated("There is no such link, or it is no longer valid.")
    if share.password is not None and not password_fits(credentials[1], share.password):
        raise NotAuthenticated("This link needs its password.")
    identify(f"link:{share.id}")
    return share
