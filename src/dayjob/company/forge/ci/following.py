"""What follows when a pipeline or a job has another state: refs for runners, webhooks, merges that waited for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygit2

from dayjob.company.forge import merging
from dayjob.company.forge.accepting import accept
from dayjob.company.forge.ci import states
from dayjob.company.forge.git.repositories import RefMoved
from dayjob.company.forge.git.writing import Conflict
from dayjob.company.forge.rows.ci import Job, Pipeline
from dayjob.company.forge.rows.items import MergeRequest
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import (
    jobs,
    merge_requests,
    mergeability,
    pipelines,
    progress,
    projects,
    request_pipelines,
    users,
)
from dayjob.company.journal import identify

if TYPE_CHECKING:
    from dayjob.company.forge.service import Forge

_ROUNDS = 20
"""A merge changes things, which may let another be merged: there is an end to it."""


class Following:
    """Follows up what has happened in one company."""

    def __init__(self, forge: Forge) -> None:
        self._forge = forge
        self._seen = -1

    def forget(self) -> None:
        """The database was put back."""
        self._seen = -1

    def pipeline(self, pipeline: Pipeline) -> None:
        self._point(pipeline)
        project = projects.find(self._forge.store, pipeline.project_id)
        user = users.by_id(self._forge.store, pipeline.user_id)
        if project is not None and user is not None:
            self._forge.deliveries.announce(project, user, "pipeline", _pipeline_facts(self._forge, pipeline))

    def job(self, job: Job) -> None:
        project = projects.find(self._forge.store, job.project_id)
        user = users.by_id(self._forge.store, job.user_id)
        if project is not None and user is not None:
            self._forge.deliveries.announce(project, user, "job", _job_facts(self._forge, job))

    def _point(self, pipeline: Pipeline) -> None:
        """A ref keeps the pipeline's commit for its runners as long as there is work to do."""
        repo = self._forge.store.repos.open(pipeline.project_id)
        name = f"refs/pipelines/{pipeline.id}"
        try:
            if pipeline.status not in states.COMPLETED:
                repo.references.create(name, pipeline.sha, force=True)
            elif name in repo.references:
                repo.references.delete(name)
        except (pygit2.GitError, ValueError):
            return  # an external status may name a commit that this repository does not have

    async def catch_up(self) -> None:
        """Merge what waited for a pipeline, an approval or a thread and need not wait any more; take back the wish
        where the pipeline is red. Looks only when something has changed."""
        for _ in range(_ROUNDS):
            changes = self._forge.db.total_changes
            if changes == self._seen:
                return
            self._seen = changes
            for request in merge_requests.waiting_to_merge(self._forge.store):
                await self._look_at(request)

    async def _look_at(self, request: MergeRequest) -> None:
        store = self._forge.store
        pipeline = request_pipelines.head(store, request)
        if pipeline is None or pipeline.status not in states.COMPLETED:
            return
        project = projects.get(store, request.project_id)
        actor = users.active(store, request.auto_merge)
        if pipeline.status in ("failed", "canceled"):
            reason = "the pipeline failed" if pipeline.status == "failed" else "the pipeline was canceled"
            merge_requests.abort_auto_merge(store, actor, project, request, reason)
        elif actor is None:
            merge_requests.abort_auto_merge(store, None, project, request, "nobody may merge it")
        else:
            await self._merge(actor, project, request)

    async def _merge(self, actor: User, project: Project, request: MergeRequest) -> None:
        """Merge as whoever wished it, if that person still may and nothing else is in the way."""
        store = self._forge.store
        request = merging.check(store, project, request)
        allowed = mergeability.may_accept(store, actor, project, request)
        if not allowed or mergeability.status(store, project, request) != mergeability.MERGEABLE:
            return
        identify(actor.username)
        try:
            await accept(
                self._forge, actor, project, request, squash=bool(request.squash), message=None, squash_message=None,
                removal=request.remove_source_branch,
            )  # fmt: skip
        except (Conflict, RefMoved):
            merge_requests.abort_auto_merge(store, actor, project, request, "the branch cannot be merged")


# -- what webhooks are told --------------------------------------------------------------------------------------


def _pipeline_facts(forge: Forge, pipeline: Pipeline) -> dict[str, Any]:
    store = forge.store
    listed = progress.jobs_of(store, pipeline)
    return {
        "object_attributes": {
            "id": pipeline.id,
            "iid": pipeline.iid,
            "name": pipeline.name,
            "ref": pipeline.ref,
            "tag": bool(pipeline.tag),
            "sha": pipeline.sha,
            "before_sha": pipeline.before_sha,
            "source": pipeline.source,
            "status": pipeline.status,
            "stages": list(dict.fromkeys(job.stage for job in listed)),
            "created_at": pipeline.created_at,
            "finished_at": pipeline.finished_at,
            "duration": jobs.seconds(pipeline.started_at, pipeline.finished_at),
            "variables": [],
        },
        "builds": [
            {
                "id": job.id,
                "stage": job.stage,
                "name": job.name,
                "status": job.status,
                "created_at": job.created_at,
                "started_at": job.started_at,
                "finished_at": job.finished_at,
                "when": job.when_run,
                "manual": job.when_run == "manual",
                "allow_failure": bool(job.allow_failure),
            }
            for job in listed
        ],
    }


def _job_facts(forge: Forge, job: Job) -> dict[str, Any]:
    pipeline = pipelines.get(forge.store, job.pipeline_id or 0)
    return {
        "ref": job.ref,
        "tag": bool(job.tag),
        "before_sha": pipeline.before_sha,
        "sha": job.sha,
        "build_id": job.id,
        "build_name": job.name,
        "build_stage": job.stage,
        "build_status": job.status,
        "build_created_at": job.created_at,
        "build_started_at": job.started_at,
        "build_finished_at": job.finished_at,
        "build_duration": jobs.seconds(job.started_at, job.finished_at),
        "build_allow_failure": bool(job.allow_failure),
        "build_failure_reason": job.failure_reason or "unknown_failure",
        "pipeline_id": job.pipeline_id,
    }
