"""What people write down beside the work: pages of a project or the workspace, and their own stickies."""

from __future__ import annotations

from typing import Any

from dayjob.company.board import markup, shapes
from dayjob.company.board.api.call import (
    PROJECT,
    WORKSPACE,
    Call,
    Reply,
    endpoint,
    project_entity,
    workspace_editor,
)
from dayjob.company.board.api.lists import ordered, paged
from dayjob.company.board.api.projects import OUTSIDE
from dayjob.company.board.payloads import Choice, Document, Flag, Form, Id, Number, Text, read_form
from dayjob.company.board.records import Page, Sticky
from dayjob.company.board.refusals import BadRequest, NotThere
from dayjob.company.board.rows import first
from dayjob.company.board.store import accounts, plain

_PAGE: Form = {
    "name": Text(blank=True),
    "description_html": Text(blank=True),
    "access": Choice(of=(0, 1)),
    "color": Text(limit=255, blank=True),
    "is_locked": Flag(),
    "parent": Id(table="pages", null=True),
    "parent_id": Id(table="pages", null=True),
    "logo_props": Document(),
    **OUTSIDE,
}
_PLACES = (WORKSPACE + "/pages", PROJECT + "/pages")


def _may(call: Call) -> bool:
    return project_entity(call) if "project_id" in call.params else workspace_editor(call)


def _workspace(call: Call) -> str:
    found = accounts.workspace(call.db, call.slug)
    if found is None:
        raise NotThere
    return found.id


def _place(call: Call) -> tuple[str, str | None]:
    """The workspace, and the project where the path names one."""
    if "project_id" in call.params:
        project = call.project()
        return project.workspace, project.id
    return _workspace(call), None


def _page(call: Call) -> Page:
    workspace, project = _place(call)
    where = "WHERE id = ? AND workspace = ? AND project IS ? AND (access = 0 OR owned_by = ?)"
    found = first(call.db, Page, where, (call.params["page_id"], workspace, project, call.user.id))
    if found is None:
        raise NotThere
    return found


def _written(facts: dict[str, Any]) -> dict[str, Any]:
    if "description_html" in facts:
        facts["description_html"] = markup.clean(facts["description_html"]) or "<p></p>"
        facts["description_stripped"] = markup.plain(facts["description_html"])
    if "parent_id" in facts:
        facts["parent"] = facts.pop("parent_id")
    return facts


@endpoint("GET", *_PLACES, permission=_may)
def list_pages(call: Call) -> Reply:
    workspace, project = _place(call)
    where = "workspace = ? AND project IS ? AND (access = 0 OR owned_by = ?)"
    arguments = (workspace, project, call.user.id)
    kind = call.query.get("type", "all")
    conditions = {"private": " AND access = 1", "public": " AND access = 0", "archived": " AND archived_at IS NOT NULL"}
    where += conditions.get(kind, "")
    where += "" if kind == "archived" else " AND archived_at IS NULL"
    more: tuple[Any, ...] = ()
    if words := call.query.get("search"):
        where, more = f"{where} AND instr(lower(name), lower(?)) > 0", (words,)
    order = ordered(call, ("created_at", "updated_at", "name"), "-created_at")
    return paged(call, Page, where, (*arguments, *more), order)


@endpoint("POST", *_PLACES, permission=_may)
def create_page(call: Call) -> Reply:
    workspace, project = _place(call)
    facts = _written(read_form(_PAGE, call.payload(), call.db))
    place = {"workspace": workspace, "project": project, "owned_by": call.user.id}
    return Reply(201, shapes.plain(plain.add(call.ledger, Page, {**place, **facts})))


@endpoint("GET", *(f"{place}/{{page_id}}" for place in _PLACES), permission=_may)
def read_page(call: Call) -> Reply:
    return Reply(200, shapes.trimmed(call.db, shapes.plain(_page(call)), call.words("fields"), call.words("expand")))


@endpoint("PATCH", *(f"{place}/{{page_id}}" for place in _PLACES), permission=_may)
def edit_page(call: Call) -> Reply:
    page = _page(call)
    facts = _written(read_form(_PAGE, call.payload(), call.db))
    if page.is_locked and "is_locked" not in facts:
        raise BadRequest("Page is locked")
    if facts.get("parent") == page.id:
        raise BadRequest("The payload is not valid")
    return Reply(200, shapes.plain(plain.change(call.ledger, page, facts)))


@endpoint("DELETE", *(f"{place}/{{page_id}}" for place in _PLACES), permission=_may)
def delete_page(call: Call) -> Reply:
    page = _page(call)
    if page.archived_at is None:
        raise BadRequest("The page should be archived before deleting")
    call.db.execute("UPDATE pages SET parent = NULL WHERE parent = ?", (page.id,))
    plain.remove(call.ledger, page)
    return Reply(204)


@endpoint("POST DELETE", *(f"{place}/{{page_id}}/archive" for place in _PLACES), permission=_may)
def archive_page(call: Call) -> Reply:
    page, on = _page(call), call.method == "POST"
    plain.change(call.ledger, page, {"archived_at": call.ledger.now[:10] if on else None})
    return Reply(200, {"archived_at": call.ledger.now[:10]}) if on else Reply(204)


# -- stickies ----------------------------------------------------------------------------------------------------

_STICKY: Form = {
    "name": Text(blank=True, null=True),
    "description_html": Text(blank=True),
    "logo_props": Document(),
    "color": Text(limit=255, blank=True, null=True),
    "background_color": Text(limit=255, blank=True, null=True),
    "sort_order": Number(),
}
_STICKIES = WORKSPACE + "/stickies"


def _sticky(call: Call) -> Sticky:
    return plain.one(call.ledger, Sticky, call.params["sticky_id"], workspace=_workspace(call), owner=call.user.id)


@endpoint("GET", _STICKIES, permission=workspace_editor)
def list_stickies(call: Call) -> Reply:
    where, arguments = "workspace = ? AND owner = ?", [_workspace(call), call.user.id]
    if words := call.query.get("query"):
        where, arguments = f"{where} AND instr(lower(description_stripped), lower(?)) > 0", [*arguments, words]
    return paged(call, Sticky, where, arguments, "sort_order DESC, rowid DESC")


@endpoint("POST", _STICKIES, permission=workspace_editor)
def create_sticky(call: Call) -> Reply:
    facts = _written(read_form(_STICKY, call.payload(), call.db))
    workspace = _workspace(call)
    last = call.db.execute(
        "SELECT max(sort_order) FROM stickies WHERE workspace = ? AND owner = ?", (workspace, call.user.id)
    ).fetchone()[0]
    order = 65535.0 if last is None else last + 10000
    place = {"workspace": workspace, "owner": call.user.id, "sort_order": order}
    return Reply(201, shapes.plain(plain.add(call.ledger, Sticky, {**place, **facts})))


@endpoint("GET", _STICKIES + "/{sticky_id}", permission=workspace_editor)
def read_sticky(call: Call) -> Reply:
    return Reply(200, shapes.plain(_sticky(call)))


@endpoint("PATCH", _STICKIES + "/{sticky_id}", permission=workspace_editor)
def edit_sticky(call: Call) -> Reply:
    facts = _written(read_form(_STICKY, call.payload(), call.db))
    return Reply(200, shapes.plain(plain.change(call.ledger, _sticky(call), facts)))


@endpoint("DELETE", _STICKIES + "/{sticky_id}", permission=workspace_editor)
def delete_sticky(call: Call) -> Reply:
    plain.remove(call.ledger, _sticky(call))
    return Reply(204)
