"""The board's records: one dataclass for each table, its fields the columns a reader may see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dayjob.company.board.rows import Json, Record, Stamp


@dataclass(slots=True)
class User(Record):
    table: ClassVar[str] = "users"
    id: str
    username: str
    email: str
    first_name: str
    last_name: str
    display_name: str
    avatar: str
    is_active: bool
    is_bot: bool


@dataclass(slots=True)
class Workspace(Record):
    table: ClassVar[str] = "workspaces"
    id: str
    name: str
    slug: str
    owner: str
    features: Json
    created_at: Stamp


@dataclass(slots=True)
class Project(Record):
    table: ClassVar[str] = "projects"
    id: str
    created_at: Stamp
    updated_at: Stamp
    name: str
    description: str
    description_text: Json
    description_html: Json
    network: int
    identifier: str
    emoji: str | None
    icon_prop: Json
    module_view: bool
    cycle_view: bool
    issue_views_view: bool
    page_view: bool
    intake_view: bool
    is_time_tracking_enabled: bool
    is_issue_type_enabled: bool
    guest_view_all_features: bool
    cover_image: str | None
    archive_in: int
    close_in: int
    logo_props: Json
    archived_at: Stamp | None
    timezone: str
    external_source: str | None
    external_id: str | None
    created_by: str | None
    updated_by: str | None
    workspace: str
    default_assignee: str | None
    project_lead: str | None
    cover_image_asset: str | None
    estimate: str | None
    default_state: str | None


@dataclass(slots=True)
class State(Record):
    table: ClassVar[str] = "states"
    id: str
    created_at: Stamp
    updated_at: Stamp
    name: str
    description: str
    color: str
    slug: str
    sequence: float
    group: str
    is_triage: bool
    default: bool
    external_source: str | None
    external_id: str | None
    created_by: str | None
    updated_by: str | None
    project: str
    workspace: str


@dataclass(slots=True)
class Label(Record):
    table: ClassVar[str] = "labels"
    id: str
    created_at: Stamp
    updated_at: Stamp
    name: str
    description: str
    color: str
    sort_order: float
    external_source: str | None
    external_id: str | None
    created_by: str | None
    updated_by: str | None
    project: str
    workspace: str
    parent: str | None


@dataclass(slots=True)
class Estimate(Record):
    table: ClassVar[str] = "estimates"
    id: str
    created_at: Stamp
    updated_at: Stamp
    name: str
    description: str
    type: str
    last_used: bool
    external_source: str | None
    external_id: str | None
    created_by: str | None
    updated_by: str | None
    project: str
    workspace: str


@dataclass(slots=True)
class EstimatePoint(Record):
    table: ClassVar[str] = "estimate_points"
    id: str
    created_at: Stamp
    updated_at: Stamp
    estimate: str
    key: int
    description: str
    value: str
    external_source: str | None
    external_id: str | None
    created_by: str | None
    updated_by: str | None
    project: str
    workspace: str


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
class Cycle(Record):
    table: ClassVar[str] = "cycles"
    id: str
    created_at: Stamp
    updated_at: Stamp
    name: str
    description: str
    start_date: Stamp | None
    end_date: Stamp | None
    view_props: Json
    sort_order: float
    external_source: str | None
    external_id: str | None
    progress_snapshot: Json
    archived_at: Stamp | None
    logo_props: Json
    timezone: str
    version: int
    created_by: str | None
    updated_by: str | None
    project: str
    workspace: str
    owned_by: str


@dataclass(slots=True)
class CycleItem(Record):
    table: ClassVar[str] = "cycle_items"
    id: str
    created_at: Stamp
    updated_at: Stamp
    created_by: str | None
    updated_by: str | None
    project: str
    workspace: str
    issue: str
    cycle: str


@dataclass(slots=True)
class Module(Record):
    table: ClassVar[str] = "modules"
    id: str
    created_at: Stamp
    updated_at: Stamp
    name: str
    description: str
    description_text: Json
    description_html: Json
    start_date: str | None
    target_date: str | None
    status: str
    view_props: Json
    sort_order: float
    external_source: str | None
    external_id: str | None
    archived_at: Stamp | None
    logo_props: Json
    created_by: str | None
    updated_by: str | None
    project: str
    workspace: str
    lead: str | None


@dataclass(slots=True)
class ModuleItem(Record):
    table: ClassVar[str] = "module_items"
    id: str
    created_at: Stamp
    updated_at: Stamp
    created_by: str | None
    updated_by: str | None
    project: str
    workspace: str
    issue: str
    module: str


@dataclass(slots=True)
class IntakeItem(Record):
    table: ClassVar[str] = "intake_items"
    id: str
    created_at: Stamp
    updated_at: Stamp
    status: int
    snoozed_till: Stamp | None
    duplicate_to: str | None
    source: str | None
    source_email: str | None
    extra: Json
    external_source: str | None
    external_id: str | None
    created_by: str | None
    updated_by: str | None
    project: str
    workspace: str
    intake: str
    issue: str


@dataclass(slots=True)
class Page(Record):
    table: ClassVar[str] = "pages"
    id: str
    created_at: Stamp
    updated_at: Stamp
    name: str
    description_html: str
    description_stripped: str | None
    access: int
    color: str
    parent: str | None
    archived_at: str | None
    is_locked: bool
    logo_props: Json
    external_source: str | None
    external_id: str | None
    created_by: str | None
    updated_by: str | None
    workspace: str
    project: str | None
    owned_by: str


@dataclass(slots=True)
class Sticky(Record):
    table: ClassVar[str] = "stickies"
    id: str
    created_at: Stamp
    updated_at: Stamp
    name: str | None
    description_html: str
    description_stripped: str | None
    logo_props: Json
    color: str | None
    background_color: str | None
    created_by: str | None
    updated_by: str | None
    workspace: str
    owner: str
    sort_order: float


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
class ItemType(Record):
    table: ClassVar[str] = "item_types"
    id: str
    created_at: Stamp
    updated_at: Stamp
    name: str
    description: str
    logo_props: Json
    is_epic: bool
    is_default: bool
    is_active: bool
    level: float
    external_source: str | None
    external_id: str | None
    created_by: str | None
    updated_by: str | None
    project: str
    workspace: str


@dataclass(slots=True)
class TypeProperty(Record):
    table: ClassVar[str] = "type_properties"
    id: str
    created_at: Stamp
    updated_at: Stamp
    issue_type: str
    name: str
    display_name: str
    description: str
    logo_props: Json
    sort_order: float
    property_type: str
    relation_type: str | None
    is_required: bool
    default_value: Json
    settings: Json
    is_active: bool
    is_multi: bool
    validation_rules: Json
    external_source: str | None
    external_id: str | None
    created_by: str | None
    updated_by: str | None
    project: str
    workspace: str


@dataclass(slots=True)
class PropertyOption(Record):
    table: ClassVar[str] = "property_options"
    id: str
    created_at: Stamp
    updated_at: Stamp
    property: str
    name: str
    description: str
    logo_props: Json
    sort_order: float
    is_active: bool
    is_default: bool
    parent: str | None
    external_source: str | None
    external_id: str | None
    created_by: str | None
    updated_by: str | None
    project: str
    workspace: str


@dataclass(slots=True)
class PropertyValue(Record):
    table: ClassVar[str] = "property_values"
    id: str
    created_at: Stamp
    updated_at: Stamp
    issue: str
    property: str
    value: Json
    external_source: str | None
    external_id: str | None
    created_by: str | None
    updated_by: str | None
    project: str
    workspace: str


@dataclass(slots=True)
class Milestone(Record):
    table: ClassVar[str] = "milestones"
    id: str
    created_at: Stamp
    updated_at: Stamp
    title: str
    target_date: str | None
    external_source: str | None
    external_id: str | None
    created_by: str | None
    updated_by: str | None
    project: str
    workspace: str


@dataclass(slots=True)
class MilestoneItem(Record):
    table: ClassVar[str] = "milestone_items"
    id: str
    created_at: Stamp
    updated_at: Stamp
    issue: str
    milestone: str
    created_by: str | None
    updated_by: str | None
    project: str
    workspace: str


@dataclass(slots=True)
class Invitation(Record):
    table: ClassVar[str] = "invitations"
    id: str
    email: str
    role: int
    created_at: Stamp
    updated_at: Stamp
    responded_at: Stamp | None
    accepted: bool


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
