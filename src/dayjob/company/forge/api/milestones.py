"""Milestones of projects and groups."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.shapes import issues as shape
from dayjob.company.forge.shapes import merge_requests as request_shape
from dayjob.company.forge.store import access, labels, namespaces, visibility
from dayjob.company.forge.store.base import Listing, invalid, like, not_found, refused
from dayjob.company.forge.store.issues import Issue
from dayjob.company.forge.store.labels import Milestone
from dayjob.company.forge.store.merge_requests import MergeRequest


def _place(call: Call, kind: str, level: int = 0) -> tuple[str, int]:
    if kind == "projects":
        return "project_id", call.project(level).id
    return "group_id", call.group(level).id


def _found(call: Call, kind: str, level: int = 0) -> Milestone:
    column, owner = _place(call, kind, level)
    found = call.store.one(Milestone, f"id=? AND {column}=?", call.number("milestone_id"), owner)
    if found is None and kind == "projects" and not level:
        found = labels.find_milestone(call.store, call.project(), call.number("milestone_id"))
    if found is None:
        raise not_found()
    return found


def _listed(call: Call, kind: str) -> Any:
    column, owner = _place(call, kind)
    where, args = f"{column}=?", [owner]
    if call.boolean("include_parent_milestones") or call.boolean("include_ancestors"):
        if kind == "projects":
            where, args = labels.reach(call.store, call.project())
        else:
            above = namespaces.ancestors(call.store, owner)
            where, args = f"group_id IN ({','.join('?' * len(above))})", above
    arguments: list[Any] = list(args)
    iids = call.numbers("iids")
    if iids:
        where += f" AND iid IN ({','.join('?' * len(iids))})"
        arguments += iids
    state = call.choice("state", ("active", "closed", "all"), "all")
    if state != "all":
        where += " AND state=?"
        arguments.append(state)
    if call.text("title"):
        where += " AND title=?"
        arguments.append(call.text("title"))
    if call.text("search"):
        where += " AND (title LIKE ? ESCAPE '\\' OR description LIKE ? ESCAPE '\\')"
        arguments += [like(call.text("search"))] * 2
    listing = Listing(
        Milestone,
        f"FROM milestones WHERE {where}",
        arguments,
        "milestones.due_date IS NULL, milestones.due_date ASC, milestones.id DESC",
    )
    return call.listing(listing, lambda rows: [shape.milestone(call, one) for one in rows])


def _create(call: Call, kind: str) -> Any:
    column, owner = _place(call, kind, access.PLANNER)
    call.need("title")
    milestone = labels.create_milestone(
        call.store,
        column,
        owner,
        call.needed("title"),
        description=call.text("description"),
        due_date=labels.day(call.text("due_date"), "due_date"),
        start_date=labels.day(call.text("start_date"), "start_date"),
    )
    return created(shape.milestone(call, milestone))


def _change(call: Call, kind: str) -> Any:
    found = _found(call, kind, access.PLANNER)
    values: dict[str, Any] = {}
    if call.has("title"):
        title = call.filled("title")
        if call.store.value(
            "SELECT 1 FROM milestones WHERE title=? AND project_id IS ? AND group_id IS ? AND id<>?",
            title,
            found.project_id,
            found.group_id,
            found.id,
        ):
            raise invalid(title=["has already been taken"])
        values["title"] = title
    if call.has("description"):
        values["description"] = call.text("description")
    for name in ("due_date", "start_date"):
        if call.has(name):
            values[name] = labels.day(call.text(name), name)
    event = call.choice("state_event", ("close", "activate"))
    if event:
        values["state"] = "closed" if event == "close" else "active"
    labels.check_days(values.get("start_date", found.start_date), values.get("due_date", found.due_date))
    call.store.update("milestones", found.id, **values, updated_at=call.store.now())
    fresh = call.store.one(Milestone, "id=?", found.id)
    assert fresh is not None
    return shape.milestone(call, fresh)


def _delete(call: Call, kind: str) -> Any:
    call.store.delete("milestones", _found(call, kind, access.PLANNER).id)
    return no_content()


def _issues(call: Call, kind: str) -> Any:
    found = _found(call, kind)
    where = f"FROM issues t WHERE t.milestone_id=? AND {visibility.issues(call.user)}"
    return call.listing(Listing(Issue, where, [found.id], "t.id DESC", "t"), lambda rows: shape.issues(call, rows))


def _requests(call: Call, kind: str) -> Any:
    found = _found(call, kind)
    where = f"FROM merge_requests t WHERE t.milestone_id=? AND {visibility.requests(call.user)}"
    listing = Listing(MergeRequest, where, [found.id], "t.id DESC", "t")
    return call.listing(listing, lambda rows: request_shape.merge_requests(call, rows))


def _register(kind: str) -> None:
    base = f"/{kind}/{{id}}/milestones"
    one = f"{base}/{{milestone_id}}"
    get(base)(lambda call: _listed(call, kind))
    post(base)(lambda call: _create(call, kind))
    get(one)(lambda call: shape.milestone(call, _found(call, kind)))
    put(one)(lambda call: _change(call, kind))
    delete(one)(lambda call: _delete(call, kind))
    get(f"{one}/issues")(lambda call: _issues(call, kind))
    get(f"{one}/merge_requests")(lambda call: _requests(call, kind))


for _kind in ("projects", "groups"):
    _register(_kind)


@post("/projects/{id}/milestones/{milestone_id}/promote")
def promote(call: Call) -> Any:
    project = call.project(access.PLANNER)
    found = _found(call, "projects", access.PLANNER)
    space = namespaces.find(call.store, project.namespace_id, "group")
    if space is None:
        raise refused(400, "400 Bad request - Project does not belong to a group.")
    with call.store.transaction():
        iid = call.store.next_iid("namespaces", space.id, "milestones_seq")
        call.store.update("milestones", found.id, project_id=None, group_id=space.id, iid=iid)
    fresh = call.store.one(Milestone, "id=?", found.id)
    assert fresh is not None
    return created(shape.milestone(call, fresh))
