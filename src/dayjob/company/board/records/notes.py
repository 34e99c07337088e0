"""Pages and stickies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dayjob.company.board.records.base import Kept
from dayjob.company.board.rows import Json


@dataclass(slots=True)
class Page(Kept):
    table: ClassVar[str] = "pages"
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
class Sticky(Kept):
    table: ClassVar[str] = "stickies"
    name: str | None
    description_html: str
    description_stripped: str | None
    logo_props: Json
    color: str | None
    background_color: str | None
    workspace: str
    owner: str
    sort_order: float
