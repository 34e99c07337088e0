"""Access tokens: personal, impersonation, of projects and groups (with a bot behind each), and deploy tokens."""

from __future__ import annotations

import json
import re
import secrets
from typing import Any

from dayjob.company.forge.api.arguments import bad
from dayjob.company.forge.api.call import Call, Json, created, no_content
from dayjob.company.forge.api.routes import delete, get, post
from dayjob.company.forge.api.users import someone
from dayjob.company.forge.shapes import users as shape
from dayjob.company.forge.store import access, users
from dayjob.company.forge.store.base import Listing, not_found, refused
from dayjob.company.forge.store.users import Token, User

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
    if text[:10] <= call.store.now()[:10]:
        raise refused(400, {"expires_at": ["must be a date in the future"]})
    return str(text[:10])


def _listed(call: Call, where: str, args: list[Any]) -> Any:
    state = call.choice("state", ("active", "inactive", "all"))
    if state in ("active", "inactive"):
        where += f" AND {'' if state == 'active' else 'NOT '}{users.LIVE_TOKEN}"
    if call.has("revoked"):
        where += f" AND revoked={int(call.boolean('revoked'))}"
    if call.text("search"):
        where += " AND instr(lower(name), lower(?))"
        args.append(call.text("search"))
    listing = Listing(Token, f"FROM tokens WHERE {where}", args, "tokens.id ASC")
    return call.listing(listing, lambda rows: [shape.token(call, one) for one in rows])


def _with_secret(call: Call, token: Token, secret: str) -> Any:
    return created({**shape.token(call, token), "token": secret})


def _revoke(call: Call, token: Token) -> Any:
    call.store.update("tokens", token.id, revoked=1)
    return no_content()


def _rotate(call: Call, token: Token) -> Any:
    with call.store.transaction():
        call.store.update("tokens", token.id, revoked=1)
        fresh, secret = users.issue_token(
            call.store, token.kind, token.name, json.loads(token.scopes), "glpat-", user_id=token.user_id,
            expires_at=expiry(call) or token.expires_at, source_id=token.source_id, access_level=token.access_level,
            description=token.description,
        )  # fmt: skip
    return Json({**shape.token(call, fresh), "token": secret})


# -- personal ----------------------------------------------------------------------------------------------------


@get("/personal_access_tokens")
def personal_tokens(call: Call) -> Any:
    if not call.me.admin:
        return _listed(call, "kind='personal' AND user_id=?", [call.me.id])
    user = call.integer("user_id")
    if user is not None:
        return _listed(call, "kind='personal' AND user_id=?", [user])
    return _listed(call, "kind IN ('personal','impersonation')", [])


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
    assert call.token is not None
    return _rotate(call, call.token)


def _personal(call: Call) -> Token:
    found = call.store.one(Token, "id=? AND kind IN ('personal','impersonation')", call.number("token_id"))
    if found is None or (not call.me.admin and found.user_id != call.me.id):
        raise not_found() if call.me.admin else refused(401, "401 Unauthorized")
    return found


@get("/personal_access_tokens/{token_id}")
def personal_token(call: Call) -> Any:
    return shape.token(call, _personal(call))


