"""Issue boards: named sets of lists, each list a label, kept as records."""

from __future__ import annotations

import json
from typing import Any

from dayjob.company.forge.api.arguments import bad
from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.shapes import issues as issue_shape
from dayjob.company.forge.store import access
from dayjob.company.forge.store.base import dumps, not_found
from dayjob.company.forge.store.labels import Label, Milestone
from dayjob.company.forge.store.namespaces import Namespace
from dayjob.company.forge.store.projects import Project

_SELECT = "SELECT id, body, scope_id FROM records WHERE kind='board' AND scope=? AND scope_id=?"


def _owner(call: Call, scope: str, level: int = 0) -> int:
    return call.project(level).id if scope == "project" else call.group(level).id


def _shape(call: Call, scope: str, row: tuple[Any, ...]) -> dict[str, Any]:
    row_id, body, owner = row
    kept = json.loads(body)
    found: dict[str, Any] = {
        "id": row_id, "name": kept["name"], "hide_backlog_list": kept.get("hide_backlog_list", False),
        "hide_closed_list": kept.get("hide_closed_list", False),
    }  # fmt: skip
    if scope == "project":
        home = call.store.one(Project, "id=?", owner)
        assert home is not None
        found["project"] = {
            "id": home.id,
            "name": home.name,
            "path": home.path,
            "path_with_namespace": home.full_path,
            "web_url": f"{call.base}/{home.full_path}",
        }
    else:
        group = call.store.one(Namespace, "id=?", owner)
        assert group is not None
        found["group"] = {"id": group.id, "name": group.name, "web_url": f"{call.base}/groups/{group.full_path}"}
    milestone = call.store.one(Milestone, "id=?", kept["milestone_id"]) if kept.get("milestone_id") else None
    found["milestone"] = issue_shape.milestone(call, milestone) if milestone else None
    found["lists"] = [_list(call, one, at) for at, one in enumerate(kept["lists"])]
    found.update(assignee=None, labels=[], weight=None)
    return found


def _list(call: Call, one: dict[str, Any], position: int) -> dict[str, Any]:
    label = call.store.one(Label, "id=?", one["label_id"]) if one.get("label_id") else None
    shown = (
        {"id": label.id, "name": label.name, "color": label.color, "description": label.description} if label else None
    )
    return {
        "id": one["id"],
        "label": shown,
        "position": position,
        "max_issue_count": 0,
        "max_issue_weight": 0,
        "limit_metric": None,
        "list_type": "label",
    }


def _board(call: Call, scope: str, level: int = 0) -> tuple[Any, ...]:
    row: tuple[Any, ...] | None = call.store.db.execute(
        f"{_SELECT} AND id=?", (scope, _owner(call, scope, level), call.number("board_id"))
    ).fetchone()
    if row is None:
        raise not_found("Board")
    return row


def _boards(call: Call, scope: str) -> Any:
    rows = call.store.db.execute(f"{_SELECT} ORDER BY id", (scope, _owner(call, scope))).fetchall()
    return call.paged(rows, lambda row: _shape(call, scope, row))


def _create(call: Call, scope: str) -> Any:
    owner = _owner(call, scope, access.PLANNER)
    body, now = {"name": call.filled("name"), "lists": [], "next": 1}, call.store.now()
    row_id = call.store.insert(
        "records",
        kind="board",
        scope=scope,
        scope_id=owner,
        name=body["name"],
        body=dumps(body),
        created_at=now,
        updated_at=now,
    )
    return created(_shape(call, scope, (row_id, dumps(body), owner)))


def _save(call: Call, scope: str, row: tuple[Any, ...], body: dict[str, Any]) -> None:
    call.store.update("records", row[0], body=dumps(body), name=body["name"], updated_at=call.store.now())


def _change(call: Call, scope: str) -> Any:
    row = _board(call, scope, access.PLANNER)
    body = json.loads(row[1])
    if call.text("name"):
        body["name"] = call.text("name")
    if call.has("milestone_id"):
        body["milestone_id"] = call.integer("milestone_id")
    for name in ("hide_backlog_list", "hide_closed_list"):
        if call.has(name):
            body[name] = call.boolean(name)
    _save(call, scope, row, body)
    return _shape(call, scope, _board(call, scope))


def _remove(call: Call, scope: str) -> Any:
    call.store.delete("records", _board(call, scope, access.PLANNER)[0])
    return no_content()


def _lists(call: Call, scope: str) -> Any:
    return call.paged(_shape(call, scope, _board(call, scope))["lists"])


def _add_list(call: Call, scope: str) -> Any:
    row = _board(call, scope, access.PLANNER)
    body = json.loads(row[1])
    label = call.store.one(Label, "id=?", call.integer("label_id") or 0)
    if label is None:
        raise bad("label_id is invalid" if call.has("label_id") else "label_id is missing")
    one = {"id": body["next"], "label_id": label.id}
    body["lists"].append(one)
    body["next"] += 1
    _save(call, scope, row, body)
    return created(_list(call, one, len(body["lists"]) - 1))


def _one_list(call: Call, scope: str, level: int = 0) -> tuple[tuple[Any, ...], dict[str, Any], int]:
    row = _board(call, scope, level)
    body = json.loads(row[1])
    for at, one in enumerate(body["lists"]):
        if one["id"] == call.number("list_id"):
            return row, body, at
    raise not_found("List")


def _show_list(call: Call, scope: str) -> Any:
    _, body, at = _one_list(call, scope)
    return _list(call, body["lists"][at], at)


def _move_list(call: Call, scope: str) -> Any:
    row, body, at = _one_list(call, scope, access.PLANNER)
    call.need("position")
    one = body["lists"].pop(at)
    position = max(0, min(call.integer("position"), len(body["lists"])))
    body["lists"].insert(position, one)
    _save(call, scope, row, body)
    return _list(call, one, position)


def _drop_list(call: Call, scope: str) -> Any:
    row, body, at = _one_list(call, scope, access.PLANNER)
    body["lists"].pop(at)
    _save(call, scope, row, body)
    return no_content()


for _name in ("project", "group"):
    _base = f"/{_name}s/{{id}}/boards"
    _one = f"{_base}/{{board_id}}"
    get(_base)(lambda call, scope=_name: _boards(call, scope))
    post(_base)(lambda call, scope=_name: _create(call, scope))
    get(_one)(lambda call, scope=_name: _shape(call, scope, _board(call, scope)))
    put(_one)(lambda call, scope=_name: _change(call, scope))
    delete(_one)(lambda call, scope=_name: _remove(call, scope))
    get(f"{_one}/lists")(lambda call, scope=_name: _lists(call, scope))
    post(f"{_one}/lists")(lambda call, scope=_name: _add_list(call, scope))
    get(f"{_one}/lists/{{list_id}}")(lambda call, scope=_name: _show_list(call, scope))
    put(f"{_one}/lists/{{list_id}}")(lambda call, scope=_name: _move_list(call, scope))
    delete(f"{_one}/lists/{{list_id}}")(lambda call, scope=_name: _drop_list(call, scope))
