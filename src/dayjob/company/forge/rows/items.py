"""Issues and merge requests, what is said and done about them, and what people are told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from dayjob.company.forge.rows import ForgeRow
from dayjob.company.rows import Parsed

DRAFT = re.compile(r"^\s*(\[draft\]|\(draft\)|draft:|draft\s-)\s*", re.IGNORECASE)


@dataclass(slots=True)
class ItemRow(ForgeRow):
    """What the rows of issues and merge requests have in common."""

    project_id: int
    iid: int
    title: str
    description: str | None
    state: str
    author_id: int
    milestone_id: int | None
    discussion_locked: int | None
    created_at: str
    updated_at: str
    closed_at: str | None
    closed_by: int | None
    time_estimate: int
    time_spent: int
    user_notes_count: int
    labels: str
    assignees: str

    label_names = Parsed[list[str]]("labels")
    assignee_ids = Parsed[list[int]]("assignees")


@dataclass(slots=True)
class Issue(ItemRow, table="issues"):
    weight: int | None
    due_date: str | None
    confidential: int
    issue_type: str
    relative_position: int | None
    moved_to: int | None
    severity: str | None


@dataclass(slots=True)
class IssueLink(ForgeRow, table="issue_links"):
    source_id: int
    target_id: int
    link_type: str
    created_at: str

    def seen_from(self, issue: Issue) -> str:
        """What the link is for one of its two issues."""
        blocked = self.target_id == issue.id and self.link_type == "blocks"
        return "is_blocked_by" if blocked else self.link_type


@dataclass(slots=True)
class MergeRequest(ItemRow, table="merge_requests"):
    source_project_id: int | None
    source_branch: str
    target_branch: str
    prepared_at: str | None
    merged_at: str | None
    merged_by: int | None
    merge_commit_sha: str | None
    squash_commit_sha: str | None
    head_sha: str | None
    base_sha: str | None
    start_sha: str | None
    merge_status: str
    changed_files: int
    squash: int
    remove_source_branch: int | None
    auto_merge: int
    merge_after: str | None
    merge_error: str | None
    allow_collaboration: int
    reviewers: str

    @property
    def draft(self) -> bool:
        return bool(DRAFT.match(self.title))

    reviewer_ids = Parsed[list[int]]("reviewers")


@dataclass(slots=True)
class Version(ForgeRow, table="merge_request_versions"):
    """One state of a merge request's branch: what was compared with what."""

    merge_request_id: int
    head_sha: str
    base_sha: str
    start_sha: str
    created_at: str


@dataclass(slots=True)
class Label(ForgeRow, table="labels"):
    """A label of a project or a group."""

    project_id: int | None
    group_id: int | None
    name: str
    description: str | None
    color: str
    priority: int | None
    archived: int


@dataclass(slots=True)
class Milestone(ForgeRow, table="milestones"):
    """A milestone of a project or a group."""

    iid: int
    project_id: int | None
    group_id: int | None
    title: str
    description: str | None
    state: str
    due_date: str | None
    start_date: str | None
    created_at: str
    updated_at: str


@dataclass(slots=True)
class Note(ForgeRow, table="notes"):
    """One comment. Notes of one discussion share its id."""

    noteable_type: str
    noteable_id: int
    project_id: int | None
    author_id: int
    body: str
    system: int
    discussion_id: str
    type: str | None
    position: str | None
    resolvable: int
    resolved: int
    resolved_by: int | None
    resolved_at: str | None
    internal: int
    commit_id: str | None
    created_at: str
    updated_at: str

    place = Parsed[dict[str, Any] | None]("position")


@dataclass(slots=True)
class Award(ForgeRow, table="award_emoji"):
    """One person's emoji on one thing."""

    awardable_type: str
    awardable_id: int
    name: str
    user_id: int
    created_at: str


@dataclass(slots=True)
class ResourceEvent(ForgeRow, table="resource_events"):
    """`kind` is what changed; `value` the label's or milestone's id, the weight, or what closed it."""

    kind: str
    item_type: str
    item_id: int
    user_id: int
    action: str
    value: str | None
    created_at: str


@dataclass(slots=True)
class Todo(ForgeRow, table="todos"):
    user_id: int
    project_id: int | None
    author_id: int
    action: str
    target_type: str
    target_id: int
    body: str
    state: str
    created_at: str
    updated_at: str


@dataclass(slots=True)
class Event(ForgeRow, table="events"):
    project_id: int | None
    author_id: int
    action: str
    target_type: str | None
    target_id: int | None
    target_iid: int | None
    target_title: str | None
    push: str | None
    created_at: str

    push_data = Parsed[dict[str, Any] | None]("push")
