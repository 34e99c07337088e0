"""Pipelines, jobs and commit statuses on the wire."""

from __future__ import annotations

import json
from typing import Any

from dayjob.company.forge.api.call import Call
from dayjob.company.forge.git.reading import commit_of
from dayjob.company.forge.rows.ci import Job, Pipeline
from dayjob.company.forge.shapes.repository import commit
from dayjob.company.forge.shapes.users import basic
from dayjob.company.forge.store import pipelines, projects, users


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
    return {
        **pipeline(call, row),
        "before_sha": row.before_sha,
        "tag": bool(row.tag),
        "yaml_errors": row.yaml_errors,
        "user": basic(call, users.by_id(call.store, row.user_id)),
        "started_at": row.started_at,
        "finished_at": row.finished_at,
        "committed_at": None,
        "duration": None,
        "queued_duration": None,
        "coverage": None,
        "archived": False,
        "detailed_status": {
            "icon": f"status_{row.status}", "text": row.status.capitalize(), "label": row.status, "group": row.status,
            "tooltip": row.status, "has_details": True, "details_path": path, "illustration": None,
            "favicon": f"/assets/ci_favicons/favicon_status_{row.status}.png",
        },
    }  # fmt: skip


def job(call: Call, row: Job) -> dict[str, Any]:
    found = pipelines.get(call.store, row.pipeline_id) if row.pipeline_id else None
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
        "erased_at": None,
        "duration": None,
        "queued_duration": None,
        "user": basic(call, users.by_id(call.store, row.user_id)),
        "commit": _commit(call, row),
        "pipeline": pipeline(call, found) if found else None,
        "failure_reason": None,
        "web_url": f"{call.base}/{projects.path_of(call.store, row.project_id)}/-/jobs/{row.id}",
        "project": {"ci_job_token_scope_enabled": False},
        "artifacts": [],
        "runner": None,
        "runner_manager": None,
        "artifacts_expire_at": None,
        "archived": False,
        "tag_list": json.loads(row.tags),
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
