"""Activity feeds and to-do lists."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call, Json, no_content
from dayjob.company.forge.api.routes import get, post
from dayjob.company.forge.api.users import someone
from dayjob.company.forge.rows.items import Event, Issue, MergeRequest, Note, Todo
from dayjob.company.forge.shapes import issues as issue_shape
from dayjob.company.forge.shapes import merge_requests as request_shape
from dayjob.company.forge.shapes.users import basic, people
from dayjob.company.forge.store import feeds, projects, todos, users

_TYPES = {
    "issue": "Issue",
    "milestone": "Milestone",
    "merge_request": "MergeRequest",
    "note": "Note",
    "project": "Project",
    "snippet": "Snippet",
    "user": "User",
}


def _events(call: Call, **of: int) -> Any:
    """The events of an account (`author_id`) or a project (`project_id`)."""
    action = call.choice("action", tuple(feeds.ACTIONS))
    kind = call.choice("target_type", tuple(_TYPES))
    listing = feeds.events(
        call.user, **of, action=action, target_type=_TYPES[kind] if kind else None, after=_day(call, "after"),
        before=_day(call, "before"), sort=call.choice("sort", ("asc", "desc"), "desc"),
    )  # fmt: skip

    def render(rows: list[Event]) -> list[Any]:
        authors = people(call, [row.author_id for row in rows])
        notes = call.store.by_ids(Note, [row.target_id for row in rows if row.target_type == "Note"])
        return [_event(call, row, authors.get(row.author_id), notes) for row in rows]

    return call.listing(listing, render)


def _day(call: Call, name: str) -> str | None:
    return call.text(name)[:10] if call.text(name) else None


def _event(call: Call, row: Event, author: dict[str, Any] | None, notes: dict[int, Note]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": row.id,
        "project_id": row.project_id,
        "action_name": row.action,
        "target_id": row.target_id,
        "target_iid": row.target_iid,
        "target_type": row.target_type,
        "author_id": row.author_id,
        "target_title": row.target_title,
        "created_at": row.created_at,
        "author": author,
        "imported": False,
        "imported_from": "none",
        "author_username": author["username"] if author else None,
    }
    if row.push:
        found["push_data"] = row.push_data
    if row.target_type == "Note" and (note := notes.get(row.target_id or 0)) is not None:
        found["note"] = issue_shape.note(call, note)
        found["target_type"] = note.type or "Note"
    return found


@get("/events")
def mine(call: Call) -> Any:
    return _events(call, author_id=call.me.id)


@get("/users/{id}/events")
def of_user(call: Call) -> Any:
    return _events(call, author_id=someone(call).id)


@get("/projects/{id}/events")
def of_project(call: Call) -> Any:
    return _events(call, project_id=call.project().id)


# -- to-dos ------------------------------------------------------------------------------------------------------

_TODO_TYPES = (
    "Issue",
    "MergeRequest",
    "Commit",
    "Epic",
    "DesignManagement::Design",
    "AlertManagement::Alert",
    "Project",
    "Namespace",
    "Vulnerability",
    "WikiPage::Meta",
)


def todo_shape(call: Call, todo_id: int) -> dict[str, Any]:
    todo = todos.find(call.store, todo_id)
    assert todo is not None
    return _todo(call, todo)


def _todo(call: Call, todo: Todo) -> dict[str, Any]:
    project = projects.find(call.store, todo.project_id) if todo.project_id is not None else None
    target: Any = None
    if todo.target_type == "Issue" and (issue := call.store.by_ids(Issue, [todo.target_id])):
        target = issue_shape.issue(call, issue[todo.target_id])
    elif todo.target_type == "MergeRequest" and (request := call.store.by_ids(MergeRequest, [todo.target_id])):
        target = request_shape.merge_requests(call, list(request.values()))[0]
    return {
        "id": todo.id,
        "project": {
            "id": project.id,
            "name": project.name,
            "name_with_namespace": project.full_path.replace("/", " / "),
            "path": project.path,
            "path_with_namespace": project.full_path,
            "description": None,
            "created_at": None,
        }
        if project
        else None,
        "author": basic(call, users.by_id(call.store, todo.author_id)),
        "action_name": todo.action,
        "target_type": todo.target_type,
        "target": target,
        "target_url": target["web_url"] if target else None,
        "body": todo.body,
        "state": todo.state,
        "created_at": todo.created_at,
        "updated_at": todo.updated_at,
    }


@get("/todos")
def my_todos(call: Call) -> Any:
    rows = todos.listed(
        call.store,
        call.me,
        state=call.choice("state", ("pending", "done"), "pending"),
        kind=call.choice("type", _TODO_TYPES) if call.text("type") else None,
        project_id=call.integer("project_id"),
        author_id=call.integer("author_id"),
        action=call.text("action") or None,
    )
    return call.paged(rows, lambda todo: _todo(call, todo))


@post("/todos/{todo_id}/mark_as_done")
def done(call: Call) -> Any:
    return Json(_todo(call, todos.mark_done(call.store, call.me, call.number("todo_id"))), 201)


@post("/todos/mark_as_done")
def all_done(call: Call) -> Any:
    todos.mark_all_done(call.store, call.me)
    return no_content()
