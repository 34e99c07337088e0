"""The files and folders of all drives: finding, making, replacing, moving, copying, taking away.

Paths here are storage paths (owner, path); who may do what is decided by the view. Every change gives the node and
all folders above it a new etag and keeps folder totals right, in one transaction.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from dayjob.company.blobs import UNHASHED, Blob
from dayjob.company.drive.errors import Conflict, InsufficientStorage, MethodNotAllowed
from dayjob.company.drive.names import below, chain, name_of, parent_of
from dayjob.company.drive.rows import UNLIMITED, Node
from dayjob.company.mime import FOLDER, mime_of
from dayjob.company.rows import columns, placeholders

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive

_COLUMNS = columns(Node)
_BY_PLACE = f"SELECT {_COLUMNS} FROM nodes WHERE owner = ? AND path = ?"
_BY_ID = f"SELECT {_COLUMNS} FROM nodes WHERE id = ?"
_CHILDREN = f"SELECT {_COLUMNS} FROM nodes WHERE parent = ? ORDER BY name"
_SUBTREE = f"SELECT {_COLUMNS} FROM nodes WHERE owner = ? AND path >= ? AND path < ? ORDER BY path"
_ADD = """INSERT INTO nodes (owner, parent, name, path, kind, blob, size, mime, etag, mtime, total, created, checksums)
          VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)"""


_ENDLESS = 1 << 60
"""The room of an account without a quota, as far as anybody could fill it."""


class Tree:
    """All nodes of one company's drive."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive

    # -- finding -------------------------------------------------------------------------------------------------

    def get(self, owner: str, path: str) -> Node | None:
        memo, key = self.drive.memo(), (owner, path)
        if key in memo:
            found: Node | None = memo[key]
            return found
        row = self.drive.db.execute(_BY_PLACE, key).fetchone()
        memo[key] = node = Node(*row) if row else None
        return node

    def by_id(self, id: int) -> Node | None:
        row = self.drive.db.execute(_BY_ID, (id,)).fetchone()
        return Node(*row) if row else None

    def children(self, folder: Node) -> list[Node]:
        """What lies directly in a folder, by name."""
        return [Node(*row) for row in self.drive.db.execute(_CHILDREN, (folder.id,))]

    def child_names(self, folder: Node) -> set[str]:
        return {name for (name,) in self.drive.db.execute("SELECT name FROM nodes WHERE parent = ?", (folder.id,))}

    def subtree(self, folder: Node) -> list[Node]:
        """Everything under a folder, each folder directly followed by what it holds."""
        inside: dict[int | None, list[Node]] = defaultdict(list)
        for row in self.drive.db.execute(_SUBTREE, (folder.owner, *below(folder.path))):
            node = Node(*row)
            if node.id != folder.id:
                inside[node.parent].append(node)
        found: list[Node] = []
        waiting = sorted(inside[folder.id], key=lambda one: one.name, reverse=True)
        while waiting:
            node = waiting.pop()
            found.append(node)
            waiting.extend(sorted(inside.get(node.id, ()), key=lambda one: one.name, reverse=True))
        return found

    # -- room ----------------------------------------------------------------------------------------------------

    def quota(self, owner: str) -> int | None:
        """How many bytes an account may store; None for as many as there is room for."""
        row = self.drive.db.execute("SELECT quota FROM users WHERE username = ?", (owner,)).fetchone()
        if row is None or row[0] is None:
            return self.drive.default_quota
        return None if row[0] == UNLIMITED else int(row[0])

    def used(self, owner: str) -> int:
        row = self.drive.db.execute("SELECT total FROM nodes WHERE owner = ? AND path = '/'", (owner,)).fetchone()
        return int(row[0]) if row else 0

    def room(self, owner: str) -> int:
        """How many bytes the owner may still store: of their own quota, and of the company's."""
        return self.drive.company.quota.room(self._own_room(owner))

    def available(self, owner: str) -> int:
        """The same as clients are told it: an account without a quota, in a company without one, has no number."""
        endless = self.quota(owner) is None and self.drive.company.quota.left is None
        return UNLIMITED if endless else self.room(owner)

    def _own_room(self, owner: str) -> int:
        quota = self.quota(owner)
        return _ENDLESS if quota is None else max(0, quota - self.used(owner))

    def require_room(self, owner: str, more: int) -> None:
        """Whether the owner's quota takes content that is stored already, and counted in the company's."""
        if more > 0 and more > self._own_room(owner):
            raise InsufficientStorage(f"The drive of {owner} has no room for {more} more bytes.")

    # -- changing ------------------------------------------------------------------------------------------------

    def _stamp(self) -> tuple[str, int]:
        return self.drive.company.ids.hex(32), int(self.drive.company.clock.now().timestamp())

    def touch(self, owner: str, folder: str, more: int, etag: str, now: int) -> None:
        """Tell a folder and all above it that something inside changed."""
        places = chain(folder)
        marks = placeholders(places)
        self.drive.db.execute(
            "UPDATE nodes SET total = total + ?, etag = ?, mtime = max(mtime, ?) "
            f"WHERE owner = ? AND path IN ({marks})",
            (more, etag, now, owner, *places),
        )

    def _parent(self, owner: str, path: str) -> Node:
        parent = self.get(owner, parent_of(path))
        if parent is None:
            raise Conflict(f"The folder {parent_of(path)} does not exist.")
        if not parent.is_folder:
            raise Conflict(f"{parent.path} is a file, not a folder.")
        return parent

    def _added(self, owner: str, path: str) -> Node:
        node = self.get(owner, path)
        assert node is not None
        return node

    def make_root(self, owner: str) -> Node:
        """The top folder of a new account."""
        etag, now = self._stamp()
        self.drive.db.execute(_ADD, (owner, None, "", "/", "folder", None, 0, FOLDER, etag, now, 0, now, ""))
        return self._added(owner, "/")

    def make_folder(self, owner: str, path: str) -> Node:
        with self.drive.transaction() as db:
            parent = self._parent(owner, path)
            if self.get(owner, path) is not None:
                raise MethodNotAllowed(f"{path} exists already.")
            etag, now = self._stamp()
            row = (owner, parent.id, name_of(path), path, "folder", None, 0, FOLDER, etag, now, 0, now, "")
            db.execute(_ADD, row)
            self.touch(owner, parent.path, 0, etag, now)
        return self._added(owner, path)

    def write(self, owner: str, path: str, blob: Blob, mtime: int | None = None, checksums: str = "") -> Node:
        """Make the file at `path` have this content, whether it was there before or not."""
        with self.drive.transaction() as db:
            etag, now = self._stamp()
            old = self.get(owner, path)
            if old is not None and old.is_folder:
                raise Conflict(f"{path} is a folder.")
            self.require_room(owner, blob.size - (old.size if old else 0))
            if old is None:
                parent = self._parent(owner, path)
                name = name_of(path)
                row = (owner, parent.id, name, path, "file", blob.hash, blob.size, mime_of(name), etag,
                       now if mtime is None else mtime, 0, now, checksums)  # fmt: skip
                db.execute(_ADD, row)
                self.touch(owner, parent.path, blob.size, etag, now)
            else:
                db.execute(
                    "UPDATE nodes SET blob = ?, size = ?, etag = ?, mtime = ?, checksums = ? WHERE id = ?",
                    (blob.hash, blob.size, etag, now if mtime is None else mtime, checksums, old.id),
                )
                self.touch(owner, parent_of(path), blob.size - old.size, etag, now)
        if old is not None:
            self.release(old.blob)
        return self._added(owner, path)

    def release(self, *blobs: str | None) -> None:
        """Delete the big blobs among these that no file and nothing in the trash refers to any more."""
        for blob in blobs:
            if blob is None or not blob.startswith(UNHASHED):
                continue
            row = self.drive.db.execute(
                "SELECT EXISTS (SELECT 1 FROM nodes WHERE blob = ?1 AND blob >= 'x') "
                "OR EXISTS (SELECT 1 FROM trash WHERE blob = ?1 AND blob >= 'x')",
                (blob,),
            ).fetchone()
            if not row[0]:
                self.drive.company.blobs.drop(blob)

    def set_mtime(self, node: Node, mtime: int) -> None:
        with self.drive.transaction() as db:
            etag, now = self._stamp()
            db.execute("UPDATE nodes SET mtime = ?, etag = ? WHERE id = ?", (mtime, etag, node.id))
            if node.parent is not None:
                self.touch(node.owner, parent_of(node.path), 0, etag, now)

    def relocate(self, node: Node, owner: str, path: str) -> Node:
        """Move a node and everything under it; ids stay, so shares and properties go along. Locks do not."""
        with self.drive.transaction() as db:
            parent = self._parent(owner, path)
            if owner != node.owner:
                self.require_room(owner, node.bytes)
            etag, now = self._stamp()
            low, high = below(node.path)
            db.execute(
                "DELETE FROM locks WHERE node IN "
                "(SELECT id FROM nodes WHERE owner = ? AND (path = ? OR path >= ? AND path < ?))",
                (node.owner, node.path, low, high),
            )
            self.touch(node.owner, parent_of(node.path), -node.bytes, etag, now)
            if node.is_folder:
                db.execute(
                    "UPDATE nodes SET owner = ?, path = ? || substr(path, ?) "
                    "WHERE owner = ? AND path >= ? AND path < ?",
                    (owner, path, len(node.path) + 1, node.owner, low, high),
                )
            name = name_of(path)
            mime = FOLDER if node.is_folder else mime_of(name)
            db.execute(
                "UPDATE nodes SET owner = ?, parent = ?, name = ?, path = ?, mime = ?, etag = ? WHERE id = ?",
                (owner, parent.id, name, path, mime, etag, node.id),
            )
            self.touch(owner, parent.path, node.bytes, etag, now)
        return self._added(owner, path)

    def duplicate(self, node: Node, owner: str, path: str, *, deep: bool = True) -> Node:
        """Copy a node, with its properties and (unless `deep` is false) everything under it."""
        with self.drive.transaction() as db:
            parent = self._parent(owner, path)
            more = node.bytes if deep or not node.is_folder else 0
            self.require_room(owner, more)
            inside = self.subtree(node) if node.is_folder and deep else []
            etag, now = self._stamp()
            ids: dict[int, int] = {}

            def add(source: Node, folder: int, place: str) -> None:
                name = name_of(place)
                mime = FOLDER if source.is_folder else mime_of(name)
                total = source.total if deep else 0
                row = (owner, folder, name, place, source.kind, source.blob, source.size, mime, etag,
                       now if source.is_folder else source.mtime, total, now, source.checksums)  # fmt: skip
                new = db.execute(_ADD, row).lastrowid
                assert new is not None
                ids[source.id] = new
                db.execute(
                    "INSERT INTO properties SELECT ?, name, value FROM properties WHERE node = ?", (new, source.id)
                )

            add(node, parent.id, path)
            for one in inside:
                assert one.parent is not None
                add(one, ids[one.parent], path + one.path[len(node.path) :])
            self.touch(owner, parent.path, more, etag, now)
        return self._added(owner, path)

    def drop(self, node: Node) -> None:
        """Forget a node and all under it, without the trash."""
        with self.drive.transaction() as db:
            etag, now = self._stamp()
            low, high = below(node.path)
            # Children before parents: a folder is referred to by what it holds.
            rows = db.execute(
                "SELECT id FROM nodes WHERE owner = ? AND path >= ? AND path < ? ORDER BY path DESC",
                (node.owner, low, high),
            ).fetchall()
            db.executemany("DELETE FROM nodes WHERE id = ?", [row for row in rows if row[0] != node.id])
            db.execute("DELETE FROM nodes WHERE id = ?", (node.id,))
            if node.parent is not None:
                self.touch(node.owner, parent_of(node.path), -node.bytes, etag, now)
