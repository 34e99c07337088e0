"""Milestones and the items that lead to them; epics, which are items of a type that says so."""

from __future__ import annotations

from dayjob.company.board import shapes
from dayjob.company.board.api.call import PROJECT, Call, Reply, endpoint, project_entity
from dayjob.company.board.api.items import create_item, delete_item, edit_item, item_page
from dayjob.company.board.api.lists import paged
from dayjob.company.board.api.plans import ISSUES
from dayjob.company.board.api.projects import OUTSIDE
from dayjob.company.board.api.single import register_single
from dayjob.company.board.errors import BadRequest
from dayjob.company.board.rows import Item, Milestone
from dayjob.company.board.shapes.payloads import Day, Form, Text, read_form
from dayjob.company.board.store import item_lists, milestones

_MILESTONE: Form = {"title": Text(limit=255), "target_date": Day(null=True), **OUTSIDE}
_MILESTONES = PROJECT + "/milestones"


def _milestone(call: Call) -> Milestone:
    return milestones.milestone(call.store, call.project().id, call.params["milestone_id"])


@endpoint("GET", _MILESTONES, permission=project_entity)
def list_milestones(call: Call) -> Reply:
    return paged(call, milestones.listing(call.project().id))


@endpoint("POST", _MILESTONES, permission=project_entity)
def create_milestone(call: Call) -> Reply:
    project = call.project()
    facts = read_form(_MILESTONE, call.payload(), call.db, required=("title",))
    return Reply(201, shapes.plain(milestones.create(call.store, project, facts)))


register_single(_MILESTONES + "/{milestone_id}", permission=project_entity, named=_milestone, facts=_MILESTONE)

_MILESTONE_ITEMS = (_MILESTONES + "/{milestone_id}/work-items", _MILESTONES + "/{milestone_id}/issues")


@endpoint("GET", *_MILESTONE_ITEMS, permission=project_entity)
def list_milestone_items(call: Call) -> Reply:
    return paged(call, milestones.items_of(_milestone(call)))


def _wanted(call: Call) -> list[str]:
    wanted: list[str] | None = read_form(ISSUES, call.payload(), call.db).get("issues")
    if not wanted:
        raise BadRequest("Work items are required")
    return wanted


@endpoint("POST", *_MILESTONE_ITEMS, permission=project_entity)
def add_milestone_items(call: Call) -> Reply:
    milestones.put(call.store, _milestone(call), _wanted(call))
    return Reply(200, [])


@endpoint("DELETE", *_MILESTONE_ITEMS, permission=project_entity)
def remove_milestone_items(call: Call) -> Reply:
    milestones.take_out(call.store, _milestone(call), _wanted(call))
    return Reply(204)


# -- epics -------------------------------------------------------------------------------------------------------

_EPICS = PROJECT + "/epics"


def _epic(call: Call) -> Item:
    return milestones.epic(call.store, call.project().id, call.params["issue_id"])


@endpoint("GET", _EPICS, permission=project_entity)
def list_epics(call: Call) -> Reply:
    return item_page(call, item_lists.epics(call.project()))


@endpoint("POST", _EPICS, permission=project_entity)
def create_epic(call: Call) -> Reply:
    made = create_item(call)
    return Reply(201, shapes.item(call.db, milestones.make_epic(call.store, call.project(), made.body["id"])))


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
    return item_page(call, item_lists.children(_epic(call).id))


@endpoint("POST", _EPICS + "/{issue_id}/issues", permission=project_entity)
def add_epic_items(call: Call) -> Reply:
    """Put items under an epic."""
    epic, project = _epic(call), call.project()
    payload = call.payload()
    wanted = read_form(ISSUES, {"issues": payload.get("work_item_ids", payload.get("issues"))}, call.db)["issues"]
    return Reply(200, shapes.item_list(call.db, milestones.put_under(call.store, project, epic, wanted)))
