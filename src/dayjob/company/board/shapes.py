"""Records as Plane's serializers show them, with `fields` and `expand` applied."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from dayjob.company.board.records import (
    Attachment,
    Comment,
    Cycle,
    EstimatePoint,
    IntakeItem,
    Item,
    Label,
    Module,
    Project,
    State,
    User,
    Workspace,
)
from dayjob.company.board.rows import Record, by_id, wire
from dayjob.company.board.store import accounts, cycles, items, modules
from dayjob.company.board.store.accounts import Member

Shape = dict[str, Any]


def user(one: User) -> Shape:
    return {
        "id": one.id,
        "first_name": one.first_name,
        "last_name": one.last_name,
        "email": one.email,
        "avatar": one.avatar,
        "avatar_url": one.avatar or None,
        "display_name": one.display_name,
    }


def member(one: Member) -> Shape:
    return {
        **user(one.user),
        "role": one.role,
        "role_slug": accounts.ROLE_SLUGS.get(one.role),
        "is_active": one.is_active,
        "is_bot": one.user.is_bot,
    }


def workspace_lite(one: Workspace) -> Shape:
    return {"name": one.name, "slug": one.slug, "id": one.id}


def state_lite(one: State) -> Shape:
    return {"id": one.id, "name": one.name, "color": one.color, "group": one.group}


def project_lite(one: Project) -> Shape:
    return {
        "id": one.id,
        "identifier": one.identifier,
        "name": one.name,
        "cover_image": one.cover_image,
        "icon_prop": one.icon_prop,
        "emoji": one.emoji,
        "description": one.description,
        "cover_image_url": one.cover_image,
    }


def item_lite(one: Item) -> Shape:
    return {"id": one.id, "sequence_id": one.sequence_id, "project_id": one.project}


def plain(one: Record) -> Shape:
    """A record that is shown as it is kept."""
    return {**wire(one), "deleted_at": None}


# -- fields and expand -------------------------------------------------------------------------------------------

_USERS = frozenset(
    {"user", "default_assignee", "project_lead", "created_by", "updated_by", "actor", "owned_by", "owner", "logged_by"}
)


def trimmed(db: sqlite3.Connection, shape: Shape, fields: Sequence[str], expand: Sequence[str]) -> Shape:
    """Keep the `fields` asked for and put objects where `expand` names ids, as Plane's base serializer does."""
    if fields:
        shape = {name: value for name, value in shape.items() if name in fields}
    for name in expand:
        if name in shape:
            shape[name] = _expanded(db, name, shape[name])
    return shape


def _expanded(db: sqlite3.Connection, name: str, value: Any) -> Any:
    if isinstance(value, list):
        people = [one for one in value if isinstance(one, str)]
        return [user(one) for one in accounts.users(db, people)] if name in ("members", "assignees") else value
    if not isinstance(value, str):
        return value
    found: Any = None
    if name in _USERS:
        return user(found) if (found := by_id(db, User, value)) else value
    if name == "workspace":
        return workspace_lite(found) if (found := by_id(db, Workspace, value)) else value
    if name == "project":
        return project_lite(found) if (found := by_id(db, Project, value)) else value
    if name == "state":
        return state_lite(found) if (found := by_id(db, State, value)) else value
    if name == "issue":
        return item(db, found) if (found := by_id(db, Item, value)) else value
    if name == "parent":
        return item_lite(found) if (found := by_id(db, Item, value)) else value
    if name == "estimate_point":
        return plain(found) if (found := by_id(db, EstimatePoint, value)) else value
    return value


# -- the larger ones ---------------------------------------------------------------------------------------------


def item_list(
    db: sqlite3.Connection, rows: Sequence[Item], fields: Sequence[str] = (), expand: Sequence[str] = ()
) -> list[Shape]:
    ids = [one.id for one in rows]
    people, labels = items.people_and_labels(db, ids)
    shapes = []
    for one in rows:
        shape = wire(one)
        shape["type_id"] = one.type
        shape["deleted_at"] = shape["description_binary"] = None
        shape["assignees"] = people[one.id]
        shape["labels"] = labels[one.id]
        if fields or expand:
            if "labels" in expand:
                shape["labels"] = [label(found) for found in items.labels_of(db, one.id)]
            shape = trimmed(db, shape, fields, expand)
        shapes.append(shape)
    return shapes


def item(db: sqlite3.Connection, one: Item, fields: Sequence[str] = (), expand: Sequence[str] = ()) -> Shape:
    return item_list(db, [one], fields, expand)[0]


def label(one: Label) -> Shape:
    return plain(one)


def project_list(db: sqlite3.Connection, rows: Sequence[Project], caller: str) -> list[Shape]:
    """Projects with their counts and the caller's place in them."""
    shapes = []
    for one in rows:
        mine = db.execute(
            "SELECT role, sort_order FROM project_members WHERE project = ? AND member = ? AND is_active",
            (one.id, caller),
        ).fetchone()
        total_members, total_cycles, total_modules = db.execute(
            "SELECT (SELECT count(*) FROM project_members WHERE project = ?1 AND is_active),"
            " (SELECT count(*) FROM cycles WHERE project = ?1), (SELECT count(*) FROM modules WHERE project = ?1)",
            (one.id,),
        ).fetchone()
        shapes.append(
            {
                **plain(one),
                "total_members": total_members,
                "total_cycles": total_cycles,
                "total_modules": total_modules,
                "is_member": mine is not None,
                "sort_order": mine[1] if mine else None,
                "member_role": mine[0] if mine else None,
                "is_deployed": False,
                "cover_image_url": one.cover_image,
                "inbox_view": one.intake_view,
            }
        )
    return shapes


def cycle_list(db: sqlite3.Connection, rows: Sequence[Cycle]) -> list[Shape]:
    numbers = cycles.counts(db, "cycle_items", "cycle", [one.id for one in rows])
    estimates: Shape = {"total_estimates": None, "completed_estimates": None, "started_estimates": None}
    return [{**plain(one), **numbers[one.id], **estimates} for one in rows]


def module_list(db: sqlite3.Connection, rows: Sequence[Module]) -> list[Shape]:
    ids = [one.id for one in rows]
    numbers, people = cycles.counts(db, "module_items", "module", ids), modules.members(db, ids)
    return [{**plain(one), **numbers[one.id], "members": people[one.id]} for one in rows]


def comment(one: Comment, is_member: bool) -> Shape:
    return {**plain(one), "description": None, "is_member": is_member}


def attachment(one: Attachment) -> Shape:
    shape = plain(one)
    del shape["blob"]
    return {
        **shape, "entity_type": "ISSUE_ATTACHMENT", "entity_identifier": None, "is_deleted": False,
        "is_archived": False, "storage_metadata": {}, "user": None, "draft_issue": None, "comment": None, "page": None,
    }  # fmt: skip


def intake_item(db: sqlite3.Connection, one: IntakeItem) -> Shape:
    """A suggestion with the item it is about, whose state and people are spelled out."""
    found = by_id(db, Item, one.issue)
    detail = None
    if found is not None:
        state = by_id(db, State, found.state)
        detail = {
            **item(db, found), "state": state_lite(state) if state else None, "cycle": None, "module": None,
            "description": {},
        }  # fmt: skip
    return {**plain(one), "inbox": one.intake, "issue_detail": detail}


def each(shapes: Iterable[Shape], db: sqlite3.Connection, fields: Sequence[str], expand: Sequence[str]) -> list[Shape]:
    return [trimmed(db, one, fields, expand) for one in shapes] if fields or expand else list(shapes)