@delete("/personal_access_tokens/{token_id}")
def revoke_personal_token(call: Call) -> Any:
    return _revoke(call, _personal(call))


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
    return users.issue_token(
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
    return _with_secret(call, *create_token(call, kind, user))


# -- impersonation -----------------------------------------------------------------------------------------------


@get("/users/{id}/impersonation_tokens")
def impersonation_tokens(call: Call) -> Any:
    call.admin()
    return _listed(call, "kind='impersonation' AND user_id=?", [someone(call).id])


@post("/users/{id}/impersonation_tokens")
def create_impersonation_token(call: Call) -> Any:
    call.admin()
    return _create(call, "impersonation", someone(call))


def _impersonation(call: Call) -> Token:
    call.admin()
    found = call.store.one(
        Token, "id=? AND kind='impersonation' AND user_id=?", call.number("token_id"), someone(call).id
    )
    if found is None:
        raise not_found("Impersonation Token")
    return found


@get("/users/{id}/impersonation_tokens/{token_id}")
def impersonation_token(call: Call) -> Any:
    return shape.token(call, _impersonation(call))


@delete("/users/{id}/impersonation_tokens/{token_id}")
def revoke_impersonation_token(call: Call) -> Any:
    return _revoke(call, _impersonation(call))


# -- projects and groups -----------------------------------------------------------------------------------------


def _place(call: Call, kind: str, level: int) -> int:
    return call.project(level).id if kind == "project" else call.group(level).id


def _bot_token(call: Call, kind: str) -> Any:
    source = _place(call, kind, access.MAINTAINER if kind == "project" else access.OWNER)
    call.need("name", "scopes")
    level = call.integer("access_level", access.MAINTAINER)
    if level not in access.LEVELS:
        raise bad("access_level does not have a valid value")
    name = call.filled("name")
    scopes = wanted_scopes(call, SCOPES)
    mark = secrets.token_hex(8)
    with call.store.transaction():
        bot = users.create(
            call.store, username=f"{kind}_{source}_bot_{mark}", name=name,
            email=f"{kind}_{source}_bot_{mark}@noreply.{call.forge.company.world.host}", password=None, bot=True,
        )  # fmt: skip
        call.store.insert(
            "members", source_type="Project" if kind == "project" else "Namespace", source_id=source, user_id=bot.id,
            access_level=level, created_at=call.store.now(), created_by=call.me.id,
        )  # fmt: skip
        token, secret = users.issue_token(
            call.store, kind, name, scopes, "glpat-", user_id=bot.id, expires_at=expiry(call), source_id=source,
            access_level=level, description=call.text("description"),
        )  # fmt: skip
    return _with_secret(call, token, secret)


def _bot_tokens(call: Call, kind: str) -> Any:
    source = _place(call, kind, access.MAINTAINER if kind == "project" else access.OWNER)
    return _listed(
        call,
        "kind=? AND source_id=?" + ("" if call.text("state") or call.has("revoked") else " AND revoked=0"),
        [kind, source],
    )


def _one_bot_token(call: Call, kind: str) -> Token:
    source = _place(call, kind, access.MAINTAINER if kind == "project" else access.OWNER)
    found = call.store.one(Token, "id=? AND kind=? AND source_id=?", call.number("token_id"), kind, source)
    if found is None:
        raise not_found()
    return found


def _drop_bot_token(call: Call, kind: str) -> Any:
    token = _one_bot_token(call, kind)
    with call.store.transaction():
        call.store.update("tokens", token.id, revoked=1)
        call.store.db.execute("DELETE FROM members WHERE user_id=?", (token.user_id,))
    return no_content()


@get("/projects/{id}/access_tokens")
def project_tokens(call: Call) -> Any:
    return _bot_tokens(call, "project")


@post("/projects/{id}/access_tokens")
def create_project_token(call: Call) -> Any:
    return _bot_token(call, "project")


@get("/projects/{id}/access_tokens/{token_id}")
def project_token(call: Call) -> Any:
    return shape.token(call, _one_bot_token(call, "project"))


@delete("/projects/{id}/access_tokens/{token_id}")
def revoke_project_token(call: Call) -> Any:
    return _drop_bot_token(call, "project")


@post("/projects/{id}/access_tokens/{token_id}/rotate")
def rotate_project_token(call: Call) -> Any:
    return _rotate(call, _one_bot_token(call, "project"))


@get("/groups/{id}/access_tokens")
def group_tokens(call: Call) -> Any:
    return _bot_tokens(call, "group")


@post("/groups/{id}/access_tokens")
def create_group_token(call: Call) -> Any:
    return _bot_token(call, "group")


@get("/groups/{id}/access_tokens/{token_id}")
def group_token(call: Call) -> Any:
    return shape.token(call, _one_bot_token(call, "group"))


@delete("/groups/{id}/access_tokens/{token_id}")
def revoke_group_token(call: Call) -> Any:
    return _drop_bot_token(call, "group")


@post("/groups/{id}/access_tokens/{token_id}/rotate")
def rotate_group_token(call: Call) -> Any:
    return _rotate(call, _one_bot_token(call, "group"))


# -- service accounts --------------------------------------------------------------------------------------------


@get("/groups/{id}/service_accounts")
def service_accounts(call: Call) -> Any:
    group = call.group(access.OWNER)
    rows = call.store.all(
        User, "bot=1 AND json_extract(profile,'$.note')=? ORDER BY id", f"service account of group {group.id}"
    )
    return call.paged(rows, lambda one: {"id": one.id, "username": one.username, "name": one.name, "email": one.email})


@post("/groups/{id}/service_accounts")
def create_service_account(call: Call) -> Any:
    group = call.group(access.OWNER)
    mark = secrets.token_hex(8)
    username = call.text("username") or f"service_account_group_{group.id}_{mark}"
    with call.store.transaction():
        bot = users.create(
            call.store,
            username=username,
            name=call.text("name") or "Service account user",
            password=None,
            bot=True,
            email=call.text("email") or f"{username}@noreply.{call.forge.company.world.host}",
            note=f"service account of group {group.id}",
        )
    return created({"id": bot.id, "username": bot.username, "name": bot.name, "email": bot.email})


# -- deploy tokens -----------------------------------------------------------------------------------------------


def _deploy_tokens(call: Call, where: str, args: list[Any]) -> Any:
    if call.boolean("active"):
        where += f" AND {users.LIVE_TOKEN}"
    listing = Listing(Token, f"FROM tokens WHERE {where}", args, "tokens.id ASC")
    return call.listing(listing, lambda rows: [shape.deploy_token(call, one) for one in rows])


@get("/deploy_tokens")
def all_deploy_tokens(call: Call) -> Any:
    call.admin()
    return _deploy_tokens(call, "kind IN ('deploy_project','deploy_group')", [])


def _create_deploy(call: Call, kind: str) -> Any:
    source = _place(call, kind, access.MAINTAINER)
    call.need("name", "scopes")
    scopes = wanted_scopes(call, DEPLOY_SCOPES)
    number = (call.store.value("SELECT max(id) FROM tokens") or 0) + 1
    token, secret = users.issue_token(
        call.store,
        f"deploy_{kind}",
        call.filled("name"),
        scopes,
        "gldt-",
        source_id=source,
        expires_at=call.text("expires_at", "")[:10] or None,
        username=call.text("username") or f"gitlab+deploy-token-{number}",
    )
    return created({**shape.deploy_token(call, token), "token": secret})


def _deploy(call: Call, kind: str) -> Token:
    source = _place(call, kind, access.MAINTAINER)
    found = call.store.one(Token, "id=? AND kind=? AND source_id=?", call.number("token_id"), f"deploy_{kind}", source)
    if found is None:
        raise not_found("Deploy Token")
    return found


@get("/projects/{id}/deploy_tokens")
def project_deploy_tokens(call: Call) -> Any:
    return _deploy_tokens(call, "kind='deploy_project' AND source_id=?", [_place(call, "project", access.MAINTAINER)])


@post("/projects/{id}/deploy_tokens")
def create_project_deploy_token(call: Call) -> Any:
    return _create_deploy(call, "project")


@get("/projects/{id}/deploy_tokens/{token_id}")
def project_deploy_token(call: Call) -> Any:
    return shape.deploy_token(call, _deploy(call, "project"))


@delete("/projects/{id}/deploy_tokens/{token_id}")
def delete_project_deploy_token(call: Call) -> Any:
    call.store.delete("tokens", _deploy(call, "project").id)
    return no_content()


@get("/groups/{id}/deploy_tokens")
def group_deploy_tokens(call: Call) -> Any:
    return _deploy_tokens(call, "kind='deploy_group' AND source_id=?", [_place(call, "group", access.MAINTAINER)])


@post("/groups/{id}/deploy_tokens")
def create_group_deploy_token(call: Call) -> Any:
    return _create_deploy(call, "group")


@get("/groups/{id}/deploy_tokens/{token_id}")
def group_deploy_token(call: Call) -> Any:
    return shape.deploy_token(call, _deploy(call, "group"))


@delete("/groups/{id}/deploy_tokens/{token_id}")
def delete_group_deploy_token(call: Call) -> Any:
    call.store.delete("tokens", _deploy(call, "group").id)
    return no_content()
