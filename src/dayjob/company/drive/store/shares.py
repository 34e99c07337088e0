"""Shares: with a user, with a group, or with whoever has the link; and where received ones lie in a drive.

A share made by someone who was given the thing (a reshare) hangs on the share it came from: it cannot allow more, and
ends with it.
"""

from __future__ import annotations

import secrets
import string
from typing import TYPE_CHECKING

from dayjob.company.drive.names import below, free_name, join, name_of, parent_of
from dayjob.company.drive.rows import (
    GROUP_SHARE,
    LINK_SHARE,
    USER_SHARE,
    Mount,
    Node,
    Place,
    Share,
)
from dayjob.company.passwords import hash_password
from dayjob.company.rows import columns, placeholders

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive

_COLUMNS = columns(Share)
_LETTERS = string.ascii_letters + string.digits


def _earlier(day: str | int | None, other: str | None) -> str | None:
    """The first of two last days; None is never."""
    days = [str(one) for one in (day, other) if one is not None]
    return min(days) if days else None


class Shares:
    """All shares of one company's drive."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive

    def _find(self, where: str, *values: object, table: str = "live_shares") -> list[Share]:
        rows = self.drive.db.execute(f"SELECT {_COLUMNS} FROM {table} WHERE {where} ORDER BY id", values)
        return [Share(*row) for row in rows]

    def _reshares(self, parent: int) -> list[Share]:
        """What hangs on a share, over or not."""
        return self._find("parent = ?", parent, table="shares")

    # -- finding -------------------------------------------------------------------------------------------------

    def get(self, id: int) -> Share | None:
        found = self._find("id = ?", id)
        return found[0] if found else None

    def by_token(self, token: str) -> Share | None:
        """The public link with this token, unless its day is over."""
        found = self._find("token = ?", token)
        return found[0] if found else None

    def on(self, node: Node) -> list[Share]:
        return self._find("node = ?", node.id)

    def under(self, folder: Node) -> list[Share]:
        """Shares of what lies directly in a folder."""
        return self._find("node IN (SELECT id FROM nodes WHERE parent = ?)", folder.id)

    def given_by(self, username: str) -> list[Share]:
        return self._find("initiator = ?", username)

    def given_to(self, username: str) -> list[Share]:
        return self._find("kind = ? AND share_with = ?", USER_SHARE, username)

    def given_to_group(self, group: str) -> list[Share]:
        return self._find("kind = ? AND share_with = ?", GROUP_SHARE, group)

    def received(self, username: str) -> list[tuple[Share, str]]:
        """Every share mounted in somebody's drive, with where it lies."""
        rows = self.drive.db.execute(
            f"SELECT {columns(Share, 's')}, m.target FROM mounts m JOIN live_shares s ON s.id = m.share "
            "WHERE m.username = ? ORDER BY s.id",
            (username,),
        )
        return [(Share(*row[:-1]), row[-1]) for row in rows]

    def mount_of(self, share: Share, username: str) -> str | None:
        row = self.drive.db.execute(
            "SELECT target FROM mounts WHERE share = ? AND username = ?", (share.id, username)
        ).fetchone()
        return str(row[0]) if row else None

    def kinds_on(self, nodes: list[int]) -> dict[int, list[int]]:
        """For each node that is shared, the kinds of its shares."""
        found: dict[int, list[int]] = {}
        for start in range(0, len(nodes), 500):
            part = nodes[start : start + 500]
            for node, kind in self.drive.db.execute(
                f"SELECT DISTINCT node, kind FROM live_shares WHERE node IN ({placeholders(part)}) ORDER BY kind",
                part,
            ):
                found.setdefault(node, []).append(kind)
        return found

    # -- making --------------------------------------------------------------------------------------------------

    def add(
        self,
        place: Place,
        kind: int,
        initiator: str,
        permissions: int,
        *,
        share_with: str | None = None,
        password: str | None = None,
        expires: str | None = None,
        name: str | None = None,
    ) -> Share:
        """Share what is at a place; recipients find it in their drive at once."""
        node = place.there
        parent = self.get(place.mount.share) if place.mount else None
        expires = _earlier(expires, parent.expires if parent else None)
        with self.drive.transaction() as db:
            token = "".join(secrets.choice(_LETTERS) for _ in range(15)) if kind == LINK_SHARE else None
            id = db.execute(
                "INSERT INTO shares (kind, node, path, owner, initiator, share_with, permissions, expires, name, "
                "token, password, parent, created) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
                (kind, node.id, node.path, node.owner, initiator, share_with, permissions, expires, name, token,
                 hash_password(password) if password else None, parent.id if parent else None,
                 int(self.drive.company.clock.now().timestamp())),
            ).lastrowid  # fmt: skip
            assert id is not None
            share = self.get(id)
            assert share is not None
            if kind == USER_SHARE and share_with is not None:
                self.mount(share, share_with)
            elif kind == GROUP_SHARE and share_with is not None:
                for username in self.drive.accounts.members(share_with):
                    self.mount(share, username)
        self.drive.company.tell(
            "drive.share", {"id": share.id, "path": share.path, "by": initiator, "with": share_with}
        )
        return share

    def mount(self, share: Share, username: str) -> None:
        """Put a share into somebody's drive under a name that is free there, unless it is theirs or there already."""
        if username in (share.owner, share.initiator) or self.mount_of(share, username) is not None:
            return
        root = self.drive.tree.get(username, "/")
        if root is None:
            return
        taken = self.drive.tree.child_names(root)
        rows = self.drive.db.execute("SELECT target FROM mounts WHERE username = ? AND folder = '/'", (username,))
        taken.update(name_of(target) for (target,) in rows)
        target = join("/", free_name(name_of(share.path), taken))
        self.drive.db.execute("INSERT INTO mounts VALUES (?,?,?,?)", (username, target, "/", share.id))

    # -- changing ------------------------------------------------------------------------------------------------

    def change(self, share: Share, **values: str | int | None) -> Share:
        """Set permissions, expires, name or password (given in clear; None takes it off)."""
        if values.get("password") is not None:
            values["password"] = hash_password(str(values["password"]))
        if "expires" in values and share.parent is not None and (parent := self.get(share.parent)) is not None:
            values["expires"] = _earlier(values["expires"], parent.expires)
        with self.drive.transaction() as db:
            for column, value in values.items():
                assert column in ("permissions", "expires", "name", "password")
                db.execute(f"UPDATE shares SET {column} = ? WHERE id = ?", (value, share.id))
            if "permissions" in values:
                self._limit_reshares(share.id, int(values["permissions"] or 0))
            if values.get("expires") is not None:
                self._end_reshares(share.id, str(values["expires"]))
        found = self.get(share.id)
        assert found is not None
        return found

    def _limit_reshares(self, parent: int, permissions: int) -> None:
        for one in self._reshares(parent):
            self.drive.db.execute("UPDATE shares SET permissions = permissions & ? WHERE id = ?", (permissions, one.id))
            self._limit_reshares(one.id, one.permissions & permissions)

    def _end_reshares(self, parent: int, expires: str) -> None:
        for one in self._reshares(parent):
            if one.expires is None or one.expires > expires:
                self.drive.db.execute("UPDATE shares SET expires = ? WHERE id = ?", (expires, one.id))
                self._end_reshares(one.id, expires)

    def remove(self, share: Share) -> None:
        with self.drive.transaction() as db:
            for one in self._reshares(share.id):
                self.remove(one)
            db.execute("DELETE FROM shares WHERE id = ?", (share.id,))

    def decline(self, id: int, username: str) -> None:
        """Take a received share out of one's own drive; a share with a group stays for the others."""
        share = self.get(id)
        if share is not None and share.kind == USER_SHARE:
            self.remove(share)
        else:
            self.drive.db.execute("DELETE FROM mounts WHERE share = ? AND username = ?", (id, username))

    def forget_under(self, node: Node) -> None:
        """End the shares of a node and all under it: it has gone to another owner."""
        low, high = below(node.path)
        for share in self._find(
            "node IN (SELECT id FROM nodes WHERE owner = ? AND (path = ? OR path >= ? AND path < ?))",
            node.owner, node.path, low, high, table="shares",
        ):  # fmt: skip
            self.remove(share)

    # -- where received shares lie -------------------------------------------------------------------------------

    def move_mount(self, mount: Mount, username: str, target: str) -> None:
        self.drive.db.execute(
            "UPDATE mounts SET target = ?, folder = ? WHERE username = ? AND target = ?",
            (target, parent_of(target), username, mount.target),
        )

    def mounts_follow(self, username: str, old: str, new: str) -> None:
        """A folder of somebody's own was moved: the shares mounted in it move along."""
        low, high = below(old)
        for (target,) in self.drive.db.execute(
            "SELECT target FROM mounts WHERE username = ? AND target >= ? AND target < ?", (username, low, high)
        ).fetchall():
            moved = new + target[len(old) :]
            self.drive.db.execute(
                "UPDATE mounts SET target = ?, folder = ? WHERE username = ? AND target = ?",
                (moved, parent_of(moved), username, target),
            )

    def mounts_home(self, username: str, folder: str) -> None:
        """A folder of somebody's own goes away: the shares mounted in it come back to the top."""
        low, high = below(folder)
        rows = self.drive.db.execute(
            "SELECT share FROM mounts WHERE username = ? AND target >= ? AND target < ?", (username, low, high)
        ).fetchall()
        for (id,) in rows:
            self.drive.db.execute("DELETE FROM mounts WHERE share = ? AND username = ?", (id, username))
            share = self.get(id)
            if share is not None:
                self.mount(share, username)
