"""Who may see and do what, and how a refusal sounds."""

from __future__ import annotations

from datetime import timedelta

import gitlab
import pytest

from tests.company.forge.conftest import api, person, project_with_readme
from tests.company.serving import Served


def test_nobody_gets_401_a_stranger_404_and_a_guest_403(served: Served, gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl)
    user, lee = person(gl, "lee")
    path = f"/projects/{project.id}"
    assert api(served, "GET", path, token=None).json() == {"message": "404 Project Not Found"}
    assert api(served, "POST", f"{path}/issues", token=None, json={"title": "x"}).status_code in (401, 404)
    assert api(served, "GET", "/user", token=None).json() == {"message": "401 Unauthorized"}
    assert api(served, "GET", path, token="wrong").status_code == 401
    assert api(served, "GET", path, token=lee.private_token).status_code == 404
    project.members.create({"user_id": user.id, "access_level": 10})
    assert api(served, "GET", path, token=lee.private_token).status_code == 200
    assert api(served, "GET", f"{path}/repository/tree", token=lee.private_token).status_code == 403
    assert api(served, "PUT", path, token=lee.private_token, json={"description": "x"}).status_code == 403
    assert api(served, "POST", f"{path}/issues", token=lee.private_token, json={"title": "x"}).status_code == 201


def test_membership_is_inherited_down_groups_and_through_shares(gl: gitlab.Gitlab) -> None:
    top = gl.groups.create({"name": "Top", "path": "top"})
    below = gl.groups.create({"name": "Below", "path": "below", "parent_id": top.id})
    friends = gl.groups.create({"name": "Friends", "path": "friends"})
    project = gl.projects.create({"name": "deep", "namespace_id": below.id, "initialize_with_readme": True})
    lee, lee_client = person(gl, "lee")
    kim, kim_client = person(gl, "kim")
    top.members.create({"user_id": lee.id, "access_level": 30})
    friends.members.create({"user_id": kim.id, "access_level": 40})
    assert lee_client.projects.get("top/below/deep").permissions["group_access"]["access_level"] == 30
    lee_client.projects.get(project.id).branches.create({"branch": "topic", "ref": "main"})
    with pytest.raises(gitlab.GitlabGetError):
        kim_client.projects.get(project.id)
    project.share(friends.id, 20)
    shared = kim_client.projects.get(project.id)
    with pytest.raises(gitlab.GitlabCreateError):
        shared.branches.create({"branch": "other", "ref": "main"})
    assert [one.id for one in project.members_all.list(get_all=True)] == [1, lee.id]
    assert project.id in [one.id for one in lee_client.projects.list(membership=True)]


def test_a_membership_that_has_ended_is_in_no_list_and_can_be_given_anew(served: Served, gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl)
    project.issues.create({"title": "Wilting"})
    user, lee = person(gl, "lee")
    place = {"source_type": "Project", "source_id": project.id, "user_id": user.id}
    store = served.company.service("forge").store  # type: ignore[attr-defined]  # the forge has one
    served.call(
        lambda: store.insert("members", **place, access_level=30, expires_at="2000-01-01", created_at="2000-01-01")
    )
    assert lee.projects.list(membership=True, get_all=True) == []
    assert lee.issues.list(scope="all", get_all=True) == []
    assert lee.search("issues", "Wilting") == []
    assert user.id not in [one.id for one in project.members_all.list(get_all=True)]
    assert user.id not in [one.id for one in project.users.list(get_all=True)]
    with pytest.raises(gitlab.GitlabCreateError):
        project.members.create({"user_id": user.id, "access_level": 30, "expires_at": "2000-01-01"})
    project.members.create({"user_id": user.id, "access_level": 30, "expires_at": "2999-01-01"})
    assert [one.id for one in lee.projects.list(membership=True, get_all=True)] == [project.id]
    assert lee.search("issues", "Wilting")


def test_confidential_issues_exist_for_their_authors_and_members_only(gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl, visibility="public")
    _, lee = person(gl, "lee")
    secret = project.issues.create({"title": "Secret", "confidential": True})
    own = lee.projects.get(project.id).issues.create({"title": "My own", "confidential": True})
    seen = [one.iid for one in lee.projects.get(project.id).issues.list()]
    assert seen == [own.iid]
    with pytest.raises(gitlab.GitlabGetError):
        lee.projects.get(project.id).issues.get(secret.iid)


def test_confidential_issues_are_not_counted_for_those_who_may_not_see_them(gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl, visibility="public")
    project.labels.create({"name": "bug", "color": "#ff0000"})
    lee_user, lee = person(gl, "lee")
    for facts in ({}, {"confidential": True}, {"confidential": True, "assignee_ids": [lee_user.id]}):
        project.issues.create({"title": "One", "labels": "bug", **facts})
    for client, seen in ((gl, 3), (lee, 2)):
        there = client.projects.get(project.id)
        assert there.open_issues_count == seen
        assert there.labels.list(with_counts=True)[0].open_issues_count == seen
        assert there.issues_statistics.get().statistics["counts"]["all"] == seen


def test_an_issue_that_one_may_not_see_cannot_be_linked_to(gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl, visibility="public")
    secret = project.issues.create({"title": "Secret", "confidential": True})
    _, lee = person(gl, "lee")
    own = lee.projects.get(project.id).issues.create({"title": "My own"})
    with pytest.raises(gitlab.GitlabCreateError) as refused:
        own.links.create({"target_project_id": project.id, "target_issue_iid": secret.iid})
    assert refused.value.response_code == 404


