"""Time that people spent on items, which each may correct for themselves only."""

from __future__ import annotations

import sqlite3
from typing import Any

from dayjob.company.board.errors import Invalid, Refused
from dayjob.company.board.rows import Item, Project, Worklog
from dayjob.company.board.store import plain
from dayjob.company.board.store.base import Store
from dayjob.company.rows import find


def tracked(project: Project) -> Project:
    """The project, if time is tracked in it; without, its worklogs are not there."""
    if not project.is_time_tracking_enabled:
        raise Refused(404, {"message": "Worklog is not enabled for the project"})
    return project


def of_item(db: sqlite3.Connection, item: str) -> list[Worklog]:
    return find(db, Worklog, "WHERE issue = ? ORDER BY created_at DESC, rowid DESC", (item,))


def worklog(store: Store, item: str, id: str) -> Worklog:
    return plain.one(store, Worklog, id, issue=item)


def add(store: Store, item: Item, facts: dict[str, Any]) -> Worklog:
    place = {"workspace": item.workspace, "project": item.project, "issue": item.id, "logged_by": store.actor}
    return plain.add(store, Worklog, {**place, **facts})


def own_worklog(store: Store, item: str, id: str) -> Worklog:
    """A worklog of whoever acts, to be changed."""
    log = worklog(store, item, id)
    if log.logged_by != store.actor:
        raise Invalid({"error": "You can only edit your own worklogs"})
    return log


def edit(store: Store, log: Worklog, facts: dict[str, Any]) -> Worklog:
    return plain.change(store, log, facts)


def remove(store: Store, log: Worklog) -> None:
    plain.remove(store, log)


def totals(db: sqlite3.Connection, project: str) -> list[tuple[str, int]]:
    """The time spent on each item of a project that somebody worked on."""
    return db.execute(
        "SELECT issue, sum(duration) FROM worklogs WHERE project = ? GROUP BY issue ORDER BY min(rowid)", (project,)
    ).fetchall()
