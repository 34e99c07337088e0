"""Merge requests meeting git: opening them, following their branches, finding conflicts, merging by each method."""

from __future__ import annotations

from typing import Any

import pygit2

from dayjob.company.clock import moment
from dayjob.company.forge.ci import creating
from dayjob.company.forge.errors import refused
from dayjob.company.forge.git.differences import diff_trees
from dayjob.company.forge.git.reading import commit_of, commits_between, is_ancestor, merge_base, message_of
from dayjob.company.forge.git.repositories import ZERO, ref_sha, set_ref
from dayjob.company.forge.git.writing import Author, Conflict, commit, conflicts, merged_tree, rebase
from dayjob.company.forge.rows.items import MergeRequest
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import approvals, closings, issues, item_changes, merge_requests, notes, projects
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.issue_text import closed_issues, mentioned_issues


def author(store: Store, user: User) -> Author:
    """Whoever acts through the API, as git signs it."""
    email = user.facts.get("commit_email") or user.email
    return Author(user.name, str(email), int(moment(store.now()).timestamp()))


def open_request(
    store: Store, actor: User, source: Project, target: Project, source_branch: str, target_branch: str, title: str, *,
    head: str | None = None, **more: Any,
) -> MergeRequest:  # fmt: skip
    """Open a merge request; `more` is what `merge_requests.create` takes. Across projects the head's objects must have
    been brought over already."""
    merge_requests.check_new(source, target, source_branch, target_branch, title)
    repo = store.repos.open(target.id)
    head = head or ref_sha(repo, f"refs/heads/{source_branch}")
    start = ref_sha(repo, f"refs/heads/{target_branch}")
    if head is None:
        raise refused(400, {"source_branch": ["does not exist"]})
    if start is None:
        raise refused(400, {"target_branch": ["does not exist"]})
    with store.transaction():
        base = merge_base(repo, start, head) or start
        request = merge_requests.create(
            store, actor, source, target, source_branch, target_branch, title, head=head, base=base, start=start, **more
        )
        _point(repo, request, head)
        note_references(store, target, request)
        creating.pipeline_for_request(store, actor, target, repo, request)
    return merge_requests.get(store, request.id)


def _point(repo: pygit2.Repository, request: MergeRequest, head: str) -> None:
    repo.references.create(merge_requests.head_ref(request), head, force=True)


def note_references(store: Store, project: Project, request: MergeRequest) -> None:
    """Which issues the request closes or speaks of, by its title, description and commits."""
    repo = store.repos.open(project.id)
    words = f"{request.title}\n{request.description or ''}"
    if request.head_sha and request.base_sha:
        commits = commits_between(repo, request.base_sha, request.head_sha)[:100]
        words += "\n" + "\n".join(message_of(commit) for commit in commits)
    closed = set(closed_issues(words))
    closes: dict[int, bool] = {}
    for path, iid in dict.fromkeys(mentioned_issues(words)):
        home = project if path in ("", project.path, project.full_path) else projects.find(store, path)
        issue = issues.find(store, home, iid) if home else None
        if issue is not None:
            closes[issue.id] = (path, iid) in closed
    closings.replace(store, request, closes)


def retarget(store: Store, actor: User, project: Project, request: MergeRequest, branch: str) -> None:
    """Give a request another branch to be merged into."""
    repo = store.repos.open(project.id)
    start = ref_sha(repo, f"refs/heads/{branch}")
    if start is None or request.head_sha is None:
        raise refused(400, {"target_branch": ["does not exist"]})
    base = merge_base(repo, start, request.head_sha) or start
    merge_requests.set_target(store, actor, project, request, branch, base, start)


# -- following branches ------------------------------------------------------------------------------------------


def branch_moved(store: Store, actor: User, project: Project, branch: str, new: str) -> None:
    """A branch moved: requests from it have a new version, requests into it may be merged by that or in conflict."""
    for request in merge_requests.open_from(store, project, branch):
        if new != ZERO:
            target = projects.find(store, request.project_id)
            assert target is not None
            follow(store, actor, target, request, new)
    if new == ZERO:
        return
    repo = store.repos.open(project.id)
    for request in merge_requests.open_into(store, project, branch):
        if request.head_sha and request.head_sha != request.start_sha and is_ancestor(repo, request.head_sha, new):
            if commits_between(repo, request.base_sha, request.head_sha):
                merge_requests.mark_merged(store, actor, request, project, None)
                close_issues(store, actor, project, request)
        else:
            merge_requests.set_unchecked(store, request)


