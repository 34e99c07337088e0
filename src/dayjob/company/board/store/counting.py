"""Counting items by what they have in common, and finding them by nested conditions."""

from __future__ import annotations

import sqlite3
from typing import Any

from dayjob.company.board.errors import BadRequest
from dayjob.company.board.rows import Item
from dayjob.company.board.store import item_lists
from dayjob.company.rows import placeholders

# Where a grouping's value comes from; the joins count an item once for each of its labels, people or modules.
_JOINS = {
    "labels__id": "LEFT JOIN item_labels ON item_labels.issue = items.id",
    "assignees__id": "LEFT JOIN item_assignees ON item_assignees.issue = items.id",
    "issue_module__module_id": "LEFT JOIN module_items ON module_items.issue = items.id",
    "cycle_id": "LEFT JOIN cycle_items ON cycle_items.issue = items.id",
    "milestone_id": "LEFT JOIN milestone_items ON milestone_items.issue = items.id",
    "state__group": "LEFT JOIN states ON states.id = items.state",
}
GROUPINGS = {
    "state_id": "items.state",
    "state__group": 'states."group"',
    "priority": "items.priority",
    "project_id": "items.project",
    "type_id": "items.type",
    "labels__id": "item_labels.label",
    "assignees__id": "item_assignees.assignee",
    "issue_module__module_id": "module_items.module",
    "cycle_id": "cycle_items.cycle",
    "milestone_id": "milestone_items.milestone",
    "created_by": "items.created_by",
    "target_date": "items.target_date",
    "start_date": "items.start_date",
}


def total(db: sqlite3.Connection, user: str, slug: str) -> int:
    return item_lists.of_member(user, slug).count(db)


def grouped(db: sqlite3.Connection, user: str, slug: str, group: str, sub: str | None) -> list[tuple[Any, Any, int]]:
    """(group, sub-group, number of items) of the user's projects."""
    second = GROUPINGS[sub] if sub else "NULL"
    joins = " ".join(_JOINS[one] for one in dict.fromkeys((group, sub)) if one in _JOINS)
    mine = item_lists.of_member(user, slug)
    return db.execute(
        f"SELECT {GROUPINGS[group]}, {second}, count(DISTINCT items.id) FROM items {joins} WHERE {mine.where}"
        " GROUP BY 1, 2 ORDER BY 1, 2",
        mine.arguments,
    ).fetchall()


def condition(filters: Any, depth: int = 0) -> tuple[str, list[Any]]:
    """A nested `and`/`or` filter as SQL: a group's parts, or one field with one value."""
    if not isinstance(filters, dict) or len(filters) != 1 or depth > 20:
        raise BadRequest("Invalid filters")
    ((name, value),) = filters.items()
    if name in ("and", "or"):
        if not isinstance(value, list) or not value or len(value) > 100:
            raise BadRequest("Invalid filters")
        parts = [condition(one, depth + 1) for one in value]
        return "(" + f" {name.upper()} ".join(sql for sql, _ in parts) + ")", [one for _, more in parts for one in more]
    field = name.removesuffix("__in")
    if field not in GROUPINGS:
        raise BadRequest("Invalid filters")
    wanted = value if isinstance(value, list) else [value]
    if not wanted or len(wanted) > 100 or not all(isinstance(one, str) for one in wanted):
        raise BadRequest("Invalid filters")
    join = _JOINS.get(field, "")
    marks = placeholders(wanted)
    sql = (
        f"items.id IN (SELECT items.id FROM items {join} WHERE {GROUPINGS[field]} IN ({marks}))"
        if join
        else f"{GROUPINGS[field]} IN ({marks})"
    )
    return sql, list(wanted)


def find_by(
    db: sqlite3.Connection, user: str, slug: str, words: str, filters: Any, project: str | None, limit: int
) -> list[Item]:
    """Items of the user's projects that hold the words and meet the conditions, newest first."""
    found = item_lists.of_member(user, slug)
    if words:
        found = found.narrowed("instr(lower(items.name), lower(?)) > 0", words)
    if filters:
        sql, arguments = condition(filters)
        found = found.narrowed(sql, *arguments)
    if project:
        found = found.narrowed("items.project = ?", project)
    return found.rows(db, limit=limit)
