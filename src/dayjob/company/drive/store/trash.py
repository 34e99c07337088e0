"""The trash: what was deleted, whole, until somebody restores or erases it.

What is deleted out of a share goes to the owner's trash and can be seen and restored by whoever deleted it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dayjob.company.drive.errors import Conflict, Forbidden, NotFound
from dayjob.company.drive.names import below, name_of
from dayjob.company.drive.rows import Node, Trashed
from dayjob.company.rows import columns

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive
    from dayjob.company.drive.store.view import View

_SELECT = f"SELECT {columns(Trashed)} FROM trash WHERE "
_KEEP = "id, name, kind, blob, size, mime, etag, mtime, total, created, checksums, parent"


class Trash:
    """Everybody's trash."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive

    def put(self, node: Node, by: str) -> None:
        """Move a node and everything under it to the trash."""
        low, high = below(node.path)
        now = int(self.drive.company.clock.now().timestamp())
        with self.drive.transaction() as db:
            db.execute(
                f"INSERT INTO trash ({_KEEP}, item, username, deleted_by, origin, deleted, path) "
                f"SELECT {_KEEP}, ?, owner, ?, ?, ?, substr(path, ?) FROM nodes "
                "WHERE owner = ? AND (path = ? OR path >= ? AND path < ?)",
                (node.id, by, node.path, now, len(node.path) + 1, node.owner, node.path, low, high),
            )
            self.drive.tree.drop(node)

    def items(self, username: str) -> list[Trashed]:
        """What was deleted, newest last."""
        rows = self.drive.db.execute(
            _SELECT + "path = '' AND (username = ? OR deleted_by = ?) ORDER BY deleted, id", (username, username)
        )
        return [Trashed(*row) for row in rows]

    def get(self, username: str, item: int, path: str = "") -> Trashed:
        """A deleted item, or something inside a deleted folder."""
        row = self.drive.db.execute(
            _SELECT + "item = ? AND path = ? AND (username = ? OR deleted_by = ?)", (item, path, username, username)
        ).fetchone()
        if row is None:
            raise NotFound(f"There is no {item}{path} in the trash.")
        return Trashed(*row)

    def inside(self, folder: Trashed) -> list[Trashed]:
        rows = self.drive.db.execute(_SELECT + "item = ? AND parent = ? ORDER BY name", (folder.item, folder.id))
        return [Trashed(*row) for row in rows]

    def restore(self, view: View, found: Trashed, target: str) -> None:
        """Put a deleted item back at a path of the one who asks."""
        if found.path:
            raise Forbidden("Only a whole deleted item can be restored.")
        if view.locate(target).node is not None:
            raise Conflict(f"There is something else at {target} already.")
        folder = view.folder_for(target)
        assert folder.node is not None
        place = view.locate(target)
        more = found.bytes
        with self.drive.transaction() as db:
            self.drive.tree.require_room(place.owner, more)
            etag = self.drive.company.ids.hex(32)
            now = int(self.drive.company.clock.now().timestamp())
            # Parents before children: what lies inside refers to its folder.
            db.execute(
                "INSERT INTO nodes (id, owner, parent, name, path, kind, blob, size, mime, etag, mtime, total, "
                "created, checksums) SELECT id, ?, CASE path WHEN '' THEN ? ELSE parent END, "
                "CASE path WHEN '' THEN ? ELSE name END, ? || path, kind, blob, size, mime, ?, mtime, total, created, "
                "checksums FROM trash WHERE item = ? ORDER BY path",
                (place.owner, folder.node.id, name_of(target), place.path, etag, found.item),
            )
            self.drive.tree.touch(place.owner, folder.path, more, etag, now)
            self.erase(found)

    def erase(self, found: Trashed) -> None:
        if found.path:
            raise Forbidden("Only a whole deleted item can be erased.")
        self._delete("item = ?", found.item)

    def empty(self, username: str) -> None:
        self._delete("username = ?", username)

    def _delete(self, where: str, value: int | str) -> None:
        blobs = [blob for (blob,) in self.drive.db.execute(f"SELECT blob FROM trash WHERE {where}", (value,))]
        self.drive.db.execute(f"DELETE FROM trash WHERE {where}", (value,))
        self.drive.tree.release(*blobs)
