"""What many records have: who made them and when, where they belong, where they came from."""

from __future__ import annotations

from dataclasses import dataclass

from dayjob.company.board.rows import Record, Stamp


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
