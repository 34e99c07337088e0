"""What jobs leave behind, over the API: whole archives, single files of them, and how long they are kept."""

from __future__ import annotations

from typing import Any

from starlette.responses import FileResponse, Response

from dayjob.company.forge import archives
from dayjob.company.forge.api.call import Call, Json, no_content
from dayjob.company.forge.api.jobs import JOB, find_job
from dayjob.company.forge.api.routes import delete, get, post
from dayjob.company.forge.errors import not_found
from dayjob.company.forge.rows.ci import Job
from dayjob.company.forge.shapes import ci as shape
from dayjob.company.forge.store import access, artifacts, pipelines


def _archive(call: Call, job: Job) -> Any:
    artifact = artifacts.required(call.store, job)
    name = pipelines.plain_name(artifact.filename)
    headers = {"content-disposition": f'attachment; filename="{name}"', "x-content-type-options": "nosniff"}
    path = call.forge.company.blobs.path(artifact.blob)
    return FileResponse(path, media_type="application/zip", headers=headers)


def _member(call: Call, job: Job) -> Any:
    artifact = artifacts.required(call.store, job)
    data = archives.member(call.forge.company.blobs.path(artifact.blob), call.path["path"])
    if data is None:
        raise not_found()
    name = pipelines.plain_name(call.path["path"].rpartition("/")[2])
    headers = {"content-disposition": f'attachment; filename="{name}"', "x-content-type-options": "nosniff"}
    return Response(data, media_type="application/octet-stream", headers=headers)


@get(f"{JOB}/artifacts")
def download(call: Call) -> Any:
    return _archive(call, find_job(call))


@get(f"{JOB}/artifacts/{{path:rest}}")
def download_file(call: Call) -> Any:
    return _member(call, find_job(call))


def _latest(call: Call) -> Job:
    project = call.code_project()
    return artifacts.latest(call.store, project, call.path["ref"], call.needed("job"))


@get("/projects/{id}/jobs/artifacts/{ref}/download")
def download_latest(call: Call) -> Any:
    return _archive(call, _latest(call))


@get("/projects/{id}/jobs/artifacts/{ref}/raw/{path:rest}")
def download_latest_file(call: Call) -> Any:
    return _member(call, _latest(call))


@post(f"{JOB}/artifacts/keep")
def keep(call: Call) -> Any:
    job = find_job(call, access.DEVELOPER)
    artifacts.required(call.store, job)
    artifacts.keep_for_ever(call.store, job)
    return Json(shape.job(call, find_job(call)))


@delete(f"{JOB}/artifacts")
def remove(call: Call) -> Any:
    artifacts.delete(call.store, find_job(call, access.MAINTAINER))
    return no_content()


@delete("/projects/{id}/artifacts")
def remove_all(call: Call) -> Any:
    artifacts.delete_all(call.store, call.project(access.MAINTAINER))
    return Response(b"null", 202, media_type="application/json")
