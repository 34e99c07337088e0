"""Statuses that other services report for a commit. They are jobs of the kind `status`."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.errors import bad_request
from dayjob.company.forge.rows.ci import Job
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import pipelines, progress
from dayjob.company.forge.store.base import Store

STATES = ("pending", "running", "success", "failed", "canceled", "skipped")
EXTERNAL_STAGE = 1_000_000
"""Statuses of others stand behind the stages of the CI file."""
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
    """Set the status of that name in the newest pipeline of the commit, which takes part in the pipeline's own; the
    first one of a commit without a pipeline makes one. A status that has ended and begins again is a new one."""
    now = store.now()
    ended = now if state in _ENDED else None
    begun = now if state != "pending" else None
    with store.transaction():
        pipeline = (
            pipelines.latest_of_commit(store, project, sha, ref)
            or pipelines.latest_of_commit(store, project, sha)
            or pipelines.create(store, reporter, project, ref or "", sha, "external", "created")
        )
        old = store.one(
            Job, "pipeline_id=? AND kind='status' AND name=? AND retried=0 ORDER BY id DESC", pipeline.id, name
        )
        if old is not None and old.status in _ENDED and state in ("pending", "running"):
            store.update("jobs", old.id, retried=1)
            old = None
        if old is None:
            added = pipelines.add_job(
                store, reporter, pipeline, name, state, kind="status", stage="external", ref=ref, finished_at=ended,
                started_at=begun, stage_number=EXTERNAL_STAGE, **details,
            )  # fmt: skip
            progress.settle(store, pipeline)
            return added
        if old.status == state and state in ("success", "failed"):
            raise bad_request(
                f"Cannot transition status via :{state} from :{state} (Reason(s): Status cannot transition via)"
            )
        store.update("jobs", old.id, status=state, finished_at=ended, started_at=old.started_at or begun, **details)
        progress.settle(store, pipeline)
    return store.get(Job, old.id)
