"""The runner's side of the API: registering, taking jobs, sending logs and artifacts.

A runner proves itself with its own token, a job's requests with the job's; neither is an account.
"""

from __future__ import annotations

import re
from typing import Any

from starlette.responses import FileResponse, PlainTextResponse, Response

from dayjob.company.forge.api.call import Call, Json, created, no_content
from dayjob.company.forge.api.routes import delete, get, patch, post, put, raw_body, without_account
from dayjob.company.forge.ci import variables
from dayjob.company.forge.errors import Refused, bad, forbidden, refused
from dayjob.company.forge.rows.ci import Job, Runner
from dayjob.company.forge.shapes.runner_jobs import payload
from dayjob.company.forge.store import artifacts, jobs, pipelines, registration, runners, traces, users
from dayjob.company.journal import identify
from dayjob.company.rows import packed
from dayjob.http.bodies import read_body

UPDATE_INTERVAL = 3
"""Seconds a runner lets pass between two pieces of a log."""
PIECE_LIMIT = 1024 * 1024
"""Bytes of one piece of a log."""
_RANGE = re.compile(r"(\d{1,12})-(\d{1,12})")


def _details(call: Call) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ("description", "maintenance_note"):
        if call.has(name):
            found[name] = (call.text(name) or "")[:1024]
    for name in ("locked", "run_untagged", "paused"):
        if call.has(name):
            found[name] = int(bool(call.boolean(name)))
    if call.has("active"):
        found["paused"] = int(not call.boolean("active"))
    if call.has("tag_list"):
        found["tags"] = packed(sorted(set(call.names("tag_list") or [])))
    if call.has("access_level"):
        found["access_level"] = call.choice("access_level", runners.ACCESS_LEVELS)
    if call.has("maximum_timeout"):
        found["maximum_timeout"] = call.integer("maximum_timeout")
        if found["maximum_timeout"] is not None and found["maximum_timeout"] < 600:
            raise bad("maximum_timeout needs to be at least 10 minutes")
    return found


def checked_details(call: Call, runner: Runner | None = None) -> dict[str, Any]:
    """What the caller says of a runner; one that takes no untagged jobs must have tags."""
    found = _details(call)
    tags = found.get("tags", runner.tags if runner is not None else "[]")
    untagged = found.get("run_untagged", runner.run_untagged if runner is not None else 1)
    if tags == "[]" and not untagged:
        raise refused(400, {"tags_list": ["can not be empty when runner is not allowed to pick untagged jobs"]})
    return found


@post("/runners")
@without_account
def register(call: Call) -> Any:
    kind, place = registration.place_of(call.store, call.filled("token"))
    runner, token = runners.create(call.store, None, kind, place, **checked_details(call))
    return created({"id": runner.id, "token": token, "token_expires_at": None})


def _runner(call: Call) -> Runner:
    return runners.by_token(call.store, call.filled("token"))


@delete("/runners")
@without_account
def unregister(call: Call) -> Any:
    runners.delete(call.store, _runner(call))
    return no_content()


@post("/runners/verify")
@without_account
def verify(call: Call) -> Any:
    runner = _runner(call)
    runners.heard_of(call.store, runner)
    return Json({"id": runner.id, "token": call.text("token"), "token_expires_at": None})


@post("/runners/reset_authentication_token")
@without_account
def reset_token(call: Call) -> Any:
    return created({"token": runners.new_token(call.store, _runner(call)), "token_expires_at": None})


@post("/jobs/request")
@without_account
def request_job(call: Call) -> Any:
    runner = _runner(call)
    info = call.args.get("info")
    runners.heard_of(call.store, runner, info if isinstance(info, dict) else None)
    version = str(call.forge.queue_version)
    if runner.paused or call.text("last_update") == version:
        return Response(status_code=204, headers={"x-gitlab-last-update": version})
    taken = jobs.take(call.store, runner)
    if taken is None:
        return Response(status_code=204, headers={"x-gitlab-last-update": version})
    job, token = taken
    return created(payload(call.store, runner, job, token, call.base))


