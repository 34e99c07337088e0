"""Work items under both spellings, their archive, search and look-up by number, their history."""

from __future__ import annotations

from typing import Any

from dayjob.company.board import shapes
from dayjob.company.board.api.call import (
    PROJECT,
    WORKSPACE,
    Call,
    Reply,
    anyone,
    endpoint,
    project_entity,
    require,
    spellings,
    workspace_member,
)
from dayjob.company.board.api.lists import from_outside, paged
from dayjob.company.board.api.projects import OUTSIDE
from dayjob.company.board.errors import BadRequest, NotThere, Refused
from dayjob.company.board.paging import envelope, window
from dayjob.company.board.rows import Item
from dayjob.company.board.shapes.payloads import (
    Choice,
    Day,
    Flag,
    Form,
    Id,
    Moment,
    Number,
    Several,
    Text,
    Whole,
    is_uuid,
    read_form,
)
from dayjob.company.board.store import accounts, activity, item_lists, items, outside, projects
from dayjob.company.board.store.lists import Listing

_ITEM: Form = {
    "name": Text(limit=255),
    "description_html": Text(blank=True),
    "priority": Choice(of=items.PRIORITIES),
    "start_date": Day(null=True),
    "target_date": Day(null=True),
    "point": Whole(low=0, high=12, null=True),
    "sort_order": Number(),
    "archived_at": Day(null=True),
    "is_draft": Flag(),
    "parent": Id(table="items", null=True),
    "state": Id(table="states", null=True),
    "estimate_point": Id(table="estimate_points", null=True),
    "type": Id(table="item_types", null=True),
    "assignees": Several(of=Id(table="users")),
    "labels": Several(of=Id(table="labels")),
    **OUTSIDE,
}
# An importer may say whose an item was and since when.
_NEW_ITEM: Form = {**_ITEM, "created_by": Id(table="users", null=True), "created_at": Moment()}
# Plane's web client and older scripts say it so.
_ALIASES = {
    "state": "state_id",
    "parent": "parent_id",
    "assignees": "assignee_ids",
    "labels": "label_ids",
    "type": "type_id",
}


def _facts(call: Call, form: Form, required: tuple[str, ...] = ()) -> dict[str, Any]:
    payload = dict(call.payload())
    for name, alias in _ALIASES.items():
        if name not in payload and alias in payload:
            payload[name] = payload[alias]
    facts = read_form(form, payload, call.db, required)
    if facts.get("created_by", "") is None:
        del facts["created_by"]
    return facts


def item_page(call: Call, listing: Listing[Item]) -> Reply:
    """One page of items, in the order asked for."""
    asked = window(call.query)
    rows = listing.rows(call.db, call.query.get("order_by"), asked.limit, asked.offset)
    found = shapes.item_list(call.db, rows, call.words("fields"), call.words("expand"))
    return Reply(200, envelope(asked, listing.count(call.db), found))


def refuse_query_language(call: Call) -> None:
    """The community edition says so when it is asked for the commercial one's filters."""
    asked = [name for name in ("pql", "filters") if call.query.get(name)]
    if asked:
        words = (
            "PQL and structured filters are not supported on this Plane edition. Remove the pql/filters parameter and "
            "filter results client-side, or use a Plane edition that supports work item query filtering."
        )
        raise Refused(400, {"pql": words, "unsupported_parameters": asked})


@endpoint("GET", *spellings(), permission=project_entity)
def list_items(call: Call) -> Reply:
    refuse_query_language(call)
    project = call.project()
    if found := from_outside(call, Item, project.id):
        return Reply(200, shapes.item(call.db, found, call.words("fields"), call.words("expand")))
    return item_page(call, item_lists.of_project(project).unless(project.archived_at))


@endpoint("POST", *spellings(), permission=project_entity)
def create_item(call: Call) -> Reply:
    project = call.project()
    facts = _facts(call, _NEW_ITEM, ("name",))
    outside.refuse_second(call.db, "items", "Issue", project.id, facts)
    id = items.create(call.store, project, facts)
    return Reply(201, shapes.item(call.db, items.item(call.db, project.id, id)))


@endpoint("PUT", *spellings(), permission=project_entity)
def put_item(call: Call) -> Reply:
    """Change the item that came from outside under this id, or make it."""
    project, payload = call.project(), call.payload()
    if not payload.get("external_id") or not payload.get("external_source"):
        raise BadRequest("external_id and external_source are required")
    known = outside.taken(call.db, "items", "project", project.id, payload["external_source"], payload["external_id"])
    if known is None:
        return create_item(call)
    changed = items.edit(call.store, project, items.item(call.db, project.id, known), _facts(call, _ITEM))
    return Reply(200, shapes.item(call.db, changed))


