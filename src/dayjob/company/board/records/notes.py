"""Pages and stickies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dayjob.company.board.rows import Json, Record, Stamp


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
