"""Signing in and out, the signed-in account, and personal access tokens."""

from __future__ import annotations

import re
from typing import Any

from starlette.responses import JSONResponse

from dayjob.company.chat import shapes
from dayjob.company.chat.api.call import Call
from dayjob.company.chat.api.endpoints import Answer, endpoint
from dayjob.company.chat.errors import ChatError, invalid
from dayjob.company.chat.rows import User
from dayjob.company.chat.store import Store
from dayjob.company.chat.store.accounts import digest
from dayjob.company.journal import identify

_DIGEST = re.compile(r"[0-9a-fA-F]{64}")


def password_digest(password: Any) -> str | None:
    """The digest of a password sent as it is or as `{digest, algorithm}`."""
    if isinstance(password, str) and password:
        return digest(password)
    if isinstance(password, dict):
        found = password.get("digest")
        if isinstance(found, str) and _DIGEST.fullmatch(found) and password.get("algorithm") == "sha-256":
            return found.lower()
    return None


def sign_in(store: Store, wanted: dict[str, Any]) -> tuple[User, str] | None:
    """(account, token) for a log-in request of either wire, or None."""
    resume = wanted.get("resume")
    if isinstance(resume, str) and resume:
        user = store.accounts.bearer(resume)
        return (user, resume) if user else None
    name = wanted.get("user") or wanted.get("username") or wanted.get("email") or wanted.get("ldapPass")
    if isinstance(name, dict):
        name = name.get("username") or name.get("email") or name.get("id")
    sent = password_digest(wanted.get("password") or wanted.get("pass"))
    if not isinstance(name, str) or sent is None:
        return None
    user = store.accounts.sign_in(name, sent)
    return (user, store.accounts.mint_token(user.username)) if user else None


@endpoint("POST", "login", takes="user username email password:any resume", auth=False)
def login(call: Call) -> Answer:
    found = sign_in(call.store, call.parameters)
    if found is None:
        return JSONResponse({"status": "error", "error": "Unauthorized", "message": "Unauthorized"}, 401)
    user = call.store.accounts.get(found[0].id) or found[0]
    identify(user.username)
    me = shapes.me(user, call.base)
    return JSONResponse({"status": "success", "data": {"userId": user.id, "authToken": found[1], "me": me}})


@endpoint("POST", "logout")
def logout(call: Call) -> Answer:
    _ = call.user
    if call.token:
        call.store.accounts.revoke(call.token)
        call.chat.hub.signed_out(call.token)
    return JSONResponse({"status": "success", "data": {"message": "You've been logged out!"}})


@endpoint("GET", "me")
def me(call: Call) -> Answer:
    return shapes.me(call.user, call.base)


@endpoint("POST", "users.logout", takes="userId")
def users_logout(call: Call) -> Answer:
    id = call.text("userId") or call.user.id
    if id != call.user.id:
        call.require("logout-other-user")
    user = call.store.accounts.get(id)
    if user is None:
        raise ChatError("User not found.")
    call.store.accounts.revoke_others(user, None)
    return {"message": f"User {id} has been logged out!"}


@endpoint("POST", "users.logoutOtherClients")
def logout_other_clients(call: Call) -> Answer:
    call.store.accounts.revoke_others(call.user, call.token)
    return {"token": call.token}


@endpoint("POST", "users.removeOtherTokens")
def remove_other_tokens(call: Call) -> Answer:
    call.store.accounts.revoke_others(call.user, call.token)
    return {}


@endpoint("POST", "users.createToken", takes="userId username secret")
def create_token(call: Call) -> Answer:
    user = call.the_user()
    if user.id != call.user.id:
        call.store.access.require(call.user, "user-generate-access-token")
    return {"data": {"userId": user.id, "authToken": call.store.accounts.mint_token(user.username)}}


@endpoint(
    "POST",
    "users.generatePersonalAccessToken",
    takes="tokenName bypassTwoFactor:bool",
    needs="create-personal-access-tokens",
)
def generate_personal_token(call: Call) -> Answer:
    return {"token": call.store.accounts.personal_token(call.user, _name(call), bypass=call.flag("bypassTwoFactor"))}


@endpoint("POST", "users.regeneratePersonalAccessToken", takes="tokenName", needs="create-personal-access-tokens")
def regenerate_personal_token(call: Call) -> Answer:
    return {"token": call.store.accounts.renew_personal_token(call.user, _name(call))}


@endpoint("GET", "users.getPersonalAccessTokens", needs="create-personal-access-tokens")
def personal_tokens(call: Call) -> Answer:
    found = call.store.accounts.personal_tokens(call.user)
    return {
        "tokens": [
            {"name": name, "createdAt": created, "lastTokenPart": last, "bypassTwoFactor": bypass}
            for name, created, last, bypass in found
        ]
    }


@endpoint("POST", "users.removePersonalAccessToken", takes="tokenName", needs="create-personal-access-tokens")
def remove_personal_token(call: Call) -> Answer:
    call.store.accounts.remove_personal_token(call.user, _name(call))
    return {}


def _name(call: Call) -> str:
    name = call.text("tokenName")
    if not name:
        raise invalid("The 'tokenName' param is required")
    return name
