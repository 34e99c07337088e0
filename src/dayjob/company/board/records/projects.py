"""A project and what it is set up with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dayjob.company.board.records.base import FromElsewhere, Kept
from dayjob.company.board.rows import Json, Stamp


@dataclass(slots=True)
class Project(Kept):
    table: ClassVar[str] = "projects"
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
class State(FromElsewhere):
    table: ClassVar[str] = "states"
    name: str
    description: str
    color: str
    slug: str
    sequence: float
    group: str
    is_triage: bool
    default: bool


@dataclass(slots=True)
class Label(FromElsewhere):
    table: ClassVar[str] = "labels"
    name: str
    description: str
    color: str
    sort_order: float
    parent: str | None


@dataclass(slots=True)
class Estimate(FromElsewhere):
    table: ClassVar[str] = "estimates"
    name: str
    description: str
    type: str
    last_used: bool


@dataclass(slots=True)
class EstimatePoint(FromElsewhere):
    table: ClassVar[str] = "estimate_points"
    estimate: str
    key: int
    description: str
    value: str
