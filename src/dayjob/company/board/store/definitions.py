"""Relations a workspace defines for itself, such as "tests" and "is tested by", and the items they join."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from dayjob.company.board.errors import BadRequest, Conflict, NotThere
from dayjob.company.board.rows import CustomRelation, Item, RelationDefinition
from dayjob.company.board.store import plain
from dayjob.company.board.store.base import Store
from dayjob.company.board.store.lists import Listing, always
from dayjob.company.rows import find, first


def listing(workspace: str, *, is_default: bool | None, is_active: bool | None) -> Listing[RelationDefinition]:
    """A workspace's definitions; None asks for both kinds."""
    found = Listing(RelationDefinition, "workspace = ?", (workspace,), always("sort_order, rowid"))
    if is_default is not None:
        found = found.narrowed("is_default = ?", is_default)
    return found if is_active is None else found.narrowed("is_active = ?", is_active)


def definition(store: Store, workspace: str, id: str) -> RelationDefinition:
    return plain.one(store, RelationDefinition, id, workspace=workspace)


def create(store: Store, workspace: str, facts: dict[str, Any]) -> RelationDefinition:
    """A definition that reads as its name from both sides unless it says otherwise."""
    name = facts["name"]
    same = first(store.db, RelationDefinition, "WHERE workspace = ? AND name = ?", (workspace, name))
    if same is not None:
        raise Conflict("Relation definition with this name already exists", same.id)
    return plain.add(store, RelationDefinition, {"workspace": workspace, "outward": name, "inward": name, **facts})


# -- what they join ----------------------------------------------------------------------------------------------


def labels(db: sqlite3.Connection, workspace: str) -> dict[str, tuple[str, str]]:
    """How each active definition reads, outwards and inwards."""
    rows = find(db, RelationDefinition, "WHERE workspace = ? AND is_active", (workspace,))
    return {row.id: (row.outward, row.inward) for row in rows}


def relations(db: sqlite3.Connection, item: Item, labels: dict[str, tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """How each relation of an item reads from its side, and the id of the item at the other end."""
    where = "WHERE issue = ? OR related_issue = ? ORDER BY created_at, rowid"
    for relation in find(db, CustomRelation, where, (item.id, item.id)):
        if relation.definition in labels:
            outward, inward = labels[relation.definition]
            yield (outward, relation.related_issue) if relation.issue == item.id else (inward, relation.issue)


def relate(store: Store, item: Item, definition: RelationDefinition, label: str, others: Sequence[Item]) -> list[Item]:
    """Relate an item to others of its workspace, once each; the related ones come back."""
    if label not in (definition.outward, definition.inward):
        raise BadRequest("Invalid relation type")
    related = [other for other in others if other.workspace == item.workspace and other.id != item.id]
    for other in related:
        left, right = (item, other) if label == definition.outward else (other, item)
        where = "WHERE issue = ? AND related_issue = ? AND definition = ?"
        if first(store.db, CustomRelation, where, (left.id, right.id, definition.id)) is None:
            ends = {"issue": left.id, "related_issue": right.id, "definition": definition.id}
            plain.add(store, CustomRelation, {"workspace": item.workspace, **ends})
    return related


def unrelate(store: Store, item: str, other: str) -> None:
    where = "WHERE (issue = ? AND related_issue = ?) OR (issue = ? AND related_issue = ?)"
    relations = find(store.db, CustomRelation, where, (item, other, other, item))
    if not relations:
        raise NotThere
    for relation in relations:
        plain.remove(store, relation)
