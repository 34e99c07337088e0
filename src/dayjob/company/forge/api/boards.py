"""Issue boards of projects and groups, and their lists."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.rows.items import Label
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.shapes import issues as issue_shape
from dayjob.company.forge.store import access, boards
from dayjob.company.forge.store.boards import Board


def _place(call: Call, scope: str, level: int = 0) -> Project | Namespace:
    return call.project(level) if scope == "project" else call.group(level)


def _board(call: Call, scope: str, level: int = 0) -> Board:
    return boards.find(call.store, _place(call, scope, level), call.number("board_id"))


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


def _list(call: Call, scope: str) -> Any:
    place = _place(call, scope)
    return call.paged(boards.of(call.store, place), lambda board: _shape(call, place, board))


def _show(call: Call, scope: str) -> Any:
    return _shape(call, _place(call, scope), _board(call, scope))


def _create(call: Call, scope: str) -> Any:
    place = _place(call, scope, access.PLANNER)
    return created(_shape(call, place, boards.create(call.store, place, call.filled("name"))))


def _change(call: Call, scope: str) -> Any:
    board = _board(call, scope, access.PLANNER)
    values: dict[str, Any] = {"name": call.text("name")} if call.text("name") else {}
    if call.has("milestone_id"):
        values["milestone_id"] = call.integer("milestone_id")
    for name in ("hide_backlog_list", "hide_closed_list"):
        if call.has(name):
            values[name] = call.boolean(name)
    return _shape(call, _place(call, scope), boards.change(call.store, board, **values))


def _remove(call: Call, scope: str) -> Any:
    boards.delete(call.store, _board(call, scope, access.PLANNER))
    return no_content()


def _add_list(call: Call, scope: str) -> Any:
    board = _board(call, scope, access.PLANNER)
    label_id = call.integer("label_id") or 0 if call.has("label_id") else None
    return created(_lists(call, boards.add_list(call.store, board, label_id))[-1])


def _show_list(call: Call, scope: str) -> Any:
    board = _board(call, scope)
    return _lists(call, board)[board.position(call.number("list_id"))]


def _move_list(call: Call, scope: str) -> Any:
    board, list_id = _board(call, scope, access.PLANNER), call.number("list_id")
    board.position(list_id)
    call.need("position")
    changed = boards.move_list(call.store, board, list_id, call.integer("position"))
    return _lists(call, changed)[changed.position(list_id)]


def _remove_list(call: Call, scope: str) -> Any:
    boards.remove_list(call.store, _board(call, scope, access.PLANNER), call.number("list_id"))
    return no_content()


for _name in ("project", "group"):
    _base = f"/{_name}s/{{id}}/boards"
    _one = f"{_base}/{{board_id}}"
    get(_base)(lambda call, scope=_name: _list(call, scope))
    post(_base)(lambda call, scope=_name: _create(call, scope))
    get(_one)(lambda call, scope=_name: _show(call, scope))
    put(_one)(lambda call, scope=_name: _change(call, scope))
    delete(_one)(lambda call, scope=_name: _remove(call, scope))
    get(f"{_one}/lists")(lambda call, scope=_name: call.paged(_lists(call, _board(call, scope))))
    post(f"{_one}/lists")(lambda call, scope=_name: _add_list(call, scope))
    get(f"{_one}/lists/{{list_id}}")(lambda call, scope=_name: _show_list(call, scope))
    put(f"{_one}/lists/{{list_id}}")(lambda call, scope=_name: _move_list(call, scope))
    delete(f"{_one}/lists/{{list_id}}")(lambda call, scope=_name: _remove_list(call, scope))
