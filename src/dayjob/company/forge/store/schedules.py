"""Schedules: pipelines that start at moments of the company's clock."""

from __future__ import annotations

from typing import Any

from dayjob.company.clock import moment, stamp
from dayjob.company.forge.ci.cron import Cron, InvalidCron, zone
from dayjob.company.forge.errors import invalid, not_found
from dayjob.company.forge.rows.ci import Schedule
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access
from dayjob.company.forge.store.base import Listing, Store
from dayjob.company.rows import packed


def listed(project: Project, *, active: bool | None = None) -> Listing:
    where = "project_id=?" + ("" if active is None else f" AND active={int(active)}")
    return Listing(Schedule, f"FROM pipeline_schedules WHERE {where}", [project.id], "pipeline_schedules.id ASC")


def find(store: Store, project: Project, schedule_id: int) -> Schedule:
    found = store.one(Schedule, "id=? AND project_id=?", schedule_id, project.id)
    if found is None:
        raise not_found("Pipeline Schedule")
    return found


def create(store: Store, owner: User, project: Project, **columns: Any) -> Schedule:
    now = store.now()
    values = {"cron_timezone": "UTC", "active": 1, **columns}
    next_run = _next(store, values["cron"], values["cron_timezone"])
    schedule_id = store.insert(
        "pipeline_schedules", project_id=project.id, owner_id=owner.id, created_at=now, updated_at=now,
        next_run_at=next_run, **values,
    )  # fmt: skip
    store.forge.due.look_again()
    return store.get(Schedule, schedule_id)


def change(store: Store, schedule: Schedule, **columns: Any) -> Schedule:
    cron = columns.get("cron", schedule.cron)
    timezone = columns.get("cron_timezone", schedule.cron_timezone)
    if {"cron", "cron_timezone", "active"} & set(columns):
        columns["next_run_at"] = _next(store, cron, timezone)
    store.update("pipeline_schedules", schedule.id, **columns, updated_at=store.now())
    store.forge.due.look_again()
    return store.get(Schedule, schedule.id)


def delete(store: Store, schedule: Schedule) -> None:
    store.delete("pipeline_schedules", schedule.id)
    store.forge.due.look_again()


def _next(store: Store, cron: str, timezone: str) -> str | None:
    try:
        zone(timezone)
    except InvalidCron:
        raise invalid(cron_timezone=[" is invalid syntax"]) from None
    try:
        found = Cron(cron).after(moment(store.now()), timezone)
    except InvalidCron:
        raise invalid(cron=[" is invalid syntax"]) from None
    return stamp(found) if found is not None else None


def may_change(store: Store, user: User, project: Project, schedule: Schedule) -> bool:
    """Its owner, as long as they are a developer; maintainers."""
    level = access.project_level(store, user, project)
    return level >= access.MAINTAINER or (schedule.owner_id == user.id and level >= access.DEVELOPER)


# -- variables ---------------------------------------------------------------------------------------------------


def variable(schedule: Schedule, key: str) -> dict[str, Any]:
    for one in schedule.given:
        if one["key"] == key:
            return one
    raise not_found("Variable")


def set_variable(store: Store, schedule: Schedule, key: str, value: str, kind: str, raw: bool) -> dict[str, Any]:
    one = {"variable_type": kind, "key": key, "value": value, "raw": raw}
    kept = [other for other in schedule.given if other["key"] != key]
    store.update("pipeline_schedules", schedule.id, variables=packed([*kept, one]))
    return one


def delete_variable(store: Store, schedule: Schedule, key: str) -> dict[str, Any]:
    one = variable(schedule, key)
    kept = [other for other in schedule.given if other["key"] != key]
    store.update("pipeline_schedules", schedule.id, variables=packed(kept))
    return one


# -- their time --------------------------------------------------------------------------------------------------


def next_due(store: Store) -> str | None:
    found: str | None = store.value("SELECT min(next_run_at) FROM pipeline_schedules WHERE active=1")
    return found


def due(store: Store, now: str) -> list[Schedule]:
    return store.all(Schedule, "active=1 AND next_run_at<=? ORDER BY next_run_at, id", now)


def ran(store: Store, schedule: Schedule, pipeline_id: int | None, *, in_time: bool = True) -> None:
    """A schedule has started its pipeline; what it missed on the way is not made up for."""
    values: dict[str, Any] = {"last_pipeline_id": pipeline_id or schedule.last_pipeline_id}
    if in_time:
        values["next_run_at"] = _next(store, schedule.cron, schedule.cron_timezone)
    store.update("pipeline_schedules", schedule.id, **values)
