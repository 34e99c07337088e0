"""Work items and what gathers around them, with `fields` and `expand` applied."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dayjob.company.board.rows import Attachment, Comment, IntakeItem, Item
from dayjob.company.board.shapes.base import Shape, plain, wire
from dayjob.company.board.shapes.people import user
from dayjob.company.board.shapes.projects import project_lite, state_lite, workspace_lite
from dayjob.company.board.store import accounts, estimates, items, projects, workspaces


def item_list(
    db: sqlite3.Connection, rows: Sequence[Item], fields: Sequence[str] = (), expand: Sequence[str] = ()
) -> list[Shape]:
    people, labels = items.people_and_labels(db, [item.id for item in rows])
    shapes = []
    for item in rows:
        shape = wire(item)
        shape["type_id"] = item.type
        shape["deleted_at"] = shape["description_binary"] = None
        shape["assignees"] = people[item.id]
        shape["labels"] = labels[item.id]
        if fields or expand:
            if "labels" in expand:
                shape["labels"] = [plain(label) for label in items.labels_of(db, item.id)]
            shape = trimmed(db, shape, fields, expand)
        shapes.append(shape)
    return shapes


def item(db: sqlite3.Connection, item: Item, fields: Sequence[str] = (), expand: Sequence[str] = ()) -> Shape:
    return item_list(db, [item], fields, expand)[0]


def item_lite(item: Item) -> Shape:
    return {"id": item.id, "sequence_id": item.sequence_id, "project_id": item.project}


_RELATED = ("id", "sequence_id", "name", "priority", "created_at", "updated_at", "created_by", "updated_by")


def related_item(item: Item, relation: str) -> Shape:
    """An item at the other end of a relation, with how the relation reads."""
    whole = plain(item)
    shape = {name: whole[name] for name in _RELATED}
    more = {"project_id": item.project, "state_id": item.state, "type_id": item.type, "is_epic": False}
    return {**shape, **more, "sort_order": item.sort_order, "relation_type": relation}


def comment(comment: Comment) -> Shape:
    return {**plain(comment), "description": None, "is_member": True}


def attachment(attachment: Attachment) -> Shape:
    shape = plain(attachment)
    del shape["blob"]
    return {
        **shape, "entity_type": "ISSUE_ATTACHMENT", "entity_identifier": None, "is_deleted": False,
        "is_archived": False, "storage_metadata": {}, "user": None, "draft_issue": None, "comment": None, "page": None,
    }  # fmt: skip


def intake_item(db: sqlite3.Connection, suggestion: IntakeItem) -> Shape:
    """A suggestion with the item it is about, whose state and people are spelled out."""
    suggested = items.by_id(db, suggestion.issue)
    detail = None
    if suggested is not None:
        state = projects.state(db, suggested.state)
        detail = {
            **item(db, suggested), "state": state_lite(state) if state else None, "cycle": None, "module": None,
            "description": {},
        }  # fmt: skip
    return {**plain(suggestion), "inbox": suggestion.intake, "issue_detail": detail}


# -- fields and expand -------------------------------------------------------------------------------------------

_Expand = tuple[Callable[[sqlite3.Connection, str], Any], Callable[[sqlite3.Connection, Any], Shape]]
_USER: _Expand = (accounts.user, lambda db, row: user(row))
# The fields that hold an id, with how its row is found and shown.
_EXPANDED: dict[str, _Expand] = {
    **dict.fromkeys(
        (
            "user", "default_assignee", "project_lead", "created_by", "updated_by", "actor", "owned_by", "owner",
            "logged_by",
        ),
        _USER,
    ),
    "workspace": (workspaces.by_id, lambda db, row: workspace_lite(row)),
    "project": (projects.by_id, lambda db, row: project_lite(row)),
    "state": (projects.state, lambda db, row: state_lite(row)),
    "issue": (items.by_id, item),
    "parent": (items.by_id, lambda db, row: item_lite(row)),
    "estimate_point": (estimates.point, lambda db, row: plain(row)),
}  # fmt: skip


def trimmed(db: sqlite3.Connection, shape: Shape, fields: Sequence[str], expand: Sequence[str]) -> Shape:
    """Keep the `fields` asked for and put objects where `expand` names ids, as Plane's base serializer does."""
    if fields:
        shape = {name: value for name, value in shape.items() if name in fields}
    for name in expand:
        if name in shape:
            shape[name] = _expanded(db, name, shape[name])
    return shape


def each(shapes: Iterable[Shape], db: sqlite3.Connection, fields: Sequence[str], expand: Sequence[str]) -> list[Shape]:
    return [trimmed(db, shape, fields, expand) for shape in shapes] if fields or expand else list(shapes)


def _expanded(db: sqlite3.Connection, name: str, value: Any) -> Any:
    if isinstance(value, list):
        people = [id for id in value if isinstance(id, str)]
        return [user(row) for row in accounts.users(db, people)] if name in ("members", "assignees") else value
    if not isinstance(value, str) or name not in _EXPANDED:
        return value
    find, show = _EXPANDED[name]
    row = find(db, value)
    return value if row is None else show(db, row)
