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


def news_for(db: sqlite3.Connection, user: str, since: str) -> list[tuple[str, str, str, str, str]]:
    """What others have done since then to items of this person: when, who, which item, its name, what."""
    return db.execute(
        "SELECT a.created_at, u.display_name, p.identifier || '-' || i.sequence_id, i.name, "
        "CASE WHEN a.field = 'comment' THEN coalesce(c.comment_stripped, a.comment) "
        "WHEN a.new_value IS NOT NULL AND a.new_value != '' THEN a.comment || ' ' || a.new_value ELSE a.comment END "
        "FROM activities a JOIN items i ON i.id = a.issue JOIN projects p ON p.id = i.project "
        "JOIN users u ON u.id = a.actor LEFT JOIN comments c ON c.id = a.issue_comment "
        "WHERE a.created_at > ? AND a.actor != ? AND (i.created_by = ? OR EXISTS "
        "(SELECT 1 FROM item_assignees s WHERE s.issue = i.id AND s.assignee = ?)) ORDER BY a.created_at, a.rowid",
        (since, user, user, user),
    ).fetchall()
