"""The properties the drive itself knows of a file or folder, each as the XML that stands inside its element."""

from __future__ import annotations

import functools
from collections.abc import Callable
from email.utils import formatdate
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from dayjob.company.drive.rows import CREATE, DELETE, FOLDERS_ONLY, SHARE, UPDATE, Lock, Node, Place
from dayjob.company.drive.shapes.xml import DAV, OC, OCS

if TYPE_CHECKING:
    from dayjob.company.drive.api.dav.request import Space


class Facts:
    """What is needed to answer for many places at once: found in few queries, only when a property asks."""

    def __init__(self, space: Space, places: list[Place]) -> None:
        self.space = space
        self.view = space.view
        self.drive = space.view.drive
        self._nodes = [place.node.id for place in places if place.node is not None]
        self._share_kinds: dict[int, list[int]] | None = None
        self._starred: set[int] | None = None
        self._locked: bool | None = None
        self._dead: dict[int, dict[str, str]] | None = None
        self._rooms: dict[str, int] = {}
        self._names: dict[str, str] = {}

    def share_kinds(self, node: int) -> list[int]:
        if self._share_kinds is None:
            self._share_kinds = self.drive.shares.kinds_on(self._nodes)
        return self._share_kinds.get(node, [])

    def starred(self, node: int) -> bool:
        if self._starred is None:
            self._starred = {one.id for one in self.drive.properties.favorites(self.view.username)}
        return node in self._starred

    def dead(self, node: int) -> dict[str, str]:
        """Properties of clients' own making."""
        if self._dead is None:
            self._dead = self.drive.properties.of_all(self._nodes)
        return self._dead.get(node, {})

    def locks(self, place: Place) -> list[Lock]:
        if self._locked is None:
            self._locked = self.drive.locks.any()
        return self.drive.locks.on(place.owner, place.path) if self._locked else []

    def room(self, owner: str) -> int:
        if owner not in self._rooms:
            self._rooms[owner] = self.drive.tree.available(owner)
        return self._rooms[owner]

    def display_name(self, username: str) -> str:
        if username not in self._names:
            user = self.drive.accounts.get(username)
            self._names[username] = user.name if user else username
        return self._names[username]


@functools.lru_cache(4096)
def http_time(mtime: int) -> str:
    return formatdate(mtime, usegmt=True)


def file_id(drive_instance: str, node: int) -> str:
    """ownCloud's `oc:id`: the number padded to eight digits, then the instance's name."""
    return f"{node:08d}{drive_instance}"


def file_headers(drive_instance: str, node: Node) -> dict[str, str]:
    """What the answer to a written file says of it."""
    return {"etag": f'"{node.etag}"', "oc-etag": f'"{node.etag}"', "oc-fileid": file_id(drive_instance, node.id)}


def effective(place: Place) -> int:
    """What the viewer may do here; the very thing that was shared can always be renamed and taken out of sight."""
    return place.permissions | UPDATE | DELETE if place.is_mount and place.there.is_folder else place.permissions


def permission_letters(place: Place) -> str:
    """S shared, R reshareable, D deletable, NV renameable and moveable, W writable, CK takes new files and folders."""
    node, allowed = place.there, effective(place)
    letters = "S" if place.mount is not None else ""
    letters += "R" if allowed & SHARE else ""
    letters += "D" if (allowed & DELETE or place.is_mount) and node.parent is not None else ""
    letters += "NV" if (allowed & UPDATE or place.is_mount) and node.parent is not None else ""
    if not node.is_folder:
        letters += "W" if place.permissions & UPDATE else ""
    else:
        letters += "CK" if place.permissions & CREATE else ""
    return letters


def active_lock(lock: Lock, root: str) -> str:
    """One `activelock`, as found under `lockdiscovery` and in the answer to LOCK."""
    scope = "exclusive" if lock.exclusive else "shared"
    return (
        f"<d:activelock><d:lockscope><d:{scope}/></d:lockscope><d:locktype><d:write/></d:locktype>"
        f"<d:lockroot><d:href>{root}</d:href></d:lockroot><d:depth>{'infinity' if lock.deep else '0'}</d:depth>"
        f"<d:timeout>Second-{lock.timeout}</d:timeout><d:locktoken><d:href>{escape(lock.token)}</d:href></d:locktoken>"
        f"{lock.owner_xml}</d:activelock>"
    )