@endpoint("GET", *spellings("/{issue_id}"), permission=project_entity)
def read_item(call: Call) -> Reply:
    found = items.listed_item(call.db, call.slug, call.params["project_id"], call.params["issue_id"])
    return Reply(200, shapes.item(call.db, found, call.words("fields"), call.words("expand")))


@endpoint("PATCH", *spellings("/{issue_id}"), permission=project_entity)
def edit_item(call: Call) -> Reply:
    project = call.project()
    changed = items.edit(call.store, project, call.item(), _facts(call, _ITEM))
    return Reply(200, shapes.item(call.db, changed))


@endpoint("DELETE", *spellings("/{issue_id}"), permission=project_entity)
def delete_item(call: Call) -> Reply:
    items.delete(call.store, call.item())
    return Reply(204)


# -- the archive -------------------------------------------------------------------------------------------------


@endpoint("GET", PROJECT + "/archived-work-items", PROJECT + "/archived-issues", permission=project_entity)
def list_archived_items(call: Call) -> Reply:
    return item_page(call, item_lists.archived(call.project().id))


@endpoint("POST", *spellings("/{issue_id}/archive"), permission=project_entity)
def archive_item(call: Call) -> Reply:
    item = call.item()
    items.archive(call.store, item, on=True)
    return Reply(200, {"archived_at": call.store.now[:10]})


@endpoint("DELETE", *spellings("/{issue_id}/unarchive"), *spellings("/{issue_id}/archive"), permission=project_entity)
def unarchive_item(call: Call) -> Reply:
    items.archive(call.store, call.item(), on=False)
    return Reply(204)


# -- across the workspace ----------------------------------------------------------------------------------------

_EVERYWHERE = ("/work-items", "/issues")


@endpoint("GET", *(f"{WORKSPACE}{name}/search" for name in _EVERYWHERE), permission=anyone)
def search_items(call: Call) -> Reply:
    words = call.query.get("search", "")
    if not words:
        return Reply(200, {"issues": []})
    if "\0" in words:
        raise BadRequest("Please provide valid detail")
    asked = call.query.get("limit", "10")
    limit = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 7 else -1
    if limit < 0:
        raise BadRequest("The payload is not valid")
    project = call.query.get("project_id")
    if project and call.query.get("workspace_search", "false") != "false":
        project = None
    if project and not is_uuid(project):
        raise BadRequest("Please provide valid detail")
    names = ("name", "id", "sequence_id", "project__identifier", "project_id", "workspace__slug")
    rows = item_lists.search(call.db, call.slug, call.user.id, words, project, limit)
    return Reply(200, {"issues": [dict(zip(names, row, strict=True)) for row in rows]})


@endpoint("GET", *(f"{WORKSPACE}{name}" for name in _EVERYWHERE), permission=workspace_member)
def list_workspace_items(call: Call) -> Reply:
    """Every listed item of the projects the caller is in."""
    refuse_query_language(call)
    return item_page(call, item_lists.of_member(call.user.id, call.slug))


@endpoint("GET", *(f"{WORKSPACE}{name}/{{number}}" for name in _EVERYWHERE), permission=anyone)
def read_item_by_number(call: Call) -> Reply:
    identifier, dash, number = call.params["number"].rpartition("-")
    if not dash:
        raise Refused(404, {"error": "Page not found."})
    project = projects.by_identifier(call.db, call.slug, identifier)
    admin = accounts.workspace_role(call.db, call.slug, call.user.id) == accounts.ADMIN
    require(admin or (project is not None and accounts.project_role(call.db, project.id, call.user.id) > 0))
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise Refused(404, {"error": "Work item not found"})
    found = items.item_by_number(call.db, call.slug, identifier, int(number))
    return Reply(200, shapes.item(call.db, found, call.words("fields"), call.words("expand")))


# -- history -----------------------------------------------------------------------------------------------------


def _history(call: Call) -> str:
    """The item's id, if the caller is in its project and the project is open; else nothing to see."""
    item = call.item()
    return item.id if call.project_role() and call.project().archived_at is None else ""


@endpoint("GET", *spellings("/{issue_id}/activities"), permission=project_entity)
def list_activities(call: Call) -> Reply:
    return paged(call, activity.listing(_history(call)))


@endpoint("GET", *spellings("/{issue_id}/activities/{activity_id}"), permission=project_entity)
def read_activity(call: Call) -> Reply:
    item = _history(call)
    try:
        found = activity.line(call.db, item, call.params["activity_id"])
    except NotThere:
        raise Refused(404, {"message": "Activity not found.", "code": "NOT_FOUND"}) from None
    return Reply(200, shapes.trimmed(call.db, shapes.plain(found), call.words("fields"), call.words("expand")))
