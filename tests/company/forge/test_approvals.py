"""Approval rules over the wire, with python-gitlab: set, asked for, given, and in the way of a merge until then."""

from __future__ import annotations

from typing import Any

import gitlab
import pytest
import requests

from tests.company.forge.conftest import PASSWORD, person, project_with_readme
from tests.company.serving import Served


@pytest.fixture
def garden(gl: gitlab.Gitlab) -> Any:
    project = project_with_readme(gl, visibility="public")
    for name, level in (("ann", 30), ("bob", 30), ("cleo", 20)):
        project.members.create({"user_id": person(gl, name)[0].id, "access_level": level})
    project.branches.create({"branch": "ferns", "ref": "main"})
    project.files.create({"file_path": "fern.md", "branch": "ferns", "content": "Ferns", "commit_message": "Add ferns"})
    project.mergerequests.create({"source_branch": "ferns", "target_branch": "main", "title": "Ferns"})
    return project


def as_(served: Served, gl: gitlab.Gitlab, name: str) -> Any:
    token = gl.users.list(username=name)[0].impersonationtokens.create({"name": "t", "scopes": ["api"]}).token
    return gitlab.Gitlab(served.url("forge"), private_token=token).projects.get("root/garden").mergerequests.get(1)


def user_id(gl: gitlab.Gitlab, name: str) -> int:
    found: int = gl.users.list(username=name)[0].id
    return found


def code_of(what: Any, *args: Any, **more: Any) -> int:
    with pytest.raises(gitlab.GitlabError) as refusal:
        what(*args, **more)
    assert refusal.value.response_code is not None
    return refusal.value.response_code


def test_a_merge_waits_for_those_a_rule_names(served: Served, gl: gitlab.Gitlab, garden: Any) -> None:
    rule = garden.approvalrules.create(
        {"name": "Security", "approvals_required": 1, "user_ids": [user_id(gl, "ann"), user_id(gl, "cleo")]}
    )
    assert [one["username"] for one in rule.eligible_approvers] == ["ann", "cleo"]
    request = garden.mergerequests.get(1)
    assert (request.detailed_merge_status, code_of(request.merge)) == ("not_approved", 405)
    state = request.approvals.get()
    assert (state.approved, state.approvals_required, state.approvals_left) == (False, 1, 1)
    assert [one["name"] for one in state.approval_rules_left] == ["Security"]
    assert [one["username"] for one in state.suggested_approvers] == ["ann", "cleo"]
    assert code_of(as_(served, gl, "bob").approve) == 401, "a rule names others"
    bob = as_(served, gl, "bob")
    assert code_of(bob.notes.create, {"body": "/approve"}) == 400
    assert bob.approvals.get().approved_by == []
    assert bob.approvals.get().user_can_approve is False
    cleo = as_(served, gl, "cleo")
    assert cleo.approvals.get().user_can_approve is True
    cleo.notes.create({"body": "/approve"})
    state = request.approvals.get()
    assert (state.approved, state.approvals_left, state.approval_rules_left) == (True, 0, [])
    (shown,) = request.approval_state.get().rules
    assert (shown["approved"], [one["username"] for one in shown["approved_by"]]) == (True, ["cleo"])
    request.merge()
    assert garden.mergerequests.get(1).state == "merged"


def test_the_page_offers_to_approve_to_those_who_may(served: Served, gl: gitlab.Gitlab, garden: Any) -> None:
    garden.approvalrules.create({"name": "Security", "approvals_required": 1, "user_ids": [user_id(gl, "cleo")]})

    def page(name: str) -> str:
        with requests.Session() as session:
            url = served.url("forge")
            token = session.get(f"{url}/users/sign_in", timeout=30).text.partition('name="authenticity_token" value="')[
                2
            ]
            form = {"user[login]": name, "user[password]": PASSWORD, "authenticity_token": token.partition('"')[0]}
            session.post(f"{url}/users/sign_in", data=form, timeout=30)
            return session.get(f"{url}/root/garden/-/merge_requests/1", timeout=30).text

    assert "/approve" not in page("bob")
    shown = page("cleo")
    assert 'action="/root/garden/-/merge_requests/1/approve"' in shown
    assert "1 approval needed</span> for Security" in shown


def test_settings_that_the_forge_has_act_and_others_are_not_taken(gl: gitlab.Gitlab, garden: Any) -> None:
    settings = garden.approvals.get()
    assert (settings.merge_requests_author_approval, settings.require_password_to_approve) == (True, False)
    garden.approvals.update(new_data={"disable_overriding_approvers_per_merge_request": True})
    request = garden.mergerequests.get(1)
    rule = {"name": "Own", "approvals_required": 1}
    assert code_of(request.approval_rules.create, rule) == 403
    assert code_of(garden.approvals.update, new_data={"require_password_to_approve": True}) == 400
    garden.approvals.update(new_data={"disable_overriding_approvers_per_merge_request": False})
    request.approval_rules.create({**rule, "user_ids": [user_id(gl, "ann")]})
    assert request.approvals.get().approvals_left == 1
    garden.approvals.update(new_data={"merge_requests_author_approval": False})
    assert code_of(request.approve) == 401
    garden.approvals.update(new_data={"approvals_before_merge": 2})
    assert request.approvals.get().approvals_required == 3


def test_a_push_takes_approvals_away(served: Served, gl: gitlab.Gitlab, garden: Any) -> None:
    garden.approvals.update(new_data={"reset_approvals_on_push": True, "approvals_before_merge": 1})
    as_(served, gl, "ann").approve()
    request = garden.mergerequests.get(1)
    assert request.approvals.get().approvals_left == 0
    garden.files.create({"file_path": "moss.md", "branch": "ferns", "content": "Moss", "commit_message": "Add moss"})
    assert request.approvals.get().approvals_left == 1
