"""Cycles and what is planned into them."""

from __future__ import annotations

from typing import Any

from dayjob.company.board import shapes
from dayjob.company.board.api.call import PROJECT, Call, Reply, endpoint, project_entity
from dayjob.company.board.api.items import item_page
from dayjob.company.board.api.lists import from_outside, ordered, paged, shaped
from dayjob.company.board.api.projects import OUTSIDE
from dayjob.company.board.payloads import Document, Form, Id, Moment, Number, Several, Text, Zone, read_form
from dayjob.company.board.records import Cycle, CycleItem
from dayjob.company.board.refusals import BadRequest, Invalid, NotThere
from dayjob.company.board.rows import count, find, first
from dayjob.company.board.store import cycles

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
ISSUES: Form = {"issues": Several(of=Id())}
# Lists of cycles are for those in the project, even where the workspace's administrators may pass.
_MINE = "project = ? AND EXISTS (SELECT 1 FROM project_members m WHERE m.project = ? AND m.member = ? AND m.is_active)"


def _cycle(call: Call, name: str = "cycle_id") -> Cycle:
    return cycles.cycle(call.db, call.project().id, call.params[name])


def _shape(call: Call, rows: list[Cycle]) -> list[shapes.Shape]:
    return shapes.cycle_list(call.db, rows)


def _view(call: Call) -> str:
    """Which cycles are asked for: `status`, or its older name `cycle_view`."""
    return call.query.get("status") or call.query.get("cycle_view", "all")


def _when(call: Call) -> tuple[str, tuple[Any, ...]]:
    now = call.ledger.now
    conditions: dict[str, tuple[str, tuple[Any, ...]]] = {
        "current": ("start_date <= ? AND end_date >= ?", (now, now)),
        "upcoming": ("start_date > ?", (now,)),
        "completed": ("end_date < ?", (now,)),
        "draft": ("start_date IS NULL AND end_date IS NULL", ()),
        "incomplete": ("(end_date >= ? OR end_date IS NULL)", (now,)),
    }
    return conditions.get(_view(call), ("1", ()))


def _order(call: Call) -> str:
    names = ("created_at", "updated_at", "name", "start_date", "end_date", "sort_order")
    return ordered(call, names, "-created_at")


@endpoint("GET", PROJECT + "/cycles", permission=project_entity)
def list_cycles(call: Call) -> Reply:
    project = call.project()
    if found := from_outside(call, Cycle, "project", project.id):
        return Reply(200, shaped(call, [found], lambda rows: _shape(call, rows))[0])
    when, more = _when(call)
    where = f"{_MINE} AND archived_at IS NULL AND {when}"
    arguments = (project.id, project.id, call.user.id, *more)
    if _view(call) == "current":  # the one view that Plane does not page
        rows = find(call.db, Cycle, f"WHERE {where} ORDER BY {_order(call)}", arguments)
        return Reply(200, shaped(call, rows, lambda some: _shape(call, some)))
    return paged(call, Cycle, where, arguments, _order(call), lambda rows: _shape(call, rows))


@endpoint("GET", PROJECT + "/cycles-lite", permission=project_entity)
def list_cycles_lite(call: Call) -> Reply:
    project = call.project()
    when, more = _when(call)
    where = f"{_MINE} AND archived_at IS NULL AND {when}"
    return paged(call, Cycle, where, (project.id, project.id, call.user.id, *more), _order(call))


@endpoint("POST", PROJECT + "/cycles", permission=project_entity)
def create_cycle(call: Call) -> Reply:
    project, payload = call.project(), call.payload()
    if (payload.get("start_date") is None) != (payload.get("end_date") is None):
        raise BadRequest("Both start date and end date are either required or are to be null")
    id = cycles.create(call.ledger, project, read_form(_CYCLE, payload, call.db, required=("name",)))
    return Reply(201, _shape(call, [cycles.cycle(call.db, project.id, id)])[0])


@endpoint("GET", PROJECT + "/cycles/{cycle_id}", permission=project_entity)
def read_cycle(call: Call) -> Reply:
    cycle = _cycle(call)
    if cycle.archived_at is not None or not call.project_role():
        raise NotThere
    return Reply(200, shaped(call, [cycle], lambda rows: _shape(call, rows))[0])


