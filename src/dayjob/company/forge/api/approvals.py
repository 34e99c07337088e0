"""Approvals of merge requests, and the rules that ask for them."""

from __future__ import annotations

import json
from typing import Any

from dayjob.company.forge.api.call import Call, Json, created, no_content
from dayjob.company.forge.api.issue_relations import find_request
from dayjob.company.forge.api.merge_requests import REQUEST, announce
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.api.shapes import merge_requests as shape
from dayjob.company.forge.api.shapes.users import basic
from dayjob.company.forge.store import access, approving
from dayjob.company.forge.store.base import dumps, forbidden, not_found, refused
from dayjob.company.forge.store.merge_requests import MergeRequest
from dayjob.company.forge.store.namespaces import Namespace
from dayjob.company.forge.store.projects import Project
from dayjob.company.forge.store.users import User


def _state(call: Call, project: Project, request: MergeRequest) -> dict[str, Any]:
    rows = call.store.db.execute(
        "SELECT user_id, created_at FROM approvals WHERE merge_request_id=? ORDER BY id", (request.id,)
    ).fetchall()
    left = shape.approvals_left(call, request, project)
    given = [one for one, _ in rows]
    mine = call.user is not None and call.user.id in given
    may = (
        call.user is not None
        and not mine
        and request.state == "opened"
        and access.project_level(call.store, call.user, project) >= access.DEVELOPER
    )
    return {
        "id": request.id,
        "iid": request.iid,
        "project_id": project.id,
        "title": request.title,
        "description": request.description,
        "state": request.state,
        "created_at": request.created_at,
        "updated_at": request.updated_at,
        "merge_status": request.merge_status,
        "approved": left == 0,
        "approvals_required": shape.approvals_required(call, request, project),
        "approvals_left": left,
        "require_password_to_approve": False,
        "approved_by": [
            {"user": basic(call, call.store.one(User, "id=?", one)), "approved_at": at} for one, at in rows
        ],
        "suggested_approvers": [],
        "approvers": [],
        "approver_groups": [],
        "user_has_approved": mine,
        "user_can_approve": may,
        "approval_rules_left": [],
        "has_approval_rules": False,
        "merge_request_approvers_available": True,
        "multiple_approval_rules_available": True,
        "invalid_approvers_rules": [],
    }


@get(f"{REQUEST}/approvals")
def approvals(call: Call) -> Any:
    project, request = find_request(call)
    return _state(call, project, request)


@post(f"{REQUEST}/approve")
def approve(call: Call) -> Any:
    project, request = find_request(call)
    me = call.me
    if not approving.may_approve(call.store, me, project, request):
        raise refused(401, "401 Unauthorized")
    if call.text("sha") and call.text("sha") != request.head_sha:
        raise refused(409, f"SHA does not match HEAD of source branch: {request.head_sha}")
    with call.store.transaction():
        approving.approve(call.store, me, project, request)
    announce(call, project, request, "approved")
    return created(_state(call, project, request))


@post(f"{REQUEST}/unapprove")
def unapprove(call: Call) -> Any:
    project, request = find_request(call)
    if not approving.unapprove(call.store, call.me, project, request):
        raise not_found()
    return created(_state(call, project, request))


@put(f"{REQUEST}/reset_approvals")
def reset(call: Call) -> Any:
    _, request = find_request(call)
    if not call.me.bot and not call.me.admin:
        raise refused(401, "401 Unauthorized")
    call.store.db.execute("DELETE FROM approvals WHERE merge_request_id=?", (request.id,))
    return Json({"message": "202 Accepted"}, 202)


@get(f"{REQUEST}/approval_state")
def approval_state(call: Call) -> Any:
    project, request = find_request(call)
    return {
        "approval_rules_overwritten": False,
        "rules": [
            _rule(call, row) for row in _rules(call, "project", project.id) + _rules(call, "merge_request", request.id)
        ],
    }


# -- settings and rules ------------------------------------------------------------------------------------------

_SETTINGS = {
    "approvals_before_merge": 0, "reset_approvals_on_push": False, "selective_code_owner_removals": False,
    "disable_overriding_approvers_per_merge_request": False, "merge_requests_author_approval": True,
    "merge_requests_disable_committers_approval": False, "require_password_to_approve": False,
    "require_reauthentication_to_approve": False,
}  # fmt: skip


