"""Runners as people see and manage them."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call, Json, created, no_content
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.api.runner_jobs import checked_details
from dayjob.company.forge.errors import bad, forbidden
from dayjob.company.forge.rows.ci import Runner
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.shapes import ci as shape
from dayjob.company.forge.shapes import runners as runner_shape
from dayjob.company.forge.store import access, jobs, namespaces, pipelines, projects, registration, runners

_STATUSES = ("online", "offline", "stale", "never_contacted", "active", "paused")


def _listed(call: Call, **narrow: Any) -> Any:
    wanted = call.choice("status", _STATUSES)
    paused = call.boolean("paused")
    listing = runners.listed(
        narrow.get("viewer"),
        kind=call.choice("type", runners.KINDS),
        paused={"paused": True, "active": False}.get(wanted, paused),
        tags=call.names("tag_list"),
        ids=narrow.get("ids"),
    )
    call.passing = True
    if wanted in (None, "active", "paused"):
        return call.listing(listing, lambda rows: [runner_shape.basic(call, one) for one in rows])
    found = [one for one in call.store.page(listing, 10_000, 0) if runners.status(call.store, one) == wanted]
    return call.paged(found, lambda one: runner_shape.basic(call, one))


@get("/runners")
def mine(call: Call) -> Any:
    """Those the caller manages."""
    return _listed(call, viewer=call.me)


@get("/runners/all")
def everywhere(call: Call) -> Any:
    call.admin()
    return _listed(call)


@get("/projects/{id}/runners")
def of_project(call: Call) -> Any:
    return _listed(call, ids=runners.of_project(call.store, call.project(access.MAINTAINER)))


@get("/groups/{id}/runners")
def of_group(call: Call) -> Any:
    return _listed(call, ids=runners.of_group(call.store, call.group(access.MAINTAINER)))


@post("/user/runners")
def create(call: Call) -> Any:
    kind = call.choice("runner_type", runners.KINDS)
    if kind is None:
        raise bad("runner_type is missing")
    place: Project | Namespace | None = None
    if kind == "instance_type":
        call.admin()
    elif kind == "group_type":
        place = call.group(access.OWNER, call.filled("group_id"))
    else:
        place = call.project(access.MAINTAINER, call.filled("project_id"))
    runner, token = runners.create(call.store, call.me, kind, place, **checked_details(call))
    return created({"id": runner.id, "token": token, "token_expires_at": None})


def _runner(call: Call) -> Runner:
    """The runner in the path, for those who manage it; anybody may look at one of the instance."""
    runner = runners.find(call.store, call.number("runner_id"))
    reading = call.request.method == "GET" and runner.kind == "instance_type"
    if not runners.may_manage(call.store, call.me, runner) and not reading:
        raise forbidden("No access granted")
    return runner


ONE = "/runners/{runner_id}"


@get(ONE)
def show(call: Call) -> Any:
    call.signed_in()
    call.passing = True
    return runner_shape.details(call, _runner(call))


@put(ONE)
def change(call: Call) -> Any:
    call.signed_in()
    runner = _runner(call)
    call.need_any(
        ("description", "active", "paused", "tag_list", "run_untagged", "locked", "access_level", "maximum_timeout",
         "maintenance_note")
    )  # fmt: skip
    return runner_shape.details(call, runners.change(call.store, runner, **checked_details(call, runner)))


@delete(ONE)
def remove(call: Call) -> Any:
    call.signed_in()
    runners.delete(call.store, _runner(call))
    return no_content()


@get(f"{ONE}/jobs")
def jobs_of(call: Call) -> Any:
    call.signed_in()
    runner = _runner(call)
    status = call.choice("status", pipelines.STATUSES)
    listing = jobs.listed(
        runner=runner, statuses=[status] if status else None,
        viewer=access.visible_projects(call.me, "project_id", access.REPORTER),
    )  # fmt: skip
    call.passing = True
    return call.listing(listing, lambda rows: [shape.job(call, job) for job in rows])


@get(f"{ONE}/managers")
def managers(call: Call) -> Any:
    call.signed_in()
    runner = _runner(call)
    call.passing = True
    return call.paged([runner_shape.manager(call, runner)] if runner.contacted_at else [])


@post(f"{ONE}/reset_authentication_token")
def reset_token(call: Call) -> Any:
    call.signed_in()
    runner = runners.find(call.store, call.number("runner_id"))
    if not runners.may_manage(call.store, call.me, runner):
        raise forbidden("No access granted")
    return created({"token": runners.new_token(call.store, runner), "token_expires_at": None})


@post("/projects/{id}/runners")
def enable(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    runner = runners.find(call.store, call.integer("runner_id") or 0)
    if not runners.may_manage(call.store, call.me, runner):
        raise forbidden("No access granted")
    runners.enable(call.store, project, runner)
    return created(runner_shape.basic(call, runner))


@delete("/projects/{id}/runners/{runner_id}")
def disable(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    runners.disable(call.store, project, runners.find(call.store, call.number("runner_id")))
    return no_content()


@post("/runners/reset_registration_token")
def reset_instance_registration(call: Call) -> Any:
    call.admin()
    return Json({"token": registration.reset(call.store, "instance", 0), "token_expires_at": None}, 201)


@post("/projects/{id}/runners/reset_registration_token")
def reset_project_registration(call: Call) -> Any:
    project = projects.get(call.store, call.project(access.MAINTAINER).id)
    return Json({"token": registration.reset(call.store, "project", project.id), "token_expires_at": None}, 201)


@post("/groups/{id}/runners/reset_registration_token")
def reset_group_registration(call: Call) -> Any:
    group = namespaces.get(call.store, call.group(access.OWNER).id)
    return Json({"token": registration.reset(call.store, "group", group.id), "token_expires_at": None}, 201)
