"""Cycles and what is planned into them."""

from __future__ import annotations

from dayjob.company.board import shapes
from dayjob.company.board.api.call import PROJECT, Call, Reply, endpoint, project_entity
from dayjob.company.board.api.lists import from_outside, paged, shaped
from dayjob.company.board.api.plans import Endpoints
from dayjob.company.board.api.projects import OUTSIDE
from dayjob.company.board.errors import BadRequest, Invalid, NotThere
from dayjob.company.board.rows import Cycle, Project
from dayjob.company.board.shapes.payloads import Document, Form, Id, Moment, Number, Text, Zone, read_form
from dayjob.company.board.store import cycles
from dayjob.company.board.store.lists import Listing
from dayjob.company.board.store.plans import CYCLES

_CYCLE: Form = {
    "name": Text(limit=255),
    "description": Text(blank=True),
    "start_date": Moment(null=True),
    "end_date": Moment(null=True),
    "owned_by": Id(table="users", null=True),
    "timezone": Zone(),
    "sort_order": Number(),
    "logo_props": Document(),
    "view_props": Document(),
    **OUTSIDE,
}


def _shape(call: Call, rows: list[Cycle]) -> list[shapes.Shape]:
    return shapes.cycle_list(call.db, rows)


_endpoints = Endpoints(CYCLES, _shape, nothing="Work items are required")
_cycle = _endpoints.named


def _view(call: Call) -> str:
    """Which cycles are asked for: `status`, or its older name `cycle_view`."""
    return call.query.get("status") or call.query.get("cycle_view", "all")


def _listing(call: Call, project: Project) -> Listing[Cycle]:
    return cycles.listing(project, call.user.id, _view(call), call.store.now)


@endpoint("GET", PROJECT + "/cycles", permission=project_entity)
def list_cycles(call: Call) -> Reply:
    project = call.project()
    if found := from_outside(call, Cycle, project.id):
        return Reply(200, shaped(call, [found], lambda rows: _shape(call, rows))[0])
    listing = _listing(call, project)
    if _view(call) == "current":  # the one view that Plane does not page
        rows = listing.rows(call.db, call.query.get("order_by"))
        return Reply(200, shaped(call, rows, lambda some: _shape(call, some)))
    return paged(call, listing, lambda rows: _shape(call, rows))


@endpoint("GET", PROJECT + "/cycles-lite", permission=project_entity)
def list_cycles_lite(call: Call) -> Reply:
    return paged(call, _listing(call, call.project()))


@endpoint("POST", PROJECT + "/cycles", permission=project_entity)
def create_cycle(call: Call) -> Reply:
    project, payload = call.project(), call.payload()
    if (payload.get("start_date") is None) != (payload.get("end_date") is None):
        raise BadRequest("Both start date and end date are either required or are to be null")
    id = cycles.create(call.store, project, read_form(_CYCLE, payload, call.db, required=("name",)))
    return Reply(201, _shape(call, [cycles.cycle(call.db, project.id, id)])[0])


@endpoint("GET", PROJECT + "/cycles/{cycle_id}", permission=project_entity)
def read_cycle(call: Call) -> Reply:
    cycle = _cycle(call)
    if cycle.archived_at is not None or not call.project_role():
        raise NotThere
    return Reply(200, shaped(call, [cycle], lambda rows: _shape(call, rows))[0])


_endpoints.register_edit(_CYCLE, cycles.edit)
_endpoints.register_deletion(cycles.delete)
_endpoints.register_archive(lambda call: cycles.archived(call.project(), call.user.id), cycles.archive)
_endpoints.register_items(cycles.put)


@endpoint("GET", PROJECT + "/cycles/{cycle_id}/cycle-issues/{issue_id}", permission=project_entity)
def read_cycle_item(call: Call) -> Reply:
    found = CYCLES.place_of(call.db, _cycle(call).id, call.params["issue_id"])
    if found is None:
        raise NotThere
    return Reply(200, shapes.trimmed(call.db, shapes.plain(found), call.words("fields"), call.words("expand")))


@endpoint("POST", PROJECT + "/cycles/{cycle_id}/transfer-issues", permission=project_entity)
def transfer_cycle_items(call: Call) -> Reply:
    cycle = _cycle(call)
    if not call.payload().get("new_cycle_id"):
        raise BadRequest("New Cycle Id is required")
    facts = read_form({"new_cycle_id": Id()}, call.payload(), call.db)
    target = cycles.cycle(call.db, cycle.project, facts["new_cycle_id"])
    if target.id == cycle.id:
        raise Invalid.whole("The new cycle must be another one")
    cycles.transfer(call.store, cycle, target)
    return Reply(200, {"message": "Success"})
