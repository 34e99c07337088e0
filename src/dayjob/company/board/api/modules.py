"""Modules and the items in them."""

from __future__ import annotations

from dayjob.company.board import shapes
from dayjob.company.board.api.call import PROJECT, Call, Reply, endpoint, project_entity
from dayjob.company.board.api.items import item_page
from dayjob.company.board.api.lists import from_outside, paged, shaped
from dayjob.company.board.api.plans import Endpoints
from dayjob.company.board.api.projects import OUTSIDE
from dayjob.company.board.errors import NotThere
from dayjob.company.board.rows import Module
from dayjob.company.board.shapes.payloads import Choice, Day, Document, Form, Id, Several, Text, read_form
from dayjob.company.board.store import modules
from dayjob.company.board.store.plans import MODULES

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


def _shape(call: Call, rows: list[Module]) -> list[shapes.Shape]:
    return shapes.module_list(call.db, rows)


_endpoints = Endpoints(MODULES, _shape, nothing="Issues are required")
_module = _endpoints.named


@endpoint("GET", PROJECT + "/modules", permission=project_entity)
def list_modules(call: Call) -> Reply:
    project = call.project()
    if found := from_outside(call, Module, project.id):
        return Reply(200, shaped(call, [found], lambda rows: _shape(call, rows))[0])
    return paged(call, modules.listing(project), lambda rows: _shape(call, rows))


@endpoint("GET", PROJECT + "/modules-lite", permission=project_entity)
def list_modules_lite(call: Call) -> Reply:
    listing = modules.listing(call.project())
    return paged(call, listing, lambda rows: shapes.module_list(call.db, rows, counted=False))


@endpoint("POST", PROJECT + "/modules", permission=project_entity)
def create_module(call: Call) -> Reply:
    project = call.project()
    id = modules.create(call.store, project, read_form(_MODULE, call.payload(), call.db, required=("name",)))
    return Reply(201, _shape(call, [modules.module(call.db, project.id, id)])[0])


@endpoint("GET", PROJECT + "/modules/{module_id}", permission=project_entity)
def read_module(call: Call) -> Reply:
    module = _module(call)
    if module.archived_at is not None:
        raise NotThere
    return Reply(200, shaped(call, [module], lambda rows: _shape(call, rows))[0])


_endpoints.register_edit(_MODULE, modules.edit)
_endpoints.register_deletion(modules.delete)
_endpoints.register_archive(lambda call: modules.archived(call.project()), modules.archive)
_endpoints.register_items(modules.put)


@endpoint("GET", PROJECT + "/modules/{module_id}/module-issues/{issue_id}", permission=project_entity)
def read_module_item(call: Call) -> Reply:
    """The item as a list of one, as Plane answers."""
    return item_page(call, MODULES.listing(call.project(), call.params["module_id"], call.params["issue_id"]))
