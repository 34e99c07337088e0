"""Accepting merge requests: merge by every method, when the pipeline succeeds, and rebase."""

from __future__ import annotations

import asyncio
from typing import Any

from dayjob.company.forge import merging
from dayjob.company.forge.accepting import accept
from dayjob.company.forge.api import code
from dayjob.company.forge.api.call import Call, Json, created
from dayjob.company.forge.api.merge_requests import REQUEST, announce, find_request
from dayjob.company.forge.api.routes import get, post, put
from dayjob.company.forge.errors import forbidden, refused
from dayjob.company.forge.git import reading
from dayjob.company.forge.git.opening import Moved
from dayjob.company.forge.git.repositories import RefMoved, ref_sha, set_ref
from dayjob.company.forge.git.writing import Conflict, rebase
from dayjob.company.forge.rows.items import MergeRequest
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.shapes import merge_requests as shape
from dayjob.company.forge.store import access, merge_requests, mergeability, notes, projects, request_pipelines
from dayjob.company.forge.store.protection import may_push

NOT_ALLOWED = "405 Method Not Allowed"


@put(f"{REQUEST}/merge")
async def merge(call: Call) -> Any:
    project, request = find_request(call)
    if not mergeability.may_accept(call.store, call.me, project, request):
        raise refused(401, "401 Unauthorized")
    if request.state != "opened":
        raise refused(405, NOT_ALLOWED)
    if call.text("sha") and call.text("sha") != request.head_sha:
        raise refused(409, f"SHA does not match HEAD of source branch: {request.head_sha}")
    request = merging.check(call.store, project, request)
    later = call.boolean("merge_when_pipeline_succeeds") or call.boolean("auto_merge")
    pipeline = request_pipelines.head(call.store, request)
    if (
        later
        and pipeline is not None
        and pipeline.status in ("created", "pending", "running", "manual", "preparing", "scheduled")
    ):
        merge_requests.merge_later(
            call.store, call.me, project, request, remove_source_branch=_removal(call, request),
            squash=int(bool(call.boolean("squash", bool(request.squash)))),
        )  # fmt: skip
        return shape.merge_request(call, merge_requests.get(call.store, request.id), project)
    status = mergeability.status(call.store, project, request)
    if status == "conflict":
        raise refused(422, "Branch cannot be merged")
    if status != mergeability.MERGEABLE:
        raise refused(405, NOT_ALLOWED)
    await _accept(call, project, request)
    fresh = merge_requests.get(call.store, request.id)
    announce(call, project, fresh, "merge")
    return shape.merge_request(call, fresh, project)


def _removal(call: Call, request: MergeRequest) -> int | None:
    wanted = call.boolean("should_remove_source_branch")
    return request.remove_source_branch if wanted is None else int(wanted)


async def _accept(call: Call, project: Project, request: MergeRequest) -> None:
    try:
        await accept(
            call.forge, call.me, project, request, squash=bool(call.boolean("squash", bool(request.squash))),
            message=call.text("merge_commit_message"), squash_message=call.text("squash_commit_message"),
            removal=_removal(call, request),
        )  # fmt: skip
    except Conflict:
        raise refused(422, "Branch cannot be merged") from None
    except RefMoved:
        raise refused(409, "SHA does not match HEAD of source branch") from None


@post(f"{REQUEST}/cancel_merge_when_pipeline_succeeds")
def cancel(call: Call) -> Any:
    project, request = find_request(call, access.DEVELOPER)
    if request.state != "opened":
        raise refused(405, NOT_ALLOWED)
    if not request.auto_merge:
        raise refused(406, "406 Not Acceptable")
    merge_requests.cancel_auto_merge(call.store, request)
    words = "canceled the automatic merge"
    notes.system(call.store, call.me, "MergeRequest", request.id, project.id, words)
    return created({"status": "success"})


@put(f"{REQUEST}/rebase")
async def rebase_request(call: Call) -> Any:
    project, request = find_request(call)
    source = projects.find(call.store, request.source_project_id or 0)
    if source is None or source.archived or request.state != "opened":
        raise refused(403, "403 Forbidden - Cannot push to source branch")
    if may_push(call.store, call.me, source, "branch", request.source_branch):
        raise forbidden("Cannot push to source branch")
    repo = call.store.repos.open(source.id)
    ref = f"refs/heads/{request.source_branch}"
    head = ref_sha(repo, ref)
    onto = ref_sha(call.store.repos.open(project.id), f"refs/heads/{request.target_branch}")
    if head is None or onto is None:
        raise refused(409, "The source or target branch is gone")
    if source.id != project.id:
        await asyncio.to_thread(
            call.store.repos.fetch, str(source.id), str(project.id), f"{onto}:refs/keep-around/{onto}"
        )
    if not reading.is_ancestor(repo, onto, head):
        try:
            sha = rebase(repo, head, onto, merging.author(call.store, call.me))
            set_ref(repo, ref, sha, head)
        except Conflict as error:
            merge_requests.set_merge_error(call.store, request, f"Rebase failed: conflicts in {error}")
            return Json(
                {
                    "rebase_in_progress": False,
                    "merge_error": "Rebase failed: Rebase locally, resolve all conflicts, then push the branch.",
                },
                202,
            )
        except RefMoved:
            raise refused(409, "The source branch was moved by somebody else") from None
        merge_requests.set_merge_error(call.store, request, None)
        await code.settle(call, source, [Moved(ref, head, sha)])
    return Json({"rebase_in_progress": False}, 202)


@get(f"{REQUEST}/merge_status")
def merge_status(call: Call) -> Any:
    project, request = find_request(call)
    return {"merge_status": merging.check(call.store, project, request).merge_status}
