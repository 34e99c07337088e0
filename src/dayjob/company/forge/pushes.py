"""What a push means to the forge, whether it came through git or through the API: refs, merge requests, issues closed
by commit messages, events, pipelines and hooks. All of it has happened before the one who pushed gets an answer.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pygit2

from dayjob.company.forge import merging
from dayjob.company.forge.ci import creating
from dayjob.company.forge.git.opening import Moved
from dayjob.company.forge.git.reading import (
    commit_of,
    commits_between,
    count_commits,
    message_of,
    signature_text,
    text,
    when,
)
from dayjob.company.forge.git.repositories import ZERO, ref_sha
from dayjob.company.forge.rows.items import MergeRequest
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import (
    events,
    issues,
    item_changes,
    merge_requests,
    notes,
    projects,
    protection,
    refs,
    wikis,
)
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.issue_text import closed_issues, mentioned_issues

if TYPE_CHECKING:
    from dayjob.company.forge.service import Forge

COMMITS_READ = 1000


async def pushed(
    forge: Forge, user: User, project: Project, moved: list[Moved], options: list[str] | None = None
) -> str:
    """Take note of a push. Returns what git shows to whoever pushed."""
    store = forge.store
    for request in abroad(store, project, moved):
        await asyncio.to_thread(bring_head, forge, request)
    return noticed(store, user, project, moved, options or [])


def abroad(store: Store, project: Project, moved: list[Moved]) -> list[MergeRequest]:
    """Open merge requests in other projects whose source is one of the branches: their commits must be brought over."""
    found = []
    for one in moved:
        if one.ref.startswith("refs/heads/") and one.new != ZERO:
            requests = merge_requests.open_from(store, project, one.name)
            found += [request for request in requests if request.project_id != project.id]
    return found


def bring_head(forge: Forge, request: MergeRequest) -> None:
    """Fetch a fork's branch into the project it wants to be merged into."""
    source = f"refs/heads/{request.source_branch}:refs/merge-requests/{request.iid}/head"
    forge.repositories.fetch(str(request.project_id), str(request.source_project_id), source)


def noticed(store: Store, user: User, project: Project, moved: list[Moved], options: list[str]) -> str:
    """The effects of a push, in one go."""
    repo = store.repos.open(project.id)
    with store.transaction():
        for one in moved:
            if one.new == ZERO:
                refs.forget(store, project, one.ref)
            else:
                refs.record(store, project, one.ref, one.new)
        project = _default_branch(store, repo, project, moved)
        hints = []
        for one in moved:
            if one.ref.startswith("refs/heads/"):
                hints.append(_branch(store, repo, user, project, one, options))
            else:
                _event(store, user, project, one, [], 0)
                _hook(store, user, project, one, [], 0)
                _pipeline(store, repo, user, project, one, options)
        projects.touch(store, project.id)
    return "".join(hints)


def _default_branch(store: Store, repo: pygit2.Repository, project: Project, moved: list[Moved]) -> Project:
    """A first push decides the default branch and protects it; every push to it refreshes what the project shows."""
    heads = [one.name for one in moved if one.ref.startswith("refs/heads/") and one.new != ZERO]
    default = project.default_branch
    if project.empty and heads:
        if default not in heads:
            default = "main" if "main" in heads else "master" if "master" in heads else heads[0]
        repo.set_head(f"refs/heads/{default}")
        projects.set_first_branch(store, project, default)
        protection.protect(store, project, "branch", default)
    head = commit_of(repo, ref_sha(repo, f"refs/heads/{default}"))
    if head is not None and default in heads:
        names = sorted(text(one.raw_name) for one in head.tree)
        readme = next((name for name in names if name.lower().startswith("readme")), None)
        projects.set_code_facts(store, project, readme, count_commits(repo, str(head.id)))
    return projects.get(store, project.id)


def _branch(store: Store, repo: pygit2.Repository, user: User, project: Project, one: Moved, options: list[str]) -> str:
    commits = _new_commits(repo, project, one)
    _event(store, user, project, one, commits[:1], len(commits))
    _hook(store, user, project, one, commits, len(commits))
    merging.branch_moved(store, user, project, one.name, one.new)
    if one.new == ZERO:
        return ""
    if one.name == project.default_branch:
        for commit in reversed(commits[:COMMITS_READ]):
            _close_issues(store, user, project, commit)
    _pipeline(store, repo, user, project, one, options)
    return _hint(store, user, project, one, options)


def _pipeline(
    store: Store, repo: pygit2.Repository, user: User, project: Project, one: Moved, options: list[str]
) -> None:
    if not any(option in ("ci.skip", "ci.skip=true") for option in options):
        creating.pipeline_for_push(store, user, project, repo, one.ref, one.old, one.new)


