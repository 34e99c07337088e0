"""What the forge knows of a commit beside git: the merge requests that brought it, and the comments on it."""

from __future__ import annotations

from dayjob.company.forge.git.reading import commits_between
from dayjob.company.forge.rows.items import MergeRequest, Note
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store.base import Store


def merge_requests(store: Store, project: Project, sha: str) -> list[MergeRequest]:
    """The project's merge requests that contain a commit or ended in it, newest first."""
    repo = store.repos.open(project.id)

    def has_commit(request: MergeRequest) -> bool:
        if sha in (request.merge_commit_sha, request.squash_commit_sha, request.head_sha):
            return True
        if not request.head_sha or not request.base_sha:
            return False
        return any(str(commit.id) == sha for commit in commits_between(repo, request.base_sha, request.head_sha))

    requests = store.all(MergeRequest, "project_id=? ORDER BY id DESC", project.id)
    return [request for request in requests if has_commit(request)]


def comments(store: Store, project: Project, sha: str) -> list[Note]:
    return store.all(Note, "commit_id=? AND project_id=? AND system=0 ORDER BY id", sha, project.id)