@endpoint("PATCH", PROJECT + "/cycles/{cycle_id}", permission=project_entity)
def edit_cycle(call: Call) -> Reply:
    cycles.edit(call.ledger, call.project(), _cycle(call), read_form(_CYCLE, call.payload(), call.db))
    return Reply(200, _shape(call, [_cycle(call)])[0])


@endpoint("DELETE", PROJECT + "/cycles/{cycle_id}", permission=project_entity)
def delete_cycle(call: Call) -> Reply:
    cycles.delete(call.ledger, _cycle(call))
    return Reply(204)


# -- the archive -------------------------------------------------------------------------------------------------


@endpoint("GET", PROJECT + "/archived-cycles", permission=project_entity)
def list_archived_cycles(call: Call) -> Reply:
    project = call.project()
    where, arguments = f"{_MINE} AND archived_at IS NOT NULL", (project.id, project.id, call.user.id)
    return paged(call, Cycle, where, arguments, _order(call), lambda rows: _shape(call, rows))


@endpoint("POST", PROJECT + "/cycles/{cycle_id}/archive", permission=project_entity)
def archive_cycle(call: Call) -> Reply:
    cycles.archive(call.ledger, _cycle(call), on=True)
    return Reply(204)


@endpoint("DELETE", PROJECT + "/archived-cycles/{cycle_id}/unarchive", permission=project_entity)
def unarchive_cycle(call: Call) -> Reply:
    cycles.archive(call.ledger, _cycle(call), on=False)
    return Reply(204)


# -- items -------------------------------------------------------------------------------------------------------


def sub_items(call: Call, item: str) -> int:
    """How many listed items have this one as their parent."""
    return count(call.db, "SELECT count(*) FROM items WHERE parent = ? AND listed", (item,))


def _bridges(call: Call, rows: list[CycleItem]) -> list[shapes.Shape]:
    return [{**shapes.plain(one), "sub_issues_count": sub_items(call, one.issue)} for one in rows]


@endpoint("GET", PROJECT + "/cycles/{cycle_id}/cycle-issues", permission=project_entity)
def list_cycle_items(call: Call) -> Reply:
    project = call.project()
    where = "items.project = ? AND listed AND items.id IN (SELECT issue FROM cycle_items WHERE cycle = ?)"
    where += " AND 0" if project.archived_at else ""
    return item_page(call, where, (project.id, call.params["cycle_id"]), "created_at")


@endpoint("POST", PROJECT + "/cycles/{cycle_id}/cycle-issues", permission=project_entity)
def add_cycle_items(call: Call) -> Reply:
    facts = read_form(ISSUES, call.payload(), call.db)
    if not facts.get("issues"):
        raise BadRequest("Work items are required")
    cycle = _cycle(call)
    cycles.put(call.ledger, cycle, facts["issues"])
    rows = find(call.db, CycleItem, "WHERE cycle = ? ORDER BY created_at DESC, rowid DESC", (cycle.id,))
    return Reply(200, _bridges(call, rows))


@endpoint("GET", PROJECT + "/cycles/{cycle_id}/cycle-issues/{issue_id}", permission=project_entity)
def read_cycle_item(call: Call) -> Reply:
    found = first(call.db, CycleItem, "WHERE cycle = ? AND issue = ?", (_cycle(call).id, call.params["issue_id"]))
    if found is None:
        raise NotThere
    return Reply(200, shapes.trimmed(call.db, shapes.plain(found), call.words("fields"), call.words("expand")))


@endpoint("DELETE", PROJECT + "/cycles/{cycle_id}/cycle-issues/{issue_id}", permission=project_entity)
def remove_cycle_item(call: Call) -> Reply:
    cycles.take_out(call.ledger, _cycle(call), call.params["issue_id"])
    return Reply(204)


@endpoint("POST", PROJECT + "/cycles/{cycle_id}/transfer-issues", permission=project_entity)
def transfer_cycle_items(call: Call) -> Reply:
    cycle = _cycle(call)
    if not call.payload().get("new_cycle_id"):
        raise BadRequest("New Cycle Id is required")
    facts = read_form({"new_cycle_id": Id()}, call.payload(), call.db)
    target = first(call.db, Cycle, "WHERE id = ? AND project = ?", (facts["new_cycle_id"], cycle.project))
    if target is None:
        raise NotThere
    if target.id == cycle.id:
        raise Invalid.whole("The new cycle must be another one")
    cycles.transfer(call.ledger, cycle, target)
    return Reply(200, {"message": "Success"})