def test_an_internal_note_is_a_to_do_for_those_it_names_who_may_see_it(gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl, visibility="public")
    _, lee = person(gl, "lee")
    kim_user, kim = person(gl, "kim")
    project.members.create({"user_id": kim_user.id, "access_level": 20})
    project.issues.create({"title": "One"}).notes.create({"body": "@lee @kim look", "internal": True})
    assert [one.body for one in kim.todos.list(get_all=True)] == ["@lee @kim look"]
    assert lee.todos.list(get_all=True) == []


def test_a_read_only_token_cannot_write_and_sudo_needs_an_administrator(served: Served, gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl)
    user, lee = person(gl, "lee")
    reader = user.impersonationtokens.create({"name": "r", "scopes": ["read_api"]}).token
    assert api(served, "GET", "/projects", token=reader).status_code == 200
    refused = api(served, "POST", "/projects", token=reader, json={"name": "x"})
    assert (refused.status_code, refused.json()["error"]) == (403, "insufficient_scope")
    assert api(served, "GET", f"/projects/{project.id}", params={"sudo": "lee"}).status_code == 404
    assert api(served, "GET", "/user", headers={"Sudo": "lee"}).json()["username"] == "lee"
    assert api(served, "GET", "/user", token=lee.private_token, params={"sudo": "root"}).status_code == 403


def test_a_blocked_account_and_a_revoked_token_open_nothing(served: Served, gl: gitlab.Gitlab) -> None:
    user, lee = person(gl, "lee")
    token = user.impersonationtokens.create({"name": "t", "scopes": ["api"]})
    token.delete()
    assert api(served, "GET", "/user", token=token.token).status_code == 401
    user.block()
    assert api(served, "GET", "/user", token=lee.private_token).status_code == 403


def test_a_token_expires_on_its_day_and_is_given_no_day_that_has_passed(served: Served, gl: gitlab.Gitlab) -> None:
    clock = served.company.clock
    day = {number: (clock.now() + timedelta(days=number)).date().isoformat() for number in range(-1, 3)}
    user, _ = person(gl, "lee")
    with pytest.raises(gitlab.GitlabCreateError) as refused:
        user.impersonationtokens.create({"name": "t", "scopes": ["api"], "expires_at": day[-1]})
    assert refused.value.response_code == 400
    over = user.impersonationtokens.create({"name": "over", "scopes": ["api"], "expires_at": day[0]})
    assert (over.active, over.expires_at) == (False, day[0])
    assert api(served, "GET", "/user", token=over.token).status_code == 401
    soon = user.impersonationtokens.create({"name": "soon", "scopes": ["api"], "expires_at": day[1]})
    later = user.impersonationtokens.create({"name": "later", "scopes": ["api"], "expires_at": day[2]})
    deploy = project_with_readme(gl).deploytokens.create(
        {"name": "ci", "scopes": ["read_repository"], "expires_at": f"{day[1]}T00:00:00Z"}
    )
    active = {"state": "active", "get_all": True}
    assert (soon.active, deploy.expired) == (True, False)
    assert {soon.id, later.id} < {one.id for one in user.impersonationtokens.list(**active)}
    clock.origin -= timedelta(days=1).total_seconds()
    assert api(served, "GET", "/user", token=soon.token).status_code == 401
    assert api(served, "GET", "/user", token=later.token).json()["username"] == "lee"
    listed = {one.id: one.active for one in user.impersonationtokens.list(state="all", get_all=True)}
    assert (listed[soon.id], listed[later.id]) == (False, True)
    assert soon.id not in {one.id for one in user.impersonationtokens.list(**active)}
    assert soon.id in {one.id for one in user.impersonationtokens.list(state="inactive", get_all=True)}
    assert [one.expired for one in gl.deploytokens.list(get_all=True)] == [True]
    assert gl.deploytokens.list(active=True, get_all=True) == []


def test_tokens_are_taken_from_header_bearer_and_query(served: Served) -> None:
    assert api(served, "GET", "/user", token=None, headers={"Authorization": "Bearer root-token"}).status_code == 200
    assert api(served, "GET", "/user", token=None, params={"private_token": "root-token"}).status_code == 200
    assert api(served, "GET", "/user", token=None, headers={"JOB-TOKEN": "root-token"}).status_code == 401
    rows = served.call(served.company.journal.requests, "forge")
    assert "root-token" not in str(rows)


def test_a_merge_needs_the_right_to_merge(gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl)
    user, lee = person(gl, "lee")
    project.members.create({"user_id": user.id, "access_level": 30})
    mine = lee.projects.get(project.id)
    mine.commits.create(
        {"branch": "topic", "start_branch": "main", "commit_message": "x",
         "actions": [{"action": "create", "file_path": "a", "content": "a"}]}
    )  # fmt: skip
    request = mine.mergerequests.create({"source_branch": "topic", "target_branch": "main", "title": "Topic"})
    with pytest.raises(gitlab.GitlabAuthenticationError):
        request.merge()
    rule = project.protectedbranches.get("main")
    rule.delete()
    project.protectedbranches.create({"name": "main", "push_access_level": 40, "merge_access_level": 30})
    request.merge()
    assert project.mergerequests.get(request.iid).merged_by["username"] == "lee"
