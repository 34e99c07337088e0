"""Access tokens: personal, impersonation, of projects and groups (with a bot behind each), and deploy tokens."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from dayjob.company.clock import moment
from dayjob.company.forge.errors import invalid, not_found, refused
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.people import Token, User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import members, users
from dayjob.company.forge.store.base import Listing, Store
from dayjob.company.forge.store.members import Source
from dayjob.company.rows import packed, placeholders

OAUTH_SECONDS = 7200
LIVE = "(revoked=0 AND (expires_at IS NULL OR expires_at>today()))"
"""A WHERE condition: the tokens that count. One is over from the first moment of the day it expires on."""


def by_secret(store: Store, secret: str) -> Token | None:
    """The token behind a secret, if it counts."""
    token = store.one(Token, f"hash=? AND {LIVE}", users.digest(secret))
    return None if token is not None and has_expired(store, token) else token


def has_expired(store: Store, token: Token) -> bool:
    """Whether the token's day has come, or the last second of one for OAuth; revoked or not."""
    if token.kind == "oauth":
        return moment(store.now()) >= moment(token.created_at) + timedelta(seconds=OAUTH_SECONDS)
    return token.expires_at is not None and token.expires_at <= store.now()[:10]


def last_day(store: Store, day: str) -> str:
    """The day on which a token is over. GitLab takes today, for a token that never counts, so it is taken here too."""
    if day < store.now()[:10]:
        raise invalid(expires_at=["cannot be a date in the past"])
    return day


def find(
    store: Store, token_id: int, kinds: Sequence[str], *, user_id: int | None = None, source_id: int | None = None
) -> Token | None:
    """A token of one of the kinds; of an account, or of a project or group, where one is named."""
    where, args = _among(kinds, user_id, source_id)
    return store.one(Token, f"id=? AND {where}", token_id, *args)


def listed(
    kinds: Sequence[str], *, user_id: int | None = None, source_id: int | None = None, live: bool | None = None,
    revoked: bool | None = None, search: str | None = None,
) -> Listing:  # fmt: skip
    """Tokens of some kinds, oldest first."""
    where, args = _among(kinds, user_id, source_id)
    if live is not None:
        where += f" AND {'' if live else 'NOT '}{LIVE}"
    if revoked is not None:
        where += f" AND revoked={int(revoked)}"
    if search:
        where += " AND instr(lower(name), lower(?))"
        args.append(search)
    return Listing(Token, f"FROM tokens WHERE {where}", args, "tokens.id ASC")


def _among(kinds: Sequence[str], user_id: int | None, source_id: int | None) -> tuple[str, list[Any]]:
    where, args = f"kind IN ({placeholders(kinds)})", list[Any](kinds)
    for column, value in (("user_id", user_id), ("source_id", source_id)):
        if value is not None:
            where += f" AND {column}=?"
            args.append(value)
    return where, args


def issue(store: Store, kind: str, name: str, scopes: list[str], prefix: str, **more: Any) -> tuple[Token, str]:
    """A new token and, this once, its secret."""
    secret = more.pop("secret", None) or prefix + secrets.token_urlsafe(15)
    token_id = store.insert(
        "tokens", kind=kind, name=name, scopes=packed(scopes), created_at=store.now(), hash=users.digest(secret), **more
    )
    token = store.one(Token, "id=?", token_id)
    assert token is not None
    return token, secret


def revoke(store: Store, token: Token) -> None:
    store.update("tokens", token.id, revoked=1)


def rotate(store: Store, token: Token, expires_at: str | None = None) -> tuple[Token, str]:
    """The same token with another secret; the old one is revoked. What an application was given it asks for anew."""
    if token.kind == "oauth":
        raise refused(405, "405 Method Not Allowed")
    with store.transaction():
        revoke(store, token)
        return issue(
            store, token.kind, token.name, token.scope_names, "glpat-", user_id=token.user_id,
            expires_at=expires_at or token.expires_at, source_id=token.source_id, access_level=token.access_level,
            description=token.description,
        )  # fmt: skip


# -- of projects and groups --------------------------------------------------------------------------------------


def kind_of(source: Source) -> str:
    return "project" if isinstance(source, Project) else "group"


def issue_for_bot(
    store: Store, creator: User, source: Source, name: str, scopes: list[str], level: int, **more: Any
) -> tuple[Token, str]:
    """A token of a project or group: a bot that is a member there stands behind it."""
    kind, mark = kind_of(source), secrets.token_hex(8)
    username = f"{kind}_{source.id}_bot_{mark}"
    with store.transaction():
        bot = users.create(
            store, username=username, name=name, email=_noreply(store, username), password=None, bot=True
        )
        members.insert(store, creator, source, bot, level)
        return issue(
            store, kind, name, scopes, "glpat-", user_id=bot.id, source_id=source.id, access_level=level, **more
        )


def revoke_of_bot(store: Store, token: Token) -> None:
    """Its bot is a member of nothing any more."""
    with store.transaction():
        revoke(store, token)
        store.db.execute("DELETE FROM members WHERE user_id=?", (token.user_id,))


def service_accounts(store: Store, group: Namespace) -> list[User]:
    return store.all(User, "bot=1 AND json_extract(profile,'$.note')=? ORDER BY id", _service_note(group))


def create_service_account(
    store: Store, group: Namespace, *, username: str | None = None, name: str | None = None, email: str | None = None
) -> User:
    username = username or f"service_account_group_{group.id}_{secrets.token_hex(8)}"
    with store.transaction():
        return users.create(
            store, username=username, name=name or "Service account user", password=None, bot=True,
            email=email or _noreply(store, username), note=_service_note(group),
        )  # fmt: skip


def _service_note(group: Namespace) -> str:
    return f"service account of group {group.id}"


def _noreply(store: Store, username: str) -> str:
    return f"{username}@noreply.{store.company.world.host}"


# -- deploy tokens -----------------------------------------------------------------------------------------------


def issue_for_deploying(
    store: Store, source: Source, name: str, scopes: list[str], expires_at: str | None, username: str | None
) -> tuple[Token, str]:
    if not username:
        newest = store.value("SELECT max(id) FROM tokens") or 0
        username = f"gitlab+deploy-token-{newest + 1}"
    return issue(
        store, f"deploy_{kind_of(source)}", name, scopes, "gldt-", source_id=source.id, expires_at=expires_at,
        username=username,
    )  # fmt: skip


def deploy_token(store: Store, source: Source, token_id: int) -> Token:
    token = find(store, token_id, [f"deploy_{kind_of(source)}"], source_id=source.id)
    if token is None:
        raise not_found("Deploy Token")
    return token


def delete(store: Store, token: Token) -> None:
    store.delete("tokens", token.id)
