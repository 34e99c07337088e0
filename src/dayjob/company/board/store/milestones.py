"""Milestones and the items that lead to them; epics, which are items of a type that says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dayjob.company.board.errors import NotThere
from dayjob.company.board.rows import Item, ItemType, Milestone, MilestoneItem, Project
from dayjob.company.board.store import items, plain
from dayjob.company.board.store.base import Store
from dayjob.company.board.store.lists import Listing, always, by
from dayjob.company.rows import by_id, first, update


def listing(project: str) -> Listing[Milestone]:
    return Listing(Milestone, "project = ?", (project,), by("created_at", "updated_at", "title", "target_date"))


def milestone(store: Store, project: str, id: str) -> Milestone:
    return plain.one(store, Milestone, id, project=project)


def create(store: Store, project: Project, facts: dict[str, Any]) -> Milestone:
    return plain.add(store, Milestone, {"workspace": project.workspace, "project": project.id, **facts})


def items_of(milestone: Milestone) -> Listing[MilestoneItem]:
    return Listing(MilestoneItem, "milestone = ?", (milestone.id,), always("created_at DESC, rowid DESC"))


def _place(store: Store, milestone: Milestone, item: str) -> MilestoneItem | None:
    return first(store.db, MilestoneItem, "WHERE milestone = ? AND issue = ?", (milestone.id, item))


def put(store: Store, milestone: Milestone, ids: Sequence[str]) -> None:
    """Add items to a milestone. Items of other projects are left out."""
    for id in dict.fromkeys(ids):
        item = items.by_id(store.db, id)
        if item is not None and item.project == milestone.project and _place(store, milestone, id) is None:
            place = {"workspace": milestone.workspace, "project": milestone.project}
            plain.add(store, MilestoneItem, {**place, "issue": id, "milestone": milestone.id})


def take_out(store: Store, milestone: Milestone, ids: Sequence[str]) -> None:
    """Take items out of a milestone; those that are not in it do not matter."""
    for id in dict.fromkeys(ids):
        place = _place(store, milestone, id)
        if place is not None:
            plain.remove(store, place)


# -- epics -------------------------------------------------------------------------------------------------------


def epic(store: Store, project: str, id: str) -> Item:
    item = items.item(store.db, project, id)
    kind = by_id(store.db, ItemType, item.type)
    if kind is None or not kind.is_epic:
        raise NotThere
    return item


def make_epic(store: Store, project: Project, id: str) -> Item:
    """Turn an item into an epic; the project's type for epics is made with its first one."""
    kind = first(store.db, ItemType, "WHERE project = ? AND is_epic ORDER BY created_at LIMIT 1", (project.id,))
    if kind is None:
        place = {"workspace": project.workspace, "project": project.id}
        kind = plain.add(store, ItemType, {**place, "name": "Epic", "is_epic": True, "level": 1.0})
    update(store.db, "items", id, {"type": kind.id})
    return items.item(store.db, project.id, id)


def put_under(store: Store, project: Project, epic: Item, ids: Sequence[str]) -> list[Item]:
    """Make items children of an epic."""
    return [
        items.edit(store, project, items.item(store.db, project.id, id), {"parent": epic.id})
        for id in dict.fromkeys(ids)
    ]
