"""How the work of somebody's projects stands, in numbers."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from dayjob.company.board.rows import Item
from dayjob.company.board.store.item_lists import OPEN, of_member
from dayjob.company.board.store.lists import Listing

Counts = list[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Overview:
    """Counts by group of states, priority, project, person and month; of people, the ids. `pending` is open work by
    whom it is given to, and by "" what is given to nobody."""

    total: int
    open: int
    overdue: int
    groups: Counts
    open_groups: Counts
    priorities: Counts
    projects: Counts
    months: Counts
    created: Counts
    closed: Counts
    pending: Counts


_STATES = "JOIN states ON states.id = items.state"
_PEOPLE = "LEFT JOIN item_assignees ON item_assignees.issue = items.id"
_CLOSED = "state IN (SELECT id FROM states WHERE \"group\" = 'completed')"


def overview(db: sqlite3.Connection, user: str, slug: str, today: str) -> Overview:
    """The numbers of the projects that somebody is in; `today` decides what is overdue and which months are shown."""
    mine = of_member(user, slug)
    unfinished, done = mine.narrowed(OPEN), mine.narrowed(_CLOSED)
    return Overview(
        mine.count(db),
        unfinished.count(db),
        unfinished.narrowed("target_date < ?", today).count(db),
        _counted(db, mine, 'states."group"', _STATES),
        _counted(db, unfinished, 'states."group"', _STATES),
        _counted(db, mine, "items.priority"),
        _counted(db, mine, "items.project"),
        sorted(_counted(db, done.narrowed("substr(completed_at, 1, 4) = ?", today[:4]), "substr(completed_at, 1, 7)")),
        _counted(db, mine, "items.created_by"),
        _counted(db, done, "item_assignees.assignee", _PEOPLE),
        _counted(db, unfinished, "item_assignees.assignee", _PEOPLE),
    )


def _counted(db: sqlite3.Connection, listing: Listing[Item], what: str, join: str = "") -> Counts:
    """How many items of a list have each value, most first."""
    rows = db.execute(
        f"SELECT coalesce({what}, ''), count(DISTINCT items.id) FROM items {join} WHERE items.id IN"
        f" (SELECT items.id FROM items WHERE {listing.where}) GROUP BY 1 ORDER BY 2 DESC, 1",
        listing.arguments,
    ).fetchall()
    return [(str(value), int(number)) for value, number in rows]
