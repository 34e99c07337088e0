"""Merge requests as records: opening, versions, state. What they mean for git is in `dayjob.company.forge.merging`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import ClassVar

from dayjob.company.forge.store import events, items, notes
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.projects import Project
from dayjob.company.forge.store.users import User

_DRAFT = re.compile(r"^\s*(\[draft\]|\(draft\)|draft:|draft\s-)\s*", re.IGNORECASE)


@dataclass(slots=True)
class MergeRequest:
    TABLE: ClassVar[str] = "merge_requests"
    id: int
    project_id: int
    iid: int
    source_project_id: int | None
    source_branch: str
    target_branch: str
    title: str
    description: str | None
    state: str
    author_id: int
    milestone_id: int | None
    created_at: str
    updated_at: str
    prepared_at: str | None
    merged_at: str | None
    merged_by: int | None
    closed_at: str | None
    closed_by: int | None
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
    merge_error: str | None
    discussion_locked: int | None
    allow_collaboration: int
    time_estimate: int
    time_spent: int
    user_notes_count: int
    labels: str
    assignees: str
    reviewers: str

    @property
    def draft(self) -> bool:
        return bool(_DRAFT.match(self.title))

    @property
    def label_names(self) -> list[str]:
        found: list[str] = json.loads(self.labels)
        return found

    @property
    def assignee_ids(self) -> list[int]:
        found: list[int] = json.loads(self.assignees)
        return found

    @property
    def reviewer_ids(self) -> list[int]:
        found: list[int] = json.loads(self.reviewers)
        return found


@dataclass(slots=True)
class Version:
    """One state of a merge request's branch: what was compared with what."""

    TABLE: ClassVar[str] = "merge_request_versions"
    id: int
    merge_request_id: int
    head_sha: str
    base_sha: str
    start_sha: str
    created_at: str


def get(store: Store, request_id: int) -> MergeRequest:
    found = store.one(MergeRequest, "id=?", request_id)
    assert found is not None
    return found


def find(store: Store, project: Project, iid: int) -> MergeRequest | None:
    return store.one(MergeRequest, "project_id=? AND iid=?", project.id, iid)


def set_version(store: Store, request: MergeRequest, head: str, base: str, start: str) -> None:
    """The branch has a new head: a new version, and the question of conflicts is open again."""
    now = store.now()
    store.update(
        "merge_requests", request.id, head_sha=head, base_sha=base, start_sha=start, merge_status="unchecked",
        updated_at=now,
    )  # fmt: skip
    store.insert(
        "merge_request_versions",
        merge_request_id=request.id,
        head_sha=head,
        base_sha=base,
        start_sha=start,
        created_at=now,
    )


def set_state(store: Store, actor: User, request: MergeRequest, project: Project, event: str) -> None:
    now = store.now()
    if event == "close" and request.state == "opened":
        store.update(
            "merge_requests",
            request.id,
            state="closed",
            closed_at=now,
            closed_by=actor.id,
            updated_at=now,
            auto_merge=0,
        )
        items.trace(store, actor, "MergeRequest", request.id, "state", "closed", None)
        notes.system(store, actor, "MergeRequest", request.id, project.id, "closed")
        events.happened(store, actor, project.id, "closed", "MergeRequest", request.id, request.iid, request.title)
    elif event == "reopen" and request.state == "closed":
        store.update(
            "merge_requests", request.id, state="opened", closed_at=None, closed_by=None, updated_at=now,
            merge_status="unchecked",
        )  # fmt: skip
        items.trace(store, actor, "MergeRequest", request.id, "state", "reopened", None)
        notes.system(store, actor, "MergeRequest", request.id, project.id, "reopened")
        events.happened(store, actor, project.id, "reopened", "MergeRequest", request.id, request.iid, request.title)


def mark_merged(
    store: Store,
    actor: User,
    request: MergeRequest,
    project: Project,
    merge_sha: str | None,
    squash_sha: str | None = None,
) -> None:
    now = store.now()
    store.update(
        "merge_requests", request.id, state="merged", merged_at=now, merged_by=actor.id, updated_at=now, auto_merge=0,
        merge_commit_sha=merge_sha, squash_commit_sha=squash_sha, merge_status="can_be_merged", merge_error=None,
    )  # fmt: skip
    items.trace(store, actor, "MergeRequest", request.id, "state", "merged", None)
    notes.system(store, actor, "MergeRequest", request.id, project.id, "merged")
    events.happened(store, actor, project.id, "accepted", "MergeRequest", request.id, request.iid, request.title)


def delete(store: Store, request: MergeRequest) -> None:
    for child, what in (
        ("notes", "noteable"), ("award_emoji", "awardable"), ("label_links", "item"), ("people", "item"),
        ("resource_events", "item"), ("subscriptions", "item"), ("todos", "target"),
    ):  # fmt: skip
        store.db.execute(f"DELETE FROM {child} WHERE {what}_type='MergeRequest' AND {what}_id=?", (request.id,))
    store.delete("merge_requests", request.id)


def draft_title(title: str, draft: bool) -> str:
    """The title with or without its mark of a draft."""
    plain = title
    while _DRAFT.match(plain):
        plain = _DRAFT.sub("", plain, count=1)
    return f"Draft: {plain}" if draft else plain
