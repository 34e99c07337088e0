"""A drive as one account sees it: its own files, with what others shared mounted among them.

`locate` turns a path into a `Place` in storage with the permissions that hold there; the verbs check those
permissions and then let the tree do the work. A `LinkView` is the same for somebody who only has a public link.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from itertools import islice
from typing import TYPE_CHECKING

from dayjob.company.blobs import Blob
from dayjob.company.drive.checksums import Content
from dayjob.company.drive.errors import Conflict, Forbidden, NotFound
from dayjob.company.drive.names import below, chain, free_name, join, name_of, parent_of
from dayjob.company.drive.rows import (
    ALL,
    CREATE,
    DELETE,
    READ,
    SHARE,
    UPDATE,
    Mount,
    Node,
    Place,
    Share,
)

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive

_MOUNTS = (
    "SELECT m.share, m.target, s.permissions, s.owner, s.path FROM mounts m JOIN live_shares s ON s.id = m.share "
    "WHERE m.username = ?"
)


class View:
    """What the account `username` sees."""

    def __init__(self, drive: Drive, username: str) -> None:
        self.drive = drive
        self.username = username

    # -- looking -------------------------------------------------------------------------------------------------

    def locate(self, path: str) -> Place:
        """Where a path leads; the place's `node` is None when nothing is there."""
        tree = self.drive.tree
        if path != "/" and (mount := self._mount_above(path)) is not None:
            stored = mount.path + path[len(mount.target) :]
            node = tree.get(mount.owner, stored)
            return Place(path, mount.owner, stored, node, mount.permissions, mount)
        return Place(path, self.username, path, tree.get(self.username, path), ALL)

    def need(self, path: str) -> Place:
        """Like `locate`, but something must be there."""
        place = self.locate(path)
        if place.node is None or not place.permissions & READ:
            raise NotFound(f"File with name {name_of(path) or path} could not be located.")
        return place

    def _mount_above(self, path: str) -> Mount | None:
        mounts = self._mounts()
        if not mounts:
            return None
        return next((mounts[place] for place in chain(path) if place in mounts), None)

    def _mounts(self) -> dict[str, Mount]:
        """Everything mounted in this drive, by where it lies."""
        memo, key = self.drive.memo(), ("mounts", self.username, self.drive.today())
        if key not in memo:
            rows = self.drive.db.execute(_MOUNTS, (self.username,))
            memo[key] = {row[1]: Mount(*row) for row in rows}
        found: dict[str, Mount] = memo[key]
        return found

    def mounts_in(self, folder: str) -> list[Mount]:
        return [mount for mount in self._mounts().values() if parent_of(mount.target) == folder]

    def entries(self, place: Place) -> list[Place]:
        """What lies directly in a folder, by name: its own nodes and, in one's own drive, mounted shares."""
        if place.node is None or not place.node.is_folder or not place.permissions & READ:
            return []
        found = [
            Place(join(place.seen, node.name), node.owner, node.path, node, place.permissions, place.mount)
            for node in self.drive.tree.children(place.node)
        ]
        if place.mount is None and (mounts := self.mounts_in(place.seen)):
            targets = {mount.target for mount in mounts}
            found = [one for one in found if one.seen not in targets]
            found.extend(self._mounted(mount) for mount in mounts)
            found = [one for one in found if one.node is not None]
            found.sort(key=lambda one: name_of(one.seen))
        return found

    def _mounted(self, mount: Mount) -> Place:
        node = self.drive.tree.get(mount.owner, mount.path)
        return Place(mount.target, mount.owner, mount.path, node, mount.permissions, mount)

    def walk(self, place: Place) -> list[Place]:
        """Everything under a folder, each folder directly followed by what it holds."""
        found = []
        waiting = self.entries(place)[::-1]
        while waiting:
            one = waiting.pop()
            found.append(one)
            if one.node is not None and one.node.is_folder:
                waiting.extend(self.entries(one)[::-1])
        return found

    def search(self, top: Place, text: str, limit: int) -> list[Place]:
        """What lies under a folder and has `text` in its name, however it is capitalised."""
        wanted = text.casefold()
        found = (one for one in self.walk(top) if wanted in name_of(one.seen).casefold())
        return list(islice(found, limit))

    def favorites(self, top: Place) -> list[Place]:
        """What this account has starred, among a folder and everything under it."""
        starred = {node.id for node in self.drive.properties.favorites(self.username)}
        if not starred:
            return []
        return [one for one in (top, *self.walk(top)) if one.node is not None and one.node.id in starred]

    def seen_as(self, owner: str, path: str) -> str | None:
        """Where a stored path appears in this drive; None when it does not."""
        if owner == self.username:
            return path
        for mount in sorted(self._mounts().values(), key=lambda one: one.share):
            if mount.owner == owner and (path == mount.path or path.startswith(f"{mount.path}/")):
                return mount.target + path[len(mount.path) :]
        return None

    def etag(self, place: Place) -> str:
        """A folder's etag also changes when something changes in a share mounted inside it."""
        node = place.there
        if place.mount is not None or not node.is_folder or (place.seen != "/" and not self._has_nested_mounts()):
            return node.etag
        low, high = below(place.seen)
        rows = self.drive.db.execute(
            "SELECT n.etag FROM mounts m JOIN live_shares s ON s.id = m.share JOIN nodes n ON n.id = s.node "
            "WHERE m.username = ? AND m.target >= ? AND m.target < ? ORDER BY m.target",
            (self.username, low, high),
        ).fetchall()
        if not rows:
            return node.etag
        return hashlib.blake2b("/".join([node.etag, *(row[0] for row in rows)]).encode(), digest_size=16).hexdigest()

    def _has_nested_mounts(self) -> bool:
        """Whether any share was moved into a folder; hardly ever, so that listings need not ask for each folder."""
        return any(parent_of(target) != "/" for target in self._mounts())

    # -- acting --------------------------------------------------------------------------------------------------

    def folder_for(self, path: str) -> Place:
        """The folder a new entry at `path` would go into; it must exist and take new entries."""
        folder = self.locate(parent_of(path))
        if folder.node is None:
            raise Conflict(f"The folder {parent_of(path)} does not exist.")
        if not folder.node.is_folder:
            raise Conflict(f"{parent_of(path)} is a file, not a folder.")
        if not folder.permissions & CREATE:
            raise Forbidden(f"You may not add to {folder.seen}.")
        return folder

    def make_folder(self, path: str) -> Node:
        self.folder_for(path)
        place = self.locate(path)
        return self.drive.tree.make_folder(place.owner, place.path)

    def check_write(self, path: str) -> Place:
        """Where a file may be written; refuses before any byte is taken."""
        place = self.locate(path)
        if place.node is None:
            self.folder_for(path)
        elif place.node.is_folder:
            raise Conflict(f"{path} is a folder.")
        elif not place.permissions & UPDATE:
            raise Forbidden(f"You may not change {path}.")
        return place

    def write(self, path: str, blob: Blob, mtime: int | None, checksums: str) -> tuple[Place, bool]:
        """Put content at `path`; says whether the file is new."""
        place = self.check_write(path)
        node = self.drive.tree.write(place.owner, place.path, blob, mtime, checksums)
        new = place.node is None
        place.node = node
        return place, new

    def put(self, path: str, content: Content, mtime: int | None = None) -> tuple[Place, bool]:
        """Write what somebody sent, and tell those who listen."""
        place, new = self.write(path, content.blob, mtime, content.checksums)
        self.drive.company.tell("drive.file", {"owner": place.owner, "path": place.path, "new": new})
        return place, new

    def require_unlocked(
        self, place: Place, tokens: Collection[str] = (), *, deep: bool = False, membership: bool = False
    ) -> None:
        """Refuse what a lock stands in the way of, one's own included, unless its token is shown.

        `deep` asks for what lies under the place too, `membership` for the folder whose list of names would change.
        """
        locks = self.drive.locks
        locks.require(place.owner, place.path, self.username, tokens, deep=deep)
        if membership and not place.is_mount:
            locks.require_folder(place.owner, place.path, self.username, tokens)

    def remove(self, path: str) -> None:
        """Take something away: to the trash, or, when it was shared to you, only from your sight."""
        place = self.need(path)
        if place.there.parent is None:
            raise Forbidden("The top folder cannot be deleted.")
        if place.is_mount:
            assert place.mount is not None
            self.drive.shares.decline(place.mount.share, self.username)
            return
        if not place.permissions & DELETE:
            raise Forbidden(f"You may not delete {path}.")
        with self.drive.transaction():
            if place.mount is None:
                self.drive.shares.mounts_home(self.username, place.path)
            self.drive.trash.put(place.there, self.username)

    def move(self, source: str, target: str) -> bool:
        """Move or rename; whatever was at `target` is replaced. Says whether the target is new."""
        self._refuse_into_itself(source, target)
        origin = self.need(source)
        node = origin.there
        folder = self.locate(parent_of(target))
        if origin.is_mount:
            return self._move_mount(origin, folder, target)
        if parent_of(source) == parent_of(target):
            if not origin.permissions & UPDATE:
                raise Forbidden(f"You may not rename {source}.")
            if folder.node is None:
                raise Conflict(f"The folder {parent_of(target)} does not exist.")
        else:
            if not origin.permissions & DELETE:
                raise Forbidden(f"You may not move {source} away.")
            self.folder_for(target)
        with self.drive.transaction():
            new = self._clear(target)
            place = self.locate(target)
            moved = self.drive.tree.relocate(node, place.owner, place.path)
            if moved.owner != node.owner:
                self.drive.shares.forget_under(moved)
            if origin.mount is None and moved.is_folder:
                if place.mount is None:
                    self.drive.shares.mounts_follow(self.username, origin.path, place.path)
                else:
                    self.drive.shares.mounts_home(self.username, origin.path)
        return new

    def _move_mount(self, origin: Place, folder: Place, target: str) -> bool:
        if folder.node is None or not folder.node.is_folder:
            raise Conflict(f"The folder {parent_of(target)} does not exist.")
        if folder.mount is not None:
            raise Forbidden("Something shared with you cannot be moved into another share.")
        with self.drive.transaction():
            new = self._clear(target)
            assert origin.mount is not None
            self.drive.shares.move_mount(origin.mount, self.username, target)
        return new

    def copy(self, source: str, target: str, *, deep: bool = True) -> bool:
        self._refuse_into_itself(source, target)
        origin = self.need(source)
        assert origin.node is not None
        self.folder_for(target)
        with self.drive.transaction():
            new = self._clear(target)
            place = self.locate(target)
            self.drive.tree.duplicate(origin.node, place.owner, place.path, deep=deep)
        return new

    def _clear(self, target: str) -> bool:
        """Take away what is at `target`; says whether nothing was."""
        if self.locate(target).node is None:
            return True
        self.remove(target)
        return False

    @staticmethod
    def _refuse_into_itself(source: str, target: str) -> None:
        if "/" in (source, target):
            raise Forbidden("The top folder cannot be moved, copied or replaced.")
        if source == target or target.startswith(f"{source}/"):
            raise Forbidden("Something cannot be put in its own place or into itself.")
        if source.startswith(f"{target}/"):
            raise Forbidden("A folder cannot be replaced by something from inside it.")


