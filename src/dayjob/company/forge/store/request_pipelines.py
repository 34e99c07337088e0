"""The pipelines that ran for merge requests."""

from __future__ import annotations

from collections.abc import Sequence

from dayjob.company.forge.rows.ci import Pipeline
from dayjob.company.forge.rows.items import MergeRequest
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.merge_requests import head_ref
from dayjob.company.rows import placeholders


def of(store: Store, request: MergeRequest) -> list[Pipeline]:
    """Those of the merge request itself and of every state its branch was in, newest first."""
    return store.all(
        Pipeline,
        "project_id IN (?,?) AND (merge_request_id=? OR ref=? OR sha IN (SELECT head_sha FROM merge_request_versions "
        "WHERE merge_request_id=?)) ORDER BY id DESC",
        request.project_id, request.source_project_id, request.id, head_ref(request), request.id,
    )  # fmt: skip


def heads(store: Store, requests: Sequence[MergeRequest]) -> dict[int, Pipeline]:
    """The pipeline that counts for the head of each merge request that has one: its own before its branch's, and the
    newest of these."""
    projects = {number for row in requests for number in (row.project_id, row.source_project_id)}
    commits = {row.head_sha for row in requests}
    pipelines = store.all(
        Pipeline,
        f"project_id IN ({placeholders(projects)}) AND (sha IN ({placeholders(commits)}) OR "
        f"source_sha IN ({placeholders(commits)})) ORDER BY id DESC",
        *projects, *commits, *commits,
    )  # fmt: skip
    found: dict[int, Pipeline] = {}
    for row in requests:
        fitting = [
            pipeline
            for pipeline in pipelines
            if row.head_sha in (pipeline.sha, pipeline.source_sha)
            and pipeline.project_id in (row.project_id, row.source_project_id)
        ]
        if fitting:
            found[row.id] = next((one for one in fitting if _is_its_own(one, row)), fitting[0])
    return found


def _is_its_own(pipeline: Pipeline, request: MergeRequest) -> bool:
    return pipeline.merge_request_id == request.id or pipeline.ref == head_ref(request)


def head(store: Store, request: MergeRequest) -> Pipeline | None:
    return heads(store, [request]).get(request.id)
