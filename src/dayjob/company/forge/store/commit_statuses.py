"""Statuses that other services report for a commit. They are jobs of the kind `status`."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.errors import bad_request
from dayjob.company.forge.rows.ci import Job
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import pipelines
from dayjob.company.forge.store.base import Store

STATES = ("pending", "running", "success", "failed", "canceled", "skipped")
_ENDED = ("success", "failed", "canceled", "skipped")


def listed(store: Store, project: Project, sha: str, *, earlier: bool = False, **exactly: str | None) -> list[Job]:
    """A commit's statuses and jobs: the latest of each name and ref, or with the `earlier` ones.

    `exactly` may name a ref, stage, name and pipeline_id.
    """
    where, args = "project_id=? AND sha=?", list[Any]([project.id, sha])
    for column, value in exactly.items():
        if value:
            where += f" AND {column}=?"
            args.append(value)
    rows = store.all(Job, f"{where} ORDER BY id", *args)
    return rows if earlier else list({(job.name, job.ref): job for job in rows}.values())


def report(
    store: Store, reporter: User, project: Project, sha: str, name: str, ref: str | None, state: str, **details: Any
) -> Job:
    """Set the status of that name; the first one of a commit without a pipeline makes one."""
    ended = store.now() if state in _ENDED else None
    with store.transaction():
        old = store.one(
            Job, "project_id=? AND sha=? AND kind='status' AND name=? AND ref=?", project.id, sha, name, ref
        )
        if old is None:
            pipeline = pipelines.latest_of_commit(store, project, sha) or pipelines.create(
                store, reporter, project, ref or "", sha, "external", state, finished_at=ended
            )
            return pipelines.add_job(
                store, reporter, pipeline, name, state, kind="status", stage="external", ref=ref, finished_at=ended,
                **details,
            )  # fmt: skip
        if old.status == state and state in ("success", "failed"):
            raise bad_request(
                f"Cannot transition status via :{state} from :{state} (Reason(s): Status cannot transition via)"
            )
        store.update("jobs", old.id, status=state, finished_at=ended, **details)
    return store.get(Job, old.id)
