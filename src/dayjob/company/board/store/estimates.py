"""A project's estimate system and its points: one at most, forgotten by the project and its items when it goes."""

from __future__ import annotations

import sqlite3
from typing import Any

from dayjob.company.board.errors import Conflict
from dayjob.company.board.rows import Estimate, EstimatePoint, Project
from dayjob.company.board.store import plain
from dayjob.company.board.store.base import Store, required
from dayjob.company.rows import by_id, find, first

_LATEST = "WHERE project = ? ORDER BY created_at DESC, rowid DESC LIMIT 1"


def of_project(db: sqlite3.Connection, project: str) -> Estimate | None:
    return first(db, Estimate, _LATEST, (project,))


def points_of(db: sqlite3.Connection, estimate: str) -> list[EstimatePoint]:
    return find(db, EstimatePoint, "WHERE estimate = ? ORDER BY key, created_at, rowid", (estimate,))


def the_one(db: sqlite3.Connection, project: str) -> Estimate:
    """The project's estimate, which must be there."""
    return required(db, Estimate, _LATEST, (project,))


def estimate(store: Store, project: str, id: str) -> Estimate:
    return plain.one(store, Estimate, id, project=project)


def refuse_second(db: sqlite3.Connection, project: str) -> None:
    existing = of_project(db, project)
    if existing is not None:
        raise Conflict("An estimate already exists for this project", existing.id)


def create(store: Store, project: Project, facts: dict[str, Any]) -> Estimate:
    """An estimate system, which the project uses from now on."""
    place = {"workspace": project.workspace, "project": project.id}
    made = plain.add(store, Estimate, {**place, **_described(facts), "description": facts.get("description") or ""})
    plain.change(store, project, {"estimate": made.id})
    return made


def edit(store: Store, estimate: Estimate, facts: dict[str, Any]) -> Estimate:
    return plain.change(store, estimate, _described(facts))


def _described(facts: dict[str, Any]) -> dict[str, Any]:
    """A description that was emptied is an empty text."""
    return {**facts, "description": facts["description"] or ""} if "description" in facts else facts


def remove(store: Store, estimate: Estimate) -> None:
    """Items and the project forget it."""
    db = store.db
    db.execute("DELETE FROM estimates WHERE id = ?", (estimate.id,))
    db.execute("UPDATE projects SET estimate = NULL WHERE estimate = ?", (estimate.id,))
    db.execute(
        "UPDATE items SET estimate_point = NULL WHERE project = ? AND estimate_point IS NOT NULL", (estimate.project,)
    )


# -- points ------------------------------------------------------------------------------------------------------


def point(db: sqlite3.Connection, id: str | None) -> EstimatePoint | None:
    return by_id(db, EstimatePoint, id)


def point_of(store: Store, estimate: Estimate, id: str) -> EstimatePoint:
    return plain.one(store, EstimatePoint, id, estimate=estimate.id)


def add_point(store: Store, estimate: Estimate, facts: dict[str, Any]) -> EstimatePoint:
    place = {"workspace": estimate.workspace, "project": estimate.project, "estimate": estimate.id}
    return plain.add(store, EstimatePoint, {**place, **facts, "description": facts.get("description") or ""})


def edit_point(store: Store, point: EstimatePoint, facts: dict[str, Any]) -> EstimatePoint:
    return plain.change(store, point, _described(facts))


def remove_point(store: Store, point: EstimatePoint) -> None:
    store.db.execute("UPDATE items SET estimate_point = NULL WHERE estimate_point = ?", (point.id,))
    store.db.execute("DELETE FROM estimate_points WHERE id = ?", (point.id,))
