"""Approvals of merge requests, and the rules that ask for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dayjob.company.forge.api.call import Call, Json, created, no_content
from dayjob.company.forge.api.merge_requests import REQUEST, announce, find_request
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.errors import not_found, refused
from dayjob.company.forge.rows.items import MergeRequest
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.shapes.users import basic
from dayjob.company.forge.store import access, approvals, projects, users
from dayjob.company.forge.store.approvals import Rule


def _state(call: Call, project: Project, request: MergeRequest) -> dict[str, Any]:
    state = approvals.state_of(call.store, project, request)
    named = [rule for rule in state.rules if rule.rule.id is not None]
    waited_for = sorted(
        {user_id for rule in state.rules for user_id in rule.approvers if user_id not in rule.approved_by}
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
        "approved": state.left == 0,
        "approvals_required": state.required,
        "approvals_left": state.left,
        "require_password_to_approve": False,
        "approved_by": [
            {"user": basic(call, users.by_id(call.store, user_id)), "approved_at": at} for user_id, at in state.given
        ],
        "suggested_approvers": _people(call, waited_for),
        "approvers": [],
        "approver_groups": [],
        "user_has_approved": call.user is not None and call.user.id in (user_id for user_id, _ in state.given),
        "user_can_approve": call.user is not None and approvals.may_approve(call.store, call.user, project, request),
        "approval_rules_left": [_brief(rule.rule) for rule in named if rule.left],
        "has_approval_rules": bool(named),
        "merge_request_approvers_available": True,
        "multiple_approval_rules_available": True,
        "invalid_approvers_rules": [_brief(rule.rule) for rule in named if rule.invalid],
    }


def _brief(rule: Rule) -> dict[str, Any]:
    return {"id": rule.id, "name": rule.name, "rule_type": rule.rule_type}


def _people(call: Call, user_ids: Sequence[int]) -> list[dict[str, Any] | None]:
    people = call.store.by_ids(User, list(user_ids))
    return [basic(call, people[user_id]) for user_id in user_ids if user_id in people]


@get(f"{REQUEST}/approvals")
def show(call: Call) -> Any:
    project, request = find_request(call)
    return _state(call, project, request)


@post(f"{REQUEST}/approve")
def approve(call: Call) -> Any:
    project, request = find_request(call)
    me = call.me
    if not approvals.may_approve(call.store, me, project, request):
        raise refused(401, "401 Unauthorized")
    if call.text("sha") and call.text("sha") != request.head_sha:
        raise refused(409, f"SHA does not match HEAD of source branch: {request.head_sha}")
    with call.store.transaction():
        approvals.approve(call.store, me, project, request)
    complete = approvals.state_of(call.store, project, request).left == 0
    announce(call, project, request, "approved" if complete else "approval")
    return created(_state(call, project, request))


@post(f"{REQUEST}/unapprove")
def unapprove(call: Call) -> Any:
    project, request = find_request(call)
    complete = approvals.state_of(call.store, project, request).left == 0
    if not approvals.unapprove(call.store, call.me, project, request):
        raise not_found()
    announce(call, project, request, "unapproved" if complete else "unapproval")
    return created(_state(call, project, request))


@put(f"{REQUEST}/reset_approvals")
def reset(call: Call) -> Any:
    _, request = find_request(call)
    if not call.me.bot and not call.me.admin:
        raise refused(401, "401 Unauthorized")
    approvals.reset(call.store, request)
    return Json({"message": "202 Accepted"}, 202)


@get(f"{REQUEST}/approval_state")
def approval_state(call: Call) -> Any:
    project, request = find_request(call)
    state = approvals.state_of(call.store, project, request)
    return {
        "approval_rules_overwritten": any(one.rule.project_rule_id is not None for one in state.rules),
        "rules": [
            {
                **_rule(call, project, one.rule),
                "source_rule": one.rule.project_rule_id,
                "approved": one.left == 0,
                "approved_by": _people(call, one.approved_by),
            }
            for one in state.rules
            if one.rule.id is not None
        ],
    }


# -- settings ----------------------------------------------------------------------------------------------------

_SETTINGS = (
    "approvals_before_merge", "reset_approvals_on_push", "disable_overriding_approvers_per_merge_request",
    "merge_requests_author_approval", "merge_requests_disable_committers_approval",
)  # fmt: skip
# What the forge does not have: code owners, and a password to approve with.
_NEVER = {
    "selective_code_owner_removals": False, "require_password_to_approve": False,
    "require_reauthentication_to_approve": False, "approvers": [], "approver_groups": [],
}  # fmt: skip


def _settings(project: Project) -> dict[str, Any]:
    return {**{name: project.options[name] for name in _SETTINGS}, **_NEVER}


@get("/projects/{id}/approvals")
def settings(call: Call) -> Any:
    return _settings(call.project(access.MAINTAINER))


@post("/projects/{id}/approvals")
def change_settings(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    changed = {
        name: call.integer(name) if name == "approvals_before_merge" else call.boolean(name)
        for name in _SETTINGS
        if call.has(name)
    }
    if not changed:
        raise refused(400, f"{', '.join(_SETTINGS)} are missing, at least one parameter must be provided")
    projects.change_settings(call.store, project, changed)
    return created(_settings(call.project()))


# -- rules -------------------------------------------------------------------------------------------------------


def _rule(call: Call, project: Project, rule: Rule) -> dict[str, Any]:
    groups = call.store.by_ids(Namespace, list(rule.group_ids))
    return {
        "id": rule.id,
        "name": rule.name,
        "rule_type": rule.rule_type,
        "report_type": None,
        "eligible_approvers": _people(call, approvals.named_approvers(call.store, project, rule)),
        "approvals_required": rule.approvals_required,
        "users": _people(call, rule.user_ids),
        "groups": [
            {"id": group.id, "name": group.name, "path": group.path, "full_path": group.full_path}
            for group in groups.values()
        ],
        "contains_hidden_groups": False,
        "protected_branches": [],
        "applies_to_all_protected_branches": False,
    }


def _place(call: Call, scope: str, *, changing: bool = False) -> tuple[Project, int]:
    """The project, and the id of whatever has the rules."""
    if scope == "project":
        project = call.project(access.MAINTAINER)
        return project, project.id
    project, request = find_request(call, access.DEVELOPER)
    if changing:
        approvals.check_overriding(project)
    return project, request.id


def _given(call: Call, rule: Rule) -> Rule:
    """The rule with what the request says of it."""
    return replace(
        rule,
        name=call.text("name") or rule.name,
        approvals_required=call.integer("approvals_required", rule.approvals_required),
        user_ids=tuple(call.numbers("user_ids") or ()) if call.has("user_ids") else rule.user_ids,
        group_ids=tuple(call.numbers("group_ids") or ()) if call.has("group_ids") else rule.group_ids,
    )


def _list(call: Call, scope: str) -> Any:
    project, owner = _place(call, scope)
    return call.paged(approvals.rules_of(call.store, scope, owner), lambda rule: _rule(call, project, rule))


def _show(call: Call, scope: str) -> Any:
    project, owner = _place(call, scope)
    return _rule(call, project, approvals.find_rule(call.store, scope, owner, call.number("rule_id")))


def _create(call: Call, scope: str) -> Any:
    project, owner = _place(call, scope, changing=True)
    call.need("name", "approvals_required")
    source = call.integer("approval_project_rule_id") if scope == "merge_request" else None
    if source is not None:
        approvals.find_rule(call.store, "project", project.id, source)
    rule = Rule(None, "", 0, rule_type=call.text("rule_type") or approvals.REGULAR, project_rule_id=source)
    return created(_rule(call, project, approvals.add_rule(call.store, scope, owner, _given(call, rule))))


def _change(call: Call, scope: str) -> Any:
    project, owner = _place(call, scope, changing=True)
    rule = _given(call, approvals.find_rule(call.store, scope, owner, call.number("rule_id")))
    return _rule(call, project, approvals.change_rule(call.store, scope, owner, rule))


def _remove(call: Call, scope: str) -> Any:
    _, owner = _place(call, scope, changing=True)
    approvals.remove_rule(call.store, approvals.find_rule(call.store, scope, owner, call.number("rule_id")))
    return no_content()


for _base, _scope in (("/projects/{id}/approval_rules", "project"), (f"{REQUEST}/approval_rules", "merge_request")):
    get(_base)(lambda call, scope=_scope: _list(call, scope))
    post(_base)(lambda call, scope=_scope: _create(call, scope))
    get(f"{_base}/{{rule_id}}")(lambda call, scope=_scope: _show(call, scope))
    put(f"{_base}/{{rule_id}}")(lambda call, scope=_scope: _change(call, scope))
    delete(f"{_base}/{{rule_id}}")(lambda call, scope=_scope: _remove(call, scope))
