"""An item's history: one line for every change of it, in the words Plane uses."""

from __future__ import annotations

import sqlite3

from dayjob.company.board.rows import Activity, Item
from dayjob.company.board.store.base import Store
from dayjob.company.board.store.lists import Listing, by
from dayjob.company.clock import moment
from dayjob.company.rows import insert


def note(
    store: Store,
    item: Item,
    comment: str,
    *,
    verb: str = "updated",
    field: str | None = None,
    old: str | None = None,
    new: str | None = None,
    old_id: str | None = None,
    new_id: str | None = None,
    issue_comment: str | None = None,
    actor: str | None = None,
) -> None:
    """Write one line to the item's history."""
    insert(
        store.db,
        "activities",
        {
            "id": store.ids.uuid(), "created_at": store.now, "updated_at": store.now, "workspace": item.workspace,
            "project": item.project, "issue": item.id, "verb": verb, "field": field, "old_value": old,
            "new_value": new, "comment": comment, "issue_comment": issue_comment, "actor": actor or store.actor,
            "old_identifier": old_id, "new_identifier": new_id, "epoch": int(moment(store.now).timestamp()),
        },
    )  # fmt: skip


def listing(item: str) -> Listing[Activity]:
    """What people read of an item's history; comments stand elsewhere."""
    told = "issue = ? AND (field IS NULL OR field NOT IN ('comment', 'vote', 'reaction', 'draft'))"
    return Listing(Activity, told, (item,), by("created_at", "updated_at", default="created_at"))


def line(db: sqlite3.Connection, item: str, id: str) -> Activity:
    """One line of the history that people read."""
    return listing(item).one(db, id)
