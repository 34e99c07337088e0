"""Pipelines and their jobs: listed, created, cancelled and retried."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from dayjob.company.forge.errors import forbidden, not_found
from dayjob.company.forge.git.reading import commit_of, message_of
from dayjob.company.forge.rows.ci import Job, Pipeline, Schedule
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import records
from dayjob.company.forge.store.base import Listing, Store
from dayjob.company.rows import packed, placeholders

STATUSES = (
    "created", "waiting_for_resource", "preparing", "pending", "running", "success", "failed", "canceled", "skipped",
    "manual", "scheduled", "canceling",
)  # fmt: skip
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


def by_id(store: Store, pipeline_id: int | None) -> Pipeline | None:
    return store.one(Pipeline, "id=?", pipeline_id) if pipeline_id is not None else None


def of_schedule(project: Project, schedule: Schedule) -> Listing:
    args = [project.id, schedule.id]
    return Listing(Pipeline, "FROM pipelines WHERE project_id=? AND schedule_id=?", args, "pipelines.id DESC")


def latest_of_ref(store: Store, project: Project, ref: str | None) -> Pipeline:
    pipeline = store.one(Pipeline, "project_id=? AND ref=? ORDER BY id DESC LIMIT 1", project.id, ref)
    if pipeline is None:
        raise forbidden()
    return pipeline


def latest_of_commit(store: Store, project: Project, sha: str, ref: str | None = None) -> Pipeline | None:
    """The newest pipeline of a commit; of one ref, where one is named."""
    if ref:
        return store.one(Pipeline, "project_id=? AND sha=? AND ref=? ORDER BY id DESC LIMIT 1", project.id, sha, ref)
    return store.one(Pipeline, "project_id=? AND sha=? ORDER BY id DESC LIMIT 1", project.id, sha)


def newest_of_ref(store: Store, project: Project, ref: str) -> Pipeline | None:
    return store.one(Pipeline, "project_id=? AND ref=? ORDER BY id DESC LIMIT 1", project.id, ref)


def newest_of_commits(store: Store, project: Project, shas: Sequence[str]) -> dict[str, Pipeline]:
    """The newest pipeline of each commit that has one."""
    if not shas:
        return {}
    rows = store.all(Pipeline, f"project_id=? AND sha IN ({placeholders(shas)}) ORDER BY id", project.id, *shas)
    return {row.sha: row for row in rows}


def commit_title(store: Store, project: Project, sha: str) -> str:
    """The first line of what the commit says; '' where the repository does not have it."""
    found = commit_of(store.repos.open(project.id), sha)
    return message_of(found).split("\n", 1)[0] if found is not None else ""


def create(
    store: Store, user: User, project: Project, ref: str, sha: str, source: str, status: str, *,
    before: str = NO_COMMIT, tag: bool = False, errors: str | None = None, given: Sequence[Mapping[str, Any]] = (),
    finished_at: str | None = None, **more: int | str | None,
) -> Pipeline:  # fmt: skip
    """A pipeline; `given` are the variables of whoever starts it, `more` are the columns of what it is for."""
    now = store.now()
    pipeline_id = store.insert(
        "pipelines", project_id=project.id, iid=store.next_iid("projects", project.id, "pipelines_seq"), ref=ref,
        tag=int(tag), sha=sha, before_sha=before, status=status, source=source, user_id=user.id, yaml_errors=errors,
        variables=packed(list(given)), created_at=now, updated_at=now, finished_at=finished_at, **more,
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


def forget(store: Store, pipeline: Pipeline) -> None:
    """Take back a pipeline in which nothing would run; its number is free again."""
    store.delete("pipelines", pipeline.id)
    store.db.execute("UPDATE sqlite_sequence SET seq=? WHERE name='pipelines'", (pipeline.id - 1,))
    store.db.execute("UPDATE projects SET pipelines_seq=pipelines_seq-1 WHERE id=?", (pipeline.project_id,))


def unfinished_before(store: Store, project: Project, pipeline: Pipeline) -> list[Pipeline]:
    """Older pipelines of the same ref and kind that have not ended."""
    return store.all(
        Pipeline,
        "project_id=? AND ref=? AND tag=0 AND id<? AND sha!=? AND status IN ('created', 'pending', 'running') "
        "AND source!='schedule' ORDER BY id",
        project.id, pipeline.ref, pipeline.id, pipeline.sha,
    )  # fmt: skip


def set_name(store: Store, pipeline: Pipeline, name: str) -> Pipeline:
    store.update("pipelines", pipeline.id, name=name, updated_at=store.now())
    return get(store, pipeline.id)


def plain_name(filename: str) -> str:
    """A file's name as it may stand in a header."""
    return re.sub(r"[^A-Za-z0-9._ -]", "_", filename)


def delete(store: Store, pipeline: Pipeline) -> None:
    store.delete("pipelines", pipeline.id)


def check_trigger(store: Store, project: Project, token: str) -> None:
    """Refuse a token that no trigger of the project has."""
    triggers = records.listed(store, "trigger", "project", project.id)
    if not any(trigger.secrets.get("token") == token for trigger in triggers):
        raise not_found()