def _lockdiscovery(facts: Facts, place: Place) -> str:
    parts = []
    for lock in facts.locks(place):
        climb = len(place.path.rstrip("/")) - len(lock.node_path.rstrip("/"))
        seen = place.seen.rstrip("/")
        root = seen[: len(seen) - climb] if climb <= len(seen) else ""
        parts.append(active_lock(lock, facts.space.address(root or "/")))
    return "".join(parts)


_SUPPORTED_LOCK = "".join(
    f"<d:lockentry><d:lockscope><d:{scope}/></d:lockscope><d:locktype><d:write/></d:locktype></d:lockentry>"
    for scope in ("exclusive", "shared")
)
_REPORTS = "".join(
    f"<d:supported-report><d:report><oc:{name}/></d:report></d:supported-report>"
    for name in ("filter-files", "search-files")
)

Maker = Callable[[Facts, Place], str | None]


def _of_file(make: Callable[[Node], str]) -> Maker:
    return lambda facts, place: None if place.there.is_folder else make(place.there)


def _of_folder(make: Callable[[Facts, Place], str]) -> Maker:
    return lambda facts, place: make(facts, place) if place.there.is_folder else None


def _checksums(node: Node) -> str:
    return f"<oc:checksum>{escape(node.checksums)}</oc:checksum>"


LIVE: dict[str, Maker] = {
    f"{DAV}getlastmodified": lambda facts, place: http_time(place.there.mtime),
    f"{DAV}getcontentlength": _of_file(lambda node: str(node.size)),
    f"{DAV}resourcetype": lambda facts, place: "<d:collection/>" if place.there.is_folder else "",
    f"{DAV}quota-used-bytes": _of_folder(lambda facts, place: str(place.there.total)),
    f"{DAV}quota-available-bytes": _of_folder(lambda facts, place: str(facts.room(place.owner))),
    f"{DAV}getetag": lambda facts, place: f"&quot;{facts.view.etag(place)}&quot;",
    f"{DAV}getcontenttype": _of_file(lambda node: node.mime),
    f"{DAV}creationdate": lambda facts, place: None,
    f"{DAV}supportedlock": lambda facts, place: _SUPPORTED_LOCK,
    f"{DAV}lockdiscovery": _lockdiscovery,
    f"{DAV}supported-report-set": lambda facts, place: _REPORTS,
    f"{DAV}current-user-principal": lambda facts, place: (
        f"<d:href>{facts.drive.principal(facts.view.username)}</d:href>"
    ),
    f"{OC}id": lambda facts, place: file_id(facts.drive.instance, place.there.id),
    f"{OC}fileid": lambda facts, place: str(place.there.id),
    f"{OC}size": lambda facts, place: str(place.there.bytes),
    f"{OC}permissions": lambda facts, place: permission_letters(place),
    f"{OC}owner-id": lambda facts, place: escape(place.owner),
    f"{OC}owner-display-name": lambda facts, place: escape(facts.display_name(place.owner)),
    f"{OC}checksums": lambda facts, place: _checksums(place.there) if place.there.checksums else None,
    f"{OC}favorite": lambda facts, place: "1" if facts.starred(place.there.id) else "0",
    f"{OC}tags": lambda facts, place: "",
    f"{OC}share-types": lambda facts, place: "".join(
        f"<oc:share-type>{kind}</oc:share-type>" for kind in facts.share_kinds(place.there.id)
    ),
    f"{OC}comments-unread": lambda facts, place: "0",
    f"{OC}data-fingerprint": lambda facts, place: "",
    f"{OC}downloadURL": lambda facts, place: "",
    f"{OC}privatelink": lambda facts, place: f"{escape(facts.drive.base_url())}/index.php/f/{place.there.id}",
    f"{OCS}share-permissions": lambda facts, place: str(
        place.permissions if place.there.is_folder else place.permissions & ~FOLDERS_ONLY
    ),
}

# What a client gets that asks for nothing in particular.
USUAL = tuple(
    f"{DAV}{name}"
    for name in (
        "getlastmodified", "getcontentlength", "resourcetype", "quota-used-bytes", "quota-available-bytes", "getetag",
        "getcontenttype",
    )
)  # fmt: skip
