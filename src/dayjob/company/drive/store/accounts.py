"""Accounts, groups, browser sessions, apps and the small private notes clients keep (`privatedata`)."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from dayjob.company.drive.rows import User
from dayjob.company.passwords import hash_password, password_fits
from dayjob.company.rows import columns, like

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive

ADMIN_GROUP = "admin"
_BY_NAME = f"SELECT {columns(User)} FROM users WHERE username = ?"
_BY_EMAIL = f"SELECT {columns(User)} FROM users WHERE email = ? COLLATE NOCASE LIMIT 1"


class Accounts:
    """Who may come in, and what they are called."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive

    # -- users ---------------------------------------------------------------------------------------------------

    def get(self, username: str) -> User | None:
        row = self.drive.db.execute(_BY_NAME, (username,)).fetchone()
        return User(*row) if row else None

    def sign_in(self, login: str, password: str) -> User | None:
        """The enabled account these credentials belong to; the login may be the e-mail address."""
        user = self.get(login)
        if user is None and "@" in login:
            row = self.drive.db.execute(_BY_EMAIL, (login,)).fetchone()
            user = User(*row) if row else None
        if user is None or not user.enabled or not password_fits(password, user.password):
            return None
        return user

    def add(self, username: str, password: str, name: str | None = None, email: str | None = None) -> User:
        with self.drive.transaction() as db:
            root = self.drive.tree.make_root(username)
            db.execute(
                "INSERT INTO users (username, name, email, password, root) VALUES (?,?,?,?,?)",
                (username, name or username, email, hash_password(password), root.id),
            )
        user = self.get(username)
        assert user is not None
        return user

    def remove(self, user: User) -> None:
        """The account, its files, its trash, what it shared and what was shared with it."""
        with self.drive.transaction() as db:
            for share in self.drive.shares.given_by(user.username) + self.drive.shares.given_to(user.username):
                self.drive.shares.remove(share)
            for column, table in (
                ("username", "members"), ("username", "mounts"), ("username", "sessions"), ("username", "attributes"),
                ("username", "favorites"), ("username", "trash"), ("username", "locks"), ("username", "users"),
            ):  # fmt: skip
                db.execute(f"DELETE FROM {table} WHERE {column} = ?", (user.username,))
            root = self.drive.tree.get(user.username, "/")
            if root is not None:
                self.drive.tree.drop(root)

    def change(self, user: User, **values: str | int | None) -> None:
        """Set columns of the account: name, email, quota, enabled, password (given in clear)."""
        if "password" in values:
            values["password"] = hash_password(str(values["password"]))
        with self.drive.transaction() as db:
            for column, value in values.items():
                assert column in ("name", "email", "quota", "enabled", "password")
                db.execute(f"UPDATE users SET {column} = ? WHERE id = ?", (value, user.id))
            if "password" in values or values.get("enabled") == 0:
                db.execute("DELETE FROM sessions WHERE username = ?", (user.username,))

    def search(self, text: str = "", limit: int = -1, offset: int = 0) -> list[User]:
        rows = self.drive.db.execute(
            f"SELECT {columns(User)} FROM users WHERE username LIKE ? ESCAPE '\\' OR name LIKE ? ESCAPE '\\' "
            "OR email LIKE ? ESCAPE '\\' ORDER BY username LIMIT ? OFFSET ?",
            (like(text), like(text), like(text), limit, offset),
        )
        return [User(*row) for row in rows]

    def is_admin(self, username: str) -> bool:
        return self.in_group(username, ADMIN_GROUP)

    # -- groups --------------------------------------------------------------------------------------------------

    def groups(self, text: str = "", limit: int = -1, offset: int = 0) -> list[str]:
        rows = self.drive.db.execute(
            "SELECT name FROM groups WHERE name LIKE ? ESCAPE '\\' ORDER BY name LIMIT ? OFFSET ?",
            (like(text), limit, offset),
        )
        return [name for (name,) in rows]

    def has_group(self, group: str) -> bool:
        return self.drive.db.execute("SELECT 1 FROM groups WHERE name = ?", (group,)).fetchone() is not None

    def add_group(self, group: str) -> None:
        self.drive.db.execute("INSERT INTO groups VALUES (?)", (group,))

    def remove_group(self, group: str) -> None:
        with self.drive.transaction() as db:
            for share in self.drive.shares.given_to_group(group):
                self.drive.shares.remove(share)
            db.execute("DELETE FROM groups WHERE name = ?", (group,))

    def members(self, group: str, *, subadmin: bool = False) -> list[str]:
        rows = self.drive.db.execute(
            "SELECT username FROM members WHERE groupname = ? AND subadmin = ? ORDER BY username", (group, subadmin)
        )
        return [name for (name,) in rows]

    def groups_of(self, username: str, *, subadmin: bool = False) -> list[str]:
        rows = self.drive.db.execute(
            "SELECT groupname FROM members WHERE username = ? AND subadmin = ? ORDER BY groupname",
            (username, subadmin),
        )
        return [name for (name,) in rows]

    def in_group(self, username: str, group: str, *, subadmin: bool = False) -> bool:
        row = self.drive.db.execute(
            "SELECT 1 FROM members WHERE groupname = ? AND username = ? AND subadmin = ?", (group, username, subadmin)
        ).fetchone()
        return row is not None

    def join(self, username: str, group: str, *, subadmin: bool = False) -> None:
        """Put someone into a group; what is shared with the group appears in their drive."""
        with self.drive.transaction() as db:
            db.execute("INSERT OR IGNORE INTO members VALUES (?,?,?)", (group, username, subadmin))
            if not subadmin:
                for share in self.drive.shares.given_to_group(group):
                    self.drive.shares.mount(share, username)

    def leave(self, username: str, group: str, *, subadmin: bool = False) -> None:
        with self.drive.transaction() as db:
            db.execute(
                "DELETE FROM members WHERE groupname = ? AND username = ? AND subadmin = ?", (group, username, subadmin)
            )
            if not subadmin:
                for share in self.drive.shares.given_to_group(group):
                    db.execute("DELETE FROM mounts WHERE share = ? AND username = ?", (share.id, username))

    # -- browser sessions ----------------------------------------------------------------------------------------

    def open_session(self, username: str) -> str:
        """A new session's secret."""
        token = secrets.token_hex(16)
        self.drive.db.execute("INSERT INTO sessions (token, username) VALUES (?,?)", (token, username))
        return token

    def session(self, token: str) -> str | None:
        """The username of a session that is open, for an account that may still come in; empty for a visitor's."""
        row = self.drive.db.execute(
            "SELECT s.username FROM sessions s LEFT JOIN users u ON u.username = s.username "
            "WHERE s.token = ? AND (u.enabled = 1 OR s.username = '')",
            (token,),
        ).fetchone()
        return str(row[0]) if row else None

    def open_link(self, token: str | None, share: int) -> str:
        """Remember in a session (an anonymous one, if there is none) that a link's password was given."""
        if token is None or self.session(token) is None:
            token = self.open_session("")
        self.drive.db.execute("UPDATE sessions SET opened = opened || ? WHERE token = ?", (f" {share} ", token))
        return token

    def has_opened(self, token: str | None, share: int) -> bool:
        row = self.drive.db.execute("SELECT opened FROM sessions WHERE token = ?", (token,)).fetchone()
        return row is not None and f" {share} " in row[0]

    def close_session(self, token: str) -> None:
        self.drive.db.execute("DELETE FROM sessions WHERE token = ?", (token,))

    # -- apps and private notes ----------------------------------------------------------------------------------

    def apps(self, enabled: bool | None = None) -> list[str]:
        rows = self.drive.db.execute("SELECT name FROM apps WHERE ? IS NULL OR enabled = ? ORDER BY name",
                                     (enabled, enabled))  # fmt: skip
        return [name for (name,) in rows]

    def set_app(self, name: str, enabled: bool) -> None:
        self.drive.db.execute("UPDATE apps SET enabled = ? WHERE name = ?", (enabled, name))

    def attributes(self, username: str, app: str | None, key: str | None) -> list[tuple[str, str, str]]:
        return self.drive.db.execute(
            "SELECT app, key, value FROM attributes WHERE username = ? AND (? IS NULL OR app = ?) "
            "AND (? IS NULL OR key = ?) ORDER BY app, key",
            (username, app, app, key, key),
        ).fetchall()

    def set_attribute(self, username: str, app: str, key: str, value: str) -> None:
        self.drive.db.execute("INSERT OR REPLACE INTO attributes VALUES (?,?,?,?)", (username, app, key, value))

    def delete_attribute(self, username: str, app: str, key: str) -> None:
        self.drive.db.execute("DELETE FROM attributes WHERE username = ? AND app = ? AND key = ?", (username, app, key))
