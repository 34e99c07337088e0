"""Accounts: who they are, their addresses, and how they prove it (password, session)."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Collection
from typing import Any

from dayjob.company.forge.errors import invalid, refused
from dayjob.company.forge.rows.people import Email, User
from dayjob.company.forge.store import settings
from dayjob.company.forge.store.base import Listing, Store
from dayjob.company.passwords import hash_password, password_fits
from dayjob.company.rows import packed, placeholders

USERNAME = re.compile(r"(?!.*\.(git|atom)$)[A-Za-z0-9_][A-Za-z0-9_.-]*")
PROFILE = (
    "bio", "location", "public_email", "skype", "linkedin", "twitter", "discord", "website_url", "organization",
    "job_title", "pronouns", "note", "private_profile", "projects_limit", "can_create_group", "theme_id",
    "color_scheme_id", "two_factor_enabled", "commit_email", "identities", "status", "notification", "preferences",
)  # fmt: skip


def find(store: Store, name: str | int) -> User | None:
    """By id or username."""
    if isinstance(name, int) or (name.isascii() and name.isdigit()):
        return store.one(User, "id=?", int(name)) if int(name) < 2**63 else None
    return store.one(User, "username=?", name)


def by_id(store: Store, user_id: int | None) -> User | None:
    return store.one(User, "id=?", user_id) if user_id is not None else None


def active(store: Store, user_id: int | None) -> User | None:
    """An account that may come in."""
    user = by_id(store, user_id)
    return user if user is not None and user.state == "active" else None


def by_email(store: Store, address: str) -> User | None:
    """By the address of the account itself, not by a further one."""
    return store.one(User, "email=?", address)


def again(store: Store, user: User) -> User:
    """The account as it is now."""
    fresh = by_id(store, user.id)
    assert fresh is not None
    return fresh


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
    if is_address_taken(store, email):
        raise refused(409, "Email has already been taken")
    if store.value(
        "SELECT 1 FROM users WHERE username=? UNION SELECT 1 FROM namespaces WHERE full_path=?", username, username
    ):
        raise refused(409, "Username has already been taken")
    profile = {key: more[key] for key in PROFILE if more.get(key) is not None}
    limit = settings.get(store, "default_projects_limit")
    if limit != settings.DEFAULTS["default_projects_limit"]:
        profile.setdefault("projects_limit", limit)
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
        profile=packed(profile),
        avatar=more.get("avatar"),
        created_at=now,
        confirmed_at=now,
    )
    if password is not None:
        set_password(store, user_id, password)
    if not more.get("bot"):
        store.insert("namespaces", **personal_namespace(user_id, username, name, now))
    return store.get(User, user_id)


def personal_namespace(user_id: int, username: str, name: str, created_at: str) -> dict[str, Any]:
    """The namespace of an account's own projects, as a row."""
    address = {"path": username, "full_path": username}
    return {"kind": "user", "name": name, **address, "owner_id": user_id, "visibility": 20, "created_at": created_at}


def ids_of(store: Store, usernames: Collection[str]) -> list[int]:
    """The ids of the accounts among these usernames."""
    return store.values(f"SELECT id FROM users WHERE username IN ({placeholders(usernames)})", *usernames)


def usernames_by_address(store: Store, addresses: Collection[str]) -> dict[str, str]:
    """Whose main address each of these is, where there is such an account."""
    marks = placeholders(addresses)
    rows = store.db.execute(f"SELECT email, username FROM users WHERE email IN ({marks})", tuple(addresses)).fetchall()
    known = {email.lower(): username for email, username in rows}
    return {address: known[address.lower()] for address in addresses if address.lower() in known}


def set_profile(store: Store, user: User, **facts: Any) -> None:
    store.update("users", user.id, profile=packed({**user.facts, **facts}))


def set_avatar(store: Store, user: User, avatar: str) -> None:
    store.update("users", user.id, avatar=avatar)


# -- further addresses -------------------------------------------------------------------------------------------


def emails(user: User) -> Listing:
    return Listing(Email, "FROM emails WHERE user_id=?", (user.id,), "emails.id ASC")


def email(store: Store, user: User, email_id: int) -> Email:
    return store.required(Email, "id=? AND user_id=?", email_id, user.id, name="Email")


def add_email(store: Store, user: User, address: str, *, confirmed: bool = False) -> Email:
    """A further address. An administrator's counts as confirmed at once."""
    if "@" not in address:
        raise invalid(email=["is invalid"])
    if is_address_taken(store, address):
        raise invalid(email=["has already been taken"])
    confirmed_at = store.now() if confirmed or user.admin else None
    email_id = store.insert("emails", user_id=user.id, email=address, confirmed_at=confirmed_at)
    return email(store, user, email_id)


def delete_email(store: Store, user: User, email_id: int) -> None:
    store.delete("emails", email(store, user, email_id).id)


def is_address_taken(store: Store, address: str, *, by_others_than: User | None = None) -> bool:
    """Whether an account has the address, be it as a further one."""
    taken = "SELECT 1 FROM users WHERE email=? AND id<>? UNION SELECT 1 FROM emails WHERE email=? AND user_id<>?"
    owner = by_others_than.id if by_others_than is not None else 0
    return bool(store.value(taken, address, owner, address, owner))


# -- proofs ------------------------------------------------------------------------------------------------------


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def set_password(store: Store, user_id: int, password: str) -> None:
    store.db.execute("INSERT OR REPLACE INTO passwords VALUES (?,?)", (user_id, hash_password(password)))


def by_password(store: Store, login: str, password: str) -> User | None:
    """The active account with this username or address and this password."""
    user = store.one(User, "(username=? OR email=?) AND state='active'", login, login)
    if user is None:
        return None
    kept = store.value("SELECT hash FROM passwords WHERE user_id=?", user.id)
    return user if kept is not None and password_fits(password, kept) else None


def open_session(store: Store, user: User) -> str:
    secret = secrets.token_hex(16)
    store.db.execute("INSERT INTO sessions VALUES (?,?,?)", (digest(secret), user.id, store.now()))
    store.db.execute("UPDATE users SET sign_in_count=sign_in_count+1 WHERE id=?", (user.id,))
    return secret


def close_session(store: Store, secret: str) -> None:
    store.db.execute("DELETE FROM sessions WHERE hash=?", (digest(secret),))


def by_session(store: Store, secret: str) -> User | None:
    user_id = store.value("SELECT user_id FROM sessions WHERE hash=?", digest(secret))
    return active(store, user_id)
