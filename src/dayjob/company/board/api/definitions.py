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
from dayjob.company.board.api.talk import detailed
from dayjob.company.board.payloads import Flag, Form, Id, Number, Several, Text, read_form
from dayjob.company.board.records import CustomRelation, RelationDefinition
from dayjob.company.board.refusals import BadRequest, Conflict, NotThere
from dayjob.company.board.rows import find, first
from dayjob.company.board.store import accounts, plain

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


def _workspace(call: Call) -> str:
    found = accounts.workspace(call.db, call.slug)
    if found is None:
        raise NotThere
    return found.id


def _definition(call: Call) -> RelationDefinition:
    return plain.one(call.ledger, RelationDefinition, call.params["definition_id"], workspace=_workspace(call))


@endpoint("GET", _DEFINITIONS, permission=workspace_editor)
def list_definitions(call: Call) -> Reply:
    where = "workspace = ?"
    for name in ("is_default", "is_active"):
        if (value := call.flag(name)) is not None:
            where += f" AND {name} = {int(value)}"
    return paged(call, RelationDefinition, where, (_workspace(call),), "sort_order, rowid")


@endpoint("POST", _DEFINITIONS, permission=workspace_editor)
def create_definition(call: Call) -> Reply:
    facts = read_form(_DEFINITION, call.payload(), call.db, required=("name",))
    workspace = _workspace(call)
    same = first(call.db, RelationDefinition, "WHERE workspace = ? AND name = ?", (workspace, facts["name"]))
    if same is not None:
        raise Conflict("Relation definition with this name already exists", same.id)
    facts = {"outward": facts["name"], "inward": facts["name"], **facts}
    return Reply(201, shapes.plain(plain.add(call.ledger, RelationDefinition, {"workspace": workspace, **facts})))


@endpoint("GET", _DEFINITIONS + "/{definition_id}", permission=workspace_editor)
def read_definition(call: Call) -> Reply:
    return Reply(200, shapes.plain(_definition(call)))


@endpoint("PATCH", _DEFINITIONS + "/{definition_id}", permission=workspace_editor)
def edit_definition(call: Call) -> Reply:
    facts = read_form(_DEFINITION, call.payload(), call.db)
    return Reply(200, shapes.plain(plain.change(call.ledger, _definition(call), facts)))


@endpoint("DELETE", _DEFINITIONS + "/{definition_id}", permission=workspace_editor)
def delete_definition(call: Call) -> Reply:
    plain.remove(call.ledger, _definition(call))
    return Reply(204)


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
    definitions = find(call.db, RelationDefinition, "WHERE workspace = ? AND is_active", (item.workspace,))
    labels = {one.id: (one.outward, one.inward) for one in definitions}
    found: dict[str, list[shapes.Shape]] = {label: [] for pair in labels.values() for label in pair}
    where = "WHERE issue = ? OR related_issue = ? ORDER BY created_at, rowid"
    for one in find(call.db, CustomRelation, where, (item.id, item.id)):
        if one.definition not in labels:
            continue
        outward = one.issue == item.id
        label = labels[one.definition][0 if outward else 1]
        found[label] += [
            detailed(call, other, label) for other in call.seen([one.related_issue if outward else one.issue])
        ]
    return Reply(200, found)


@endpoint("POST", *_RELATIONS, permission=project_entity)
def create_custom_relations(call: Call) -> Reply:
    facts = read_form(_RELATION, call.payload(), call.db, required=tuple(_RELATION))
    item, label = call.item(), facts["relation_definition_type"]
    definition = plain.one(call.ledger, RelationDefinition, facts["relation_definition_id"], workspace=item.workspace)
    if label not in (definition.outward, definition.inward):
        raise BadRequest("Invalid relation type")
    made = []
    for other in call.seen(dict.fromkeys(facts["work_item_ids"])):
        if other.workspace != item.workspace or other.id == item.id:
            continue
        left, right = (item, other) if label == definition.outward else (other, item)
        where = "WHERE issue = ? AND related_issue = ? AND definition = ?"
        if first(call.db, CustomRelation, where, (left.id, right.id, definition.id)) is None:
            ends = {"issue": left.id, "related_issue": right.id, "definition": definition.id}
            plain.add(call.ledger, CustomRelation, {"workspace": item.workspace, **ends})
        made.append(detailed(call, other, label))
    return Reply(201, made)


@endpoint("DELETE", *spellings("/{issue_id}/work-item-relations/{related_id}"), permission=project_entity)
def remove_custom_relation(call: Call) -> Reply:
    item, other = call.item().id, call.params["related_id"]
    where = "WHERE (issue = ? AND related_issue = ?) OR (issue = ? AND related_issue = ?)"
    found = find(call.db, CustomRelation, where, (item, other, other, item))
    if not found:
        raise NotThere
    for one in found:
        plain.remove(call.ledger, one)
    return Reply(204)
