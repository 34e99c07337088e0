"""Pipelines: listed, started, cancelled and started again; their variables and test reports."""

from __future__ import annotations

import json
from typing import Any

from dayjob.company.forge.api.call import Call, Json, created, no_content
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.ci import creating, planning
from dayjob.company.forge.ci.file import project_configuration
from dayjob.company.forge.errors import bad, invalid, no_jobs
from dayjob.company.forge.git import reading
from dayjob.company.forge.rows.ci import Pipeline
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.shapes import ci as shape
from dayjob.company.forge.store import access, jobs, pipelines, reports, users


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


def given_variables(call: Call) -> list[dict[str, Any]]:
    """The variables that whoever starts a pipeline or a job gives: a list of mappings, or (for triggers) a mapping."""
    listed = call.args.get("job_variables_attributes", call.args.get("variables"))
    if isinstance(listed, dict) and not ("key" in listed and "value" in listed):
        listed = [{"key": key, "value": value} for key, value in listed.items()]
    found = []
    for one in [listed] if isinstance(listed, dict) else listed if isinstance(listed, list) else []:
        if not isinstance(one, dict) or one.get("key") is None or isinstance(one.get("value"), dict | list):
            raise bad("variables is invalid")
        kind = str(one.get("variable_type") or "env_var")
        if kind not in ("env_var", "file"):
            raise bad("variables[0][variable_type] does not have a valid value")
        found.append({"key": str(one["key"]), "value": planning.said(one.get("value")), "variable_type": kind})
    return found


def start(call: Call, project: Project, ref: str, source: str) -> Pipeline:
    """A pipeline that somebody asks for; what is in the way is said."""
    repo = call.store.repos.open(project.id)
    name = ref.removeprefix("refs/heads/").removeprefix("refs/tags/")
    branch = None if ref.startswith("refs/tags/") else reading.resolve(repo, f"refs/heads/{name}")
    head = branch or reading.resolve(repo, f"refs/tags/{name}")
    if head is None:
        raise invalid(base=["Reference not found"])
    found = project_configuration(project, repo, str(head.id))
    if found is None:
        raise invalid(base=["Missing CI config file"])
    if not found.valid:
        raise invalid(base=found.told)
    pipeline = creating.create(
        call.store, call.me, project, repo, name, str(head.id), source, tag=branch is None,
        given=given_variables(call),
    )  # fmt: skip
    if pipeline is None:
        raise no_jobs()
    return pipeline


@post("/projects/{id}/pipeline")
def create(call: Call) -> Any:
    project = call.project(access.DEVELOPER)
    # A browser's session starts pipelines from pages, a token through the API.
    source = "web" if call.token is None else "api"
    return created(shape.pipeline_detail(call, start(call, project, call.filled("ref"), source)))


@post("/projects/{id}/trigger/pipeline")
def trigger(call: Call) -> Any:
    project = call.project()
    pipelines.check_trigger(call.store, project, call.filled("token"))
    if call.user is None:
        call.user = users.by_id(call.store, project.creator_id)
    return created(shape.pipeline_detail(call, start(call, project, call.filled("ref"), "trigger")))


def find_pipeline(call: Call, level: int = 0) -> Pipeline:
    return pipelines.find(call.store, call.code_project(level), call.number("pipeline_id"))


@get("/projects/{id}/pipelines/latest")
def latest(call: Call) -> Any:
    project = call.project()
    ref = call.text("ref") or project.default_branch
    return shape.pipeline_detail(call, pipelines.latest_of_ref(call.store, project, ref))


ONE = "/projects/{id}/pipelines/{pipeline_id}"


@get(ONE)
def show(call: Call) -> Any:
    return shape.pipeline_detail(call, find_pipeline(call))


@get(f"{ONE}/variables")
def variables(call: Call) -> Any:
    return json.loads(find_pipeline(call, access.DEVELOPER).variables)


_COUNTS = ("total_time", "total_count", "success_count", "failed_count", "skipped_count", "error_count")


@get(f"{ONE}/test_report")
def test_report(call: Call) -> Any:
    suites = reports.test_suites(call.store, find_pipeline(call))
    call.passing = True
    return {
        **{name: sum(suite[name] for suite in suites) for name in _COUNTS},
        "test_suites": [{key: value for key, value in suite.items() if key != "job_id"} for suite in suites],
    }


@get(f"{ONE}/test_report_summary")
def test_report_summary(call: Call) -> Any:
    suites = reports.test_suites(call.store, find_pipeline(call))
    call.passing = True
    return {
        "total": {
            **{name.removeprefix("total_").removesuffix("_count"): sum(suite[name] for suite in suites)
               for name in _COUNTS},
            "suite_error": None,
        },
        "test_suites": [
            {
                **{name: suite[name] for name in ("name", *_COUNTS)},
                "build_ids": [suite["job_id"]],
                "suite_error": suite["suite_error"],
            }
            for suite in suites
        ],
    }  # fmt: skip


@get(f"{ONE}/bridges")
def bridges(call: Call) -> Any:
    """There are no pipelines of pipelines here."""
    find_pipeline(call)
    return call.paged([])


@post(f"{ONE}/cancel")
def cancel(call: Call) -> Any:
    jobs.cancel_all(call.store, find_pipeline(call, access.DEVELOPER))
    return Json(shape.pipeline_detail(call, find_pipeline(call)))


@post(f"{ONE}/retry")
def retry(call: Call) -> Any:
    jobs.retry_all(call.store, call.me, find_pipeline(call, access.DEVELOPER))
    return created(shape.pipeline_detail(call, find_pipeline(call)))


@put(f"{ONE}/metadata")
def metadata(call: Call) -> Any:
    """Give a pipeline a name."""
    pipeline = find_pipeline(call, access.DEVELOPER)
    return shape.pipeline_detail(call, pipelines.set_name(call.store, pipeline, call.filled("name")[:255]))


@delete(ONE)
def remove(call: Call) -> Any:
    pipelines.delete(call.store, find_pipeline(call, access.OWNER))
    return no_content()
