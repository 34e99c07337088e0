"""Types of work items, the properties a type has, their options, and the values items give them."""

from __future__ import annotations

import math
from typing import Any

from dayjob.company.board import shapes
from dayjob.company.board.api.call import PROJECT, Call, Reply, endpoint, project_entity, spellings
from dayjob.company.board.api.projects import OUTSIDE
from dayjob.company.board.payloads import Choice, Document, Flag, Form, Id, Moment, Number, Text, Wrong, read_form
from dayjob.company.board.records import ItemType, PropertyOption, PropertyValue, TypeProperty
from dayjob.company.board.refusals import Conflict, Invalid, NotThere
from dayjob.company.board.rows import Document as Kept
from dayjob.company.board.rows import find, first
from dayjob.company.board.store import plain

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
    return plain.one(call.ledger, ItemType, call.params["type_id"], project=call.project().id)


def _type_shape(one: ItemType) -> shapes.Shape:
    return {**shapes.plain(one), "project_ids": [one.project]}


@endpoint("GET", _TYPES, permission=project_entity)
def list_types(call: Call) -> Reply:
    rows = find(call.db, ItemType, "WHERE project = ? ORDER BY created_at, rowid", (call.project().id,))
    return Reply(200, [_type_shape(one) for one in rows])


@endpoint("POST", _TYPES, permission=project_entity)
def create_type(call: Call) -> Reply:
    project = call.project()
    facts = read_form(_TYPE, call.payload(), call.db, required=("name",))
    _refuse_same_name(call, project.id, facts["name"], None)
    made = plain.add(call.ledger, ItemType, {"workspace": project.workspace, "project": project.id, **facts})
    return Reply(201, _type_shape(made))


@endpoint("GET", _TYPES + "/{type_id}", permission=project_entity)
def read_type(call: Call) -> Reply:
    return Reply(200, _type_shape(_type(call)))


@endpoint("PATCH", _TYPES + "/{type_id}", permission=project_entity)
def edit_type(call: Call) -> Reply:
    own, facts = _type(call), read_form(_TYPE, call.payload(), call.db)
    if "name" in facts:
        _refuse_same_name(call, own.project, facts["name"], own.id)
    return Reply(200, _type_shape(plain.change(call.ledger, own, facts)))


@endpoint("DELETE", _TYPES + "/{type_id}", permission=project_entity)
def delete_type(call: Call) -> Reply:
    own = _type(call)
    if own.is_default:
        raise Invalid({"error": "Default work item type cannot be deleted"})
    call.db.execute("UPDATE items SET type = NULL WHERE type = ?", (own.id,))
    plain.remove(call.ledger, own)
    return Reply(204)


def _refuse_same_name(call: Call, project: str, name: str, own: str | None) -> None:
    same = first(call.db, ItemType, "WHERE project = ? AND name = ?", (project, name))
    if same is not None and same.id != own:
        raise Conflict("Work item type with this name already exists in the project", same.id)


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
    where = {"project": project, "issue_type": _type(call).id} if "type_id" in call.params else {"project": project}
    return plain.one(call.ledger, TypeProperty, call.params["property_id"], **where)


def _options(call: Call, property: str) -> list[PropertyOption]:
    return find(call.db, PropertyOption, "WHERE property = ? ORDER BY sort_order, rowid", (property,))


def _property_shape(call: Call, one: TypeProperty) -> shapes.Shape:
    return {**shapes.plain(one), "options": [shapes.plain(option) for option in _options(call, one.id)]}


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
    rows = find(call.db, TypeProperty, "WHERE issue_type = ? ORDER BY sort_order, rowid", (_type(call).id,))
    return Reply(200, [_property_shape(call, one) for one in rows])


@endpoint("POST", _PROPERTIES, permission=project_entity)
def create_property(call: Call) -> Reply:
    own = _type(call)
    facts = _property_facts(call, ("display_name", "property_type"))
    name = "-".join(facts["display_name"].lower().split())
    same = first(call.db, TypeProperty, "WHERE issue_type = ? AND name = ?", (own.id, name))
    if same is not None:
        raise Conflict("Work item property with this name already exists", same.id)
    place = {"workspace": own.workspace, "project": own.project, "issue_type": own.id, "name": name}
    last = call.db.execute("SELECT max(sort_order) FROM type_properties WHERE issue_type = ?", (own.id,)).fetchone()[0]
    facts.setdefault("sort_order", 65535.0 if last is None else last + 10000)
    made = plain.add(call.ledger, TypeProperty, {**place, **facts})
    options = call.payload().get("options") or []
    if not isinstance(options, list):
        raise Invalid({"options": [f'Expected a list of items but got type "{type(options).__name__}".']})
    for one in options:
        _add_option(call, made, one)
    return Reply(201, _property_shape(call, made))


