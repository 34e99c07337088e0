"""What the drive's tables hold, as typed rows."""

from __future__ import annotations

from dataclasses import dataclass

READ, UPDATE, CREATE, DELETE, SHARE = 1, 2, 4, 8, 16
ALL = READ | UPDATE | CREATE | DELETE | SHARE
WRITE = UPDATE | CREATE | DELETE
FOLDERS_ONLY = CREATE | DELETE

USER_SHARE, GROUP_SHARE, LINK_SHARE = 0, 1, 3

UNLIMITED = -3
"""The quota of an account without one, as ownCloud writes it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or a folder. `size` is a file's length (0 for folders), `total` what a folder holds in all."""

    id: int
    name: str
    path: str
    kind: str
    blob: str | None
    size: int
    mime: str
    etag: str
    mtime: int
    total: int

    @property
    def is_folder(self) -> bool:
        return self.kind == "folder"

    @property
    def bytes(self) -> int:
        return self.total if self.kind == "folder" else self.size


@dataclass(frozen=True, slots=True)
class Node(Entry):
    """A file or a folder of somebody's drive."""

    owner: str
    parent: int | None
    created: int
    checksums: str


@dataclass(frozen=True, slots=True)
class User:
    """An account."""

    id: int
    username: str
    name: str
    email: str | None
    quota: int | None
    enabled: int
    password: str
    root: int


@dataclass(frozen=True, slots=True)
class Share:
    """Something shared with a user (kind 0), a group (1) or whoever has the link (3)."""

    id: int
    kind: int
    node: int
    path: str
    owner: str
    initiator: str
    share_with: str | None
    permissions: int
    expires: str | None
    name: str | None
    token: str | None
    password: str | None
    parent: int | None
    created: int

    @property
    def is_link(self) -> bool:
        return self.kind == LINK_SHARE


@dataclass(frozen=True, slots=True)
class Mount:
    """Where a received share lies in somebody's drive."""

    share: int
    target: str
    permissions: int
    owner: str
    path: str


@dataclass(frozen=True, slots=True)
class Lock:
    """A WebDAV write lock, with the storage place it lies on."""

    token: str
    username: str
    exclusive: bool
    deep: bool
    owner_xml: str
    timeout: int
    node_owner: str
    node_path: str


@dataclass(frozen=True, slots=True)
class Trashed(Entry):
    """Something in the trash; `path` is relative to the deleted item it belongs to (empty for the item itself)."""

    item: int
    username: str
    deleted_by: str
    origin: str
    deleted: int


@dataclass(slots=True)
class Place:
    """A path as somebody sees it, and where that is in storage. `node` is None when nothing is there (yet)."""

    seen: str
    owner: str
    path: str
    node: Node | None
    permissions: int
    mount: Mount | None = None
    """The share it was reached through, if it is not one's own."""

    @property
    def there(self) -> Node:
        """The node, where it is known that there is one."""
        assert self.node is not None
        return self.node

    @property
    def is_mount(self) -> bool:
        """Whether this is the very thing that was shared, as opposed to something inside it."""
        return self.mount is not None and self.mount.target == self.seen