def _new_commits(repo: pygit2.Repository, project: Project, one: Moved) -> list[pygit2.Commit]:
    """The commits a push brought to the branch, newest first."""
    if one.new == ZERO or commit_of(repo, one.new) is None:
        return []
    base: str | None = one.old
    if one.old == ZERO:
        base = ref_sha(repo, f"refs/heads/{project.default_branch}")
        if base == one.new or one.name == project.default_branch:
            base = None
    return commits_between(repo, base, one.new)[: COMMITS_READ + 1]


def _close_issues(store: Store, user: User, project: Project, commit: pygit2.Commit) -> None:
    """`Closes #3` in a commit on the default branch closes issue 3; a mention leaves a note there."""
    message = message_of(commit)
    sha = str(commit.id)
    closing = set(closed_issues(message)) if project.options["autoclose_referenced_issues"] else set()
    for path, iid in dict.fromkeys(mentioned_issues(message)):
        home = project if path in ("", project.path, project.full_path) else projects.find(store, path)
        issue = issues.find(store, home, iid) if home else None
        if home is None or issue is None:
            continue
        where = sha if home.id == project.id else f"{project.full_path}@{sha}"
        notes.system(store, user, "Issue", issue.id, home.id, f"mentioned in commit {where}")
        if (path, iid) in closing and item_changes.may_change(store, user, home, issue):
            issues.set_state(store, user, issue, home, "close", f" via commit {sha[:8]}")


def _event(store: Store, user: User, project: Project, one: Moved, newest: list[pygit2.Commit], count: int) -> None:
    kind = "branch" if one.ref.startswith("refs/heads/") else "tag"
    action = "created" if one.old == ZERO else "removed" if one.new == ZERO else "pushed"
    title = message_of(newest[0]).split("\n", 1)[0][:70] if newest else None
    push = {
        "commit_count": count, "action": action, "ref_type": kind,
        "commit_from": None if one.old == ZERO else one.old, "commit_to": None if one.new == ZERO else one.new,
        "ref": one.name, "commit_title": title, "ref_count": None,
    }  # fmt: skip
    verb = {"created": "pushed new", "pushed": "pushed to", "removed": "deleted"}[action]
    events.happened(store, user, project.id, verb, push=push)


def _hook(store: Store, user: User, project: Project, one: Moved, commits: list[pygit2.Commit], count: int) -> None:
    kind = "push" if one.ref.startswith("refs/heads/") else "tag_push"
    facts: dict[str, Any] = {
        "before": one.old, "after": one.new, "ref": one.ref, "checkout_sha": None if one.new == ZERO else one.new,
        "commits": [commit_facts(store, project, commit) for commit in reversed(commits[:20])],
        "total_commits_count": count,
    }  # fmt: skip
    store.forge.deliveries.announce(project, user, kind, facts)


def commit_facts(store: Store, project: Project, commit: pygit2.Commit) -> dict[str, Any]:
    name, email = signature_text(commit.author)
    message = message_of(commit)
    return {
        "id": str(commit.id), "message": message, "title": message.split("\n", 1)[0], "timestamp": when(commit.author),
        "url": f"{store.company.world.url('forge')}/{project.full_path}/-/commit/{commit.id}",
        "author": {"name": name, "email": email},
    }  # fmt: skip


def _hint(store: Store, user: User, project: Project, one: Moved, options: list[str]) -> str:
    """What git prints after the push: the merge request, or where to open one."""
    if one.name == project.default_branch or not project.options["printing_merge_request_link_enabled"]:
        return ""
    base = f"{store.company.world.url('forge')}/{project.full_path}/-/merge_requests"
    wanted = dict(option.partition("=")[::2] for option in options)
    request = next(iter(merge_requests.open_from(store, project, one.name)), None)
    if request is None and "merge_request.create" in wanted:
        request = merging.open_request(
            store,
            user,
            project,
            project,
            one.name,
            wanted.get("merge_request.target") or project.default_branch or "main",
            wanted.get("merge_request.title") or title_from(store, project, one.new),
            description=wanted.get("merge_request.description"),
            remove_source_branch=bool(project.options["remove_source_branch_after_merge"]),
        )
    if request is not None:
        return f"\nView merge request for {one.name}:\n  {base}/{request.iid}\n\n"
    link = f"{base}/new?merge_request%5Bsource_branch%5D={one.name}"
    return f"\nTo create a merge request for {one.name}, visit:\n  {link}\n\n"


def title_from(store: Store, project: Project, sha: str) -> str:
    commit = commit_of(store.repos.open(project.id), sha)
    return message_of(commit).split("\n", 1)[0][:255] if commit is not None else "Merge"


def wiki_pushed(store: Store, name: str) -> None:
    wikis.sync(store, name)
