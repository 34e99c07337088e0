"""The board's rows: one dataclass for each table, its fields the columns a reader may see."""

from __future__ import annotations

from dataclasses import dataclass

from dayjob.company.rows import Json, Row, Stamp


class Record(Row):
    """A row with an id."""

    __slots__ = ()
    id: str


@dataclass(slots=True)
class Kept(Record):
    """Made and last changed by somebody."""

    id: str
    created_at: Stamp
    updated_at: Stamp
    created_by: str | None
    updated_by: str | None


@dataclass(slots=True)
class InProject(Kept):
    project: str
    workspace: str


@dataclass(slots=True)
class FromElsewhere(InProject):
    """May have been brought from another tool, under the name it has there."""

    external_source: str | None
    external_id: str | None


# -- people -----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class User(Record, table="users"):
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
class Workspace(Record, table="workspaces"):
    id: str
    name: str
    slug: str
    owner: str
    features: Json
    created_at: Stamp


@dataclass(slots=True)
class Invitation(Record, table="invitations"):
    id: str
    email: str
    role: int
    created_at: Stamp
    updated_at: Stamp
    responded_at: Stamp | None
    accepted: bool


# -- projects ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Project(Kept, table="projects"):
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
    workspace: str
    default_assignee: str | None
    project_lead: str | None
    cover_image_asset: str | None
    estimate: str | None
    default_state: str | None


@dataclass(slots=True)
class State(FromElsewhere, table="states"):
    name: str
    description: str
    color: str
    slug: str
    sequence: float
    group: str
    is_triage: bool
    default: bool


@dataclass(slots=True)
class Label(FromElsewhere, table="labels"):
    name: str
    description: str
    color: str
    sort_order: float
    parent: str | None


@dataclass(slots=True)
class Estimate(FromElsewhere, table="estimates"):
    name: str
    description: str
    type: str
    last_used: bool


@dataclass(slots=True)
class EstimatePoint(FromElsewhere, table="estimate_points"):
    estimate: str
    key: int
    description: str
    value: str


# -- work items -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Item(FromElsewhere, table="items"):
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
class Relation(InProject, table="relations"):
    issue: str
    related_issue: str
    relation_type: str


@dataclass(slots=True)
class Comment(FromElsewhere, table="comments"):
    comment_html: str
    attachments: Json
    access: str
    edited_at: Stamp | None
    issue: str
    actor: str | None
    parent: str | None


@dataclass(slots=True)
class Link(InProject, table="links"):
    title: str | None
    url: str
    metadata: Json
    issue: str


@dataclass(slots=True)
class Attachment(FromElsewhere, table="attachments"):
    attributes: Json
    asset: str
    size: float
    is_uploaded: bool
    issue: str
    blob: str | None


@dataclass(slots=True)
class Activity(Record, table="activities"):
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
class Worklog(InProject, table="worklogs"):
    description: str
    duration: int
    logged_by: str
    issue: str


@dataclass(slots=True)
class CustomRelation(Kept, table="custom_relations"):
    issue: str
    related_issue: str
    definition: str
    workspace: str


@dataclass(slots=True)
class RelationDefinition(Kept, table="relation_definitions"):
    name: str
    outward: str
    inward: str
    is_default: bool
    is_active: bool
    color: str | None
    sort_order: float
    workspace: str


# -- types and properties ---------------------------------------------------------------------------------------------


@dataclass(slots=True)
class ItemType(FromElsewhere, table="item_types"):
    name: str
    description: str
    logo_props: Json
    is_epic: bool
    is_default: bool
    is_active: bool
    level: float


@dataclass(slots=True)
class TypeProperty(FromElsewhere, table="type_properties"):
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


@dataclass(slots=True)
class PropertyOption(FromElsewhere, table="property_options"):
    property: str
    name: str
    description: str
    logo_props: Json
    sort_order: float
    is_active: bool
    is_default: bool
    parent: str | None


@dataclass(slots=True)
class PropertyValue(FromElsewhere, table="property_values"):
    issue: str
    property: str
    value: Json


# -- plans ------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Cycle(FromElsewhere, table="cycles"):
    name: str
    description: str
    start_date: Stamp | None
    end_date: Stamp | None
    view_props: Json
    sort_order: float
    progress_snapshot: Json
    archived_at: Stamp | None
    logo_props: Json
    timezone: str
    version: int
    owned_by: str


@dataclass(slots=True)
class CycleItem(InProject, table="cycle_items"):
    issue: str
    cycle: str


@dataclass(slots=True)
class Module(FromElsewhere, table="modules"):
    name: str
    description: str
    description_text: Json
    description_html: Json
    start_date: str | None
    target_date: str | None
    status: str
    view_props: Json
    sort_order: float
    archived_at: Stamp | None
    logo_props: Json
    lead: str | None


@dataclass(slots=True)
class ModuleItem(InProject, table="module_items"):
    issue: str
    module: str


@dataclass(slots=True)
class Milestone(FromElsewhere, table="milestones"):
    title: str
    target_date: str | None


@dataclass(slots=True)
class MilestoneItem(InProject, table="milestone_items"):
    issue: str
    milestone: str


@dataclass(slots=True)
class IntakeItem(FromElsewhere, table="intake_items"):
    status: int
    snoozed_till: Stamp | None
    duplicate_to: str | None
    source: str | None
    source_email: str | None
    extra: Json
    intake: str
    issue: str


# -- pages and stickies -----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Page(Kept, table="pages"):
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
    workspace: str
    project: str | None
    owned_by: str


@dataclass(slots=True)
class Sticky(Kept, table="stickies"):
    name: str | None
    description_html: str
    description_stripped: str | None
    logo_props: Json
    color: str | None
    background_color: str | None
    workspace: str
    owner: str
    sort_order: float
