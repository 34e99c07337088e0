"""Types of work items, the properties a type has, their options, and the values items give them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from dayjob.company.board.errors import Conflict, Invalid, NotThere
from dayjob.company.board.rows import Item, ItemType, Project, PropertyOption, PropertyValue, TypeProperty
from dayjob.company.board.store import plain
from dayjob.company.board.store.base import Store
from dayjob.company.rows import Document, find, first


def of_project(db: sqlite3.Connection, project: str) -> list[ItemType]:
    return find(db, ItemType, "WHERE project = ? ORDER BY created_at, rowid", (project,))


def item_type(store: Store, project: str, id: str) -> ItemType:
    return plain.one(store, ItemType, id, project=project)


def create(store: Store, project: Project, facts: dict[str, Any]) -> ItemType:
    _refuse_same_name(store.db, project.id, facts["name"], None)
    return plain.add(store, ItemType, {"workspace": project.workspace, "project": project.id, **facts})


def edit(store: Store, kind: ItemType, facts: dict[str, Any]) -> ItemType:
    if "name" in facts:
        _refuse_same_name(store.db, kind.project, facts["name"], kind.id)
    return plain.change(store, kind, facts)


def remove(store: Store, kind: ItemType) -> None:
    """Items of the type have none afterwards."""
    if kind.is_default:
        raise Invalid({"error": "Default work item type cannot be deleted"})
    store.db.execute("UPDATE items SET type = NULL WHERE type = ?", (kind.id,))
    plain.remove(store, kind)


def _refuse_same_name(db: sqlite3.Connection, project: str, name: str, own: str | None) -> None:
    same = first(db, ItemType, "WHERE project = ? AND name = ?", (project, name))
    if same is not None and same.id != own:
        raise Conflict("Work item type with this name already exists in the project", same.id)


# -- properties --------------------------------------------------------------------------------------------------


def properties(db: sqlite3.Connection, kind: ItemType) -> list[TypeProperty]:
    return find(db, TypeProperty, "WHERE issue_type = ? ORDER BY sort_order, rowid", (kind.id,))


def project_properties(db: sqlite3.Connection, project: str) -> list[TypeProperty]:
    return find(db, TypeProperty, "WHERE project = ? ORDER BY created_at, rowid", (project,))


def type_property(store: Store, project: str, id: str, kind: ItemType | None = None) -> TypeProperty:
    """A property of the project, and of this type if one is given."""
    where = {"project": project} if kind is None else {"project": project, "issue_type": kind.id}
    return plain.one(store, TypeProperty, id, **where)


def add_property(store: Store, kind: ItemType, facts: dict[str, Any]) -> TypeProperty:
    """A new property of a type, after the others unless it says where."""
    name = "-".join(facts["display_name"].lower().split())
    same = first(store.db, TypeProperty, "WHERE issue_type = ? AND name = ?", (kind.id, name))
    if same is not None:
        raise Conflict("Work item property with this name already exists", same.id)
    place = {"workspace": kind.workspace, "project": kind.project, "issue_type": kind.id, "name": name}
    order = plain.last_order(store, TypeProperty, issue_type=kind.id)
    return plain.add(store, TypeProperty, {**place, "sort_order": order, **facts})


# -- options -----------------------------------------------------------------------------------------------------


def options(db: sqlite3.Connection, property: str) -> list[PropertyOption]:
    return find(db, PropertyOption, "WHERE property = ? ORDER BY sort_order, rowid", (property,))


def option(store: Store, property: TypeProperty, id: str) -> PropertyOption:
    return plain.one(store, PropertyOption, id, property=property.id)


def add_option(store: Store, property: TypeProperty, facts: dict[str, Any]) -> PropertyOption:
    """A new option of a property, after the others unless it says where."""
    place = {"workspace": property.workspace, "project": property.project, "property": property.id}
    order = plain.last_order(store, PropertyOption, property=property.id)
    return plain.add(store, PropertyOption, {**place, "sort_order": order, **facts})


# -- values ------------------------------------------------------------------------------------------------------


def values(db: sqlite3.Connection, item: str, property: TypeProperty) -> list[PropertyValue]:
    where = "WHERE issue = ? AND property = ? ORDER BY created_at, rowid"
    return find(db, PropertyValue, where, (item, property.id))


def set_values(store: Store, item: Item, property: TypeProperty, given: Sequence[Any], outside: dict[str, Any]) -> None:
    """Give an item values for a property, in place of what it had; `outside` says where they came from."""
    for row in values(store.db, item.id, property):
        plain.remove(store, row)
    place = {"workspace": item.workspace, "project": item.project, "issue": item.id, "property": property.id}
    for value in given:
        plain.add(store, PropertyValue, {**place, "value": Document(value), **outside})


def remove_values(store: Store, item: Item, property: TypeProperty) -> None:
    rows = values(store.db, item.id, property)
    if not rows:
        raise NotThere
    for row in rows:
        plain.remove(store, row)