def _token(call: Call) -> str:
    return call.request.headers.get("job-token") or str(call.args.get("token") or "")


def _job(call: Call) -> Job:
    """The running job in the path, for whoever has its token."""
    job = jobs.by_id(call.store, call.number("job_id"))
    if job is None or not jobs.has_token(job, _token(call)):
        raise forbidden()
    if job.status not in ("running", "canceling"):
        raise Refused(403, {"message": "403 Forbidden - Job is not running"}, {"job-status": job.status})
    starter = users.by_id(call.store, job.user_id)
    identify(starter.username if starter is not None else None)
    return job


@put("/jobs/{job_id}")
@without_account
def update(call: Call) -> Any:
    job = _job(call)
    state = call.choice("state", ("running", "success", "failed"))
    if state in ("success", "failed"):
        reason = call.text("failure_reason")
        known = reason if reason in jobs.FAILURE_REASONS else "unknown_failure" if reason else None
        job = jobs.finish(call.store, job, state, known, call.integer("exit_code"))
    return PlainTextResponse("200", 200, {"job-status": job.status, "x-gitlab-trace-update-interval": "0"})


@patch("/jobs/{job_id}/trace")
@raw_body
@without_account
async def append_trace(call: Call) -> Any:
    job = _job(call)
    written = call.request.headers.get("content-range")
    if written is None:
        raise refused(400, "400 Missing header Content-Range")
    found = _RANGE.fullmatch(written.strip())
    if found is None:
        raise refused(400, "400 Invalid header Content-Range")
    data = await read_body(call.request, PIECE_LIMIT)
    size = traces.size(call.store, job)
    if int(found[1]) != size:
        raise Refused(416, {"message": "416 Range Not Satisfiable"}, {"range": f"0-{size}", "job-status": job.status})
    if size + len(data) > traces.LIMIT:
        jobs.finish(call.store, job, "failed", "trace_size_exceeded")
        raise Refused(403, {"message": "403 Forbidden"}, {"job-status": "failed"})
    size = traces.append(call.store, job, data, [_token(call), *variables.masked_values(call.store, job)])
    headers = {
        "job-status": job.status,
        "range": f"0-{size}",
        "x-gitlab-trace-update-interval": str(UPDATE_INTERVAL),
    }
    return PlainTextResponse("202", 202, headers)


@post("/jobs/{job_id}/artifacts/authorize")
@without_account
def authorize_artifacts(call: Call) -> Any:
    _job(call)
    if (call.integer("filesize") or 0) > artifacts.LIMIT:
        raise refused(413, "413 Request Entity Too Large")
    return Json({"MaximumSize": artifacts.LIMIT})


@post("/jobs/{job_id}/artifacts")
@without_account
def upload_artifacts(call: Call) -> Any:
    job = _job(call)
    file = call.file("file")
    if file is None:
        raise bad("file is missing")
    artifacts.keep(
        call.store, job, call.choice("artifact_type", artifacts.TYPES, "archive"),
        call.choice("artifact_format", artifacts.FORMATS, "zip"), file.filename or "artifacts.zip", file.data,
        call.text("expire_in") or (job.options.get("artifacts") or {}).get("expire_in"),
    )  # fmt: skip
    return PlainTextResponse("201", 201)


@get("/jobs/{job_id}/artifacts")
@without_account
def download_artifacts(call: Call) -> Any:
    """For the job itself, and for a running job of the same pipeline that comes after it."""
    call.passing = True
    job = jobs.by_id(call.store, call.number("job_id"))
    asking = jobs.by_token(call.store, _token(call))
    if job is None or asking is None:
        raise forbidden()
    if asking.id != job.id and job.id not in {one.id for one, _ in artifacts.needed_by(call.store, asking)}:
        raise forbidden()
    artifact = artifacts.required(call.store, job)
    return FileResponse(
        call.forge.company.blobs.path(artifact.blob), media_type="application/zip",
        headers={"content-disposition": f'attachment; filename="{pipelines.plain_name(artifact.filename)}"'},
    )  # fmt: skip