def _settings(project: Project) -> dict[str, Any]:
    return {
        **{name: project.options.get(name, default) for name, default in _SETTINGS.items()},
        "approvers": [],
        "approver_groups": [],
    }


@get("/projects/{id}/approvals")
def settings(call: Call) -> Any:
    return _settings(call.project(access.MAINTAINER))


@post("/projects/{id}/approvals")
def change_settings(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    changed = {
        name: call.boolean(name) if isinstance(default, bool) else call.integer(name)
        for name, default in _SETTINGS.items()
        if call.has(name)
    }
    call.store.update("projects", project.id, settings=dumps({**json.loads(project.settings), **changed}))
    return created(_settings(call.project()))


def _rules(call: Call, scope: str, owner: int) -> list[tuple[int, str]]:
    return call.store.db.execute(
        "SELECT id, body FROM records WHERE kind='approval_rule' AND scope=? AND scope_id=? ORDER BY id", (scope, owner)
    ).fetchall()


def _rule(call: Call, row: tuple[int, str]) -> dict[str, Any]:
    body = json.loads(row[1])
    people = call.store.by_ids(User, body["user_ids"])
    groups = call.store.by_ids(Namespace, body["group_ids"])
    shown = [basic(call, one) for one in people.values()]
    return {
        "id": row[0],
        "name": body["name"],
        "rule_type": body.get("rule_type", "regular"),
        "report_type": None,
        "eligible_approvers": shown,
        "approvals_required": body["approvals_required"],
        "users": shown,
        "groups": [
            {"id": one.id, "name": one.name, "path": one.path, "full_path": one.full_path} for one in groups.values()
        ],
        "contains_hidden_groups": False,
        "protected_branches": [],
        "applies_to_all_protected_branches": False,
    }


def _place(call: Call, scope: str) -> int:
    if scope == "project":
        return call.project(access.MAINTAINER).id
    return find_request(call, access.DEVELOPER)[1].id


def _one(call: Call, scope: str) -> tuple[int, str]:
    owner = _place(call, scope)
    for row in _rules(call, scope, owner):
        if row[0] == call.number("rule_id"):
            return row
    raise not_found()


def _body(call: Call, old: dict[str, Any]) -> dict[str, Any]:
    required = call.integer("approvals_required", old.get("approvals_required", 1))
    if required < 0:
        raise forbidden("approvals_required must not be negative")
    return {
        "name": call.text("name", old.get("name")), "approvals_required": required,
        "user_ids": call.numbers("user_ids") if call.has("user_ids") else old.get("user_ids", []),
        "group_ids": call.numbers("group_ids") if call.has("group_ids") else old.get("group_ids", []),
        "rule_type": call.text("rule_type", old.get("rule_type", "regular")),
    }  # fmt: skip


def _create(call: Call, scope: str) -> Any:
    owner = _place(call, scope)
    call.need("name", "approvals_required")
    now = call.store.now()
    body = _body(call, {})
    row_id = call.store.insert(
        "records",
        kind="approval_rule",
        scope=scope,
        scope_id=owner,
        name=body["name"],
        body=dumps(body),
        created_at=now,
        updated_at=now,
    )
    return created(_rule(call, (row_id, dumps(body))))


def _change(call: Call, scope: str) -> Any:
    row = _one(call, scope)
    body = dumps(_body(call, json.loads(row[1])))
    call.store.update("records", row[0], body=body, updated_at=call.store.now())
    return _rule(call, (row[0], body))


def _remove(call: Call, scope: str) -> Any:
    call.store.delete("records", _one(call, scope)[0])
    return no_content()


for _base, _scope in (("/projects/{id}/approval_rules", "project"), (f"{REQUEST}/approval_rules", "merge_request")):
    get(_base)(
        lambda call, scope=_scope: call.paged(_rules(call, scope, _place(call, scope)), lambda row: _rule(call, row))
    )
    post(_base)(lambda call, scope=_scope: _create(call, scope))
    get(f"{_base}/{{rule_id}}")(lambda call, scope=_scope: _rule(call, _one(call, scope)))
    put(f"{_base}/{{rule_id}}")(lambda call, scope=_scope: _change(call, scope))
    delete(f"{_base}/{{rule_id}}")(lambda call, scope=_scope: _remove(call, scope))
