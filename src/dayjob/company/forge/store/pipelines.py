"""Pipelines and their jobs: listed, created, cancelled and retried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dayjob.company.forge.errors import forbidden, not_found
from dayjob.company.forge.rows.ci import Job, Pipeline
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import records
from dayjob.company.forge.store.base import Listing, Store
from dayjob.company.rows import packed, placeholders

STATUSES = (
    "created", "waiting_for_resource", "preparing", "pending", "running", "success", "failed", "canceled", "skipped",
    "manual", "scheduled", "canceling",
)  # fmt: skip
UNFINISHED = ("created", "waiting_for_resource", "preparing", "pending", "running", "manual", "scheduled")
SCOPES = {
    "running": "status='running'",
    "pending": "status='pending'",
    "finished": "status IN ('success','failed','canceled')",
    "branches": "tag=0",
    "tags": "tag=1",
}
ORDERS = ("id", "status", "ref", "updated_at", "user_id")
NO_COMMIT = "0" * 40


def listed(
    project: Project, *, scope: str | None = None, username: str | None = None, updated_after: str | None = None,
    updated_before: str | None = None, order: str = "id", sort: str = "desc", **exactly: str | None,
) -> Listing:  # fmt: skip
    """A project's pipelines; `exactly` may name a status, ref, sha, source and name."""
    where, args = "project_id=?", list[Any]([project.id])
    for condition, value in (
        *((f"{column}=?", value) for column, value in exactly.items()),
        ("user_id=(SELECT id FROM users WHERE username=?)", username),
        ("updated_at>=?", updated_after),
        ("updated_at<=?", updated_before),
    ):
        if value:
            where += f" AND {condition}"
            args.append(value)
    if scope:
        where += f" AND {SCOPES[scope]}"
    by = f"pipelines.{order} {sort}, pipelines.id {sort}"
    return Listing(Pipeline, f"FROM pipelines WHERE {where}", args, by)


def get(store: Store, pipeline_id: int) -> Pipeline:
    """One that is known to be there."""
    return store.get(Pipeline, pipeline_id)


def find(store: Store, project: Project, pipeline_id: int) -> Pipeline:
    return store.required(Pipeline, "id=? AND project_id=?", pipeline_id, project.id)


def latest_of_ref(store: Store, project: Project, ref: str | None) -> Pipeline:
    pipeline = store.one(Pipeline, "project_id=? AND ref=? ORDER BY id DESC LIMIT 1", project.id, ref)
    if pipeline is None:
        raise forbidden()
    return pipeline


def latest_of_commit(store: Store, project: Project, sha: str) -> Pipeline | None:
    return store.one(Pipeline, "project_id=? AND sha=? ORDER BY id DESC LIMIT 1", project.id, sha)


def create(
    store: Store, user: User, project: Project, ref: str, sha: str, source: str, status: str, *,
    before: str = NO_COMMIT, tag: bool = False, errors: str | None = None, variables: dict[str, str] | None = None,
    finished_at: str | None = None,
) -> Pipeline:  # fmt: skip
    now = store.now()
    given = [{"key": key, "value": value, "variable_type": "env_var"} for key, value in (variables or {}).items()]
    pipeline_id = store.insert(
        "pipelines", project_id=project.id, iid=store.next_iid("projects", project.id, "pipelines_seq"), ref=ref,
        tag=int(tag), sha=sha, before_sha=before, status=status, source=source, user_id=user.id, yaml_errors=errors,
        variables=packed(given), created_at=now, updated_at=now, finished_at=finished_at,
    )  # fmt: skip
    return get(store, pipeline_id)


def add_job(store: Store, user: User, pipeline: Pipeline, name: str, status: str, **columns: Any) -> Job:
    """A job at the pipeline's commit; `columns` may say otherwise."""
    values = {"ref": pipeline.ref, "sha": pipeline.sha, **columns}
    job_id = store.insert(
        "jobs", pipeline_id=pipeline.id, project_id=pipeline.project_id, name=name, status=status, user_id=user.id,
        created_at=store.now(), **values,
    )  # fmt: skip
    return store.get(Job, job_id)


def set_status(store: Store, pipeline: Pipeline, status: str) -> None:
    store.update("pipelines", pipeline.id, status=status)


def cancel(store: Store, pipeline: Pipeline) -> None:
    """With every job that has not ended."""
    _set_all(store, pipeline, "canceled", UNFINISHED)


def retry(store: Store, pipeline: Pipeline) -> None:
    """The jobs that failed or were cancelled wait again."""
    _set_all(store, pipeline, "pending", ("failed", "canceled"))


def _set_all(store: Store, pipeline: Pipeline, status: str, before: Sequence[str]) -> None:
    now = store.now()
    ended = now if status == "canceled" else None
    with store.transaction():
        store.db.execute(
            f"UPDATE jobs SET status=?, finished_at=? WHERE pipeline_id=? AND status IN ({placeholders(before)})",
            (status, ended, pipeline.id, *before),
        )
        store.update("pipelines", pipeline.id, status=status, finished_at=ended, updated_at=now)


def delete(store: Store, pipeline: Pipeline) -> None:
    store.delete("pipelines", pipeline.id)


def check_trigger(store: Store, project: Project, token: str) -> None:
    """Refuse a token that no trigger of the project has."""
    triggers = records.listed(store, "trigger", "project", project.id)
    if not any(trigger.secrets.get("token") == token for trigger in triggers):
        raise not_found()


# -- jobs --------------------------------------------------------------------------------------------------------


def jobs(
    *, project: Project | None = None, pipeline: Pipeline | None = None, statuses: Sequence[str] | None = None
) -> Listing:
    """The jobs of a project or a pipeline, newest first; what others reported for a commit is not among them."""
    where, args = "kind='build'", list[Any]()
    if project is not None:
        where += " AND project_id=?"
        args.append(project.id)
    if pipeline is not None:
        where += " AND pipeline_id=?"
        args.append(pipeline.id)
    if statuses:
        where += f" AND status IN ({placeholders(statuses)})"
        args += statuses
    return Listing(Job, f"FROM jobs WHERE {where}", args, "jobs.id DESC")


def find_job(store: Store, project: Project, job_id: int) -> Job:
    return store.required(Job, "id=? AND project_id=? AND kind='build'", job_id, project.id)


def cancel_job(store: Store, job: Job) -> None:
    _set_job(store, job, "canceled", UNFINISHED, "cancelable")


def retry_job(store: Store, job: Job) -> None:
    _set_job(store, job, "pending", ("failed", "canceled", "success"), "playable")


def play_job(store: Store, job: Job) -> None:
    """Start a job that waits to be started by hand."""
    _set_job(store, job, "pending", ("manual", "scheduled"), "playable")


def _set_job(store: Store, job: Job, status: str, allowed: Sequence[str], able: str) -> None:
    if job.status not in allowed:
        raise forbidden(f"Job is not {able}")
    store.update("jobs", job.id, status=status, finished_at=store.now() if status == "canceled" else None)
