"""Issues: opening, changing, closing, moving and linking them, and finding them by every filter the wire knows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

from dayjob.company.forge.store import events, items, notes
from dayjob.company.forge.store.base import Store, invalid
from dayjob.company.forge.store.projects import Project
from dayjob.company.forge.store.users import User

TYPES = ("issue", "incident", "test_case", "task")


@dataclass(slots=True)
class Issue:
    TABLE: ClassVar[str] = "issues"
    id: int
    project_id: int
    iid: int
    title: str
    description: str | None
    state: str
    author_id: int
    milestone_id: int | None
    weight: int | None
    due_date: str | None
    confidential: int
    discussion_locked: int | None
    issue_type: str
    created_at: str
    updated_at: str
    closed_at: str | None
    closed_by: int | None
    time_estimate: int
    time_spent: int
    user_notes_count: int
    relative_position: int | None
    moved_to: int | None
    severity: str | None
    labels: str
    assignees: str

    @property
    def label_names(self) -> list[str]:
        found: list[str] = json.loads(self.labels)
        return found

    @property
    def assignee_ids(self) -> list[int]:
        found: list[int] = json.loads(self.assignees)
        return found


@dataclass(slots=True)
class IssueLink:
    TABLE: ClassVar[str] = "issue_links"
    id: int
    source_id: int
    target_id: int
    link_type: str
    created_at: str


def check_title(title: str) -> None:
    if not title.strip():
        raise invalid(title=["can't be blank"])
    if len(title) > 255:
        raise invalid(title=["is too long (maximum is 255 characters)"])


def create(
    store: Store, author: User, project: Project, title: str, *, iid: int | None = None, created_at: str | None = None,
    labels: list[str] | None = None, assignees: list[int] | None = None, milestone_id: int | None = None, **facts: Any,
) -> Issue:  # fmt: skip
    """Open an issue. `iid` and `created_at` are for owners who bring issues from elsewhere."""
    check_title(title)
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
    issue = get(store, issue_id)
    if labels:
        items.set_labels(store, author, project, "Issue", issue_id, labels)
    if assignees:
        items.set_people(store, author, project, "Issue", issue_id, "assignee", assignees)
    if milestone_id:
        items.set_milestone(store, author, project, "Issue", issue, milestone_id)
    events.happened(store, author, project.id, "opened", "Issue", issue_id, number, title)
    notes.mention(store, author, "Issue", issue_id, project.id, f"{title}\n{facts.get('description') or ''}")
    return get(store, issue_id)


def get(store: Store, issue_id: int) -> Issue:
    found = store.one(Issue, "id=?", issue_id)
    assert found is not None
    return found


def find(store: Store, project: Project, iid: int) -> Issue | None:
    return store.one(Issue, "project_id=? AND iid=?", project.id, iid)


def set_state(store: Store, actor: User, issue: Issue, project: Project, event: str, because: str = "") -> None:
    """Close or reopen; `because` says what did it, such as ` via merge request !4`."""
    now = store.now()
    if event == "close" and issue.state == "opened":
        store.update("issues", issue.id, state="closed", closed_at=now, closed_by=actor.id, updated_at=now)
        store.db.execute("UPDATE projects SET open_issues_count=max(0, open_issues_count-1) WHERE id=?", (project.id,))
        items.trace(store, actor, "Issue", issue.id, "state", "closed", because.strip() or None)
        notes.system(store, actor, "Issue", issue.id, project.id, f"closed{because}")
        events.happened(store, actor, project.id, "closed", "Issue", issue.id, issue.iid, issue.title)
    elif event == "reopen" and issue.state == "closed":
        store.update("issues", issue.id, state="opened", closed_at=None, closed_by=None, updated_at=now)
        store.db.execute("UPDATE projects SET open_issues_count=open_issues_count+1 WHERE id=?", (project.id,))
        items.trace(store, actor, "Issue", issue.id, "state", "reopened", None)
        notes.system(store, actor, "Issue", issue.id, project.id, "reopened")
        events.happened(store, actor, project.id, "reopened", "Issue", issue.id, issue.iid, issue.title)


def delete(store: Store, issue: Issue) -> None:
    for child, what in (
        ("notes", "noteable"), ("award_emoji", "awardable"), ("label_links", "item"), ("people", "item"),
        ("resource_events", "item"), ("subscriptions", "item"), ("todos", "target"),
    ):  # fmt: skip
        store.db.execute(f"DELETE FROM {child} WHERE {what}_type='Issue' AND {what}_id=?", (issue.id,))
    if issue.state == "opened":
        store.db.execute(
            "UPDATE projects SET open_issues_count=max(0, open_issues_count-1) WHERE id=?", (issue.project_id,)
        )
    store.delete("issues", issue.id)
