"""What can be commented on, found from the path: issues, merge requests, snippets and commits."""

from __future__ import annotations

from collections.abc import Callable

from dayjob.company.forge.api import code
from dayjob.company.forge.api import issues as issue_api
from dayjob.company.forge.api.call import Call
from dayjob.company.forge.api.merge_requests import find_request
from dayjob.company.forge.store import discussions
from dayjob.company.forge.store.discussions import Noteable


def _issue(call: Call) -> Noteable:
    project, issue = issue_api.find(call)
    return Noteable("Issue", issue.id, project, bool(issue.discussion_locked), iid=issue.iid, title=issue.title)


def _request(call: Call) -> Noteable:
    project, request = find_request(call)
    return Noteable(
        "MergeRequest", request.id, project, bool(request.discussion_locked), iid=request.iid, title=request.title
    )


def _snippet(call: Call) -> Noteable:
    return discussions.noteable_snippet(call.store, call.user, call.project(), call.number("iid"))


def _commit(call: Call) -> Noteable:
    project, repo = code.repository(call)
    commit = code.commit_at(call, project, repo, call.path["iid"])
    return Noteable("Commit", project.id, project, commit=str(commit.id))


PLACES: dict[str, Callable[[Call], Noteable]] = {
    "/projects/{id}/issues/{iid}": _issue,
    "/projects/{id}/merge_requests/{iid}": _request,
    "/projects/{id}/snippets/{iid}": _snippet,
    "/projects/{id}/repository/commits/{iid}": _commit,
}
