"""Access tokens: personal, impersonation, of projects and groups (with a bot behind each), and deploy tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from dayjob.company.forge.api.call import Call, Json, created, no_content
from dayjob.company.forge.api.routes import both, delete, get, post
from dayjob.company.forge.api.users import someone
from dayjob.company.forge.errors import bad, not_found, refused
from dayjob.company.forge.rows.people import Token, User
from dayjob.company.forge.shapes import users as shape
from dayjob.company.forge.store import access, tokens

SCOPES = (
    "api", "read_user", "read_api", "read_repository", "write_repository", "read_registry", "write_registry", "sudo",
    "admin_mode", "create_runner", "manage_runner", "ai_features", "k8s_proxy", "self_rotate", "read_service_ping",
    "read_virtual_registry", "write_virtual_registry",
)  # fmt: skip
DEPLOY_SCOPES = (
    "read_repository", "read_registry", "write_registry", "read_package_registry", "write_package_registry",
    "read_virtual_registry", "write_virtual_registry",
)  # fmt: skip


def wanted_scopes(call: Call, known: tuple[str, ...]) -> list[str]:
    call.need("scopes")
    given = call.args["scopes"]
    scopes = [
        str(part) for one in (given if isinstance(given, list) else [given]) for part in str(one).split(",") if part
    ]
    if not scopes:
        raise bad("scopes is empty")
    if not set(scopes) <= set(known):
        raise bad("scopes does not have a valid value")
    return scopes


def expiry(call: Call) -> str | None:
    text = call.text("expires_at")
    if not text:
        return None
    if not re.match(r"\d{4}-\d\d-\d\d", text):
        raise bad("expires_at is invalid")
    return tokens.last_day(call.store, str(text[:10]))


def _listed(call: Call, kinds: Sequence[str], **of: int) -> Any:
    """Tokens of an account (`user_id`), or of a project or group (`source_id`)."""
    state = call.choice("state", ("active", "inactive", "all"))
    live = {"active": True, "inactive": False}.get(state)
    revoked = bool(call.boolean("revoked")) if call.has("revoked") else None
    if "source_id" in of and not call.text("state") and revoked is None:
        revoked = False
    listing = tokens.listed(kinds, live=live, revoked=revoked, search=call.text("search"), **of)
    return call.listing(listing, lambda rows: [shape.token(call, token) for token in rows])


def _with_secret(call: Call, token: Token, secret: str) -> dict[str, Any]:
    return {**shape.token(call, token), "token": secret}


def _revoke(call: Call, token: Token) -> Any:
    tokens.revoke(call.store, token)
    return no_content()


def _rotate(call: Call, token: Token) -> Any:
    return Json(_with_secret(call, *tokens.rotate(call.store, token, expiry(call))))


# -- personal ----------------------------------------------------------------------------------------------------


@get("/personal_access_tokens")
def personal_tokens(call: Call) -> Any:
    if not call.me.admin:
        return _listed(call, ["personal"], user_id=call.me.id)
    user = call.integer("user_id")
    if user is not None:
        return _listed(call, ["personal"], user_id=user)
    return _listed(call, ["personal", "impersonation"])


@get("/personal_access_tokens/self")
def own_token(call: Call) -> Any:
    call.signed_in()
    if call.token is None:
        raise bad("The request was not made with an access token")
    return shape.token(call, call.token)


@delete("/personal_access_tokens/self")
def revoke_own_token(call: Call) -> Any:
    call.signed_in()
    if call.token is None:
        raise bad("The request was not made with an access token")
    return _revoke(call, call.token)


@post("/personal_access_tokens/self/rotate")
def rotate_own_token(call: Call) -> Any:
    call.signed_in()
    if call.token is None:
        raise refused(405, "405 Method Not Allowed")
    return _rotate(call, call.token)


def _personal(call: Call) -> Token:
    token = tokens.find(call.store, call.number("token_id"), ["personal", "impersonation"])
    if token is None or (not call.me.admin and token.user_id != call.me.id):
        raise not_found() if call.me.admin else refused(401, "401 Unauthorized")
    return token


def _serve(path: str, named: Callable[[Call], Token]) -> None:
    get(path)(lambda call: shape.token(call, named(call)))
    delete(path)(lambda call: _revoke(call, named(call)))


_serve("/personal_access_tokens/{token_id}", _personal)


@post("/personal_access_tokens/{token_id}/rotate")
def rotate_personal_token(call: Call) -> Any:
    return _rotate(call, _personal(call))


@post("/users/{id}/personal_access_tokens")
def create_personal_token(call: Call) -> Any:
    call.admin()
    return _create(call, "personal", someone(call))


@post("/user/personal_access_tokens")
def create_my_token(call: Call) -> Any:
    call.need("name", "scopes")
    if not set(wanted_scopes(call, SCOPES)) <= {"k8s_proxy", "self_rotate"}:
        raise bad("scopes does not have a valid value")
    return _create(call, "personal", call.me)


def create_token(call: Call, kind: str, user: User) -> tuple[Token, str]:
    """A token of an account, as the arguments want it, and its secret."""
    call.need("name", "scopes")
    return tokens.issue(
        call.store,
        kind,
        call.filled("name"),
        wanted_scopes(call, SCOPES),
        "glpat-",
        user_id=user.id,
        expires_at=expiry(call),
        description=call.text("description"),
    )


def _create(call: Call, kind: str, user: User) -> Any:
    return created(_with_secret(call, *create_token(call, kind, user)))


# -- impersonation -----------------------------------------------------------------------------------------------


@get("/users/{id}/impersonation_tokens")
def impersonation_tokens(call: Call) -> Any:
    call.admin()
    return _listed(call, ["impersonation"], user_id=someone(call).id)


@post("/users/{id}/impersonation_tokens")
def create_impersonation_token(call: Call) -> Any:
    call.admin()
    return _create(call, "impersonation", someone(call))


def _impersonation(call: Call) -> Token:
    call.admin()
    token = tokens.find(call.store, call.number("token_id"), ["impersonation"], user_id=someone(call).id)
    if token is None:
        raise not_found("Impersonation Token")
    return token


_serve("/users/{id}/impersonation_tokens/{token_id}", _impersonation)


# -- projects and groups -----------------------------------------------------------------------------------------


@both(post, "/access_tokens")
def create_bot_token(call: Call, kind: str) -> Any:
    source = call.managed(kind)
    call.need("name", "scopes")
    level = call.access_level("access_level", access.MAINTAINER)
    issued = tokens.issue_for_bot(
        call.store, call.me, source, call.filled("name"), wanted_scopes(call, SCOPES), level, expires_at=expiry(call),
        description=call.text("description"),
    )  # fmt: skip
    return created(_with_secret(call, *issued))


@both(get, "/access_tokens")
def bot_tokens(call: Call, kind: str) -> Any:
    return _listed(call, [kind], source_id=call.managed(kind).id)


def _bot_token(call: Call, kind: str) -> Token:
    token = tokens.find(call.store, call.number("token_id"), [kind], source_id=call.managed(kind).id)
    if token is None:
        raise not_found()
    return token


@both(get, "/access_tokens/{token_id}")
def bot_token(call: Call, kind: str) -> Any:
    return shape.token(call, _bot_token(call, kind))


@both(post, "/access_tokens/{token_id}/rotate")
def rotate_bot_token(call: Call, kind: str) -> Any:
    return _rotate(call, _bot_token(call, kind))


@both(delete, "/access_tokens/{token_id}")
def revoke_bot_token(call: Call, kind: str) -> Any:
    tokens.revoke_of_bot(call.store, _bot_token(call, kind))
    return no_content()


# -- service accounts --------------------------------------------------------------------------------------------


@get("/groups/{id}/service_accounts")
def service_accounts(call: Call) -> Any:
    group = call.group(access.OWNER)
    return call.paged(tokens.service_accounts(call.store, group), _service_account)


@post("/groups/{id}/service_accounts")
def create_service_account(call: Call) -> Any:
    group = call.group(access.OWNER)
    bot = tokens.create_service_account(
        call.store, group, username=call.text("username"), name=call.text("name"), email=call.text("email")
    )
    return created(_service_account(bot))


def _service_account(bot: User) -> dict[str, Any]:
    return {"id": bot.id, "username": bot.username, "name": bot.name, "email": bot.email}


# -- deploy tokens -----------------------------------------------------------------------------------------------


def _deploy_tokens(call: Call, kinds: Sequence[str], source_id: int | None = None) -> Any:
    listing = tokens.listed(kinds, source_id=source_id, live=True if call.boolean("active") else None)
    return call.listing(listing, lambda rows: [shape.deploy_token(call, token) for token in rows])


@get("/deploy_tokens")
def all_deploy_tokens(call: Call) -> Any:
    call.admin()
    return _deploy_tokens(call, ["deploy_project", "deploy_group"])


@both(get, "/deploy_tokens")
def deploy_tokens(call: Call, kind: str) -> Any:
    return _deploy_tokens(call, [f"deploy_{kind}"], source_id=call.place(kind, access.MAINTAINER).id)


@both(post, "/deploy_tokens")
def create_deploy_token(call: Call, kind: str) -> Any:
    source = call.place(kind, access.MAINTAINER)
    call.need("name", "scopes")
    scopes = wanted_scopes(call, DEPLOY_SCOPES)
    token, secret = tokens.issue_for_deploying(
        call.store, source, call.filled("name"), scopes, call.text("expires_at", "")[:10] or None, call.text("username")
    )
    return created({**shape.deploy_token(call, token), "token": secret})


def _deploy(call: Call, kind: str) -> Token:
    return tokens.deploy_token(call.store, call.place(kind, access.MAINTAINER), call.number("token_id"))


@both(get, "/deploy_tokens/{token_id}")
def deploy_token(call: Call, kind: str) -> Any:
    return shape.deploy_token(call, _deploy(call, kind))


@both(delete, "/deploy_tokens/{token_id}")
def delete_deploy_token(call: Call, kind: str) -> Any:
    tokens.delete(call.store, _deploy(call, kind))
    return no_content()
