"""Activity feeds and to-do lists."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call, Json, no_content
from dayjob.company.forge.api.routes import get, post
from dayjob.company.forge.api.users import someone
from dayjob.company.forge.shapes import issues as issue_shape
from dayjob.company.forge.shapes import merge_requests as request_shape
from dayjob.company.forge.shapes.users import basic, people
from dayjob.company.forge.store import visibility
from dayjob.company.forge.store.base import Listing, not_found
from dayjob.company.forge.store.events import Event
from dayjob.company.forge.store.issues import Issue
from dayjob.company.forge.store.merge_requests import MergeRequest
from dayjob.company.forge.store.notes import Note
from dayjob.company.forge.store.users import User

_ACTIONS = {
    "approved": "approved",
    "closed": "closed",
    "commented": "commented on",
    "created": "opened",
    "destroyed": "destroyed",
    "expired": "expired",
    "joined": "joined",
    "left": "left",
    "merged": "accepted",
    "pushed": "pushed to",
    "reopened": "reopened",
    "updated": "updated",
}
_TYPES = {
    "issue": "Issue",
    "milestone": "Milestone",
    "merge_request": "MergeRequest",
    "note": "Note",
    "project": "Project",
    "snippet": "Snippet",
    "user": "User",
}


def _events(call: Call, where: str, args: list[Any]) -> Any:
    action = call.choice("action", tuple(_ACTIONS))
    if action == "pushed":
        where += " AND e.action IN ('pushed to','pushed new','deleted')"
    elif action:
        where += " AND e.action=?"
        args.append(_ACTIONS[action])
    kind = call.choice("target_type", tuple(_TYPES))
    if kind:
        where += " AND e.target_type=?"
        args.append(_TYPES[kind])
    for name, sign in (("after", ">"), ("before", "<")):
        if call.text(name):
            where += f" AND substr(e.created_at,1,10){sign}?"
            args.append(call.text(name)[:10])
    where += f" AND {visibility.events(call.user)}"
    sort = call.choice("sort", ("asc", "desc"), "desc")

    def render(rows: list[Event]) -> list[Any]:
        users = people(call, [row.author_id for row in rows])
        return [_event(call, row, users) for row in rows]

    return call.listing(Listing(Event, f"FROM events e WHERE {where}", args, f"e.id {sort}", "e"), render)


def _event(call: Call, row: Event, users: dict[int, dict[str, Any]]) -> dict[str, Any]:
    author = users.get(row.author_id)
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
    if row.target_type == "Note":
        note = call.store.one(Note, "id=?", row.target_id)
        if note is not None:
            found["note"] = issue_shape.note(call, note)
            found["target_type"] = note.type or "Note"
    return found


@get("/events")
def mine(call: Call) -> Any:
    return _events(call, "e.author_id=?", [call.me.id])


@get("/users/{id}/events")
def of_user(call: Call) -> Any:
    return _events(call, "e.author_id=?", [someone(call).id])


@get("/projects/{id}/events")
def of_project(call: Call) -> Any:
    return _events(call, "e.project_id=?", [call.project().id])


# -- to-dos ------------------------------------------------------------------------------------------------------

_TODO = (
    "SELECT id, project_id, author_id, action, target_type, target_id, body, state, created_at, updated_at FROM todos"
)


def todo_shape(call: Call, todo_id: int) -> dict[str, Any]:
    row = call.store.db.execute(f"{_TODO} WHERE id=?", (todo_id,)).fetchone()
    return _todo(call, row)


def _todo(call: Call, row: tuple[Any, ...]) -> dict[str, Any]:
    todo_id, project_id, author_id, action, kind, target_id, body, state, created_at, updated_at = row
    author = call.store.one(User, "id=?", author_id)
    project = call.store.db.execute(
        "SELECT id, name, path, full_path FROM projects WHERE id=?", (project_id,)
    ).fetchone()
    target: Any = None
    if kind == "Issue" and (issue := call.store.one(Issue, "id=?", target_id)):
        target = issue_shape.issue(call, issue)
    elif kind == "MergeRequest" and (request := call.store.one(MergeRequest, "id=?", target_id)):
        target = request_shape.merge_requests(call, [request])[0]
    return {
        "id": todo_id,
        "project": {
            "id": project[0],
            "name": project[1],
            "name_with_namespace": project[3].replace("/", " / "),
            "path": project[2],
            "path_with_namespace": project[3],
            "description": None,
            "created_at": None,
        }
        if project
        else None,
        "author": basic(call, author),
        "action_name": action,
        "target_type": kind,
        "target": target,
        "target_url": target["web_url"] if target else None,
        "body": body,
        "state": state,
        "created_at": created_at,
        "updated_at": updated_at,
    }


@get("/todos")
def todos(call: Call) -> Any:
    where = f"user_id=? AND {visibility.todos(call.me)}"
    conditions: list[Any] = [call.me.id]
    state = call.choice("state", ("pending", "done"), "pending")
    where += " AND state=?"
    conditions.append(state)
    if call.text("type"):
        where += " AND target_type=?"
        conditions.append(
            call.choice(
                "type",
                (
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
                ),
            )
        )
    for name, column in (("project_id", "project_id"), ("author_id", "author_id")):
        if call.integer(name) is not None:
            where += f" AND {column}=?"
            conditions.append(call.integer(name))
    if call.text("action"):
        where += " AND action=?"
        conditions.append(call.text("action"))
    rows = call.store.db.execute(f"{_TODO} WHERE {where} ORDER BY id DESC", conditions).fetchall()
    return call.paged(rows, lambda row: _todo(call, row))


@post("/todos/{todo_id}/mark_as_done")
def done(call: Call) -> Any:
    todo_id = call.number("todo_id")
    if not call.store.value("SELECT 1 FROM todos WHERE id=? AND user_id=?", todo_id, call.me.id):
        raise not_found()
    call.store.update("todos", todo_id, state="done", updated_at=call.store.now())
    return Json(todo_shape(call, todo_id), 201)


@post("/todos/mark_as_done")
def all_done(call: Call) -> Any:
    call.store.db.execute(
        "UPDATE todos SET state='done', updated_at=? WHERE user_id=? AND state='pending'",
        (call.store.now(), call.me.id),
    )
    return no_content()
