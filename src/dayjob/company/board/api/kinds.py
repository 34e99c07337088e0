"""Types of work items, the properties a type has, their options, and the values items give them."""

from __future__ import annotations

import math
from typing import Any

from dayjob.company.board import shapes
from dayjob.company.board.api.call import PROJECT, Call, Reply, endpoint, project_entity, spellings
from dayjob.company.board.api.projects import OUTSIDE
from dayjob.company.board.api.single import register_single
from dayjob.company.board.errors import Invalid, NotThere
from dayjob.company.board.rows import ItemType, PropertyOption, TypeProperty
from dayjob.company.board.shapes.payloads import (
    Choice,
    Document,
    Flag,
    Form,
    Id,
    Moment,
    Number,
    Text,
    Wrong,
    read_form,
)
from dayjob.company.board.store import kinds
from dayjob.company.rows import Document as Kept

_TYPE: Form = {
    "name": Text(limit=255),
    "description": Text(blank=True),
    "logo_props": Document(),
    "is_epic": Flag(),
    "is_active": Flag(),
    "level": Number(),
    **OUTSIDE,
}
_TYPES = PROJECT + "/work-item-types"


def _type(call: Call) -> ItemType:
    return kinds.item_type(call.store, call.project().id, call.params["type_id"])


def _type_shape(_: Call, one: ItemType) -> shapes.Shape:
    return {**shapes.plain(one), "project_ids": [one.project]}


@endpoint("GET", _TYPES, permission=project_entity)
def list_types(call: Call) -> Reply:
    return Reply(200, [_type_shape(call, one) for one in kinds.of_project(call.db, call.project().id)])


@endpoint("POST", _TYPES, permission=project_entity)
def create_type(call: Call) -> Reply:
    project = call.project()
    facts = read_form(_TYPE, call.payload(), call.db, required=("name",))
    return Reply(201, _type_shape(call, kinds.create(call.store, project, facts)))


register_single(
    _TYPES + "/{type_id}",
    permission=project_entity,
    named=_type,
    facts=_TYPE,
    shape=_type_shape,
    edit=kinds.edit,
    remove=kinds.remove,
)


# -- properties --------------------------------------------------------------------------------------------------

KINDS = ("TEXT", "DATETIME", "DECIMAL", "BOOLEAN", "OPTION", "RELATION", "URL", "EMAIL", "FILE", "FORMULA", "CASCADING")
_PROPERTY: Form = {
    "display_name": Text(limit=255),
    "description": Text(blank=True, null=True),
    "property_type": Choice(of=KINDS),
    "relation_type": Choice(of=("ISSUE", "USER", "RELEASE", "RICH_TEXT"), null=True),
    "is_required": Flag(),
    "is_active": Flag(),
    "is_multi": Flag(),
    "default_value": Document(),
    "settings": Document(null=True),
    "validation_rules": Document(null=True),
    "logo_props": Document(),
    "sort_order": Number(),
    **OUTSIDE,
}
_PROPERTIES = _TYPES + "/{type_id}/work-item-properties"


def _property(call: Call) -> TypeProperty:
    project = call.project().id
    kind = _type(call) if "type_id" in call.params else None
    return kinds.type_property(call.store, project, call.params["property_id"], kind)


def _property_shape(call: Call, one: TypeProperty) -> shapes.Shape:
    return {**shapes.plain(one), "options": [shapes.plain(option) for option in kinds.options(call.db, one.id)]}


def _property_facts(call: Call, required: tuple[str, ...] = ()) -> dict[str, Any]:
    facts = read_form(_PROPERTY, call.payload(), call.db, required)
    if "description" in facts:
        facts["description"] = facts["description"] or ""
    for name in ("settings", "validation_rules"):
        if facts.get(name, "") is None:
            facts[name] = Kept({})
    if facts.get("property_type") == "RELATION" and facts.get("relation_type") is None:
        raise Invalid({"relation_type": ["This field is required for RELATION properties."]})
    return facts


@endpoint("GET", _PROPERTIES, permission=project_entity)
def list_properties(call: Call) -> Reply:
    return Reply(200, [_property_shape(call, one) for one in kinds.properties(call.db, _type(call))])


@endpoint("POST", _PROPERTIES, permission=project_entity)
def create_property(call: Call) -> Reply:
    own = _type(call)
    facts = _property_facts(call, ("display_name", "property_type"))
    made = kinds.add_property(call.store, own, facts)
    options = call.payload().get("options") or []
    if not isinstance(options, list):
        raise Invalid({"options": [f'Expected a list of items but got type "{type(options).__name__}".']})
    for one in options:
        _add_option(call, made, one)
    return Reply(201, _property_shape(call, made))


