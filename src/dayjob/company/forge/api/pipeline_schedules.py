"""Schedules of pipelines."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call, Json, created, no_content
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.ci import scheduling
from dayjob.company.forge.errors import bad, forbidden
from dayjob.company.forge.rows.ci import Schedule
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.shapes import ci as shape
from dayjob.company.forge.shapes.users import basic
from dayjob.company.forge.store import access, pipelines, schedules, users

ALL = "/projects/{id}/pipeline_schedules"
ONE = f"{ALL}/{{schedule_id}}"
FIELDS = ("description", "ref", "cron", "cron_timezone")


def _shape(call: Call, row: Schedule) -> dict[str, Any]:
    return {
        "id": row.id,
        "description": row.description,
        "ref": row.ref,
        "cron": row.cron,
        "cron_timezone": row.cron_timezone,
        "next_run_at": row.next_run_at,
        "active": bool(row.active),
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "owner": basic(call, users.by_id(call.store, row.owner_id)),
    }


def _details(call: Call, project: Project, row: Schedule) -> dict[str, Any]:
    last = pipelines.by_id(call.store, row.last_pipeline_id)
    found = {
        **_shape(call, row),
        "last_pipeline": {name: getattr(last, name) for name in ("id", "sha", "ref", "status")} if last else None,
    }
    if call.user is not None and schedules.may_change(call.store, call.user, project, row):
        found["variables"] = row.given
    return found


@get(ALL)
def listed(call: Call) -> Any:
    project = call.code_project()
    scope = call.choice("scope", ("active", "inactive"))
    listing = schedules.listed(project, active=None if scope is None else scope == "active")
    return call.listing(listing, lambda rows: [_shape(call, row) for row in rows])


def _found(call: Call, level: int = 0) -> tuple[Project, Schedule]:
    project = call.code_project(level)
    return project, schedules.find(call.store, project, call.number("schedule_id"))


def _changeable(call: Call) -> tuple[Project, Schedule]:
    project, schedule = _found(call, access.DEVELOPER)
    if not schedules.may_change(call.store, call.me, project, schedule):
        raise forbidden()
    return project, schedule


@get(ONE)
def show(call: Call) -> Any:
    project, schedule = _found(call)
    return _details(call, project, schedule)


def _columns(call: Call) -> dict[str, Any]:
    found: dict[str, Any] = {name: call.filled(name) for name in FIELDS if call.has(name)}
    if call.has("active"):
        found["active"] = int(bool(call.boolean("active")))
    return found


@post(ALL)
def create(call: Call) -> Any:
    project = call.project(access.DEVELOPER)
    call.need("description", "ref", "cron")
    return created(_details(call, project, schedules.create(call.store, call.me, project, **_columns(call))))


@put(ONE)
def change(call: Call) -> Any:
    project, schedule = _changeable(call)
    return _details(call, project, schedules.change(call.store, schedule, **_columns(call)))


@delete(ONE)
def remove(call: Call) -> Any:
    schedules.delete(call.store, _changeable(call)[1])
    return no_content()


@post(f"{ONE}/take_ownership")
def take_ownership(call: Call) -> Any:
    project, schedule = _found(call, access.MAINTAINER)
    return created(_details(call, project, schedules.change(call.store, schedule, owner_id=call.me.id)))


@post(f"{ONE}/play")
def play(call: Call) -> Any:
    _, schedule = _found(call, access.DEVELOPER)
    pipeline = scheduling.start(call.store, call.me, schedule)
    if pipeline is None:
        return Json({"message": "500 Unable to schedule pipeline run immediately"}, 500)
    schedules.ran(call.store, schedule, pipeline.id, in_time=False)
    return created({"message": "201 Created"})


@get(f"{ONE}/pipelines")
def pipelines_of(call: Call) -> Any:
    project, schedule = _found(call)
    return call.listing(
        pipelines.of_schedule(project, schedule), lambda rows: [shape.pipeline(call, row) for row in rows]
    )


# -- variables ---------------------------------------------------------------------------------------------------


def _set(call: Call, key: str) -> dict[str, Any]:
    _, schedule = _changeable(call)
    if not key.replace("_", "").isalnum() or not key.isascii() or len(key) > 255:
        raise bad("key is invalid")
    kind = call.choice("variable_type", ("env_var", "file"), "env_var")
    return schedules.set_variable(call.store, schedule, key, call.needed("value"), kind, bool(call.boolean("raw")))


@post(f"{ONE}/variables")
def create_variable(call: Call) -> Any:
    return created(_set(call, call.filled("key")))


@put(f"{ONE}/variables/{{key}}")
def change_variable(call: Call) -> Any:
    schedules.variable(_changeable(call)[1], call.path["key"])
    return _set(call, call.path["key"])


@delete(f"{ONE}/variables/{{key}}")
def remove_variable(call: Call) -> Any:
    return Json(schedules.delete_variable(call.store, _changeable(call)[1], call.path["key"]), 202)
