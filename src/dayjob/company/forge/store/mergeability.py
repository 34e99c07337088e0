"""Whether a merge request can be merged right now, and if not, why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dayjob.company.forge.ci import states
from dayjob.company.forge.rows.items import MergeRequest
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, approvals, discussions, request_pipelines
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.protection import may_merge

MERGEABLE = "mergeable"


def may_accept(store: Store, user: User | None, project: Project, request: MergeRequest) -> bool:
    """Developers up whom the target branch lets in."""
    return (
        user is not None
        and access.project_level(store, user, project) >= access.DEVELOPER
        and may_merge(store, user, project, request.target_branch)
    )


def status(store: Store, project: Project, request: MergeRequest) -> str:
    """`mergeable`, or what is in the way, in GitLab's words."""
    return statuses(store, {project.id: project}, [request])[request.id]


def statuses(store: Store, projects: Mapping[int, Project], requests: Sequence[MergeRequest]) -> dict[int, str]:
    """The status of each, whose projects are at hand. Every question goes once to all that are still in doubt."""
    options = {project_id: project.options for project_id, project in projects.items()}
    known: dict[int, str] = {}
    for request in requests:
        if own := _own_status(request, store.now()):
            known[request.id] = own

    def in_doubt(option: str = "") -> list[MergeRequest]:
        return [
            request
            for request in requests
            if request.id not in known and (not option or options[request.project_id][option])
        ]

    if asked := in_doubt("only_allow_merge_if_all_discussions_are_resolved"):
        known.update(dict.fromkeys(discussions.unresolved(store, asked), "discussions_not_resolved"))
    if asked := in_doubt():
        known.update(dict.fromkeys(approvals.lacking(store, projects, asked), "not_approved"))
    if asked := in_doubt("only_allow_merge_if_pipeline_succeeds"):
        heads = request_pipelines.heads(store, asked)
        for request in asked:
            skippable = options[request.project_id]["allow_merge_on_skipped_pipeline"]
            enough = ("success", "skipped") if skippable else ("success",)
            found = heads[request.id].status if request.id in heads else None
            if found not in enough:
                known[request.id] = "ci_still_running" if found in states.ALIVE else "ci_must_pass"
    return {request.id: known.get(request.id, MERGEABLE) for request in requests}


def _own_status(request: MergeRequest, now: str) -> str:
    """What its own row tells; '' if nothing there is in the way."""
    if request.state != "opened":
        return "not_open"
    if request.merge_status == "unchecked":
        return "unchecked"
    if request.draft:
        return "draft_status"
    if request.merge_after is not None and now < request.merge_after:
        return "merge_time"
    return "conflict" if request.merge_status == "cannot_be_merged" else ""
