"""Merge requests: list, open, change, close, and what they would bring (diffs, commits, versions)."""

from __future__ import annotations

import asyncio
from typing import Any

import pygit2
from starlette.responses import Response

from dayjob.company.forge import merging
from dayjob.company.forge.api.call import Call, created
from dayjob.company.forge.api.issues import (
    announce_item,
    assignees,
    common_changes,
    label_list,
    remove_item,
    shared_changes,
)
from dayjob.company.forge.api.item_filters import request_filter
from dayjob.company.forge.api.quick_actions import run_in_description
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.ci import creating
from dayjob.company.forge.errors import no_jobs, refused
from dayjob.company.forge.git import differences, reading
from dayjob.company.forge.git.repositories import ref_sha
from dayjob.company.forge.git.writing import Conflict, commit, merged_tree
from dayjob.company.forge.markdown import render
from dayjob.company.forge.rows.items import MergeRequest, Version
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.shapes import ci as ci_shape
from dayjob.company.forge.shapes import issues as issue_shape
from dayjob.company.forge.shapes import merge_requests as shape
from dayjob.company.forge.shapes import repository as code_shape
from dayjob.company.forge.shapes.users import basic
from dayjob.company.forge.store import (
    access,
    closings,
    forks,
    item_changes,
    item_lists,
    items,
    merge_requests,
    request_pipelines,
    visibility,
)
from dayjob.company.forge.store.dates import moment_of
from dayjob.company.forge.store.item_changes import ItemChanges

REQUEST = "/projects/{id}/merge_requests/{iid}"


def find_request(call: Call, level: int = 0) -> tuple[Project, MergeRequest]:
    """The merge request in the path."""
    project = call.code_project(level)
    return project, visibility.find_request(call.store, call.user, project, call.number("iid"))


def _listed(call: Call, place: Project | Namespace | None) -> Any:
    listing = item_lists.requests(call.store, call.user, place, request_filter(call))
    return call.listing(listing, lambda rows: shape.merge_requests(call, _checked(call, rows)))


def _checked(call: Call, rows: list[MergeRequest]) -> list[MergeRequest]:
    """With the question of conflicts answered, so that no list shows a request as still being looked at."""
    projects = call.store.by_ids(Project, [row.project_id for row in rows])
    return [merging.check(call.store, projects[row.project_id], row) for row in rows]


@get("/merge_requests")
def everywhere(call: Call) -> Any:
    call.signed_in()
    if not call.has("scope") and not any(
        call.has(name) for name in ("author_id", "author_username", "assignee_id", "reviewer_id", "reviewer_username")
    ):
        call.args["scope"] = "created_by_me"
    return _listed(call, None)


get("/groups/{id}/merge_requests")(lambda call: _listed(call, call.group()))


@get("/projects/{id}/merge_requests")
def in_project(call: Call) -> Any:
    return _listed(call, call.code_project())


@get(REQUEST)
def show(call: Call) -> Any:
    project, request = find_request(call)
    found = shape.merge_request(call, merging.check(call.store, project, request), project)
    if call.boolean("render_html"):
        found["title_html"], found["description_html"] = render(request.title), render(request.description or "")
    return found


@post("/projects/{id}/merge_requests")
async def create(call: Call) -> Any:
    source = call.project()
    me = call.me
    call.reader(source)
    call.need("source_branch", "target_branch", "title")
    target = source
    if call.text("target_project_id"):
        target = call.project(name=call.text("target_project_id"))
        if forks.root(call.store, target) != forks.root(call.store, source):
            raise refused(422, ["Validate fork Source project is not a fork of the target project"])
    merge_requests.check_open(call.store, me, source, target)
    head = None
    branch = call.filled("source_branch")
    if source.id != target.id:
        head = ref_sha(call.store.repos.open(source.id), f"refs/heads/{branch}")
        if head is None:
            raise refused(400, {"source_branch": ["does not exist"]})
        await asyncio.to_thread(
            call.store.repos.fetch, str(target.id), str(source.id), f"{head}:refs/keep-around/{head}"
        )
    request = merging.open_request(
        call.store, me, source, target, branch, call.filled("target_branch"), call.needed("title"),
        description=call.text("description"), labels=label_list(call, "labels"), assignees=assignees(call),
        reviewers=call.numbers("reviewer_ids"), milestone_id=call.integer("milestone_id"),
        squash=bool(call.boolean("squash", target.options["squash_option"] in ("always", "default_on"))),
        remove_source_branch=call.boolean("remove_source_branch"),
        allow_collaboration=bool(call.boolean("allow_collaboration", False)), head=head,
        merge_after=moment_of(call.text("merge_after"), "merge_after"),
    )  # fmt: skip
    with call.store.transaction():
        request = run_in_description(call, target, "MergeRequest", request)
    announce(call, target, request, "open")
    return created(shape.merge_request(call, merging.check(call.store, target, request), target))


