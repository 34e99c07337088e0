"""What can be commented on, found from the path: issues, merge requests, snippets and commits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dayjob.company.forge.api import code
from dayjob.company.forge.api import issues as issue_api
from dayjob.company.forge.api.call import Call
from dayjob.company.forge.api.issue_relations import find_request
from dayjob.company.forge.store import access, visibility
from dayjob.company.forge.store.base import forbidden, not_found
from dayjob.company.forge.store.notes import Note
from dayjob.company.forge.store.projects import Project


@dataclass(slots=True)
class Noteable:
    """Something to comment on."""

    kind: str
    id: int
    project: Project
    locked: bool = False
    commit: str | None = None
    iid: int | None = None
    title: str = ""

    def where(self) -> tuple[str, list[object]]:
        """The condition for its notes."""
        if self.commit is not None:
            return "noteable_type='Commit' AND project_id=? AND commit_id=?", [self.project.id, self.commit]
        return "noteable_type=? AND noteable_id=?", [self.kind, self.id]


def _issue(call: Call) -> Noteable:
    project, issue = issue_api.find(call)
    return Noteable("Issue", issue.id, project, bool(issue.discussion_locked), iid=issue.iid, title=issue.title)


def _request(call: Call) -> Noteable:
    project, request = find_request(call)
    return Noteable(
        "MergeRequest", request.id, project, bool(request.discussion_locked), iid=request.iid, title=request.title
    )


def _snippet(call: Call) -> Noteable:
    project = call.project()
    seen = f"SELECT id FROM snippets WHERE id=? AND project_id=? AND {visibility.snippets(call.user)}"
    found = call.store.value(seen, call.number("iid"), project.id)
    if found is None:
        raise not_found("Snippet")
    return Noteable("Snippet", found, project)


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


def may_comment(call: Call, thing: Noteable) -> None:
    call.signed_in()
    level = access.project_level(call.store, call.me, thing.project)
    if thing.project.archived or (thing.locked and level < access.GUEST):
        raise forbidden()


def may_edit(call: Call, note: Note, project: Project) -> None:
    """Authors edit their own; maintainers anyone's."""
    if note.system or (
        note.author_id != call.me.id and access.project_level(call.store, call.me, project) < access.MAINTAINER
    ):
        raise forbidden()
