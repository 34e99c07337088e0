"""Accounts: who they are, how they prove it (password, token, session), and their keys and addresses."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar

from dayjob.company.forge.store.base import Store, dumps, invalid, refused

USERNAME = re.compile(r"(?!.*\.(git|atom)$)[A-Za-z0-9_][A-Za-z0-9_.-]*")
PROFILE = (
    "bio", "location", "public_email", "skype", "linkedin", "twitter", "discord", "website_url", "organization",
    "job_title", "pronouns", "note", "private_profile", "projects_limit", "can_create_group", "theme_id",
    "color_scheme_id", "two_factor_enabled", "commit_email", "identities", "status", "notification", "preferences",
)  # fmt: skip


@dataclass(slots=True)
class User:
    """An account of the forge."""

    TABLE: ClassVar[str] = "users"
    id: int
    username: str
    name: str
    email: str
    state: str
    admin: int
    bot: int
    external: int
    profile: str
    avatar: str | None
    created_at: str
    confirmed_at: str | None
    last_activity_on: str | None
    sign_in_count: int

    @property
    def facts(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.profile)
        return found


@dataclass(slots=True)
class Token:
    """An access token; the secret itself is only known as a hash."""

    TABLE: ClassVar[str] = "tokens"
    id: int
    kind: str  # personal, impersonation, project, group, deploy_project, deploy_group
    user_id: int | None
    name: str
    description: str | None
    scopes: str
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    revoked: int
    source_id: int | None
    access_level: int | None
    username: str | None


@dataclass(slots=True)
class SshKey:
    """A public key: a person's, or a deploy key of projects."""

    TABLE: ClassVar[str] = "ssh_keys"
    id: int
    user_id: int | None
    kind: str
    title: str
    key: str
    fingerprint: str
    fingerprint_sha256: str
    created_at: str
    expires_at: str | None
    usage_type: str


@dataclass(slots=True)
class Email:
    """A further address of an account."""

    TABLE: ClassVar[str] = "emails"
    id: int
    user_id: int
    email: str
    confirmed_at: str | None


def find(store: Store, name: str | int) -> User | None:
    """By id or username."""
    if isinstance(name, int) or (name.isascii() and name.isdigit()):
        return store.one(User, "id=?", int(name)) if int(name) < 2**63 else None
    return store.one(User, "username=?", name)


def create(store: Store, *, username: str, name: str, email: str, password: str | None, **more: Any) -> User:
    """A new account with its own namespace."""
    problems: dict[str, list[str]] = {}
    if not USERNAME.fullmatch(username):
        problems["username"] = [
            "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or "
            "'.atom'."
        ]
    if password is not None and len(password) < 8:
        problems["password"] = ["is too short (minimum is 8 characters)"]
    if not re.fullmatch(r"[^@\s]+@[^@\s]+", email):
        problems["email"] = ["is invalid"]
    if problems:
        raise invalid(**problems)
    if store.value("SELECT 1 FROM users WHERE email=? UNION SELECT 1 FROM emails WHERE email=?", email, email):
        raise refused(409, "Email has already been taken")
    if store.value(
        "SELECT 1 FROM users WHERE username=? UNION SELECT 1 FROM namespaces WHERE full_path=?", username, username
    ):
        raise refused(409, "Username has already been taken")
    now = store.now()
    user_id = store.insert(
        "users",
        username=username,
        name=name,
        email=email,
        state=more.get("state", "active"),
        admin=int(bool(more.get("admin"))),
        bot=int(bool(more.get("bot"))),
        external=int(bool(more.get("external"))),
        profile=dumps({key: more[key] for key in PROFILE if more.get(key) is not None}),
        avatar=more.get("avatar"),
        created_at=now,
        confirmed_at=now,
    )
    if password is not None:
        set_password(store, user_id, password)
    if not more.get("bot"):
        store.insert(
            "namespaces",
            kind="user",
            name=name,
            path=username,
            full_path=username,
            owner_id=user_id,
            created_at=now,
            visibility=20,
        )
    found = store.one(User, "id=?", user_id)
    assert found is not None
    return found


def ids_of(store: Store, usernames: Collection[str]) -> list[int]:
    """The ids of the accounts among these usernames."""
    return store.values(f"SELECT id FROM users WHERE username IN ({','.join('?' * len(usernames))})", *usernames)


def usernames_by_address(store: Store, addresses: Collection[str]) -> dict[str, str]:
    """Whose main address each of these is, where there is such an account."""
    marks = ",".join("?" * len(addresses))
    rows = store.db.execute(f"SELECT email, username FROM users WHERE email IN ({marks})", tuple(addresses)).fetchall()
    known = {email.lower(): username for email, username in rows}
    return {address: known[address.lower()] for address in addresses if address.lower() in known}


def set_profile(store: Store, user: User, **facts: Any) -> None:
    store.update("users", user.id, profile=dumps({**user.facts, **facts}))


# -- proofs ------------------------------------------------------------------------------------------------------


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def salted(salt: str, password: str) -> str:
    return digest(f"{salt}\0{password}")


