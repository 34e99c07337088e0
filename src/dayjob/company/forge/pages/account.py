"""One's own account: profile, picture, password, access tokens."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from dayjob.company.forge.api import tokens
from dayjob.company.forge.api import users as user_api
from dayjob.company.forge.api.call import Call
from dayjob.company.forge.errors import refused
from dayjob.company.forge.pages.routes import moved, site
from dayjob.company.forge.pages.visit import Visit
from dayjob.company.forge.store import users

FIELDS = ("name", "job_title", "organization", "location", "pronouns", "website_url", "public_email", "bio")
SCOPES = (
    ("api", "Full access to the API, and to repositories over HTTP"),
    ("read_api", "Read everything the API shows you"),
    ("read_user", "Read your own profile"),
    ("read_repository", "Clone and pull over HTTP"),
    ("write_repository", "Push over HTTP"),
)


def _call(visit: Visit, args: dict[str, Any]) -> Call:
    """The API's rules for an account, applied by its owner."""
    call = Call(visit.forge, visit.request, {}, args)
    call.user = visit.user
    return call


moved("/-/profile", "/profile", "/-/profile/preferences", to="/-/user_settings/profile")
moved("/-/profile/personal_access_tokens", to="/-/user_settings/personal_access_tokens")


@site("GET POST", "/-/user_settings/profile")
async def profile(visit: Visit) -> Response:
    if visit.user is None:
        return visit.sign_in()
    if visit.posted:
        with visit.attempt():
            return _save(visit)
    about = await visit.ask("GET", "/user")
    values = {name: visit.raw(name) if visit.posted and name in visit.form else about[name] or "" for name in FIELDS}
    return visit.form_page("account.html", values=values, about=about)


def _save(visit: Visit) -> Response:
    assert visit.user is not None
    part = visit.text("part")
    if part == "password":
        if users.by_password(visit.store, visit.user.username, visit.raw("current_password")) is None:
            raise refused(403, "The current password is not right.")
        if visit.raw("password") != visit.raw("password_confirmation"):
            raise refused(400, "The two new passwords are not the same.")
        user_api.change_account(_call(visit, {"password": visit.raw("password")}), visit.user)
        return visit.back("/-/user_settings/profile", "Password changed.")
    if part == "avatar":
        image = visit.upload("avatar")
        if image is None:
            raise refused(400, "Choose a picture first.")
        user_api.change_account(_call(visit, {"avatar": image}), visit.user)
        return visit.back("/-/user_settings/profile", "Picture saved.")
    user_api.change_account(_call(visit, {name: visit.text(name) for name in FIELDS if name in visit.form}), visit.user)
    return visit.back("/-/user_settings/profile", "Profile saved.")


@site("GET POST", "/-/user_settings/personal_access_tokens")
async def access_tokens(visit: Visit) -> Response:
    """The visitor's tokens. A new one's secret is shown in the answer to its form, and never again."""
    if visit.user is None:
        return visit.sign_in()
    secret = ""
    if visit.posted:
        given = {
            "name": visit.text("name"),
            "scopes": visit.many("scopes"),
            "expires_at": visit.text("expires_at"),
            "description": visit.text("description") or None,
        }
        with visit.attempt():
            if not given["scopes"]:
                raise refused(400, "Choose at least one scope.")
            if not set(given["scopes"]) <= set(dict(SCOPES)):
                raise refused(400, "This scope cannot be given here.")
            _, secret = tokens.create_token(_call(visit, given), "personal", visit.user)
    found = await visit.everything("/personal_access_tokens", user_id=str(visit.user.id), state="active")
    kept = visit.posted and not secret
    return visit.form_page(
        "tokens.html", secret=secret, tokens=found, scopes=SCOPES,
        name=visit.raw("name") if kept else "", chosen=visit.many("scopes") if kept else [],
    )  # fmt: skip


@site("POST", "/-/user_settings/personal_access_tokens/{id}/revoke")
async def revoke(visit: Visit) -> Response:
    await visit.ask("DELETE", f"/personal_access_tokens/{visit.number('id')}")
    return visit.back("/-/user_settings/personal_access_tokens", "Token revoked.")