def announce(call: Call, project: Project, request: MergeRequest, action: str) -> None:
    announce_item(
        call, project, request, "merge_requests", action=action, source_branch=request.source_branch,
        target_branch=request.target_branch, source_project_id=request.source_project_id,
        target_project_id=project.id, last_commit={"id": request.head_sha},
    )  # fmt: skip


_CHANGES = (
    "assignee_id", "assignee_ids", "reviewer_ids", "description", "labels", "add_labels", "remove_labels",
    "milestone_id", "remove_source_branch", "allow_collaboration", "allow_maintainer_to_push", "squash",
    "target_branch", "title", "state_event", "discussion_locked", "merge_after",
)  # fmt: skip


@put(REQUEST)
def change(call: Call) -> Any:
    project, request = find_request(call)
    item_changes.check_change(call.store, call.me, project, request)
    call.need_any(_CHANGES)
    store, me = call.store, call.me
    values: dict[str, Any] = {}
    for name in ("squash", "allow_collaboration"):
        if call.has(name):
            values[name] = int(bool(call.boolean(name)))
    if call.has("remove_source_branch"):
        wanted = call.boolean("remove_source_branch")
        values["remove_source_branch"] = None if wanted is None else int(wanted)
    if call.has("merge_after"):
        values["merge_after"] = moment_of(call.text("merge_after"), "merge_after")
    event = call.choice("state_event", ("close", "reopen"))
    if event and request.state == "merged":
        raise refused(422, ["A merged merge request cannot be closed or reopened"])
    with store.transaction():
        if call.text("target_branch") and call.text("target_branch") != request.target_branch:
            merging.retarget(store, me, project, request, call.text("target_branch"))
        common_changes(call, ItemChanges(store, me, project, request))
        merge_requests.set_options(store, request, **values)
        shared_changes(call, project, "MergeRequest", request)
        if call.has("reviewer_ids"):
            items.set_people(
                store, me, project, "MergeRequest", request.id, "reviewer", call.numbers("reviewer_ids") or []
            )
        if event:
            merge_requests.set_state(store, me, request, project, event)
        if call.has("description"):
            run_in_description(call, project, "MergeRequest", merge_requests.get(store, request.id))
        merging.note_references(store, project, merge_requests.get(store, request.id))
    fresh = merging.check(store, project, merge_requests.get(store, request.id))
    announce(call, project, fresh, {"close": "close", "reopen": "reopen"}.get(event or "", "update"))
    return shape.merge_request(call, fresh, project)


@delete(REQUEST)
def remove(call: Call) -> Any:
    return remove_item(call, *find_request(call), merge_requests.delete)


# -- what it brings ----------------------------------------------------------------------------------------------


def _diffs(folder: str, base: str | None, head: str | None) -> list[dict[str, Any]]:
    own = pygit2.Repository(folder)
    new = reading.commit_of(own, head)
    if new is None:
        return []
    return differences.file_diffs(own, differences.diff_trees(own, reading.commit_of(own, base), new))


@get(f"{REQUEST}/changes")
async def changes(call: Call) -> Any:
    project, request = find_request(call)
    repo = call.store.repos.open(project.id)
    found = await asyncio.to_thread(_diffs, repo.path, request.base_sha, request.head_sha)
    answer = shape.merge_request(call, merging.check(call.store, project, request), project)
    return {**answer, "changes": found, "overflow": differences.cut_short(found)}


@get(f"{REQUEST}/diffs")
async def diffs(call: Call) -> Any:
    project, request = find_request(call)
    repo = call.store.repos.open(project.id)
    return call.paged(await asyncio.to_thread(_diffs, repo.path, request.base_sha, request.head_sha))