def set_password(store: Store, user_id: int, password: str) -> None:
    salt = secrets.token_hex(8)
    store.db.execute("INSERT OR REPLACE INTO passwords VALUES (?,?,?)", (user_id, salt, salted(salt, password)))


def by_password(store: Store, login: str, password: str) -> User | None:
    """The active account with this username or address and this password."""
    user = store.one(User, "(username=? OR email=?) AND state='active'", login, login)
    if user is None:
        return None
    row = store.db.execute("SELECT salt, hash FROM passwords WHERE user_id=?", (user.id,)).fetchone()
    if row is None or not hmac.compare_digest(salted(row[0], password), row[1]):
        return None
    return user


LIVE_TOKEN = "(revoked=0 AND (expires_at IS NULL OR expires_at>today()))"
"""A WHERE condition: the tokens that count. One is over from the first moment of the day it expires on."""


def by_token(store: Store, secret: str) -> Token | None:
    """The token behind a secret, if it counts."""
    return store.one(Token, f"hash=? AND {LIVE_TOKEN}", digest(secret))


def has_expired(store: Store, token: Token) -> bool:
    """Whether the token's day has come, revoked or not."""
    return token.expires_at is not None and token.expires_at <= store.now()[:10]


def issue_token(store: Store, kind: str, name: str, scopes: list[str], prefix: str, **more: Any) -> tuple[Token, str]:
    """A new token and, this once, its secret."""
    secret = more.pop("secret", None) or prefix + secrets.token_urlsafe(15)
    token_id = store.insert(
        "tokens", kind=kind, name=name, scopes=dumps(scopes), created_at=store.now(), hash=digest(secret), **more
    )
    token = store.one(Token, "id=?", token_id)
    assert token is not None
    return token, secret


def open_session(store: Store, user: User) -> str:
    secret = secrets.token_hex(16)
    store.db.execute("INSERT INTO sessions VALUES (?,?,?)", (digest(secret), user.id, store.now()))
    store.db.execute("UPDATE users SET sign_in_count=sign_in_count+1 WHERE id=?", (user.id,))
    return secret


def close_session(store: Store, secret: str) -> None:
    store.db.execute("DELETE FROM sessions WHERE hash=?", (digest(secret),))


def by_session(store: Store, secret: str) -> User | None:
    user_id = store.value("SELECT user_id FROM sessions WHERE hash=?", digest(secret))
    return store.one(User, "id=? AND state='active'", user_id) if user_id is not None else None


def set_account_secrets(store: Store, username: str, password: str | None, token: str | None) -> None:
    """Replace an account's password, tokens and sessions."""
    user = store.one(User, "username=?", username)
    if user is None:
        return
    with store.transaction():
        store.db.execute("DELETE FROM sessions WHERE user_id=?", (user.id,))
        if password is not None:
            set_password(store, user.id, password)
        if token is not None:
            kept = store.db.execute("SELECT scopes FROM tokens WHERE user_id=? ORDER BY id", (user.id,)).fetchone()
            scopes = json.loads(kept[0]) if kept else ["api", "sudo"]
            store.db.execute("DELETE FROM tokens WHERE user_id=?", (user.id,))
            issue_token(store, "personal", f"{username}'s token", scopes, "", user_id=user.id, secret=token)


# -- keys --------------------------------------------------------------------------------------------------------


def fingerprints(key: str) -> tuple[str, str] | None:
    """MD5 and SHA-256 fingerprints of an OpenSSH public key, or None when it is not one."""
    parts = key.split()
    if len(parts) < 2 or not re.fullmatch(r"(sk-)?(ssh|ecdsa)-[a-z0-9@.-]+", parts[0]):
        return None
    try:
        raw = base64.b64decode(parts[1], validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(raw) < 16 or raw[4 : 4 + int.from_bytes(raw[:4], "big")].decode("latin-1") != parts[0]:
        return None
    md5 = hashlib.md5(raw, usedforsecurity=False).hexdigest()
    sha = base64.b64encode(hashlib.sha256(raw).digest()).rstrip(b"=").decode()
    return ":".join(re.findall("..", md5)), f"SHA256:{sha}"


def add_key(
    store: Store, kind: str, user_id: int | None, title: str, key: str, expires_at: str | None = None
) -> SshKey:
    prints = fingerprints(key)
    if prints is None:
        raise invalid(key=["is invalid"])
    if store.value("SELECT 1 FROM ssh_keys WHERE fingerprint_sha256=?", prints[1]):
        raise invalid(fingerprint_sha256=["has already been taken"], key=["has already been taken"])
    key_id = store.insert(
        "ssh_keys", user_id=user_id, kind=kind, title=title, key=key.strip(), fingerprint=prints[0],
        fingerprint_sha256=prints[1], created_at=store.now(), expires_at=expires_at,
    )  # fmt: skip
    found = store.one(SshKey, "id=?", key_id)
    assert found is not None
    return found
