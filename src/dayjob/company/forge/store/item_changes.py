"""Changes of one field of an issue or a merge request, checked and noted alike for the API and for quick actions."""

from __future__ import annotations

from datetime import date
from typing import Any

from dayjob.company.forge.errors import Refused, forbidden, invalid, refused
from dayjob.company.forge.rows.items import Issue, MergeRequest
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, issues, merge_requests, notes, resource_events
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.dates import day
from dayjob.company.forge.store.issue_text import human
from dayjob.company.forge.store.items import check_title
from dayjob.company.forge.store.labels import TABLES
from dayjob.company.forge.store.merge_requests import draft_title

_NOUNS = {"Issue": "issue", "MergeRequest": "merge request"}


def get(store: Store, kind: str, item_id: int) -> Issue | MergeRequest:
    return issues.get(store, item_id) if kind == "Issue" else merge_requests.get(store, item_id)


def may_change(store: Store, user: User, project: Project, item: Issue | MergeRequest) -> bool:
    """Authors change their own, and assignees of issues theirs; all others takes planners up, of merge requests
    developers up. In an archived project nobody changes anything."""
    if project.archived:
        return False
    level = access.project_level(store, user, project)
    if isinstance(item, Issue):
        return level >= access.PLANNER or user.id in (item.author_id, *item.assignee_ids)
    return level >= access.DEVELOPER or user.id == item.author_id


def check_change(store: Store, user: User, project: Project, item: Issue | MergeRequest) -> None:
    if not may_change(store, user, project, item):
        raise forbidden()


def check_delete(store: Store, user: User, project: Project) -> None:
    if access.project_level(store, user, project) < access.OWNER:
        raise forbidden()


def check_tracking(store: Store, user: User, project: Project) -> None:
    """Estimates and time spent are for reporters up."""
    if access.project_level(store, user, project) < access.REPORTER:
        raise forbidden()


def may_run_quick_actions(store: Store, user: User, project: Project, item: Issue | MergeRequest) -> bool:
    """Planners up; on a merge request, those of them who may change it."""
    if access.project_level(store, user, project) < access.PLANNER:
        return False
    return isinstance(item, Issue) or may_change(store, user, project, item)


class ItemChanges:
    """Somebody's changes to one issue or merge request. Nothing is written or noted where nothing is different."""

    def __init__(self, store: Store, actor: User, project: Project, item: Issue | MergeRequest) -> None:
        self.store = store
        self.actor = actor
        self.project = project
        self.item = item
        self.kind = "Issue" if isinstance(item, Issue) else "MergeRequest"

    def title(self, title: str) -> None:
        check_title(title)
        if self._set(title=title.strip()):
            self._note(f"changed title from **{self.item.title}** to **{title.strip()}**")

    def draft(self, draft: bool) -> None:
        if self._set(title=draft_title(self.item.title, draft)):
            self._note(f"marked this merge request as **{'draft' if draft else 'ready'}**")

    def description(self, text: str | None) -> None:
        if self._set(description=text):
            self._note("changed the description")

    def keep_description(self, text: str) -> None:
        """What is left of the description once its quick actions were run, which nobody is told of."""
        self.store.update(TABLES[self.kind], self.item.id, description=text)

    def locked(self, locked: bool | None) -> None:
        before = bool(self.item.discussion_locked)
        if self._set(discussion_locked=None if locked is None else int(locked)) and before != bool(locked):
            self._note(f"{'locked' if locked else 'unlocked'} the discussion in this {_NOUNS[self.kind]}")

    def issue_type(self, name: str) -> None:
        self.store.update("issues", self.item.id, issue_type=name, updated_at=self.store.now())

    def confidential(self, confidential: bool) -> None:
        if self._set(confidential=int(confidential)):
            self._note("made the issue confidential" if confidential else "made the issue visible to everyone")

    def due_date(self, text: str | None) -> None:
        wanted = day(text, "due_date")
        shown = f"{date.fromisoformat(wanted):%B %-d, %Y}" if wanted else ""
        if self._set(due_date=wanted):
            self._note(f"changed due date to {shown}" if shown else "removed due date")

    def weight(self, weight: int | None) -> None:
        if weight is not None and weight < 0:
            raise Refused(400, {"error": "weight does not have a valid value"})
        if self._set(weight=weight):
            value = None if weight is None else str(weight)
            resource_events.add(self.store, self.actor, self.kind, self.item.id, "weight", "set", value)

    def estimate(self, seconds: int) -> None:
        if seconds < 0:
            raise invalid(time_estimate=["must have a valid format and be greater than or equal to zero."])
        if self._set(time_estimate=seconds):
            self._note(f"changed time estimate to {human(seconds)}" if seconds else "removed time estimate")

    def spend(self, seconds: int) -> None:
        """Time spent; below zero, taken back."""
        if self.item.time_spent + seconds < 0:
            raise refused(400, {"base": ["Time to subtract exceeds the total time spent"]})
        if self._set(time_spent=self.item.time_spent + seconds):
            self._note(f"{'added' if seconds > 0 else 'subtracted'} {human(abs(seconds))} of time spent")

    def remove_time_spent(self) -> None:
        if self._set(time_spent=0):
            self._note("removed time spent")

    def _set(self, **values: Any) -> bool:
        """Whether that was a change."""
        if all(getattr(self.item, name) == value for name, value in values.items()):
            return False
        self.store.update(TABLES[self.kind], self.item.id, **values, updated_at=self.store.now())
        return True

    def _note(self, words: str) -> None:
        notes.system(self.store, self.actor, self.kind, self.item.id, self.project.id, words)
