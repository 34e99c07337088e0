"""Milestones and the items that lead to them; epics, which are items of a type that says so."""

from __future__ import annotations

from dayjob.company.board import shapes
from dayjob.company.board.api.call import PROJECT, Call, Reply, endpoint, project_entity
from dayjob.company.board.api.cycles import ISSUES
from dayjob.company.board.api.items import create_item, delete_item, edit_item, item_page
from dayjob.company.board.api.lists import ordered, paged
from dayjob.company.board.api.projects import OUTSIDE
from dayjob.company.board.payloads import Day, Form, Text, read_form
from dayjob.company.board.records import Item, ItemType, Milestone, MilestoneItem
from dayjob.company.board.refusals import BadRequest, NotThere
from dayjob.company.board.rows import by_id, first, update
from dayjob.company.board.store import items, plain

_MILESTONE: Form = {"title": Text(limit=255), "target_date": Day(null=True), **OUTSIDE}
_MILESTONES = PROJECT + "/milestones"


def _milestone(call: Call) -> Milestone:
    return plain.one(call.ledger, Milestone, call.params["milestone_id"], project=call.project().id)


@endpoint("GET", _MILESTONES, permission=project_entity)
def list_milestones(call: Call) -> Reply:
    order = ordered(call, ("created_at", "updated_at", "title", "target_date"), "-created_at")
    return paged(call, Milestone, "project = ?", (call.project().id,), order)


@endpoint("POST", _MILESTONES, permission=project_entity)
def create_milestone(call: Call) -> Reply:
    project = call.project()
    facts = read_form(_MILESTONE, call.payload(), call.db, required=("title",))
    made = plain.add(call.ledger, Milestone, {"workspace": project.workspace, "project": project.id, **facts})
    return Reply(201, shapes.plain(made))


@endpoint("GET", _MILESTONES + "/{milestone_id}", permission=project_entity)
def read_milestone(call: Call) -> Reply:
    return Reply(200, shapes.plain(_milestone(call)))


@endpoint("PATCH", _MILESTONES + "/{milestone_id}", permission=project_entity)
def edit_milestone(call: Call) -> Reply:
    facts = read_form(_MILESTONE, call.payload(), call.db)
    return Reply(200, shapes.plain(plain.change(call.ledger, _milestone(call), facts)))


@endpoint("DELETE", _MILESTONES + "/{milestone_id}", permission=project_entity)
def delete_milestone(call: Call) -> Reply:
    plain.remove(call.ledger, _milestone(call))
    return Reply(204)


_MILESTONE_ITEMS = (_MILESTONES + "/{milestone_id}/work-items", _MILESTONES + "/{milestone_id}/issues")


@endpoint("GET", *_MILESTONE_ITEMS, permission=project_entity)
def list_milestone_items(call: Call) -> Reply:
    return paged(call, MilestoneItem, "milestone = ?", (_milestone(call).id,), "created_at DESC, rowid DESC")


@endpoint("POST DELETE", *_MILESTONE_ITEMS, permission=project_entity)
def change_milestone_items(call: Call) -> Reply:
    """Add items to a milestone, or take them out."""
    milestone = _milestone(call)
    wanted = read_form(ISSUES, call.payload(), call.db).get("issues")
    if not wanted:
        raise BadRequest("Work items are required")
    for id in dict.fromkeys(wanted):
        here = first(call.db, MilestoneItem, "WHERE milestone = ? AND issue = ?", (milestone.id, id))
        item = by_id(call.db, Item, id)
        if call.method == "DELETE":
            if here is not None:
                plain.remove(call.ledger, here)
        elif here is None and item is not None and item.project == milestone.project:
            place = {"workspace": milestone.workspace, "project": milestone.project}
            plain.add(call.ledger, MilestoneItem, {**place, "issue": id, "milestone": milestone.id})
    return Reply(204 if call.method == "DELETE" else 200, None if call.method == "DELETE" else [])


# -- epics -------------------------------------------------------------------------------------------------------

_EPICS = PROJECT + "/epics"
_IS_EPIC = "items.project = ? AND listed AND items.type IN (SELECT id FROM item_types WHERE is_epic)"


def _epic(call: Call) -> Item:
    found = items.item(call.db, call.project().id, call.params["issue_id"])
    kind = by_id(call.db, ItemType, found.type)
    if kind is None or not kind.is_epic:
        raise NotThere
    return found


def _epic_type(call: Call) -> ItemType:
    """The project's type for epics, made when the first epic is."""
    project = call.project()
    found = first(call.db, ItemType, "WHERE project = ? AND is_epic ORDER BY created_at LIMIT 1", (project.id,))
    if found is not None:
        return found
    place = {"workspace": project.workspace, "project": project.id}
    return plain.add(call.ledger, ItemType, {**place, "name": "Epic", "is_epic": True, "level": 1.0})


@endpoint("GET", _EPICS, permission=project_entity)
def list_epics(call: Call) -> Reply:
    return item_page(call, _IS_EPIC, (call.project().id,))


@endpoint("POST", _EPICS, permission=project_entity)
def create_epic(call: Call) -> Reply:
    made = create_item(call)
    update(call.db, "items", made.body["id"], {"type": _epic_type(call).id})
    return Reply(201, shapes.item(call.db, items.item(call.db, call.project().id, made.body["id"])))


@endpoint("GET", _EPICS + "/{issue_id}", permission=project_entity)
def read_epic(call: Call) -> Reply:
    return Reply(200, shapes.item(call.db, _epic(call), call.words("fields"), call.words("expand")))


@endpoint("PATCH", _EPICS + "/{issue_id}", permission=project_entity)
def edit_epic(call: Call) -> Reply:
    _epic(call)
    return edit_item(call)


@endpoint("DELETE", _EPICS + "/{issue_id}", permission=project_entity)
def delete_epic(call: Call) -> Reply:
    _epic(call)
    return delete_item(call)


@endpoint("GET", _EPICS + "/{issue_id}/issues", permission=project_entity)
def list_epic_items(call: Call) -> Reply:
    return item_page(call, "items.parent = ? AND listed", (_epic(call).id,))


@endpoint("POST", _EPICS + "/{issue_id}/issues", permission=project_entity)
def add_epic_items(call: Call) -> Reply:
    """Put items under an epic."""
    epic, project = _epic(call), call.project()
    payload = call.payload()
    wanted = read_form(ISSUES, {"issues": payload.get("work_item_ids", payload.get("issues"))}, call.db)["issues"]
    changed = [
        items.edit(call.ledger, project, items.item(call.db, project.id, id), {"parent": epic.id})
        for id in dict.fromkeys(wanted)
    ]
    return Reply(200, shapes.item_list(call.db, changed))
