"""A project and what it is set up with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dayjob.company.board.rows import Json, Record, Stamp


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
