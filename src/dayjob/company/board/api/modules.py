"""Modules and the items in them."""

from __future__ import annotations

from dayjob.company.board import shapes
from dayjob.company.board.api.call import PROJECT, Call, Reply, endpoint, project_entity
from dayjob.company.board.api.cycles import ISSUES, sub_items
from dayjob.company.board.api.items import item_page
from dayjob.company.board.api.lists import from_outside, ordered, paged, shaped
from dayjob.company.board.api.projects import OUTSIDE
from dayjob.company.board.payloads import Choice, Day, Document, Form, Id, Several, Text, read_form
from dayjob.company.board.records import Module, ModuleItem
from dayjob.company.board.refusals import BadRequest, NotThere
from dayjob.company.board.rows import find
from dayjob.company.board.store import modules

_MODULE: Form = {
    "name": Text(limit=255),
    "description": Text(blank=True),
    "start_date": Day(null=True),
    "target_date": Day(null=True),
    "status": Choice(of=modules.STATUSES),
    "lead": Id(table="users", null=True),
    "members": Several(of=Id(table="users")),
    "logo_props": Document(),
    **OUTSIDE,
}


def _module(call: Call) -> Module:
    return modules.module(call.db, call.project().id, call.params["module_id"])


def _shape(call: Call, rows: list[Module]) -> list[shapes.Shape]:
    return shapes.module_list(call.db, rows)


def _order(call: Call) -> str:
    names = ("created_at", "updated_at", "name", "start_date", "target_date", "sort_order", "status")
    return ordered(call, names, "-created_at")


@endpoint("GET", PROJECT + "/modules", permission=project_entity)
def list_modules(call: Call) -> Reply:
    project = call.project()
    if found := from_outside(call, Module, "project", project.id):
        return Reply(200, shaped(call, [found], lambda rows: _shape(call, rows))[0])
    where = "project = ? AND archived_at IS NULL"
    return paged(call, Module, where, (project.id,), _order(call), lambda rows: _shape(call, rows))


@endpoint("GET", PROJECT + "/modules-lite", permission=project_entity)
def list_modules_lite(call: Call) -> Reply:
    def lite(rows: list[Module]) -> list[shapes.Shape]:
        people = modules.members(call.db, [one.id for one in rows])
        return [{**shapes.plain(one), "members": people[one.id]} for one in rows]

    where = "project = ? AND archived_at IS NULL"
    return paged(call, Module, where, (call.project().id,), _order(call), lite)


@endpoint("POST", PROJECT + "/modules", permission=project_entity)
def create_module(call: Call) -> Reply:
    project = call.project()
    id = modules.create(call.ledger, project, read_form(_MODULE, call.payload(), call.db, required=("name",)))
    return Reply(201, _shape(call, [modules.module(call.db, project.id, id)])[0])


@endpoint("GET", PROJECT + "/modules/{module_id}", permission=project_entity)
def read_module(call: Call) -> Reply:
    module = _module(call)
    if module.archived_at is not None:
        raise NotThere
    return Reply(200, shaped(call, [module], lambda rows: _shape(call, rows))[0])


@endpoint("PATCH", PROJECT + "/modules/{module_id}", permission=project_entity)
def edit_module(call: Call) -> Reply:
    modules.edit(call.ledger, call.project(), _module(call), read_form(_MODULE, call.payload(), call.db))
    return Reply(200, _shape(call, [_module(call)])[0])


@endpoint("DELETE", PROJECT + "/modules/{module_id}", permission=project_entity)
def delete_module(call: Call) -> Reply:
    modules.delete(call.ledger, _module(call))
    return Reply(204)


@endpoint("GET", PROJECT + "/archived-modules", permission=project_entity)
def list_archived_modules(call: Call) -> Reply:
    where = "project = ? AND archived_at IS NOT NULL"
    return paged(call, Module, where, (call.project().id,), _order(call), lambda rows: _shape(call, rows))


@endpoint("POST", PROJECT + "/modules/{module_id}/archive", permission=project_entity)
def archive_module(call: Call) -> Reply:
    modules.archive(call.ledger, _module(call), on=True)
    return Reply(204)


@endpoint("DELETE", PROJECT + "/archived-modules/{module_id}/unarchive", permission=project_entity)
def unarchive_module(call: Call) -> Reply:
    modules.archive(call.ledger, _module(call), on=False)
    return Reply(204)


_IN_MODULE = "items.project = ? AND listed AND items.id IN (SELECT issue FROM module_items WHERE module = ?)"


@endpoint("GET", PROJECT + "/modules/{module_id}/module-issues", permission=project_entity)
def list_module_items(call: Call) -> Reply:
    project = call.project()
    where = _IN_MODULE + (" AND 0" if project.archived_at else "")
    return item_page(call, where, (project.id, call.params["module_id"]), "created_at")


@endpoint("POST", PROJECT + "/modules/{module_id}/module-issues", permission=project_entity)
def add_module_items(call: Call) -> Reply:
    facts = read_form(ISSUES, call.payload(), call.db)
    if not facts.get("issues"):
        raise BadRequest("Issues are required")
    module = _module(call)
    modules.put(call.ledger, module, facts["issues"])
    rows = find(call.db, ModuleItem, "WHERE module = ? ORDER BY created_at DESC, rowid DESC", (module.id,))
    return Reply(200, [{**shapes.plain(one), "sub_issues_count": sub_items(call, one.issue)} for one in rows])


@endpoint("GET", PROJECT + "/modules/{module_id}/module-issues/{issue_id}", permission=project_entity)
def read_module_item(call: Call) -> Reply:
    arguments = (call.project().id, call.params["module_id"], call.params["issue_id"])
    return item_page(call, f"{_IN_MODULE} AND items.id = ?", arguments, "created_at")


@endpoint("DELETE", PROJECT + "/modules/{module_id}/module-issues/{issue_id}", permission=project_entity)
def remove_module_item(call: Call) -> Reply:
    modules.take_out(call.ledger, _module(call), call.params["issue_id"])
    return Reply(204)
