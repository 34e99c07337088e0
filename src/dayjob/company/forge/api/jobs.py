"""Jobs: listed, looked into, cancelled, started again and by hand."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from dayjob.company.forge.api.call import Call, Json, created
from dayjob.company.forge.api.pipelines import ONE, find_pipeline, given_variables
from dayjob.company.forge.api.routes import get, post
from dayjob.company.forge.errors import Refused, bad, forbidden
from dayjob.company.forge.rows.ci import Job
from dayjob.company.forge.shapes import ci as shape
from dayjob.company.forge.store import access, artifacts, jobs, pipelines, traces


def _listed(call: Call, **place: Any) -> Any:
    scope = call.names("scope")
    if scope and not set(scope) <= set(pipelines.STATUSES):
        raise bad("scope does not have a valid value")
    call.passing = True
    return call.listing(jobs.listed(statuses=scope, **place), lambda rows: [shape.job(call, job) for job in rows])


@get(f"{ONE}/jobs")
def of_pipeline(call: Call) -> Any:
    return _listed(call, pipeline=find_pipeline(call), retried=bool(call.boolean("include_retried", False)))


@get("/projects/{id}/jobs")
def of_project(call: Call) -> Any:
    return _listed(call, project=call.code_project())


@get("/job")
def own(call: Call) -> Any:
    """The job whose token asks."""
    if call.job is None:
        raise Refused(401, {"message": "401 Unauthorized"})
    call.passing = True
    return shape.job(call, call.job)


def find_job(call: Call, level: int = 0) -> Job:
    return jobs.find(call.store, call.code_project(level), call.number("job_id"))


JOB = "/projects/{id}/jobs/{job_id}"


@get(JOB)
def show(call: Call) -> Any:
    call.passing = True
    return shape.job(call, find_job(call))


@get(f"{JOB}/trace")
def trace(call: Call) -> Any:
    return Response(traces.read(call.store, find_job(call)), media_type="text/plain")


@post(f"{JOB}/cancel")
def cancel(call: Call) -> Any:
    jobs.cancel(call.store, find_job(call, access.DEVELOPER))
    return created(shape.job(call, find_job(call)))


@post(f"{JOB}/retry")
def retry(call: Call) -> Any:
    return created(shape.job(call, jobs.retry(call.store, call.me, find_job(call, access.DEVELOPER))))


@post(f"{JOB}/play")
def play(call: Call) -> Any:
    jobs.play(call.store, call.me, find_job(call, access.DEVELOPER), given_variables(call))
    return Json(shape.job(call, find_job(call)))


@post(f"{JOB}/erase")
def erase(call: Call) -> Any:
    job = find_job(call, access.MAINTAINER)
    if job.status not in ("success", "failed", "canceled") or job.erased_at is not None:
        raise forbidden("Job is not erasable!")
    artifacts.erase(call.store, job)
    return created(shape.job(call, find_job(call)))