class LinkView(View):
    """What a public link shows: the shared folder (or the one file) as the top."""

    def __init__(self, drive: Drive, share: Share) -> None:
        super().__init__(drive, share.owner)
        self.share = share
        root = drive.tree.by_id(share.node)
        if root is None:
            raise NotFound("What this link led to is gone.")
        self.root = root

    def locate(self, path: str) -> Place:
        permissions = self.share.permissions & ~SHARE
        if not self.root.is_folder:
            # A link to one file shows it both as the top and by its name.
            here = path in ("/", f"/{self.root.name}")
            stored = self.root.path if here else join(self.root.path, path[1:])
            return Place(path, self.root.owner, stored, self.root if here else None, permissions)
        stored = self.root.path if path == "/" else self.root.path + path
        return Place(path, self.root.owner, stored, self.drive.tree.get(self.root.owner, stored), permissions)

    def mounts_in(self, folder: str) -> list[Mount]:
        return []

    def etag(self, place: Place) -> str:
        return place.there.etag

    def remove(self, path: str) -> None:
        if path == "/":
            raise Forbidden("The top folder cannot be deleted.")
        super().remove(path)

    def upload_name(self, path: str) -> str:
        """For a link that only takes files in: a name nobody has yet, since the sender cannot see what is there."""
        if self.share.permissions & READ:
            return path
        folder = self.locate(parent_of(path))
        if folder.node is None or not folder.node.is_folder:
            return path
        return join(parent_of(path), free_name(name_of(path), self.drive.tree.child_names(folder.node)))
