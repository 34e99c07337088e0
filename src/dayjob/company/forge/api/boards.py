"""Issue boards of projects and groups, and their lists."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.routes import both, delete, get, post, put
from dayjob.company.forge.rows.items import Label
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.shapes import issues as issue_shape
from dayjob.company.forge.store import access, boards
from dayjob.company.forge.store.boards import Board


def _board(call: Call, kind: str, level: int = 0) -> Board:
    return boards.find(call.store, call.place(kind, level), call.number("board_id"))


def _shape(call: Call, place: Project | Namespace, board: Board) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": board.id,
        "name": board.name,
        "hide_backlog_list": board.body.get("hide_backlog_list", False),
        "hide_closed_list": board.body.get("hide_closed_list", False),
    }
    if isinstance(place, Project):
        shown["project"] = {
            "id": place.id,
            "name": place.name,
            "path": place.path,
            "path_with_namespace": place.full_path,
            "web_url": f"{call.base}/{place.full_path}",
        }
    else:
        shown["group"] = {"id": place.id, "name": place.name, "web_url": f"{call.base}/groups/{place.full_path}"}
    milestones = issue_shape.milestones(call, [board.milestone_id])
    shown["milestone"] = milestones.get(board.milestone_id) if board.milestone_id else None
    shown["lists"] = _lists(call, board)
    shown.update(assignee=None, labels=[], weight=None)
    return shown


def _lists(call: Call, board: Board) -> list[dict[str, Any]]:
    labels = call.store.by_ids(Label, [one.label_id for one in board.lists])
    shown = []
    for position, one in enumerate(board.lists):
        label = labels.get(one.label_id or 0)
        brief = label and {
            "id": label.id, "name": label.name, "color": label.color, "description": label.description
        }  # fmt: skip
        shown.append(
            {
                "id": one.id,
                "label": brief,
                "position": position,
                "max_issue_count": 0,
                "max_issue_weight": 0,
                "limit_metric": None,
                "list_type": "label",
            }
        )
    return shown


@both(get, "/boards")
def listed(call: Call, kind: str) -> Any:
    place = call.place(kind)
    return call.paged(boards.of(call.store, place), lambda board: _shape(call, place, board))


@both(get, "/boards/{board_id}")
def show(call: Call, kind: str) -> Any:
    return _shape(call, call.place(kind), _board(call, kind))


@both(post, "/boards")
def create(call: Call, kind: str) -> Any:
    place = call.place(kind, access.PLANNER)
    return created(_shape(call, place, boards.create(call.store, place, call.filled("name"))))


@both(put, "/boards/{board_id}")
def change(call: Call, kind: str) -> Any:
    board = _board(call, kind, access.PLANNER)
    values: dict[str, Any] = {"name": call.text("name")} if call.text("name") else {}
    if call.has("milestone_id"):
        values["milestone_id"] = call.integer("milestone_id")
    for name in ("hide_backlog_list", "hide_closed_list"):
        if call.has(name):
            values[name] = call.boolean(name)
    return _shape(call, call.place(kind), boards.change(call.store, board, **values))


@both(delete, "/boards/{board_id}")
def remove(call: Call, kind: str) -> Any:
    boards.delete(call.store, _board(call, kind, access.PLANNER))
    return no_content()


@both(get, "/boards/{board_id}/lists")
def lists(call: Call, kind: str) -> Any:
    return call.paged(_lists(call, _board(call, kind)))


@both(post, "/boards/{board_id}/lists")
def add_list(call: Call, kind: str) -> Any:
    board = _board(call, kind, access.PLANNER)
    label_id = call.integer("label_id") or 0 if call.has("label_id") else None
    return created(_lists(call, boards.add_list(call.store, board, label_id))[-1])


@both(get, "/boards/{board_id}/lists/{list_id}")
def show_list(call: Call, kind: str) -> Any:
    board = _board(call, kind)
    return _lists(call, board)[board.position(call.number("list_id"))]


@both(put, "/boards/{board_id}/lists/{list_id}")
def move_list(call: Call, kind: str) -> Any:
    board, list_id = _board(call, kind, access.PLANNER), call.number("list_id")
    board.position(list_id)
    call.need("position")
    changed = boards.move_list(call.store, board, list_id, call.integer("position"))
    return _lists(call, changed)[changed.position(list_id)]


@both(delete, "/boards/{board_id}/lists/{list_id}")
def remove_list(call: Call, kind: str) -> Any:
    boards.remove_list(call.store, _board(call, kind, access.PLANNER), call.number("list_id"))
    return no_content()
