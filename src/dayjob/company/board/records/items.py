"""A work item and what gathers around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dayjob.company.board.rows import Json, Record, Stamp


@dataclass(slots=True)
class Item(Record):
    table: ClassVar[str] = "items"
    id: str
    created_at: Stamp
    updated_at: Stamp
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
    external_source: str | None
    external_id: str | None
    created_by: str | None
    updated_by: str | None
    project: str
    workspace: str
    parent: str | None
    state: str | None
    estimate_point: str | None
    type: str | None


@dataclass(slots=True)
class Relation(Record):
    table: ClassVar[str] = "relations"
    id: str
    created_at: Stamp
    updated_at: Stamp
    issue: str
    related_issue: str
    relation_type: str
    created_by: str | None
    updated_by: str | None
    project: str
    workspace: str


@dataclass(slots=True)
class Comment(Record):
    table: ClassVar[str] = "comments"
    id: str
    created_at: Stamp
    updated_at: Stamp
    comment_html: str
    attachments: Json
    access: str
    external_source: str | None
    external_id: str | None
    edited_at: Stamp | None
    created_by: str | None
    updated_by: str | None
    project: str
    workspace: str
    issue: str
    actor: str | None
    parent: str | None


@dataclass(slots=True)
class Link(Record):
    table: ClassVar[str] = "links"
    id: str
    created_at: Stamp
    updated_at: Stamp
    title: str | None
    url: str
    metadata: Json
    created_by: str | None
    updated_by: str | None
    project: str
    workspace: str
    issue: str


@dataclass(slots=True)
class Attachment(Record):
    table: ClassVar[str] = "attachments"
    id: str
    created_at: Stamp
    updated_at: Stamp
    attributes: Json
    asset: str
    size: float
    is_uploaded: bool
    external_source: str | None
    external_id: str | None
    created_by: str | None
    updated_by: str | None
    project: str
    workspace: str
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
class Worklog(Record):
    table: ClassVar[str] = "worklogs"
    id: str
    created_at: Stamp
    updated_at: Stamp
    description: str
    duration: int
    logged_by: str
    created_by: str | None
    updated_by: str | None
    project: str
    workspace: str
    issue: str


@dataclass(slots=True)
class CustomRelation(Record):
    table: ClassVar[str] = "custom_relations"
    id: str
    created_at: Stamp
    updated_at: Stamp
    issue: str
    related_issue: str
    definition: str
    created_by: str | None
    updated_by: str | None
    workspace: str


@dataclass(slots=True)
class RelationDefinition(Record):
    table: ClassVar[str] = "relation_definitions"
    id: str
    created_at: Stamp
    updated_at: Stamp
    name: str
    outward: str
    inward: str
    is_default: bool
    is_active: bool
    color: str | None
    sort_order: float
    created_by: str | None
    updated_by: str | None
    workspace: str
