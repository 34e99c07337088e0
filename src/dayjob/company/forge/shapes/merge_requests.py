"""Merge requests on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dayjob.company.forge.api.call import Call
from dayjob.company.forge.git.reading import is_ancestor
from dayjob.company.forge.git.repositories import ref_sha
from dayjob.company.forge.rows.items import MergeRequest
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.shapes.ci import pipeline, pipeline_detail
from dayjob.company.forge.shapes.issues import (
    Surroundings,
    head,
    surroundings,
    tasks,
    time_stats,
)
from dayjob.company.forge.store import discussions, mergeability, request_pipelines
from dayjob.company.forge.store.mergeability import may_accept
from dayjob.company.forge.store.subscriptions import follows


def merge_requests(call: Call, rows: Sequence[MergeRequest]) -> list[dict[str, Any]]:
    """Several merge requests with as few queries as one needs."""
    user_ids = [
        user_id
        for row in rows
        for user_id in (row.author_id, row.merged_by, row.closed_by, *row.assignee_ids, *row.reviewer_ids)
    ]
    around = surroundings(call, "MergeRequest", rows, user_ids)
    statuses = mergeability.statuses(call.store, around.projects, rows)
    unresolved = discussions.unresolved(call.store, rows)
    call.passing = call.passing or "merge_time" in statuses.values()
    return [_request(call, row, around, statuses[row.id], row.id in unresolved) for row in rows]


def _request(call: Call, row: MergeRequest, around: Surroundings, status: str, unresolved: bool) -> dict[str, Any]:
    home, assignees = around.projects[row.project_id], around.some(row.assignee_ids)
    merger = around.user(row.merged_by)
    up, down = around.votes.get(row.id, (0, 0))
    return {
        **head(row),
        "merged_by": merger,
        "merge_user": merger,
        "merged_at": row.merged_at,
        "closed_by": around.user(row.closed_by),
        "closed_at": row.closed_at,
        "target_branch": row.target_branch,
        "source_branch": row.source_branch,
        "user_notes_count": row.user_notes_count,
        "upvotes": up,
        "downvotes": down,
        "author": around.user(row.author_id),
        "assignees": assignees,
        "assignee": assignees[0] if assignees else None,
        "reviewers": around.some(row.reviewer_ids),
        "source_project_id": row.source_project_id,
        "target_project_id": row.project_id,
        "labels": around.label_list(row),
        "draft": row.draft,
        "imported": False,
        "imported_from": "none",
        "work_in_progress": row.draft,
        "milestone": around.milestone(row),
        "merge_when_pipeline_succeeds": bool(row.auto_merge),
        "merge_status": row.merge_status,
        "detailed_merge_status": status,
        "merge_after": row.merge_after,
        "sha": row.head_sha,
        "merge_commit_sha": row.merge_commit_sha,
        "squash_commit_sha": row.squash_commit_sha,
        "discussion_locked": None if row.discussion_locked is None else bool(row.discussion_locked),
        "should_remove_source_branch": None
        if row.remove_source_branch is None or row.state == "opened"
        else bool(row.remove_source_branch),
        "force_remove_source_branch": None if row.remove_source_branch is None else bool(row.remove_source_branch),
        "prepared_at": row.prepared_at,
        "allow_collaboration": bool(row.allow_collaboration),
        "allow_maintainer_to_push": bool(row.allow_collaboration),
        "reference": f"!{row.iid}",
        "references": {"short": f"!{row.iid}", "relative": f"!{row.iid}", "full": f"{home.full_path}!{row.iid}"},
        "web_url": f"{call.base}/{home.full_path}/-/merge_requests/{row.iid}",
        "time_stats": time_stats(row.time_estimate, row.time_spent),
        "squash": bool(row.squash),
        "squash_on_merge": bool(row.squash),
        "task_completion_status": tasks(row.description),
        "has_conflicts": row.merge_status == "cannot_be_merged",
        "blocking_discussions_resolved": not unresolved,
        "approvals_before_merge": home.options.get("approvals_before_merge") or None,
    }


def merge_request(call: Call, row: MergeRequest, project: Project) -> dict[str, Any]:
    """One merge request, with what only the single view tells."""
    found = merge_requests(call, [row])[0]
    latest = request_pipelines.head(call.store, row)
    found.update(
        subscribed=follows(call.store, call.user, "MergeRequest", row.id, row.author_id),
        changes_count=str(row.changed_files) if row.changed_files else None,
        latest_build_started_at=latest.started_at if latest else None,
        latest_build_finished_at=latest.finished_at if latest else None,
        first_deployed_to_production_at=None,
        pipeline=pipeline(call, latest) if latest else None,
        head_pipeline=pipeline_detail(call, latest) if latest else None,
        diff_refs={"base_sha": row.base_sha, "head_sha": row.head_sha, "start_sha": row.start_sha},
        merge_error=row.merge_error,
        first_contribution=False,
        user={"can_merge": row.state == "opened" and may_accept(call.store, call.user, project, row)},
    )
    if call.boolean("include_diverged_commits_count"):
        found["diverged_commits_count"] = diverged(call, row)
    if call.boolean("include_rebase_in_progress"):
        found["rebase_in_progress"] = False
    return found


def diverged(call: Call, row: MergeRequest) -> int:
    repo = call.store.repos.open(row.project_id)
    target = ref_sha(repo, f"refs/heads/{row.target_branch}")
    if target is None or not row.head_sha or is_ancestor(repo, target, row.head_sha):
        return 0
    return repo.ahead_behind(target, row.head_sha)[0]
