"""Issues: opening, changing, closing, moving and linking them, and finding them by every filter the wire knows."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.errors import Refused, forbidden, invalid, not_found, refused
from dayjob.company.forge.rows.items import Issue
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, items, notes, projects
from dayjob.company.forge.store.base import Store

TYPES = ("issue", "incident", "test_case", "task")


def create(
    store: Store, author: User, project: Project, title: str, *, iid: int | None = None, created_at: str | None = None,
    labels: list[str] | None = None, assignees: list[int] | None = None, milestone_id: int | None = None, **facts: Any,
) -> Issue:  # fmt: skip
    """Open an issue. `iid` and `created_at` are for owners who bring issues from elsewhere."""
    items.check_title(title)
    if iid is not None:
        if store.value("SELECT 1 FROM issues WHERE project_id=? AND iid=?", project.id, iid):
            raise invalid(iid=["has already been taken"])
        store.db.execute("UPDATE projects SET issues_seq=max(issues_seq, ?) WHERE id=?", (iid, project.id))
    number = iid if iid is not None else store.next_iid("projects", project.id, "issues_seq")
    now = created_at or store.now()
    issue_id = store.insert(
        "issues", project_id=project.id, iid=number, title=title.strip(), author_id=author.id, created_at=now,
        updated_at=now, **facts,
    )  # fmt: skip
    store.db.execute("UPDATE projects SET open_issues_count=open_issues_count+1 WHERE id=?", (project.id,))
    items.opened(
        store, author, project, "Issue", get(store, issue_id), title=title, description=facts.get("description"),
        labels=labels, people={"assignee": assignees}, milestone_id=milestone_id,
    )  # fmt: skip
    return get(store, issue_id)


def get(store: Store, issue_id: int) -> Issue:
    return store.get(Issue, issue_id)


def find(store: Store, project: Project, iid: int) -> Issue | None:
    return store.one(Issue, "project_id=? AND iid=?", project.id, iid)


def check_open(store: Store, user: User, project: Project) -> None:
    """Refuse a new issue where the project has no issues for somebody."""
    if not access.may_use(store, user, project, "issues"):
        raise forbidden()


def set_state(store: Store, actor: User, issue: Issue, project: Project, event: str, because: str = "") -> None:
    """Close or reopen; `because` says what did it, such as ` via merge request !4`."""
    now = store.now()
    if event == "close" and issue.state == "opened":
        store.update("issues", issue.id, state="closed", closed_at=now, closed_by=actor.id, updated_at=now)
        store.db.execute("UPDATE projects SET open_issues_count=max(0, open_issues_count-1) WHERE id=?", (project.id,))
        items.tell_state(store, actor, project, "Issue", issue, "closed", because)
    elif event == "reopen" and issue.state == "closed":
        store.update("issues", issue.id, state="opened", closed_at=None, closed_by=None, updated_at=now)
        store.db.execute("UPDATE projects SET open_issues_count=open_issues_count+1 WHERE id=?", (project.id,))
        items.tell_state(store, actor, project, "Issue", issue, "reopened")


def delete(store: Store, issue: Issue) -> None:
    items.delete_attached(store, "Issue", issue.id)
    if issue.state == "opened":
        store.db.execute(
            "UPDATE projects SET open_issues_count=max(0, open_issues_count-1) WHERE id=?", (issue.project_id,)
        )
    store.delete("issues", issue.id)


# -- in other places ---------------------------------------------------------------------------------------------


def move(store: Store, actor: User, project: Project, issue: Issue, target_id: int) -> Issue:
    """Open an issue anew in another project and close it here."""
    target = projects.find(store, target_id)
    if target is None or not access.can_see_project(store, actor, target):
        raise not_found("Project")
    if target.id == project.id:
        raise refused(400, "Cannot move issue to project it originates from!")
    if target.archived or access.project_level(store, actor, target) < access.PLANNER:
        raise refused(400, "Cannot move issue due to insufficient permissions!")
    copied = _copy(store, actor, issue, target, with_notes=True)
    store.update("issues", issue.id, moved_to=copied.id)
    notes.system(store, actor, "Issue", issue.id, project.id, f"moved to {target.full_path}#{copied.iid}")
    set_state(store, actor, issue, project, "close")
    return copied


def clone(store: Store, actor: User, issue: Issue, target_id: int, *, with_notes: bool) -> Issue:
    """Open the same issue once more, in this or another project."""
    target = projects.find(store, target_id)
    if target is None or access.project_level(store, actor, target) < access.PLANNER:
        raise not_found("Project")
    if target.archived:
        raise refused(400, "Cannot clone issue due to insufficient permissions!")
    return _copy(store, actor, issue, target, with_notes=with_notes)


def _copy(store: Store, actor: User, issue: Issue, target: Project, *, with_notes: bool) -> Issue:
    copied = create(
        store, actor, target, issue.title, description=issue.description, labels=issue.label_names,
        assignees=issue.assignee_ids, weight=issue.weight, due_date=issue.due_date, confidential=issue.confidential,
        issue_type=issue.issue_type,
    )  # fmt: skip
    store.update("issues", copied.id, author_id=issue.author_id)
    if with_notes:
        notes.copy(store, "Issue", issue.id, copied.id, target.id)
        store.update("issues", copied.id, user_notes_count=issue.user_notes_count)
    return get(store, copied.id)


def reorder(store: Store, issue: Issue, after_id: int | None, before_id: int | None) -> Issue:
    """Put an issue behind or before another one, or between two, in the order that people gave a list by hand."""
    low, high = _position(store, after_id), _position(store, before_id)
    if low is not None and high is not None:
        position = (low + high) // 2
    elif low is not None:
        position = low + 500
    elif high is not None:
        position = high - 500
    else:
        missing = "move_after_id, move_before_id are missing, at least one parameter must be provided"
        raise Refused(400, {"error": missing})
    store.update("issues", issue.id, relative_position=position)
    return get(store, issue.id)


def _position(store: Store, issue_id: int | None) -> int | None:
    issue = store.one(Issue, "id=?", issue_id) if issue_id else None
    if issue is None:
        return None
    return issue.relative_position if issue.relative_position is not None else issue.id * 1000
