"""Milestones of projects and groups."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.routes import both, delete, get, post, put
from dayjob.company.forge.errors import not_found
from dayjob.company.forge.rows.items import Milestone
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.shapes import issues as shape
from dayjob.company.forge.shapes import merge_requests as request_shape
from dayjob.company.forge.store import access, item_lists, milestones
from dayjob.company.forge.store.dates import day


def _found(call: Call, kind: str, level: int = 0) -> Milestone:
    """The milestone in the path. One that a project has from its groups is read there, and not changed."""
    place, number = call.place(kind, level), call.number("milestone_id")
    if isinstance(place, Project) and not level:
        milestone = milestones.find(call.store, place, number)
    else:
        milestone = milestones.own(call.store, place, number)
    if milestone is None:
        raise not_found()
    return milestone


@both(get, "/milestones")
def listed(call: Call, kind: str) -> Any:
    inherited = bool(call.boolean("include_parent_milestones") or call.boolean("include_ancestors"))
    listing = milestones.listing(
        call.store, call.place(kind), inherited=inherited, iids=call.numbers("iids"),
        state=call.choice("state", ("active", "closed", "all"), "all"), title=call.text("title"),
        words=call.text("search"),
    )  # fmt: skip
    return call.listing(listing, lambda rows: shape.milestone_list(call, rows))


@both(post, "/milestones")
def create(call: Call, kind: str) -> Any:
    place = call.place(kind, access.PLANNER)
    call.need("title")
    milestone = milestones.create(
        call.store,
        place,
        call.needed("title"),
        description=call.text("description"),
        due_date=day(call.text("due_date"), "due_date"),
        start_date=day(call.text("start_date"), "start_date"),
    )
    return created(shape.milestone(call, milestone))


@both(get, "/milestones/{milestone_id}")
def read(call: Call, kind: str) -> Any:
    return shape.milestone(call, _found(call, kind))


@both(put, "/milestones/{milestone_id}")
def change(call: Call, kind: str) -> Any:
    milestone = _found(call, kind, access.PLANNER)
    values: dict[str, Any] = {}
    if call.has("title"):
        values["title"] = call.filled("title")
    if call.has("description"):
        values["description"] = call.text("description")
    for name in ("due_date", "start_date"):
        if call.has(name):
            values[name] = day(call.text(name), name)
    event = call.choice("state_event", ("close", "activate"))
    if event:
        values["state"] = "closed" if event == "close" else "active"
    return shape.milestone(call, milestones.change(call.store, milestone, **values))


@both(delete, "/milestones/{milestone_id}")
def remove(call: Call, kind: str) -> Any:
    milestones.delete(call.store, _found(call, kind, access.PLANNER))
    return no_content()


@both(get, "/milestones/{milestone_id}/issues")
def issues(call: Call, kind: str) -> Any:
    listing = item_lists.in_milestone(call.user, "Issue", _found(call, kind))
    return call.listing(listing, lambda rows: shape.issues(call, rows))


@both(get, "/milestones/{milestone_id}/merge_requests")
def requests(call: Call, kind: str) -> Any:
    listing = item_lists.in_milestone(call.user, "MergeRequest", _found(call, kind))
    return call.listing(listing, lambda rows: request_shape.merge_requests(call, rows))


@post("/projects/{id}/milestones/{milestone_id}/promote")
def promote(call: Call) -> Any:
    milestone = _found(call, "project", access.PLANNER)
    with call.store.transaction():
        promoted = milestones.promote(call.store, call.project(), milestone)
    return created(shape.milestone(call, promoted))