def follow(store: Store, actor: User, target: Project, request: MergeRequest, head: str) -> None:
    """Give a request its branch's new head."""
    repo = store.repos.open(target.id)
    if commit_of(repo, head) is None or head == request.head_sha:
        return
    start = ref_sha(repo, f"refs/heads/{request.target_branch}") or request.start_sha or head
    added = commits_between(repo, request.head_sha, head)[:100] if request.head_sha else []
    merge_requests.set_version(store, request, head, merge_base(repo, start, head) or start, start)
    _point(repo, request, head)
    lines = "\n".join(
        f"* {str(one.id)[:8]} - {message_of(one).splitlines()[0] if message_of(one) else ''}" for one in added
    )
    count = f"{len(added)} commit{'' if len(added) == 1 else 's'}"
    notes.system(store, actor, "MergeRequest", request.id, target.id, f"added {count}\n\n{lines}")
    approvals.pushed(store, target, request)
    if request.auto_merge:
        merge_requests.abort_auto_merge(store, actor, target, request, "source branch was updated")
    fresh = merge_requests.get(store, request.id)
    note_references(store, target, fresh)
    creating.pipeline_for_request(store, actor, target, repo, fresh)


def check(store: Store, project: Project, request: MergeRequest) -> MergeRequest:
    """The request with its question of conflicts answered."""
    if request.state != "opened" or request.merge_status != "unchecked":
        return request
    repo = store.repos.open(project.id)
    start = ref_sha(repo, f"refs/heads/{request.target_branch}")
    status, files = "cannot_be_merged", 0
    head = commit_of(repo, request.head_sha)
    if start is not None and head is not None:
        status = "cannot_be_merged" if conflicts(repo, start, str(head.id)) else "can_be_merged"
        base = commit_of(repo, request.base_sha)
        files = len(diff_trees(repo, base, head)) if base is not None else 0
    return merge_requests.set_checked(store, request, status, files)


# -- merging -----------------------------------------------------------------------------------------------------


def merge(
    store: Store, actor: User, project: Project, request: MergeRequest, *, squash: bool, message: str | None,
    squash_message: str | None,
) -> tuple[str, str, str]:  # fmt: skip
    """Merge by the project's method. Returns (target before, target after, squash or ''); raises `Conflict`."""
    repo = store.repos.open(project.id)
    target = ref_sha(repo, f"refs/heads/{request.target_branch}")
    head = request.head_sha
    assert target is not None
    assert head is not None
    method = project.options["merge_method"]
    who = author(store, actor)
    squashed = ""
    if squash and len(commits_between(repo, merge_base(repo, target, head), head)) > 1:
        base = merge_base(repo, target, head) or target
        tree = commit_of(repo, head)
        assert tree is not None
        squashed = commit(repo, str(tree.tree.id), [base], who, who, squash_message or request.title)
        head = squashed
    if method in ("rebase_merge", "ff") and not is_ancestor(repo, target, head):
        if (method == "ff" and not squashed) or squashed == "":
            raise Conflict([request.source_branch])
        head = squashed = rebase(repo, squashed, target, who)
    if method == "ff":
        after = head
    else:
        tree_id = merged_tree(repo, target, head)
        after = commit(repo, tree_id, [target, head], who, who, message or merge_message(project, request))
    set_ref(repo, f"refs/heads/{request.target_branch}", after, target)
    return target, after, squashed


def merge_message(project: Project, request: MergeRequest) -> str:
    return (
        f"Merge branch '{request.source_branch}' into '{request.target_branch}'\n\n{request.title}\n\n"
        f"See merge request {project.full_path}!{request.iid}"
    )


def close_issues(store: Store, actor: User, project: Project, request: MergeRequest) -> None:
    """Merged into the default branch, a request closes the issues it said it would."""
    if request.target_branch != project.default_branch or not project.options["autoclose_referenced_issues"]:
        return
    for issue_id in closings.closed_issue_ids(store, request):
        issue = issues.get(store, issue_id)
        home = projects.find(store, issue.project_id)
        assert home is not None
        reference = f"!{request.iid}" if home.id == project.id else f"{project.full_path}!{request.iid}"
        if item_changes.may_change(store, actor, home, issue):
            issues.set_state(store, actor, issue, home, "close", f" via merge request {reference}")