@get(f"{REQUEST}/raw_diffs")
async def raw_diffs(call: Call) -> Any:
    project, request = find_request(call)
    folder = call.store.repos.open(project.id).path

    def find() -> str:
        own = pygit2.Repository(folder)
        new = reading.commit_of(own, request.head_sha)
        if new is None:
            return ""
        return differences.patch_text(own, differences.diff_trees(own, reading.commit_of(own, request.base_sha), new))

    return Response(await asyncio.to_thread(find), media_type="text/plain")


@get(f"{REQUEST}/commits")
def commits(call: Call) -> Any:
    project, request = find_request(call)
    repo = call.store.repos.open(project.id)
    found = reading.commits_between(repo, request.base_sha, request.head_sha) if request.head_sha else []
    return call.paged(found, lambda one: code_shape.commit(call, project, one))


@get(f"{REQUEST}/versions")
def versions(call: Call) -> Any:
    _, request = find_request(call)
    return call.paged(merge_requests.versions(call.store, request), _version)


def _version(row: Version) -> dict[str, Any]:
    return {
        "id": row.id,
        "head_commit_sha": row.head_sha,
        "base_commit_sha": row.base_sha,
        "start_commit_sha": row.start_sha,
        "created_at": row.created_at,
        "merge_request_id": row.merge_request_id,
        "state": "collected",
        "real_size": "1",
        "patch_id_sha": None,
    }


@get(f"{REQUEST}/versions/{{version_id}}")
async def version(call: Call) -> Any:
    project, request = find_request(call)
    row = merge_requests.find_version(call.store, request, call.number("version_id"))
    repo = call.store.repos.open(project.id)
    found = await asyncio.to_thread(_diffs, repo.path, row.base_sha, row.head_sha)
    listed = reading.commits_between(repo, row.base_sha, row.head_sha)
    return {**_version(row), "commits": [code_shape.commit(call, project, one) for one in listed], "diffs": found}


@get(f"{REQUEST}/reviewers")
def reviewers(call: Call) -> Any:
    _, request = find_request(call)
    known = call.store.by_ids(User, request.reviewer_ids)
    return call.paged(
        [
            {"user": basic(call, known[one]), "state": "unreviewed", "created_at": request.created_at}
            for one in request.reviewer_ids
            if one in known
        ]
    )


@get(f"{REQUEST}/closes_issues")
def closes_issues(call: Call) -> Any:
    _, request = find_request(call)
    return call.paged(issue_shape.issues(call, closings.issues(call.store, call.user, request, closed=True)))


@get(f"{REQUEST}/related_issues")
def related_issues(call: Call) -> Any:
    _, request = find_request(call)
    return call.paged(issue_shape.issues(call, closings.issues(call.store, call.user, request, closed=False)))


@get(f"{REQUEST}/pipelines")
def pipelines(call: Call) -> Any:
    _, request = find_request(call)
    return call.paged(request_pipelines.of(call.store, request), lambda one: ci_shape.pipeline(call, one))


@post(f"{REQUEST}/pipelines")
def run_pipeline(call: Call) -> Any:
    project, request = find_request(call, access.DEVELOPER)
    with call.store.transaction():
        found = creating.pipeline_for_request(call.store, call.me, project, call.store.repos.open(project.id), request)
    if found is None:
        raise no_jobs()
    return created(ci_shape.pipeline_detail(call, found))


@get(f"{REQUEST}/merge_ref")
def merge_ref(call: Call) -> Any:
    """What a merge would look like right now, as a commit nobody's branch points at."""
    project, request = find_request(call)
    repo = call.store.repos.open(project.id)
    target = ref_sha(repo, f"refs/heads/{request.target_branch}")
    if target is None or request.head_sha is None:
        raise refused(400, "Merge request is not mergeable")
    try:
        tree = merged_tree(repo, target, request.head_sha)
    except Conflict:
        raise refused(400, "Merge request is not mergeable") from None
    who = merging.author(call.store, call.me)
    sha = commit(repo, tree, [target, request.head_sha], who, who, f"Merge {request.head_sha} into {target}")
    repo.references.create(f"refs/merge-requests/{request.iid}/merge", sha, force=True)
    return {"commit_id": sha}
