"""Pipelines, jobs and commit statuses on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dayjob.company.forge.api.call import Call
from dayjob.company.forge.ci import states
from dayjob.company.forge.git.reading import commit_of
from dayjob.company.forge.rows.ci import Job, Pipeline
from dayjob.company.forge.shapes import runners as runner_shape
from dayjob.company.forge.shapes.repository import commit
from dayjob.company.forge.shapes.users import basic
from dayjob.company.forge.store import (
    artifacts,
    jobs,
    pipelines,
    progress,
    projects,
    runners,
    traces,
    users,
)


def pipeline(call: Call, row: Pipeline) -> dict[str, Any]:
    return {
        "id": row.id,
        "iid": row.iid,
        "project_id": row.project_id,
        "sha": row.sha,
        "ref": row.ref,
        "status": row.status,
        "source": row.source,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "web_url": f"{call.base}/{projects.path_of(call.store, row.project_id)}/-/pipelines/{row.id}",
        "name": row.name,
    }


def pipeline_detail(call: Call, row: Pipeline) -> dict[str, Any]:
    path = f"/{projects.path_of(call.store, row.project_id)}/-/pipelines/{row.id}"
    listed = progress.jobs_of(call.store, row)
    begun = [job.queued_at for job in listed if job.queued_at]
    return {
        **pipeline(call, row),
        "before_sha": row.before_sha,
        "tag": bool(row.tag),
        "yaml_errors": row.yaml_errors,
        "user": basic(call, users.by_id(call.store, row.user_id)),
        "started_at": row.started_at,
        "finished_at": row.finished_at,
        "committed_at": None,
        "duration": whole(jobs.worked(listed)) if row.finished_at and row.started_at else None,
        "queued_duration": whole(jobs.seconds(min(begun), row.started_at)) if begun and row.started_at else None,
        "coverage": _coverage(listed),
        "archived": False,
        "detailed_status": detailed_status(row.status, path, states.has_warnings(
            (job.status, bool(job.allow_failure)) for job in listed)),
    }  # fmt: skip


def whole(number: float | None) -> int | None:
    return None if number is None else int(number)


def _coverage(listed: Sequence[Job]) -> str | None:
    known = [job.coverage for job in listed if job.coverage is not None]
    return f"{sum(known) / len(known):.2f}" if known else None


_TEXTS = {
    "success": "Passed", "failed": "Failed", "canceled": "Canceled", "pending": "Pending", "running": "Running",
    "created": "Created", "skipped": "Skipped", "manual": "Blocked", "scheduled": "Delayed", "canceling": "Canceling",
    "preparing": "Preparing", "waiting_for_resource": "Waiting",
}  # fmt: skip


def detailed_status(status: str, path: str, warnings: bool = False) -> dict[str, Any]:
    """A state in words and pictures, as GitLab's own pages use it."""
    warned = warnings and status == "success"
    group = "success-with-warnings" if warned else status.replace("_", "-")
    text = "Warning" if warned else _TEXTS.get(status, status.capitalize())
    label = "passed with warnings" if warned else {"success": "passed", "manual": "blocked"}.get(status, status)
    return {
        "icon": "status_warning" if warned else f"status_{status}", "text": text, "label": label, "group": group,
        "tooltip": label, "has_details": True, "details_path": path, "illustration": None,
        "favicon": f"/assets/ci_favicons/favicon_status_{status}.png",
    }  # fmt: skip


def job(call: Call, row: Job) -> dict[str, Any]:
    found = pipelines.get(call.store, row.pipeline_id) if row.pipeline_id else None
    kept = artifacts.of(call.store, row)
    archive = next((one for one in kept if one.file_type == "archive"), None)
    trace_size = traces.size(call.store, row) if row.started_at and row.erased_at is None else 0
    runner = runners.by_id(call.store, row.runner_id)
    return {
        "id": row.id,
        "status": row.status,
        "stage": row.stage,
        "name": row.name,
        "ref": row.ref,
        "tag": bool(row.tag),
        "coverage": row.coverage,
        "allow_failure": bool(row.allow_failure),
        "created_at": row.created_at,
        "started_at": row.started_at,
        "finished_at": row.finished_at,
        "erased_at": row.erased_at,
        "duration": jobs.seconds(row.started_at, row.finished_at or (call.store.now() if row.started_at else None)),
        "queued_duration": jobs.seconds(row.queued_at, row.started_at or call.store.now()) if row.queued_at else None,
        "user": basic(call, users.by_id(call.store, row.user_id)),
        "commit": _commit(call, row),
        "pipeline": pipeline(call, found) if found else None,
        **({"failure_reason": row.failure_reason} if row.failure_reason else {}),
        "web_url": f"{call.base}/{projects.path_of(call.store, row.project_id)}/-/jobs/{row.id}",
        "project": {"ci_job_token_scope_enabled": False},
        **({"artifacts_file": {"filename": archive.filename, "size": archive.size}} if archive else {}),
        "artifacts": [
            *(
                {
                    "file_type": one.file_type,
                    "size": one.size,
                    "filename": one.filename,
                    "file_format": one.file_format,
                }
                for one in kept
            ),
            *(
                [{"file_type": "trace", "size": trace_size, "filename": "job.log", "file_format": None}]
                if row.trace is not None
                else []
            ),
        ],
        "runner": runner_shape.brief(runner) if runner else None,
        "runner_manager": runner_shape.manager(call, runner) if runner and runner.contacted_at else None,
        "artifacts_expire_at": archive.expire_at if archive else None,
        "archived": False,
        "tag_list": row.tag_names,
    }


def _commit(call: Call, row: Job) -> dict[str, Any] | None:
    project = projects.find(call.store, row.project_id)
    found = commit_of(call.store.repos.open(row.project_id), row.sha)
    return commit(call, project, found) if project and found else None


def status(call: Call, row: Job) -> dict[str, Any]:
    return {
        "id": row.id,
        "sha": row.sha,
        "ref": row.ref,
        "status": row.status,
        "name": row.name,
        "target_url": row.target_url,
        "description": row.description,
        "created_at": row.created_at,
        "started_at": row.started_at,
        "finished_at": row.finished_at,
        "allow_failure": bool(row.allow_failure),
        "coverage": row.coverage,
        "pipeline_id": row.pipeline_id,
        "author": basic(call, users.by_id(call.store, row.user_id)),
    }
