"""A folder as rows of a table: what each thing is, how it is shared, and what may be done with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote

from starlette.datastructures import QueryParams

from dayjob.company.drive.names import encode_path, join, name_of, parent_of
from dayjob.company.drive.pages.page import FILES, address, folder_address
from dayjob.company.drive.previews.kinds import kind_of
from dayjob.company.drive.rows import DELETE, LINK_SHARE, SHARE, UPDATE, Place
from dayjob.company.drive.store.view import View

PER_PAGE = 200
_SORTS: dict[str, Callable[[Row], object]] = {
    "name": lambda row: row.name.casefold(),
    "size": lambda row: (row.size, row.name.casefold()),
    "modified": lambda row: (row.modified, row.name.casefold()),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a listing."""

    name: str
    path: str
    folder: bool
    kind: str
    open: str
    download: str
    size: int
    modified: datetime
    shared: str = ""
    public: bool = False
    starred: bool = False
    can_rename: bool = False
    can_delete: bool = False
    can_share: bool = False
    can_edit: bool = False

    @property
    def parent(self) -> str:
        return parent_of(self.path)


def modified_at(mtime: int) -> datetime:
    return datetime.fromtimestamp(max(0, min(mtime, 253_402_300_799)), UTC)


def rows(view: View, places: list[Place]) -> list[Row]:
    """Lines for one's own drive."""
    nodes = [place.node.id for place in places if place.node is not None]
    kinds = view.drive.shares.kinds_on(nodes)
    starred = {node.id for node in view.drive.properties.favorites(view.username)}
    names: dict[str, str] = {}

    def name_of_account(username: str) -> str:
        if username not in names:
            user = view.drive.accounts.get(username)
            names[username] = user.name if user else username
        return names[username]

    found = []
    for place in places:
        node = place.node
        if node is None:
            continue
        on = kinds.get(node.id, [])
        shared = "By link" if LINK_SHARE in on else "Shared" if on else ""
        if place.is_mount:
            shared = f"From {name_of_account(place.owner)}"
        kind = kind_of(name_of(place.seen), node.is_folder)
        found.append(
            Row(
                name_of(place.seen),
                place.seen,
                node.is_folder,
                kind,
                folder_address(place.seen) if node.is_folder else address("view", place.seen),
                _download(place),
                node.bytes,
                modified_at(node.mtime),
                shared,
                LINK_SHARE in on,
                node.id in starred,
                place.is_mount or bool(place.permissions & UPDATE),
                place.is_mount or bool(place.permissions & DELETE),
                bool(place.permissions & SHARE),
                not node.is_folder and bool(place.permissions & UPDATE) and kind in ("text", "markdown", "code", "csv"),
            )
        )
    return found


def _download(place: Place) -> str:
    if place.there.is_folder:
        return f"{FILES}/ajax/download.php?dir={quote(place.seen)}"
    return f"/remote.php/webdav{encode_path(place.seen)}"


@dataclass(frozen=True, slots=True)
class Order:
    """How a listing is sorted and which part of it is shown, as its address says."""

    sort: str
    descending: bool
    page: int
    base: str

    @classmethod
    def read(cls, query: QueryParams, base: str) -> Order:
        sort = query.get("sort", "name")
        number = query.get("page", "1")
        page = int(number) if number.isascii() and number.isdigit() and len(number) < 7 else 1
        return cls(sort if sort in _SORTS else "name", query.get("order") == "desc", max(1, page), base)

    def arrange(self, found: list[Row]) -> tuple[list[Row], int]:
        """The rows of this page, folders first, and how many pages there are."""
        found = sorted(found, key=_SORTS[self.sort], reverse=self.descending)  # type: ignore[arg-type]  # comparable within one sort
        found.sort(key=lambda row: not row.folder)
        start = (self.page - 1) * PER_PAGE
        return found[start : start + PER_PAGE], max(1, -(-len(found) // PER_PAGE))

    def address(self, column: str) -> str:
        """Where a column's heading leads: sorted by it, or the other way round when it is already."""
        order = "desc" if column == self.sort and not self.descending else "asc"
        return f"{self.base}&sort={column}&order={order}"

    def state(self, column: str) -> str:
        return "none" if column != self.sort else "descending" if self.descending else "ascending"

    @property
    def pages(self) -> str:
        """The address of page %d, for the pager."""
        order = f"&sort={self.sort}&order={'desc' if self.descending else 'asc'}"
        return f"{self.base}{order}".replace("%", "%%") + "&page=%d"


def trail_to(path: str, top: str, link: Callable[[str], str]) -> list[tuple[str, str]]:
    trail, at = [(top, link("/"))], "/"
    for part in path.split("/")[1:] if path != "/" else []:
        at = join(at, part)
        trail.append((part, link(at)))
    return trail
