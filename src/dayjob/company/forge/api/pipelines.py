"""Pipelines and jobs as records, and the linter of CI files."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from starlette.responses import Response

from dayjob.company.forge import ci
from dayjob.company.forge.api import code
from dayjob.company.forge.api.call import Call, Json, created, no_content
from dayjob.company.forge.api.routes import delete, get, post
from dayjob.company.forge.errors import bad, forbidden, invalid, no_jobs, not_found
from dayjob.company.forge.git import reading
from dayjob.company.forge.rows.ci import Job, Pipeline
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.shapes import ci as shape
from dayjob.company.forge.store import access, pipelines, users
from dayjob.company.forge.store.base import Store


@get("/projects/{id}/pipelines")
def project_pipelines(call: Call) -> Any:
    project = call.code_project()
    listing = pipelines.listed(
        project,
        status=call.choice("status", pipelines.STATUSES) if call.text("status") else None,
        **{name: call.text(name) for name in ("ref", "sha", "source", "name")},
        scope=call.choice("scope", tuple(pipelines.SCOPES)),
        username=call.text("username"),
        updated_after=call.text("updated_after"),
        updated_before=call.text("updated_before"),
        order=call.choice("order_by", pipelines.ORDERS, "id"),
        sort=call.choice("sort", ("asc", "desc"), "desc"),
    )
    return call.listing(listing, lambda rows: [shape.pipeline(call, pipeline) for pipeline in rows])


def _variables(call: Call) -> dict[str, str]:
    listed = call.args.get("variables")
    if isinstance(listed, dict):
        return {str(key): str(value) for key, value in listed.items()}
    return (
        {str(one.get("key")): str(one.get("value")) for one in listed or [] if isinstance(one, dict)}
        if isinstance(listed, list)
        else {}
    )


def _start(call: Call, project: Project, ref: str, source: str, variables: dict[str, str]) -> Pipeline:
    repo = call.store.repos.open(project.id)
    head = reading.resolve(repo, ref)
    if head is None:
        raise invalid(base=["Reference not found"])
    tag = reading.resolve(repo, f"refs/heads/{ref}") is None
    found = ci.project_configuration(project, repo, str(head.id))
    if found is None:
        raise invalid(base=["Missing CI config file"])
    if not found.valid:
        raise invalid(base=found.errors)
    with call.store.transaction():
        pipeline = ci.create(
            call.store, call.me, project, repo, ref, str(head.id), source, tag=tag, variables=variables
        )
    if pipeline is None:
        raise no_jobs()
    return pipeline


@post("/projects/{id}/pipeline")
def create(call: Call) -> Any:
    project = call.project(access.DEVELOPER)
    return created(shape.pipeline_detail(call, _start(call, project, call.filled("ref"), "api", _variables(call))))


@post("/projects/{id}/trigger/pipeline")
def trigger(call: Call) -> Any:
    project = call.project()
    pipelines.check_trigger(call.store, project, call.filled("token"))
    if call.user is None:
        call.user = users.by_id(call.store, project.creator_id)
    return created(shape.pipeline_detail(call, _start(call, project, call.filled("ref"), "trigger", _variables(call))))


def _pipeline(call: Call, level: int = 0) -> Pipeline:
    return pipelines.find(call.store, call.code_project(level), call.number("pipeline_id"))


@get("/projects/{id}/pipelines/latest")
def latest(call: Call) -> Any:
    project = call.project()
    ref = call.text("ref") or project.default_branch
    return shape.pipeline_detail(call, pipelines.latest_of_ref(call.store, project, ref))


ONE = "/projects/{id}/pipelines/{pipeline_id}"


@get(ONE)
def show(call: Call) -> Any:
    return shape.pipeline_detail(call, _pipeline(call))


@get(f"{ONE}/variables")
def variables(call: Call) -> Any:
    return json.loads(_pipeline(call, access.DEVELOPER).variables)


@get(f"{ONE}/test_report")
def test_report(call: Call) -> Any:
    _pipeline(call)
    return {
        "total_time": 0,
        "total_count": 0,
        "success_count": 0,
        "failed_count": 0,
        "skipped_count": 0,
        "error_count": 0,
        "test_suites": [],
    }


@get(f"{ONE}/test_report_summary")
def test_report_summary(call: Call) -> Any:
    _pipeline(call)
    totals = {"time": 0, "count": 0, "success": 0, "failed": 0, "skipped": 0, "error": 0, "suite_error": None}
    return {"total": totals, "test_suites": []}


def _jobs(call: Call, *, project: Project | None = None, pipeline: Pipeline | None = None) -> Any:
    scope = call.names("scope")
    if scope and not set(scope) <= set(pipelines.STATUSES):
        raise bad("scope does not have a valid value")
    listing = pipelines.jobs(project=project, pipeline=pipeline, statuses=scope)
    return call.listing(listing, lambda rows: [shape.job(call, job) for job in rows])


@get(f"{ONE}/jobs")
def pipeline_jobs(call: Call) -> Any:
    return _jobs(call, pipeline=_pipeline(call))


@get(f"{ONE}/bridges")
def bridges(call: Call) -> Any:
    _pipeline(call)
    return call.paged([])


@post(f"{ONE}/cancel")
def cancel(call: Call) -> Any:
    pipelines.cancel(call.store, _pipeline(call, access.DEVELOPER))
    return created(shape.pipeline_detail(call, _pipeline(call)))


@post(f"{ONE}/retry")
def retry(call: Call) -> Any:
    pipelines.retry(call.store, _pipeline(call, access.DEVELOPER))
    return created(shape.pipeline_detail(call, _pipeline(call)))


@delete(ONE)
def remove(call: Call) -> Any:
    pipelines.delete(call.store, _pipeline(call, access.OWNER))
    return no_content()


# -- jobs --------------------------------------------------------------------------------------------------------


@get("/projects/{id}/jobs")
def jobs(call: Call) -> Any:
    return _jobs(call, project=call.code_project())


def _job(call: Call, level: int = 0) -> Job:
    return pipelines.find_job(call.store, call.code_project(level), call.number("job_id"))


@get("/projects/{id}/jobs/{job_id}")
def job(call: Call) -> Any:
    return shape.job(call, _job(call))


@get("/projects/{id}/jobs/{job_id}/trace")
def trace(call: Call) -> Any:
    _job(call)
    return Response(b"", media_type="text/plain")


@get("/projects/{id}/jobs/{job_id}/artifacts")
def artifacts(call: Call) -> Any:
    _job(call)
    raise not_found()


def _changed_job(call: Call, change: Callable[[Store, Job], None]) -> Any:
    change(call.store, _job(call, access.DEVELOPER))
    return created(shape.job(call, _job(call)))


post("/projects/{id}/jobs/{job_id}/cancel")(lambda call: _changed_job(call, pipelines.cancel_job))
post("/projects/{id}/jobs/{job_id}/retry")(lambda call: _changed_job(call, pipelines.retry_job))


@post("/projects/{id}/jobs/{job_id}/play")
def play_job(call: Call) -> Any:
    pipelines.play_job(call.store, _job(call, access.DEVELOPER))
    return shape.job(call, _job(call))


@post("/projects/{id}/jobs/{job_id}/erase")
def erase_job(call: Call) -> Any:
    raise forbidden("Job is not erasable!")


# -- lint --------------------------------------------------------------------------------------------------------


def _lint(content: str, include_jobs: bool = False) -> dict[str, Any]:
    found = ci.lint(content)
    answer: dict[str, Any] = {
        "valid": found.valid,
        "errors": found.errors,
        "warnings": found.warnings,
        "merged_yaml": found.merged or None,
        "includes": [],
    }
    if include_jobs:
        answer["jobs"] = [
            {
                "name": name,
                "stage": one.get("stage", "test"),
                "before_script": [],
                "script": one.get("script") if isinstance(one.get("script"), list) else [one.get("script")],
                "after_script": [],
                "tag_list": [],
                "only": {"refs": ["branches", "tags"]},
                "except": None,
                "environment": None,
                "when": one.get("when", "on_success"),
                "allow_failure": bool(one.get("allow_failure")),
                "needs": None,
            }
            for name, one in found.jobs.items()
        ]
    return answer


@post("/projects/{id}/ci/lint")
def lint_content(call: Call) -> Any:
    call.project()
    call.need("content")
    return Json(_lint(call.text("content"), bool(call.boolean("include_jobs"))))


@get("/projects/{id}/ci/lint")
def lint_project(call: Call) -> Any:
    project, repo = code.repository(call)
    head = reading.resolve(repo, call.text("content_ref") or call.text("sha") or project.default_branch or "main")
    found = ci.project_configuration(project, repo, str(head.id)) if head is not None else None
    if found is None:
        return {
            "valid": False,
            "errors": ["Please provide content of .gitlab-ci.yml"],
            "warnings": [],
            "merged_yaml": None,
            "includes": [],
        }
    return {
        "valid": found.valid,
        "errors": found.errors,
        "warnings": found.warnings,
        "merged_yaml": found.merged or None,
        "includes": [],
    }


@post("/ci/lint")
def lint_anywhere(call: Call) -> Any:
    call.signed_in()
    found = ci.lint(call.filled("content"))
    return Json(
        {
            "status": "valid" if found.valid else "invalid",
            "errors": found.errors,
            "warnings": found.warnings,
            "valid": found.valid,
        }
    )


@get("/runners", "/runners/all", "/projects/{id}/runners", "/groups/{id}/runners")
def runners(call: Call) -> Any:
    call.signed_in()
    return call.paged([])