_PROPERTY_PATHS = (_PROPERTIES + "/{property_id}", PROJECT + "/work-item-properties/{property_id}")


@endpoint("GET", PROJECT + "/work-item-properties", permission=project_entity)
def list_project_properties(call: Call) -> Reply:
    return Reply(200, [_property_shape(call, one) for one in kinds.project_properties(call.db, call.project().id)])


register_single(
    *_PROPERTY_PATHS, permission=project_entity, named=_property, facts=_property_facts, shape=_property_shape
)


# -- options -----------------------------------------------------------------------------------------------------

_OPTION: Form = {
    "name": Text(limit=255),
    "description": Text(blank=True, null=True),
    "is_active": Flag(),
    "is_default": Flag(),
    "sort_order": Number(),
    "parent": Id(table="property_options", null=True),
    **OUTSIDE,
}
_OPTION_LIST = PROJECT + "/work-item-properties/{property_id}/options"


def _option(call: Call) -> PropertyOption:
    return kinds.option(call.store, _property(call), call.params["option_id"])


def _option_facts(call: Call, payload: Any, required: tuple[str, ...] = ()) -> dict[str, Any]:
    facts = read_form(_OPTION, payload, call.db, required)
    if "description" in facts:
        facts["description"] = facts["description"] or ""
    return facts


def _add_option(call: Call, property: TypeProperty, payload: Any) -> PropertyOption:
    facts = _option_facts(call, payload, ("name",))
    return kinds.add_option(call.store, property, facts)


@endpoint("GET", _OPTION_LIST, permission=project_entity)
def list_options(call: Call) -> Reply:
    return Reply(200, [shapes.plain(one) for one in kinds.options(call.db, _property(call).id)])


@endpoint("POST", _OPTION_LIST, permission=project_entity)
def create_option(call: Call) -> Reply:
    return Reply(201, shapes.plain(_add_option(call, _property(call), call.payload())))


register_single(
    _OPTION_LIST + "/{option_id}",
    permission=project_entity,
    named=_option,
    facts=lambda call: _option_facts(call, call.payload()),
)


# -- values ------------------------------------------------------------------------------------------------------

_VALUES = spellings("/{issue_id}/work-item-properties/{property_id}/values")


def _cleaned(call: Call, property: TypeProperty, value: Any) -> Any:
    """A value of the property's kind, or what is wrong with it."""
    kind = property.property_type
    try:
        if kind == "BOOLEAN":
            return Flag().clean(value, call.db)
        if kind == "DECIMAL":
            number = Number().clean(value, call.db)
            return number if math.isfinite(number) else None
        if kind == "DATETIME":
            Moment().clean(value, call.db)
            return value
        if kind == "OPTION":
            id = Id(table="property_options").clean(value, call.db)
            if id not in {one.id for one in kinds.options(call.db, property.id)}:
                raise Wrong("The option belongs to another property.")
            return id
        if kind == "RELATION":
            return Id(table="users" if property.relation_type == "USER" else "items").clean(value, call.db)
        return Text().clean(value, call.db)
    except Wrong as wrong:
        raise Invalid({"value": [str(wrong)]}) from None


def _value_reply(call: Call, property: TypeProperty, status: int = 200) -> Reply:
    rows = [
        {
            **shapes.plain(one),
            "property_id": one.property,
            "issue_id": one.issue,
            "value_type": property.property_type,
        }
        for one in kinds.values(call.db, call.item().id, property)
    ]
    if property.is_multi:
        return Reply(status, rows)
    if not rows:
        raise NotThere
    return Reply(status, rows[0])


@endpoint("GET", *_VALUES, permission=project_entity)
def read_value(call: Call) -> Reply:
    return _value_reply(call, _property(call))


@endpoint("POST PATCH", *_VALUES, permission=project_entity)
def write_value(call: Call) -> Reply:
    """Give an item a value for a property, in place of what it had."""
    property, item = _property(call), call.item()
    payload = call.payload()
    if "value" not in payload:
        raise Invalid({"value": ["This field is required."]})
    outside = read_form(OUTSIDE, payload, call.db)
    given = payload["value"] if isinstance(payload["value"], list) else [payload["value"]]
    if not property.is_multi and len(given) != 1:
        raise Invalid({"value": ["This property takes one value."]})
    values = [_cleaned(call, property, one) for one in given]
    kinds.set_values(call.store, item, property, values, outside)
    return _value_reply(call, property, 201 if call.method == "POST" else 200)


@endpoint("DELETE", *_VALUES, permission=project_entity)
def delete_value(call: Call) -> Reply:
    property = _property(call)
    kinds.remove_values(call.store, call.item(), property)
    return Reply(204)