_PROPERTY_PATHS = (_PROPERTIES + "/{property_id}", PROJECT + "/work-item-properties/{property_id}")


@endpoint("GET", PROJECT + "/work-item-properties", permission=project_entity)
def list_project_properties(call: Call) -> Reply:
    rows = find(call.db, TypeProperty, "WHERE project = ? ORDER BY created_at, rowid", (call.project().id,))
    return Reply(200, [_property_shape(call, one) for one in rows])


@endpoint("GET", *_PROPERTY_PATHS, permission=project_entity)
def read_property(call: Call) -> Reply:
    return Reply(200, _property_shape(call, _property(call)))


@endpoint("PATCH", *_PROPERTY_PATHS, permission=project_entity)
def edit_property(call: Call) -> Reply:
    return Reply(200, _property_shape(call, plain.change(call.ledger, _property(call), _property_facts(call))))


@endpoint("DELETE", *_PROPERTY_PATHS, permission=project_entity)
def delete_property(call: Call) -> Reply:
    plain.remove(call.ledger, _property(call))
    return Reply(204)


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
    return plain.one(call.ledger, PropertyOption, call.params["option_id"], property=_property(call).id)


def _option_facts(call: Call, payload: Any, required: tuple[str, ...] = ()) -> dict[str, Any]:
    facts = read_form(_OPTION, payload, call.db, required)
    if "description" in facts:
        facts["description"] = facts["description"] or ""
    return facts


def _add_option(call: Call, property: TypeProperty, payload: Any) -> PropertyOption:
    facts = _option_facts(call, payload, ("name",))
    last = call.db.execute("SELECT max(sort_order) FROM property_options WHERE property = ?", (property.id,)).fetchone()
    facts.setdefault("sort_order", 65535.0 if last[0] is None else last[0] + 10000)
    place = {"workspace": property.workspace, "project": property.project, "property": property.id}
    return plain.add(call.ledger, PropertyOption, {**place, **facts})


@endpoint("GET", _OPTION_LIST, permission=project_entity)
def list_options(call: Call) -> Reply:
    return Reply(200, [shapes.plain(one) for one in _options(call, _property(call).id)])


@endpoint("POST", _OPTION_LIST, permission=project_entity)
def create_option(call: Call) -> Reply:
    return Reply(201, shapes.plain(_add_option(call, _property(call), call.payload())))


@endpoint("GET", _OPTION_LIST + "/{option_id}", permission=project_entity)
def read_option(call: Call) -> Reply:
    return Reply(200, shapes.plain(_option(call)))


@endpoint("PATCH", _OPTION_LIST + "/{option_id}", permission=project_entity)
def edit_option(call: Call) -> Reply:
    return Reply(200, shapes.plain(plain.change(call.ledger, _option(call), _option_facts(call, call.payload()))))


@endpoint("DELETE", _OPTION_LIST + "/{option_id}", permission=project_entity)
def delete_option(call: Call) -> Reply:
    plain.remove(call.ledger, _option(call))
    return Reply(204)


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
            if id not in {one.id for one in _options(call, property.id)}:
                raise Wrong("The option belongs to another property.")
            return id
        if kind == "RELATION":
            return Id(table="users" if property.relation_type == "USER" else "items").clean(value, call.db)
        return Text().clean(value, call.db)
    except Wrong as wrong:
        raise Invalid({"value": [str(wrong)]}) from None


def _value_rows(call: Call, property: TypeProperty) -> list[PropertyValue]:
    where = "WHERE issue = ? AND property = ? ORDER BY created_at, rowid"
    return find(call.db, PropertyValue, where, (call.item().id, property.id))


def _value_reply(call: Call, property: TypeProperty, status: int = 200) -> Reply:
    rows = [
        {
            **shapes.plain(one),
            "property_id": one.property,
            "issue_id": one.issue,
            "value_type": property.property_type,
        }
        for one in _value_rows(call, property)
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
    for row in _value_rows(call, property):
        plain.remove(call.ledger, row)
    for value in values:
        place = {"workspace": item.workspace, "project": item.project, "issue": item.id, "property": property.id}
        plain.add(call.ledger, PropertyValue, {**place, "value": Kept(value), **outside})
    return _value_reply(call, property, 201 if call.method == "POST" else 200)


@endpoint("DELETE", *_VALUES, permission=project_entity)
def delete_value(call: Call) -> Reply:
    rows = _value_rows(call, _property(call))
    if not rows:
        raise NotThere
    for row in rows:
        plain.remove(call.ledger, row)
    return Reply(204)
