"""Modules: parts of the work with a lead, members and items; an item may be in several."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from dayjob.company.board.errors import BadRequest, Invalid
from dayjob.company.board.rows import Item, Module, Project
from dayjob.company.board.store import accounts, outside
from dayjob.company.board.store.base import Store
from dayjob.company.board.store.lists import Listing, by
from dayjob.company.board.store.plans import MODULES
from dayjob.company.rows import find, first, insert, placeholders, update

STATUSES = ("backlog", "planned", "in-progress", "paused", "completed", "cancelled")


module, counts, take_out = MODULES.one, MODULES.counts, MODULES.take_out

_ORDERS = by("created_at", "updated_at", "name", "start_date", "target_date", "sort_order", "status")


def listing(project: Project) -> Listing[Module]:
    return Listing(Module, "project = ? AND archived_at IS NULL", (project.id,), _ORDERS)


def archived(project: Project) -> Listing[Module]:
    return Listing(Module, "project = ? AND archived_at IS NOT NULL", (project.id,), _ORDERS)


def of_project(db: sqlite3.Connection, project: str) -> list[Module]:
    """A project's modules in the order people gave them."""
    return find(db, Module, "WHERE project = ? AND archived_at IS NULL ORDER BY sort_order, rowid", (project,))


def create(store: Store, project: Project, facts: dict[str, Any]) -> str:
    _refuse_switched_off(project)
    db, facts = store.db, dict(facts)
    members = facts.pop("members", None)
    _refuse_order(facts.get("start_date"), facts.get("target_date"))
    outside.refuse_second(db, "modules", "Module", project.id, facts)
    same = first(db, Module, "WHERE project = ? AND name = ?", (project.id, facts["name"]))
    if same is not None:
        raise Invalid({"id": same.id, "error": "Module with this name already exists"})
    values = {**store.birth(), "workspace": project.workspace, "project": project.id, **facts}
    values["sort_order"] = MODULES.first_order(db, project.id)
    insert(db, "modules", values)
    _set_members(store, project.id, str(values["id"]), members or [])
    return str(values["id"])


def edit(store: Store, project: Project, module: Module, facts: dict[str, Any]) -> None:
    db, facts = store.db, dict(facts)
    if module.archived_at is not None:
        raise BadRequest("Archived module cannot be edited")
    _refuse_switched_off(project)
    members = facts.pop("members", None)
    start, target = facts.get("start_date", module.start_date), facts.get("target_date", module.target_date)
    if "start_date" in facts or "target_date" in facts:
        _refuse_order(start, target)
    outside.refuse_clash(db, "modules", "Module", project.id, module, facts)
    if "name" in facts:
        same = first(db, Module, "WHERE project = ? AND name = ?", (project.id, facts["name"]))
        if same is not None and same.id != module.id:
            raise BadRequest("Module with this name already exists")
    update(db, "modules", module.id, {**facts, **store.touch()})
    if members is not None:
        _set_members(store, project.id, module.id, members)


def delete(store: Store, module: Module) -> None:
    MODULES.delete(store, module, module.created_by)


def archive(store: Store, module: Module, *, on: bool) -> None:
    if on and module.status not in ("completed", "cancelled"):
        raise BadRequest("Only completed or cancelled modules can be archived")
    MODULES.set_archived(store, module, on=on)


def members(db: sqlite3.Connection, modules: Sequence[str]) -> dict[str, list[str]]:
    """Who works on each module."""
    found: dict[str, list[str]] = {one: [] for one in modules}
    marks = placeholders(modules)
    for module, member in db.execute(
        f"SELECT module, member FROM module_members WHERE module IN ({marks}) ORDER BY rowid", tuple(modules)
    ):
        found[module].append(member)
    return found


def put(store: Store, module: Module, items: Sequence[str]) -> None:
    """Add items to a module. Items of other projects are left out."""
    if not items:
        raise BadRequest("Issues are required")
    if module.archived_at is not None:
        raise BadRequest("Archived module cannot be edited")
    MODULES.put(store, module, items, place)


def place(store: Store, module: Module, item: Item) -> None:
    """Put one item in a module, with a line in its history; in it already, nothing happens."""
    if MODULES.place_of(store.db, module.id, item.id) is None:
        MODULES.add(store, module, item)


def _set_members(store: Store, project: str, module: str, people: Sequence[str]) -> None:
    store.db.execute("DELETE FROM module_members WHERE module = ?", (module,))
    for one in dict.fromkeys(people):
        if accounts.project_role(store.db, project, one):
            insert(store.db, "module_members", {"id": store.ids.uuid(), "module": module, "member": one})


def _refuse_switched_off(project: Project) -> None:
    if not project.module_view:
        raise Invalid.whole("Modules are not enabled for this project")


def _refuse_order(start: str | None, target: str | None) -> None:
    if start is not None and target is not None and start > target:
        raise Invalid.whole("Start date cannot exceed target date")
