"""What items are planned into: cycles, modules, milestones, the intake."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dayjob.company.board.records.base import FromElsewhere, InProject
from dayjob.company.board.rows import Json, Stamp


@dataclass(slots=True)
class Cycle(FromElsewhere):
    table: ClassVar[str] = "cycles"
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
class CycleItem(InProject):
    table: ClassVar[str] = "cycle_items"
    issue: str
    cycle: str


@dataclass(slots=True)
class Module(FromElsewhere):
    table: ClassVar[str] = "modules"
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
class ModuleItem(InProject):
    table: ClassVar[str] = "module_items"
    issue: str
    module: str


@dataclass(slots=True)
class Milestone(FromElsewhere):
    table: ClassVar[str] = "milestones"
    title: str
    target_date: str | None


@dataclass(slots=True)
class MilestoneItem(InProject):
    table: ClassVar[str] = "milestone_items"
    issue: str
    milestone: str


@dataclass(slots=True)
class IntakeItem(FromElsewhere):
    table: ClassVar[str] = "intake_items"
    status: int
    snoozed_till: Stamp | None
    duplicate_to: str | None
    source: str | None
    source_email: str | None
    extra: Json
    intake: str
    issue: str
