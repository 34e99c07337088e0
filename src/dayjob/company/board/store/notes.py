"""What people write down beside the work: pages of a project or the workspace, and their own stickies."""

from __future__ import annotations

from typing import Any

from dayjob.company.board import markup
from dayjob.company.board.errors import BadRequest
from dayjob.company.board.rows import Page, Sticky
from dayjob.company.board.store import plain
from dayjob.company.board.store.base import Store
from dayjob.company.board.store.lists import Listing, always, by

# The pages of a place that somebody sees: the public ones and their own.
_SEEN = "workspace = ? AND project IS ? AND (access = 0 OR owned_by = ?)"
_KINDS = {
    "private": "access = 1 AND archived_at IS NULL",
    "public": "access = 0 AND archived_at IS NULL",
    "archived": "archived_at IS NOT NULL",
}


def page_listing(workspace: str, project: str | None, user: str, kind: str, words: str | None) -> Listing[Page]:
    """The pages that `user` sees, of one kind (`private`, `public`, `archived`, else all that are not archived)."""
    order = by("created_at", "updated_at", "name")
    listing = Listing(Page, _SEEN, (workspace, project, user), order).narrowed(_KINDS.get(kind, "archived_at IS NULL"))
    return listing.narrowed("instr(lower(name), lower(?)) > 0", words) if words else listing


def page(store: Store, workspace: str, project: str | None, id: str) -> Page:
    return Listing(Page, _SEEN, (workspace, project, store.actor), always("rowid")).one(store.db, id)


def add_page(store: Store, workspace: str, project: str | None, facts: dict[str, Any]) -> Page:
    place = {"workspace": workspace, "project": project, "owned_by": store.actor}
    return plain.add(store, Page, {**place, **_written(facts)})


def edit_page(store: Store, page: Page, facts: dict[str, Any]) -> Page:
    if page.is_locked and "is_locked" not in facts:
        raise BadRequest("Page is locked")
    if facts.get("parent") == page.id:
        raise BadRequest("The payload is not valid")
    return plain.change(store, page, _written(facts))


def archive_page(store: Store, page: Page, *, on: bool) -> None:
    plain.change(store, page, {"archived_at": store.now[:10] if on else None})


def remove_page(store: Store, page: Page) -> None:
    """Only what was archived; the pages under it stay."""
    if page.archived_at is None:
        raise BadRequest("The page should be archived before deleting")
    store.db.execute("UPDATE pages SET parent = NULL WHERE parent = ?", (page.id,))
    plain.remove(store, page)


def _written(facts: dict[str, Any]) -> dict[str, Any]:
    if "description_html" not in facts:
        return facts
    text = markup.clean(facts["description_html"]) or "<p></p>"
    return {**facts, "description_html": text, "description_stripped": markup.plain(text)}


# -- stickies ----------------------------------------------------------------------------------------------------


def sticky_listing(workspace: str, owner: str, words: str | None) -> Listing[Sticky]:
    order = always("sort_order DESC, rowid DESC")
    listing = Listing(Sticky, "workspace = ? AND owner = ?", (workspace, owner), order)
    return listing.narrowed("instr(lower(description_stripped), lower(?)) > 0", words) if words else listing


def sticky(store: Store, workspace: str, id: str) -> Sticky:
    """One of the stickies of whoever acts."""
    return plain.one(store, Sticky, id, workspace=workspace, owner=store.actor)


def add_sticky(store: Store, workspace: str, facts: dict[str, Any]) -> Sticky:
    """A new sticky, before the others unless it says where."""
    place = {"workspace": workspace, "owner": store.actor}
    order = plain.last_order(store, Sticky, **place)
    return plain.add(store, Sticky, {**place, "sort_order": order, **_written(facts)})


def edit_sticky(store: Store, sticky: Sticky, facts: dict[str, Any]) -> Sticky:
    return plain.change(store, sticky, _written(facts))
