"""WebDAV write locks: exclusive or shared, on one resource or a whole folder, for a time.

A lock lies on a node, so everyone who sees that node is bound by it. It goes with the node's deletion and does not
follow a move.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection
from typing import TYPE_CHECKING

from dayjob.company.drive.errors import Locked
from dayjob.company.drive.names import below, chain, parent_of
from dayjob.company.drive.rows import Lock, Node
from dayjob.company.rows import placeholders

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive

LONGEST = 7 * 24 * 3600
_SELECT = (
    "SELECT l.token, l.username, l.exclusive, l.deep, l.owner_xml, l.timeout, n.owner, n.path "
    "FROM locks l JOIN nodes n ON n.id = l.node WHERE l.expires > ? AND n.owner = ? AND "
)


class Locks:
    """All locks of one company's drive."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive

    def _now(self) -> float:
        return self.drive.company.clock.now().timestamp()

    def _find(self, owner: str, where: str, *values: object) -> list[Lock]:
        rows = self.drive.db.execute(_SELECT + where + " ORDER BY l.token", (self._now(), owner, *values))
        return [Lock(token, user, bool(exclusive), bool(deep), *rest) for token, user, exclusive, deep, *rest in rows]

    def any(self) -> bool:
        return self.drive.db.execute("SELECT 1 FROM locks LIMIT 1").fetchone() is not None

    def on(self, owner: str, path: str) -> list[Lock]:
        """Locks that hold at a place: its own, and those of folders above that reach down."""
        if not self.any():
            return []
        places = chain(path)
        found = self._find(owner, f"n.path IN ({placeholders(places)})", *places)
        return [lock for lock in found if lock.deep or lock.node_path == path]

    def under(self, owner: str, path: str) -> list[Lock]:
        if not self.any():
            return []
        return [
            lock for lock in self._find(owner, "n.path >= ? AND n.path < ?", *below(path)) if lock.node_path != path
        ]

    def require(self, owner: str, path: str, username: str, tokens: Collection[str], *, deep: bool = False) -> None:
        """Refuse with `Locked` unless the tokens shown open every lock at the place (and, if `deep`, under it).

        Of shared locks on one place, holding one is enough.
        """
        if not self.any():
            return
        by_place: dict[str, list[Lock]] = {}
        for lock in self.on(owner, path) + (self.under(owner, path) if deep else []):
            by_place.setdefault(lock.node_path, []).append(lock)
        for place, locks in by_place.items():
            if not any(lock.token in tokens and lock.username == username for lock in locks):
                raise Locked(f"{place} is locked by {locks[0].username}.", place)

    def require_folder(self, owner: str, path: str, username: str, tokens: Collection[str]) -> None:
        """The same for adding or removing an entry: the folder's own lock covers its list of members."""
        if self.any() and path != "/":
            self.require(owner, parent_of(path), username, tokens)

    def take(self, node: Node, username: str, *, exclusive: bool, deep: bool, owner_xml: str, timeout: int) -> Lock:
        """A new lock; `Locked` when another one stands against it."""
        self._sweep()
        standing = self.on(node.owner, node.path) + (self.under(node.owner, node.path) if deep else [])
        for lock in standing:
            if exclusive or lock.exclusive:
                raise Locked(f"{lock.node_path} is locked by {lock.username}.", lock.node_path)
        token = f"opaquelocktoken:{uuid.UUID(bytes=self.drive.company.ids.bytes()[:16], version=4)}"
        timeout = min(timeout, LONGEST)
        self.drive.db.execute(
            "INSERT INTO locks VALUES (?,?,?,?,?,?,?,?)",
            (token, node.id, username, exclusive, deep, owner_xml, timeout, self._now() + timeout),
        )
        return Lock(token, username, exclusive, deep, owner_xml, timeout, node.owner, node.path)

    def refresh(self, lock: Lock, timeout: int) -> Lock:
        timeout = min(timeout, LONGEST)
        self.drive.db.execute(
            "UPDATE locks SET timeout = ?, expires = ? WHERE token = ?", (timeout, self._now() + timeout, lock.token)
        )
        return Lock(lock.token, lock.username, lock.exclusive, lock.deep, lock.owner_xml, timeout, lock.node_owner,
                    lock.node_path)  # fmt: skip

    def release(self, lock: Lock) -> None:
        self.drive.db.execute("DELETE FROM locks WHERE token = ?", (lock.token,))

    def _sweep(self) -> None:
        self.drive.db.execute("DELETE FROM locks WHERE expires <= ?", (self._now(),))
