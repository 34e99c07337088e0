"""The intake: items that people suggest, waiting in triage until someone accepts, declines or defers them."""

from __future__ import annotations

import sqlite3
from typing import Any

from dayjob.company.board.errors import BadRequest, Forbidden
from dayjob.company.board.rows import IntakeItem, Project, State
from dayjob.company.board.store import accounts, items, projects
from dayjob.company.board.store.activity import note
from dayjob.company.board.store.base import Store, required
from dayjob.company.board.store.lists import Listing, always
from dayjob.company.rows import by_id, find, first, insert, update

PENDING, REJECTED, SNOOZED, ACCEPTED, DUPLICATE = -2, -1, 0, 1, 2
STATUSES = (PENDING, REJECTED, SNOOZED, ACCEPTED, DUPLICATE)


def intake_of(db: sqlite3.Connection, project: Project) -> str | None:
    row = db.execute("SELECT id FROM intakes WHERE project = ?", (project.id,)).fetchone()
    return str(row[0]) if row else None


def enabled(store: Store, project: Project) -> str:
    """The project's intake, or why there is none."""
    found = intake_of(store.db, project)
    if found is None:
        if not project.intake_view:
            raise BadRequest("Intake is not enabled for this project enable it through the project's api")
        found = projects.ensure_intake(store, project.workspace, project.id, project.name)
    return found


def intake_item(db: sqlite3.Connection, project: str, item: str) -> IntakeItem:
    return required(db, IntakeItem, "WHERE issue = ? AND project = ?", (item, project))


def listing(project: str, now: str, status: int | None) -> Listing[IntakeItem]:
    """What is in the intake and not asleep until a moment that is past, of one status or of all."""
    awake = "project = ? AND (snoozed_till IS NULL OR snoozed_till >= ?)"
    found = Listing(IntakeItem, awake, (project, now), always("created_at DESC, rowid DESC"))
    return found if status is None else found.narrowed("status = ?", status)


def with_status(db: sqlite3.Connection, project: str, status: int) -> list[IntakeItem]:
    """The latest suggestions of one status."""
    where = "WHERE project = ? AND status = ? ORDER BY created_at DESC, rowid DESC LIMIT 200"
    return find(db, IntakeItem, where, (project, status))


def counts(db: sqlite3.Connection, project: str) -> dict[int, int]:
    """How many suggestions there are of each status."""
    return dict(
        db.execute("SELECT status, count(*) FROM intake_items WHERE project = ? GROUP BY 1", (project,)).fetchall()
    )


def suggest(store: Store, project: Project, facts: dict[str, Any]) -> IntakeItem:
    """A new item, waiting in triage."""
    intake = enabled(store, project)
    state = projects.triage_state(store, project.workspace, project.id)
    made = items.create(store, project, {**facts, "state": state})
    values = {**store.birth(), "workspace": project.workspace, "project": project.id, "intake": intake}
    insert(store.db, "intake_items", {**values, "issue": made, "status": PENDING})
    return intake_item(store.db, project.id, made)


def decide(store: Store, project: Project, waiting: IntakeItem, facts: dict[str, Any]) -> None:
    """Change how a suggestion stands; accepting puts the item on the board, declining cancels it."""
    db = store.db
    update(db, "intake_items", waiting.id, {**facts, **store.touch()})
    status = facts.get("status", waiting.status)
    if status == waiting.status:
        return
    found = items.item(db, project.id, waiting.issue)
    if status in (REJECTED, DUPLICATE):
        target = first(
            db, State, "WHERE project = ? AND \"group\" = 'cancelled' ORDER BY sequence LIMIT 1", (project.id,)
        )
    elif status == ACCEPTED:
        now = by_id(db, State, found.state)
        target = projects.default_state(db, project.id) if now is None or now.group == "triage" else None
    else:
        target = None
    if target is not None:
        items.edit(store, project, found, {"state": target.id})
    words = {PENDING: "Pending", REJECTED: "Rejected", SNOOZED: "Snoozed", ACCEPTED: "Accepted", DUPLICATE: "Duplicate"}
    note(
        store, found, "updated the intake status", verb=str(status), field="intake", old=words[waiting.status],
        new=words[status],
    )  # fmt: skip


def withdraw(store: Store, waiting: IntakeItem) -> None:
    """Take a suggestion out; the item goes with it unless it was accepted."""
    db = store.db
    if waiting.status != ACCEPTED:
        found = items.item(db, waiting.project, waiting.issue)
        admin = accounts.project_role(db, waiting.project, store.actor) == accounts.ADMIN
        if found.created_by != store.actor and not admin:
            raise Forbidden("Only admin or creator can delete the work item")
        db.execute("DELETE FROM items WHERE id = ?", (waiting.issue,))
    db.execute("DELETE FROM intake_items WHERE id = ?", (waiting.id,))
