"""Types of items, their properties, options and values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dayjob.company.board.records.base import FromElsewhere
from dayjob.company.board.rows import Json


@dataclass(slots=True)
class ItemType(FromElsewhere):
    table: ClassVar[str] = "item_types"
    name: str
    description: str
    logo_props: Json
    is_epic: bool
    is_default: bool
    is_active: bool
    level: float


@dataclass(slots=True)
class TypeProperty(FromElsewhere):
    table: ClassVar[str] = "type_properties"
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
class PropertyOption(FromElsewhere):
    table: ClassVar[str] = "property_options"
    property: str
    name: str
    description: str
    logo_props: Json
    sort_order: float
    is_active: bool
    is_default: bool
    parent: str | None


@dataclass(slots=True)
class PropertyValue(FromElsewhere):
    table: ClassVar[str] = "property_values"
    issue: str
    property: str
    value: Json
