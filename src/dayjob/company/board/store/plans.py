"""What cycles and modules have in common: items are put into them and taken out, counted, and told of in history."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from dayjob.company.board.errors import Forbidden, NotThere
from dayjob.company.board.rows import Cycle, CycleItem, Item, Module, ModuleItem, Project
from dayjob.company.board.store import accounts, item_lists, items
from dayjob.company.board.store.activity import note
from dayjob.company.board.store.base import Store
from dayjob.company.board.store.lists import Listing
from dayjob.company.rows import find, first, insert, placeholders, update

AnyPlan = TypeVar("AnyPlan", bound=Cycle | Module)
AnyPlace = TypeVar("AnyPlace", bound=CycleItem | ModuleItem)

_GROUPS = ("cancelled", "completed", "started", "unstarted", "backlog")


@dataclass(frozen=True, slots=True)
class Plan(Generic[AnyPlan, AnyPlace]):
    """One of the two kinds of plan: its noun, its rows, and the rows that say which items are in it."""

    noun: str
    row: type[AnyPlan]
    place: type[AnyPlace]

    def one(self, db: sqlite3.Connection, project: str, id: str) -> AnyPlan:
        plan = first(db, self.row, "WHERE id = ? AND project = ?", (id, project))
        if plan is None:
            raise NotThere
        return plan

    def first_order(self, db: sqlite3.Connection, project: str) -> float:
        """The place in the list of a project's plans that is before all others."""
        smallest = db.execute(f"SELECT min(sort_order) FROM {self.row.table} WHERE project = ?", (project,)).fetchone()[
            0
        ]
        return 65535.0 if smallest is None else smallest - 10000

    def delete(self, store: Store, plan: AnyPlan, owner: str | None) -> None:
        """Only its owner and a project's administrators may; the items stay."""
        if owner != store.actor and accounts.project_role(store.db, plan.project, store.actor) != accounts.ADMIN:
            raise Forbidden(f"Only admin or creator can delete the {self.noun}")
        for item in self.items_in(store.db, plan.id):
            self._note_left(store, item, plan)
        store.db.execute(f"DELETE FROM {self.row.table} WHERE id = ?", (plan.id,))

    def set_archived(self, store: Store, plan: AnyPlan, *, on: bool) -> None:
        update(store.db, self.row.table, plan.id, {"archived_at": store.now if on else None, **store.touch()})

    # -- its items -----------------------------------------------------------------------------------------------

    def listing(self, project: Project, id: str, item: str | None = None) -> Listing[Item]:
        """The listed items that are in a plan; if an item is named, that one only."""
        inside = f"items.id IN (SELECT issue FROM {self.place.table} WHERE {self.noun} = ?)"
        listing = item_lists.of_project(project, "created_at").narrowed(inside, id)
        return listing if item is None else listing.narrowed("items.id = ?", item)

    def candidates(self, project: Project, id: str, words: str) -> Listing[Item]:
        """The listed items that are not in a plan and whose name holds the words."""
        outside = f"id NOT IN (SELECT issue FROM {self.place.table} WHERE {self.noun} = ?)"
        return item_lists.of_project(project).narrowed(f"{outside} AND instr(lower(name), lower(?)) > 0", id, words)

    def places(self, db: sqlite3.Connection, id: str) -> list[AnyPlace]:
        """Which items are in a plan, the latest first."""
        return find(db, self.place, f"WHERE {self.noun} = ? ORDER BY created_at DESC, rowid DESC", (id,))

    def places_of(self, db: sqlite3.Connection, item: str) -> list[AnyPlace]:
        """Which plans an item is in, in the order it came into them."""
        return find(db, self.place, "WHERE issue = ? ORDER BY rowid", (item,))

    def place_of(self, db: sqlite3.Connection, id: str, item: str) -> AnyPlace | None:
        return first(db, self.place, f"WHERE {self.noun} = ? AND issue = ?", (id, item))

    def items_in(self, db: sqlite3.Connection, id: str, groups: Sequence[str] = ()) -> list[Item]:
        """The items of a plan, all or those whose state is of one of these groups."""
        condition = f'AND states."group" IN ({placeholders(groups)})' if groups else ""
        return find(
            db,
            Item,
            f"JOIN {self.place.table} place ON place.issue = items.id LEFT JOIN states ON states.id = items.state"
            f" WHERE place.{self.noun} = ? {condition} ORDER BY items.sequence_id",
            (id, *groups),
        )

    def put(
        self, store: Store, plan: AnyPlan, ids: Sequence[str], place: Callable[[Store, AnyPlan, Item], None]
    ) -> None:
        """Put items into a plan, one by one with `place`. Items of other projects are left out."""
        for id in dict.fromkeys(ids):
            item = items.by_id(store.db, id)
            if item is not None and item.project == plan.project:
                place(store, plan, item)

    def add(self, store: Store, plan: AnyPlan, item: Item) -> None:
        """Put one item that is not there into a plan, with a line in its history."""
        values = {**store.birth(), "workspace": plan.workspace, "project": plan.project}
        insert(store.db, self.place.table, {**values, "issue": item.id, self.noun: plan.id})
        note(
            store, item, f"added {self.noun} {plan.name}", verb="created", field=f"{self.noun}s", old="",
            new=plan.name, new_id=plan.id,
        )  # fmt: skip

    def take_out(self, store: Store, plan: AnyPlan, id: str) -> None:
        place, item = self.place_of(store.db, plan.id, id), items.by_id(store.db, id)
        if place is None or item is None:
            raise NotThere
        store.db.execute(f"DELETE FROM {self.place.table} WHERE id = ?", (place.id,))
        self._note_left(store, item, plan)

    def counts(self, db: sqlite3.Connection, ids: Sequence[str]) -> dict[str, dict[str, int]]:
        """For each plan: how many listed items, in all and by the group of their state."""
        zero = {"total_issues": 0, **{f"{group}_issues": 0 for group in _GROUPS}}
        found = {id: dict(zero) for id in ids}
        if not ids:
            return found
        marks = placeholders(ids)
        for id, group, number in db.execute(
            f'SELECT place.{self.noun}, states."group", count(*) FROM {self.place.table} place'
            " JOIN items ON items.id = place.issue LEFT JOIN states ON states.id = items.state"
            f" WHERE place.{self.noun} IN ({marks}) AND items.archived_at IS NULL AND NOT items.is_draft GROUP BY 1, 2",
            tuple(ids),
        ):
            found[id]["total_issues"] += number
            if group in _GROUPS:
                found[id][f"{group}_issues"] += number
        return found

    def _note_left(self, store: Store, item: Item, plan: AnyPlan) -> None:
        note(
            store, item, f"removed this issue from {plan.name}", verb="deleted", field=f"{self.noun}s", old=plan.name,
            new="", old_id=plan.id,
        )  # fmt: skip


CYCLES = Plan("cycle", Cycle, CycleItem)
MODULES = Plan("module", Module, ModuleItem)
