"""Modules: parts of the work with a lead, members and items; an item may be in several."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from dayjob.company.board.ledger import Ledger
from dayjob.company.board.records import Item, Module, ModuleItem, Project
from dayjob.company.board.refusals import BadRequest, Forbidden, Invalid, NotThere
from dayjob.company.board.rows import by_id, find, first, insert, update
from dayjob.company.board.store import accounts, outside
from dayjob.company.board.store.activity import note

STATUSES = ("backlog", "planned", "in-progress", "paused", "completed", "cancelled")


def module(db: sqlite3.Connection, project: str, id: str) -> Module:
    found = first(db, Module, "WHERE id = ? AND project = ?", (id, project))
    if found is None:
        raise NotThere
    return found


def create(ledger: Ledger, project: Project, facts: dict[str, Any]) -> str:
    db, facts = ledger.db, dict(facts)
    members = facts.pop("members", None)
    _refuse_order(facts.get("start_date"), facts.get("target_date"))
    outside.refuse_second(db, "modules", "Module", project.id, facts)
    same = first(db, Module, "WHERE project = ? AND name = ?", (project.id, facts["name"]))
    if same is not None:
        raise Invalid({"id": same.id, "error": "Module with this name already exists"})
    values = {**ledger.birth(), "workspace": project.workspace, "project": project.id, **facts}
    smallest = db.execute("SELECT min(sort_order) FROM modules WHERE project = ?", (project.id,)).fetchone()[0]
    values["sort_order"] = 65535.0 if smallest is None else smallest - 10000
    insert(db, "modules", values)
    _set_members(ledger, project.id, str(values["id"]), members or [])
    return str(values["id"])


def edit(ledger: Ledger, project: Project, module: Module, facts: dict[str, Any]) -> None:
    db, facts = ledger.db, dict(facts)
    if module.archived_at is not None:
        raise BadRequest("Archived module cannot be edited")
    members = facts.pop("members", None)
    start, target = facts.get("start_date", module.start_date), facts.get("target_date", module.target_date)
    if "start_date" in facts or "target_date" in facts:
        _refuse_order(start, target)
    outside.refuse_clash(db, "modules", "Module", project.id, module, facts)
    if "name" in facts:
        same = first(db, Module, "WHERE project = ? AND name = ?", (project.id, facts["name"]))
        if same is not None and same.id != module.id:
            raise BadRequest("Module with this name already exists")
    update(db, "modules", module.id, {**facts, **ledger.touch()})
    if members is not None:
        _set_members(ledger, project.id, module.id, members)


def delete(ledger: Ledger, module: Module) -> None:
    if module.created_by != ledger.actor and accounts.project_role(ledger.db, module.project, ledger.actor) != 20:
        raise Forbidden("Only admin or creator can delete the module")
    inside = find(
        ledger.db,
        Item,
        "JOIN module_items ON module_items.issue = items.id WHERE module_items.module = ?",
        (module.id,),
    )
    for item in inside:
        _note_left(ledger, item, module)
    ledger.db.execute("DELETE FROM modules WHERE id = ?", (module.id,))


def archive(ledger: Ledger, module: Module, *, on: bool) -> None:
    if on and module.status not in ("completed", "cancelled"):
        raise BadRequest("Only completed or cancelled modules can be archived")
    update(ledger.db, "modules", module.id, {"archived_at": ledger.now if on else None, **ledger.touch()})


def members(db: sqlite3.Connection, modules: Sequence[str]) -> dict[str, list[str]]:
    """Who works on each module."""
    found: dict[str, list[str]] = {one: [] for one in modules}
    marks = ", ".join("?" * len(modules))
    for module, member in db.execute(
        f"SELECT module, member FROM module_members WHERE module IN ({marks}) ORDER BY rowid", tuple(modules)
    ):
        found[module].append(member)
    return found


def put(ledger: Ledger, module: Module, items: Sequence[str]) -> None:
    """Add items to a module. Items of other projects are left out."""
    if not items:
        raise BadRequest("Issues are required")
    for id in dict.fromkeys(items):
        item = by_id(ledger.db, Item, id)
        if item is not None and item.project == module.project:
            place(ledger, module, item)


def place(ledger: Ledger, module: Module, item: Item) -> None:
    """Put one item in a module, with a line in its history; in it already, nothing happens."""
    if first(ledger.db, ModuleItem, "WHERE issue = ? AND module = ?", (item.id, module.id)) is not None:
        return
    values = {**ledger.birth(), "workspace": module.workspace, "project": module.project}
    insert(ledger.db, "module_items", {**values, "issue": item.id, "module": module.id})
    note(
        ledger, item, f"added module {module.name}", verb="created", field="modules", old="", new=module.name,
        new_id=module.id,
    )  # fmt: skip


def take_out(ledger: Ledger, module: Module, item: str) -> None:
    here = first(ledger.db, ModuleItem, "WHERE issue = ? AND module = ?", (item, module.id))
    found = by_id(ledger.db, Item, item)
    if here is None or found is None:
        raise NotThere
    ledger.db.execute("DELETE FROM module_items WHERE id = ?", (here.id,))
    _note_left(ledger, found, module)


def _set_members(ledger: Ledger, project: str, module: str, people: Sequence[str]) -> None:
    ledger.db.execute("DELETE FROM module_members WHERE module = ?", (module,))
    for one in dict.fromkeys(people):
        if accounts.project_role(ledger.db, project, one):
            insert(ledger.db, "module_members", {"id": ledger.ids.uuid(), "module": module, "member": one})


def _refuse_order(start: str | None, target: str | None) -> None:
    if start is not None and target is not None and start > target:
        raise Invalid.whole("Start date cannot exceed target date")


def _note_left(ledger: Ledger, item: Item, module: Module) -> None:
    note(
        ledger, item, f"removed this issue from {module.name}", verb="deleted", field="modules", old=module.name,
        new="", old_id=module.id,
    )  # fmt: skip
