"""Accounts: registering, signing in, tokens, profiles, presence, leaving for good.

A password is kept as a salted hash of its SHA-256, because clients may send either the password or that digest.
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from collections.abc import Sequence
from typing import Any

from dayjob.company.chat.defaults import BOT_ID
from dayjob.company.chat.errors import ChatError, no_user
from dayjob.company.chat.rows import User
from dayjob.company.chat.store.base import Page, Part
from dayjob.company.chat.store.conditions import ALL, Condition, among, holding
from dayjob.company.passwords import hash_password, password_fits
from dayjob.company.rows import like, packed

STATUSES = ("online", "away", "busy", "offline")
ACTIVE = Condition("active")
PEOPLE = Condition("active AND type = 'user'")
_ONLINE = Condition("status != 'offline'")
_EMAIL = re.compile(r"[^@\s\x00]+@[^@\s\x00]+")
_USERNAME = re.compile(r"[0-9a-zA-Z-_.]+")
_RESERVED = {"all", "here"}  # they mean everybody in a mention


def digest(password: str) -> str:
    """What a client sends in place of a password."""
    return hashlib.sha256(password.encode()).hexdigest()


def token_hash(token: str) -> str:
    return base64.b64encode(hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()).decode()


# What of their own account people change only while a setting allows it; without a column: anything at all.
_OWN_CHANGES = (
    (None, "Accounts_AllowUserProfileChange", "Not allowed"),
    ("username", "Accounts_AllowUsernameChange", "Not allowed"),
    ("name", "Accounts_AllowRealNameChange", "Not allowed"),
    ("email", "Accounts_AllowEmailChange", "Changing email is not allowed"),
    ("password", "Accounts_AllowPasswordChange", "Changing password is not allowed"),
    ("status_text", "Accounts_AllowUserStatusMessageChange", "Change status is not allowed"),
)


class Accounts(Part):
    """The people (and bots) of the workspace."""

    # -- finding -------------------------------------------------------------------------------------------------

    def get(self, id: str) -> User | None:
        return self.store.one(User, "users WHERE id = ?", id)

    def named(self, username: str) -> User | None:
        return self.store.one(User, "users WHERE username = ?", username.removeprefix("@"))

    def by_email(self, email: str) -> User | None:
        return self.store.one(User, "users WHERE email = ?", email)

    def count(self) -> int:
        """People, without the service's own bot."""
        return int(self.store.value("SELECT count(*) FROM users WHERE id != ?", BOT_ID))

    def listing(self, page: Page, condition: Condition = ALL) -> tuple[list[User], int]:
        """Accounts in order, and how many there are in all."""
        where, arguments = condition.sql, condition.arguments
        return self.store.page(User, f"users WHERE {where}", page, page.order or "username", *arguments)

    def by_status(
        self, page: Page, *, active: bool | None, logged_in: bool | None, text: str = ""
    ) -> tuple[list[User], int]:
        """Accounts as administrators look for them; None asks for both kinds."""
        condition = self.holding(text) if text else ALL
        if active is not None:
            condition &= Condition("active = ?", (active,))
        if logged_in is not None:
            condition &= Condition(f"last_login IS {'NOT ' if logged_in else ''}NULL")
        return self.listing(page, condition)

    def present(self, ids: Sequence[str], since: str | None) -> list[User]:
        """Active people: those with these ids, else those changed since a moment, else all who are not offline."""
        condition = among("id", ids) if ids else Condition("updated_at > ?", (since,)) if since else _ONLINE
        return self.listing(Page(count=0), ACTIVE & condition)[0]

    def directory(self, page: Page, text: str) -> tuple[list[User], int]:
        """Active accounts whose name or username holds the text."""
        return self.listing(page, ACTIVE & holding(text, "username", "name"))

    def colleagues(self, page: Page, user: User) -> list[User]:
        """Everybody active but this person."""
        return self.listing(page, ACTIVE & Condition("id != ?", (user.id,)))[0]

    @staticmethod
    def holding(text: str) -> Condition:
        """The text stands in the username, the name or the address."""
        return holding(text, "username", "name", "email")

    def active_count(self) -> int:
        return int(self.store.value("SELECT count(*) FROM users WHERE active"))

    def names(self, id: str) -> tuple[str, str] | None:
        """The username and the name of an account."""
        found = self.store.rows("SELECT username, name FROM users WHERE id = ?", id)
        return (found[0][0], found[0][1]) if found else None

    def matching(self, text: str, limit: int, *, without: list[str] | None = None) -> list[User]:
        """Active people whose name or username contains the text."""
        pattern = like(text)
        found = self.store.many(
            User,
            "users WHERE active AND (username LIKE ? ESCAPE '\\' OR name LIKE ? ESCAPE '\\') ORDER BY username LIMIT ?",
            pattern, pattern, limit + len(without or ()),
        )  # fmt: skip
        return [user for user in found if user.username not in (without or ())][:limit]

    # -- coming and going ----------------------------------------------------------------------------------------

    def register(
        self,
        *,
        username: str,
        name: str,
        email: str | None,
        password: str | None,
        roles: list[str] | None = None,
        join_defaults: bool = True,
        verified: bool = False,
        active: bool = True,
        type: str = "user",
        bio: str | None = None,
        status_text: str = "",
        custom_fields: dict[str, Any] | None = None,
        must_change_password: bool = False,
    ) -> User:
        """Add an account. The first person of a workspace becomes its administrator."""
        self._check_username(username)
        if email is not None:
            self._check_email(email)
        if roles is None:
            roles = ["user"] if self.count() else ["user", "admin"]
        now = self.store.now()
        id = self.store.ids.short()
        with self.store.change():
            self.store.insert(
                "users", id=id, username=username, name=name or username, email=email, email_verified=verified,
                type=type, roles=packed(roles), active=active, bio=bio, status_text=status_text,
                custom_fields=packed(custom_fields) if custom_fields is not None else None,
                must_change_password=must_change_password, created_at=now, updated_at=now,
            )  # fmt: skip
            if password is not None:
                self._set_password(id, digest(password))
            user = self._must(id)
            if join_defaults:
                for room in self.store.rooms.defaults():
                    self.store.members.add(room, user)
            self.store.announce("user", user_id=id)
        return self._must(id)

    def sign_up(self, *, username: str, name: str, email: str, password: str) -> User:
        """Somebody makes an account for themselves, with the roles and the approval that the workspace asks for."""
        if not self.count():
            return self.register(username=username, name=name, email=email, password=password)
        settings = self.store.settings
        wanted = str(settings.get("Accounts_Registration_Users_Default_Roles") or "").split(",")
        roles = [self.store.access.role(one.strip()).id for one in wanted if one.strip()]
        active = not settings.get("Accounts_ManuallyApproveNewUsers")
        return self.register(
            username=username, name=name, email=email, password=password, roles=roles or ["user"], active=active
        )

    def _must(self, id: str) -> User:
        found = self.get(id)
        if found is None:
            raise no_user()
        return found

    def _check_username(self, username: str, but: str | None = None) -> None:
        if not _USERNAME.fullmatch(username) or username.lower() in _RESERVED:
            raise ChatError(
                f"{username} is not a valid username, use only letters, numbers, dots, hyphens and underscores",
                "error-invalid-username",
            )
        other = self.named(username)
        if other is not None and other.id != but:
            raise ChatError(f"{username} is already in use :(", "error-field-unavailable")

    def _check_email(self, email: str, but: str | None = None) -> None:
        if not _EMAIL.fullmatch(email) or len(email) > 254:
            raise ChatError(f"Invalid email {email}", "error-invalid-email")
        other = self.by_email(email)
        if other is not None and other.id != but:
            raise ChatError(f"{email} is already in use :(", "error-field-unavailable")

    def username_free(self, username: str) -> bool:
        return bool(_USERNAME.fullmatch(username)) and username.lower() not in _RESERVED and not self.named(username)

    def suggestion(self, user: User) -> str:
        """A username that is free, made from a person's name."""
        base = re.sub(r"[^0-9a-zA-Z-_.]+", ".", user.name.strip().lower()).strip(".") or "user"
        name, number = base, 0
        while not self.username_free(name):
            number += 1
            name = f"{base}-{number}"
        return name

    def delete(self, user: User, *, relinquish: bool = False) -> list[str]:
        """Remove an account with its messages and direct rooms; answers the names of rooms that went with it.

        Rooms of which they are the last owner go to another member, or (private ones without one) are removed, but
        only when `relinquish` says so.
        """
        if user.id == BOT_ID:
            raise ChatError("The service's own bot cannot be deleted", "error-not-allowed")
        access = self.store.access
        if "admin" in user.role_list() and access.holders(access.role("admin")) == 1:
            raise ChatError("Leaving the app without admins is not allowed", "error-action-not-allowed")
        handed_over, removed = self.store.members.left_without(user)
        if (handed_over or removed) and not relinquish:
            raise ChatError("", "user-last-owner")
        gone = []
        with self.store.change():
            for room, heir in handed_over:
                self.store.members.set_role(room.id, heir, "owner", held=True, quiet=True)
            for room in removed:
                gone.append(room.name or room.id)
                self.store.rooms.delete(room)
            for room in self.store.rooms.directs_of(user):
                self.store.rooms.delete(room)
            self.store.messages.leave_behind(user)
            self.store.members.remove_everywhere(user)
            self.drop_tokens(user)
            self.store.run("DELETE FROM passwords WHERE user_id = ?", user.id)
            self.store.run("DELETE FROM team_members WHERE user_id = ?", user.id)
            self.store.run("DELETE FROM users WHERE id = ?", user.id)
            self.store.announce("user-gone", user_id=user.id)
        return gone

    # -- signing in ----------------------------------------------------------------------------------------------

    def sign_in(self, name: str, password_digest: str) -> User | None:
        """The account with this username or email, if the password is theirs and they are active."""
        user = self.by_email(name) if "@" in name.lstrip("@") else self.named(name)
        user = user or self.named(name)
        if user is None or not user.active:
            return None
        return user if self.password_is(user, password_digest) else None

    def password_is(self, user: User, password_digest: str) -> bool:
        kept = self.store.rows("SELECT hash FROM passwords WHERE user_id = ?", user.id)
        return bool(kept) and password_fits(password_digest.lower(), kept[0][0])

    def _set_password(self, user_id: str, password_digest: str) -> None:
        kept = hash_password(password_digest)
        self.store.run("INSERT OR REPLACE INTO passwords (user_id, hash) VALUES (?, ?)", user_id, kept)

    def set_password(self, user: User, password: str) -> None:
        if not password:
            raise ChatError("The password is empty", "error-password-policy-not-met")
        with self.store.change():
            self._set_password(user.id, digest(password))

    def mint_token(self, username: str, *, name: str | None = None, bypass: bool = False) -> str:
        """A new token that signs its bearer in as this account (colleagues without a password use it)."""
        user = self.named(username)
        if user is None:
            raise no_user()
        token = secrets.token_urlsafe(32)
        with self.store.change():
            self.store.insert(
                "tokens", hash=token_hash(token), user_id=user.id, name=name, last_part=token[-6:], bypass=bypass,
                created_at=self.store.now(),
            )  # fmt: skip
            if name is None:
                self.store.update("users", user.id, last_login=self.store.now())
        return token

    def bearer(self, token: str, user_id: str | None = None) -> User | None:
        """Whose token this is; with `user_id`, only if it is theirs."""
        if user_id is None:
            return self.store.one(
                User, "users u JOIN tokens t ON t.user_id = u.id WHERE t.hash = ? AND u.active", token_hash(token)
            )
        return self.store.one(
            User,
            "users u JOIN tokens t ON t.user_id = u.id WHERE t.hash = ? AND u.id = ? AND u.active",
            token_hash(token), user_id,
        )  # fmt: skip

    def revoke(self, token: str) -> None:
        self.store.run("DELETE FROM tokens WHERE hash = ?", token_hash(token))

    def revoke_others(self, user: User, but: str | None) -> None:
        """End every session of an account except one; personal tokens stay."""
        self.store.run(
            "DELETE FROM tokens WHERE user_id = ? AND name IS NULL AND hash != ?",
            user.id, token_hash(but) if but else "",
        )  # fmt: skip

    def drop_tokens(self, user: User) -> None:
        """End every session of an account, and its personal tokens."""
        self.store.run("DELETE FROM tokens WHERE user_id = ?", user.id)

    # -- personal access tokens ----------------------------------------------------------------------------------

    def personal_tokens(self, user: User) -> list[tuple[str, str, str, bool]]:
        """(name, created, last part, bypasses two-factor) of each."""
        return [
            (name, created, last, bool(bypass))
            for name, created, last, bypass in self.store.rows(
                "SELECT name, created_at, last_part, bypass FROM tokens WHERE user_id = ? AND name IS NOT NULL "
                "ORDER BY created_at, name",
                user.id,
            )
        ]

    def personal_token(self, user: User, name: str, *, bypass: bool) -> str:
        if self._has_token(user, name):
            raise ChatError("A token with this name already exists", "error-token-already-exists")
        return self.mint_token(user.username, name=name, bypass=bypass)

    def renew_personal_token(self, user: User, name: str) -> str:
        if not self._has_token(user, name):
            raise ChatError("Token does not exist", "error-token-does-not-exists")
        with self.store.change():
            self.store.run("DELETE FROM tokens WHERE user_id = ? AND name = ?", user.id, name)
            return self.mint_token(user.username, name=name)

    def remove_personal_token(self, user: User, name: str) -> None:
        if not self._has_token(user, name):
            raise ChatError("Token does not exist", "error-token-does-not-exists")
        self.store.run("DELETE FROM tokens WHERE user_id = ? AND name = ?", user.id, name)

    def _has_token(self, user: User, name: str) -> bool:
        return self.store.value("SELECT 1 FROM tokens WHERE user_id = ? AND name = ?", user.id, name) is not None

    # -- profiles ------------------------------------------------------------------------------------------------

    def change_own(self, user: User, **values: Any) -> User:
        """What people change of their own account, as far as the workspace lets them."""
        for column, setting, words in _OWN_CHANGES:
            changes = column is None or (column in values and values[column] != getattr(user, column, None))
            if changes and not self.store.settings.get(setting):
                raise ChatError(words, "error-not-allowed")
        return self.change_profile(user, **values)

    def change_profile(self, user: User, **values: Any) -> User:
        """Set columns of an account after checking those that must be unique; `password` is one of them too."""
        password = values.pop("password", None)
        if "username" in values:
            self._check_username(values["username"], user.id)
        if values.get("email") is not None:
            self._check_email(values["email"], user.id)
        with self.store.change():
            if password:
                self.set_password(user, password)
            self.store.update("users", user.id, **values, updated_at=self.store.now())
            if {"username", "name"} & set(values):
                renamed = self._must(user.id)
                self.store.run(
                    "UPDATE messages SET username = ?, user_name = ? WHERE user_id = ?",
                    renamed.username, renamed.name, user.id,
                )  # fmt: skip
            self.store.announce("user", user_id=user.id)
        return self._must(user.id)

    def set_active(self, user: User, active: bool, *, relinquish: bool) -> User:
        if not active:
            if "admin" in user.role_list() and not self._other_active_admins(user):
                raise ChatError("Leaving the app without an active admin is not allowed", "error-action-not-allowed")
            handed_over, removed = self.store.members.left_without(user)
            if (handed_over or removed) and not relinquish:
                raise ChatError("", "user-last-owner")
        with self.store.change():
            if not active:
                self.drop_tokens(user)
                for room, heir in handed_over:
                    self.store.members.set_role(room.id, heir, "owner", held=True, quiet=True)
            return self.change_profile(user, active=active)

    def _other_active_admins(self, user: User) -> int:
        found: int = self.store.value(
            "SELECT count(*) FROM users u WHERE u.active AND u.id != ? AND "
            "EXISTS (SELECT 1 FROM json_each(u.roles) r WHERE r.value = 'admin')",
            user.id,
        )
        return found

    # -- presence ------------------------------------------------------------------------------------------------

    def set_status(self, user: User, *, text: str | None = None, status: str | None = None) -> None:
        """What a person says about themselves."""
        values: dict[str, Any] = {}
        if text is not None and not self.store.settings.get("Accounts_AllowUserStatusMessageChange"):
            raise ChatError("Change status is not allowed", "error-not-allowed")
        if status == "offline" and not self.store.settings.get("Accounts_AllowInvisibleStatusOption"):
            raise ChatError("Invisible status is disabled", "error-status-not-allowed")
        if text is not None:
            values["status_text"] = text[:120]
        if status is not None:
            if status not in STATUSES:
                raise ChatError("Valid status types include online, away, offline, and busy.", "error-invalid-status")
            values |= {"status": status, "status_default": status}
        if values:
            with self.store.change():
                self.store.update("users", user.id, **values, updated_at=self.store.now())
                self.store.announce("user", user_id=user.id)

    def connected(self, user_id: str, status: str) -> None:
        """A realtime connection came, went idle or ended; what a person chose for themselves wins while they are "
        "here."""
        user = self.get(user_id)
        if user is None or user.id == BOT_ID:
            return
        shown = user.status_default if status == "online" else status
        if shown != user.status:
            with self.store.change():
                self.store.update("users", user.id, status=shown, updated_at=self.store.now())
                self.store.announce("user", user_id=user.id)
