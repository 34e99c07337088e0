"""A work item and what gathers around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dayjob.company.board.records.base import FromElsewhere, InProject, Kept
from dayjob.company.board.rows import Json, Record, Stamp


@dataclass(slots=True)
class Item(FromElsewhere):
    table: ClassVar[str] = "items"
    point: int | None
    name: str
    description_html: str
    priority: str
    start_date: str | None
    target_date: str | None
    sequence_id: int
    sort_order: float
    completed_at: Stamp | None
    archived_at: str | None
    is_draft: bool
    parent: str | None
    state: str | None
    estimate_point: str | None
    type: str | None


@dataclass(slots=True)
class Relation(InProject):
    table: ClassVar[str] = "relations"
    issue: str
    related_issue: str
    relation_type: str


@dataclass(slots=True)
class Comment(FromElsewhere):
    table: ClassVar[str] = "comments"
    comment_html: str
    attachments: Json
    access: str
    edited_at: Stamp | None
    issue: str
    actor: str | None
    parent: str | None


@dataclass(slots=True)
class Link(InProject):
    table: ClassVar[str] = "links"
    title: str | None
    url: str
    metadata: Json
    issue: str


@dataclass(slots=True)
class Attachment(FromElsewhere):
    table: ClassVar[str] = "attachments"
    attributes: Json
    asset: str
    size: float
    is_uploaded: bool
    issue: str
    blob: str | None


@dataclass(slots=True)
class Activity(Record):
    table: ClassVar[str] = "activities"
    id: str
    created_at: Stamp
    updated_at: Stamp
    verb: str
    field: str | None
    old_value: str | None
    new_value: str | None
    comment: str
    attachments: Json
    old_identifier: str | None
    new_identifier: str | None
    epoch: float | None
    project: str
    workspace: str
    issue: str
    issue_comment: str | None
    actor: str | None


@dataclass(slots=True)
class Worklog(InProject):
    table: ClassVar[str] = "worklogs"
    description: str
    duration: int
    logged_by: str
    issue: str


@dataclass(slots=True)
class CustomRelation(Kept):
    table: ClassVar[str] = "custom_relations"
    issue: str
    related_issue: str
    definition: str
    workspace: str


@dataclass(slots=True)
class RelationDefinition(Kept):
    table: ClassVar[str] = "relation_definitions"
    name: str
    outward: str
    inward: str
    is_default: bool
    is_active: bool
    color: str | None
    sort_order: float
    workspace: str
