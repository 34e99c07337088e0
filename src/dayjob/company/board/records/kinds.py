"""Types of items, their properties, options and values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dayjob.company.board.rows import Json, Record, Stamp


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
