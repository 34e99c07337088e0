"""Relations a workspace defines for itself, such as "tests" and "is tested by", and the items they join."""

from __future__ import annotations

from dayjob.company.board import shapes
from dayjob.company.board.api.call import (
    WORKSPACE,
    Call,
    Reply,
    endpoint,
    project_entity,
    spellings,
    workspace_editor,
)
from dayjob.company.board.api.lists import paged
from dayjob.company.board.api.single import register_single
from dayjob.company.board.api.talk import detailed
from dayjob.company.board.rows import RelationDefinition
from dayjob.company.board.shapes.payloads import Flag, Form, Id, Number, Several, Text, read_form
from dayjob.company.board.store import definitions

_DEFINITION: Form = {
    "name": Text(limit=255),
    "outward": Text(limit=255),
    "inward": Text(limit=255),
    "is_default": Flag(),
    "is_active": Flag(),
    "color": Text(limit=255, blank=True, null=True),
    "sort_order": Number(),
}
_DEFINITIONS = WORKSPACE + "/work-item-relation-definitions"


def _definition(call: Call) -> RelationDefinition:
    return definitions.definition(call.store, call.workspace().id, call.params["definition_id"])


@endpoint("GET", _DEFINITIONS, permission=workspace_editor)
def list_definitions(call: Call) -> Reply:
    is_default, is_active = call.flag("is_default"), call.flag("is_active")
    return paged(call, definitions.listing(call.workspace().id, is_default=is_default, is_active=is_active))


@endpoint("POST", _DEFINITIONS, permission=workspace_editor)
def create_definition(call: Call) -> Reply:
    facts = read_form(_DEFINITION, call.payload(), call.db, required=("name",))
    return Reply(201, shapes.plain(definitions.create(call.store, call.workspace().id, facts)))


register_single(_DEFINITIONS + "/{definition_id}", permission=workspace_editor, named=_definition, facts=_DEFINITION)


# -- what they join ----------------------------------------------------------------------------------------------

_RELATIONS = spellings("/{issue_id}/work-item-relations")
_RELATION: Form = {
    "relation_definition_id": Id(),
    "relation_definition_type": Text(),
    "work_item_ids": Several(of=Id(), empty=False),
}


@endpoint("GET", *_RELATIONS, permission=project_entity)
def list_custom_relations(call: Call) -> Reply:
    """Related items under the label that the relation has from this side; every active label is there."""
    item = call.item()
    labels = definitions.labels(call.db, item.workspace)
    found: dict[str, list[shapes.Shape]] = {label: [] for pair in labels.values() for label in pair}
    for label, other_id in definitions.relations(call.db, item, labels):
        found[label] += [detailed(call, other, label) for other in call.seen([other_id])]
    return Reply(200, found)


@endpoint("POST", *_RELATIONS, permission=project_entity)
def create_custom_relations(call: Call) -> Reply:
    facts = read_form(_RELATION, call.payload(), call.db, required=tuple(_RELATION))
    item, label = call.item(), facts["relation_definition_type"]
    definition = definitions.definition(call.store, item.workspace, facts["relation_definition_id"])
    others = call.seen(dict.fromkeys(facts["work_item_ids"]))
    related = definitions.relate(call.store, item, definition, label, others)
    return Reply(201, [detailed(call, other, label) for other in related])


@endpoint("DELETE", *spellings("/{issue_id}/work-item-relations/{related_id}"), permission=project_entity)
def remove_custom_relation(call: Call) -> Reply:
    definitions.unrelate(call.store, call.item().id, call.params["related_id"])
    return Reply(204)
