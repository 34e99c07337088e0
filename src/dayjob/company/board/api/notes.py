"""What people write down beside the work: pages of a project or the workspace, and their own stickies."""

from __future__ import annotations

from typing import Any

from dayjob.company.board import shapes
from dayjob.company.board.api.call import (
    PROJECT,
    WORKSPACE,
    Call,
    Reply,
    endpoint,
    project_entity,
    workspace_editor,
)
from dayjob.company.board.api.lists import paged
from dayjob.company.board.api.projects import OUTSIDE
from dayjob.company.board.api.single import register_single
from dayjob.company.board.rows import Page, Sticky
from dayjob.company.board.shapes.payloads import Choice, Document, Flag, Form, Id, Number, Text, read_form
from dayjob.company.board.store import notes

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


def _place(call: Call) -> tuple[str, str | None]:
    """The workspace, and the project where the path names one."""
    if "project_id" in call.params:
        project = call.project()
        return project.workspace, project.id
    return call.workspace().id, None


def _page(call: Call) -> Page:
    workspace, project = _place(call)
    return notes.page(call.store, workspace, project, call.params["page_id"])


def _page_facts(call: Call) -> dict[str, Any]:
    facts = read_form(_PAGE, call.payload(), call.db)
    if "parent_id" in facts:
        facts["parent"] = facts.pop("parent_id")
    return facts


@endpoint("GET", *_PLACES, permission=_may)
def list_pages(call: Call) -> Reply:
    workspace, project = _place(call)
    kind, words = call.query.get("type", "all"), call.query.get("search")
    return paged(call, notes.page_listing(workspace, project, call.user.id, kind, words))


@endpoint("POST", *_PLACES, permission=_may)
def create_page(call: Call) -> Reply:
    workspace, project = _place(call)
    return Reply(201, shapes.plain(notes.add_page(call.store, workspace, project, _page_facts(call))))


@endpoint("GET", *(f"{place}/{{page_id}}" for place in _PLACES), permission=_may)
def read_page(call: Call) -> Reply:
    return Reply(200, shapes.trimmed(call.db, shapes.plain(_page(call)), call.words("fields"), call.words("expand")))


@endpoint("PATCH", *(f"{place}/{{page_id}}" for place in _PLACES), permission=_may)
def edit_page(call: Call) -> Reply:
    return Reply(200, shapes.plain(notes.edit_page(call.store, _page(call), _page_facts(call))))


@endpoint("DELETE", *(f"{place}/{{page_id}}" for place in _PLACES), permission=_may)
def delete_page(call: Call) -> Reply:
    notes.remove_page(call.store, _page(call))
    return Reply(204)


@endpoint("POST DELETE", *(f"{place}/{{page_id}}/archive" for place in _PLACES), permission=_may)
def archive_page(call: Call) -> Reply:
    on = call.method == "POST"
    notes.archive_page(call.store, _page(call), on=on)
    return Reply(200, {"archived_at": call.store.now[:10]}) if on else Reply(204)


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
    return notes.sticky(call.store, call.workspace().id, call.params["sticky_id"])


@endpoint("GET", _STICKIES, permission=workspace_editor)
def list_stickies(call: Call) -> Reply:
    return paged(call, notes.sticky_listing(call.workspace().id, call.user.id, call.query.get("query")))


@endpoint("POST", _STICKIES, permission=workspace_editor)
def create_sticky(call: Call) -> Reply:
    facts = read_form(_STICKY, call.payload(), call.db)
    return Reply(201, shapes.plain(notes.add_sticky(call.store, call.workspace().id, facts)))


register_single(
    _STICKIES + "/{sticky_id}", permission=workspace_editor, named=_sticky, facts=_STICKY, edit=notes.edit_sticky
)
