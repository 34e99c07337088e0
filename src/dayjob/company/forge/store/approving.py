"""Who may approve a merge request, and what an approval leaves behind."""

from __future__ import annotations

from dayjob.company.forge.store import access, notes
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.merge_requests import MergeRequest
from dayjob.company.forge.store.projects import Project
from dayjob.company.forge.store.users import User


def may_approve(store: Store, user: User, project: Project, request: MergeRequest) -> bool:
    """Developers up, once, while it is open; its author only where the project allows that."""
    given = store.value("SELECT 1 FROM approvals WHERE merge_request_id=? AND user_id=?", request.id, user.id)
    own = request.author_id == user.id and project.options.get("merge_requests_author_approval") is False
    developer = access.project_level(store, user, project) >= access.DEVELOPER
    return developer and not own and not given and request.state == "opened"


def approve(store: Store, user: User, project: Project, request: MergeRequest) -> None:
    store.insert("approvals", merge_request_id=request.id, user_id=user.id, created_at=store.now())
    notes.system(store, user, "MergeRequest", request.id, project.id, "approved this merge request")


def unapprove(store: Store, user: User, project: Project, request: MergeRequest) -> bool:
    """Whether there was an approval to take back."""
    gone = store.db.execute("DELETE FROM approvals WHERE merge_request_id=? AND user_id=?", (request.id, user.id))
    if gone.rowcount:
        notes.system(store, user, "MergeRequest", request.id, project.id, "unapproved this merge request")
    return bool(gone.rowcount)
