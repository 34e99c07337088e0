"""What items are planned into: cycles, modules, milestones, the intake."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dayjob.company.board.rows import Json, Record, Stamp


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
