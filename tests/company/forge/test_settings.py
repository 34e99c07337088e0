"""Settings that act: of the instance, of groups, of projects and of accounts."""

from __future__ import annotations

import hashlib
from typing import Any

import gitlab
import pytest

from dayjob.company.forge.service import Forge
from dayjob.company.forge.store import groups, users
from tests.company.forge.conftest import api, person, project_with_readme
from tests.company.serving import Served


def test_new_projects_and_groups_are_as_the_instance_has_it(gl: gitlab.Gitlab) -> None:
    settings = gl.settings.get()
    settings.default_project_visibility = settings.default_group_visibility = "internal"
    settings.default_branch_name = "trunk"
    settings.save()
    project = project_with_readme(gl)
    assert (project.visibility, project.default_branch) == ("internal", "trunk")
    assert [branch.name for branch in project.branches.list()] == ["trunk"]
    assert gl.projects.create({"name": "said", "visibility": "public"}).visibility == "public"
    assert gl.groups.create({"name": "open", "path": "open"}).visibility == "internal"
    closed = gl.groups.create({"name": "closed", "path": "closed", "visibility": "private"})
    assert gl.projects.create({"name": "inside", "namespace_id": closed.id}).visibility == "private"


def test_a_setting_that_the_instance_does_not_have_is_not_kept(served: Served) -> None:
    api(served, "PUT", "/application/appearance", json={"title": "Garden"})
    answer = api(served, "PUT", "/application/settings", json={"no_such_setting": 1, "signup_enabled": True}).json()
    assert answer["signup_enabled"] is True
    assert not {"no_such_setting", "appearance"} & set(answer)
    wrong = api(served, "PUT", "/application/settings", json={"default_project_visibility": "secret"})
    assert wrong.status_code == 400


def test_accounts_have_as_many_projects_of_their_own_as_they_may(served: Served, gl: gitlab.Gitlab) -> None:
    api(served, "PUT", "/application/settings", json={"default_projects_limit": 1})
    user, lee = person(gl, "lee")
    assert gl.users.get(user.id).projects_limit == 1
    lee.projects.create({"name": "one"})
    with pytest.raises(gitlab.GitlabCreateError, match="limit of 1 projects") as error:
        lee.projects.create({"name": "two"})
    assert error.value.response_code == 403
    group = lee.groups.create({"name": "group", "path": "group"})
    lee.projects.create({"name": "two", "namespace_id": group.id})
    user.projects_limit = 2
    user.save()
    lee.projects.create({"name": "two"})


@pytest.mark.parametrize(
    ("level", "made_by"),
    [("noone", []), ("owner", ["root"]), ("maintainer", ["root", "may"]), ("developer", ["root", "may", "dev"])],
)
def test_who_creates_projects_in_a_group(gl: gitlab.Gitlab, level: str, made_by: list[str]) -> None:
    group: Any = gl.groups.create({"name": "beds", "path": "beds", "project_creation_level": level})
    clients = {"root": gl}
    for name, role in (("may", 40), ("dev", 30)):
        user, clients[name] = person(gl, name)
        group.members.create({"user_id": user.id, "access_level": role})
    for name, client in clients.items():
        given = {"name": f"of {name}", "namespace_id": group.id}
        if name in made_by:
            client.projects.create(given)
        else:
            with pytest.raises(gitlab.GitlabCreateError, match="is not valid"):
                client.projects.create(given)
    assert len(group.projects.list()) == len(made_by)


def test_who_creates_subgroups(served: Served, gl: gitlab.Gitlab) -> None:
    group = gl.groups.create({"name": "beds", "path": "beds"})
    user, may = person(gl, "may")
    group.members.create({"user_id": user.id, "access_level": 40})
    may.groups.create({"name": "one", "path": "one", "parent_id": group.id})
    group.subgroup_creation_level = "owner"
    group.save()
    with pytest.raises(gitlab.GitlabCreateError, match="403"):
        may.groups.create({"name": "two", "path": "two", "parent_id": group.id})
    gl.groups.create({"name": "two", "path": "two", "parent_id": group.id})
    wrong = api(served, "PUT", f"/groups/{group.id}", json={"subgroup_creation_level": "nobody"})
    assert wrong.status_code == 400


def test_a_project_says_who_may_fork_it(gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl, visibility="public", forking_access_level="private")
    user, lee = person(gl, "lee")
    with pytest.raises(gitlab.GitlabCreateError, match="404"):
        lee.projects.get(project.id).forks.create({})
    project.members.create({"user_id": user.id, "access_level": 10})
    lee.projects.get(project.id).forks.create({})
    project.forking_access_level = "disabled"
    project.save()
    with pytest.raises(gitlab.GitlabCreateError, match="404"):
        project.forks.create({"name": "again", "path": "again"})


def test_a_skipped_pipeline_is_enough_where_the_project_says_so(served: Served, gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl, only_allow_merge_if_pipeline_succeeds=True)
    change = {"file_path": "a", "branch": "a", "start_branch": "main", "content": "x", "commit_message": "x"}
    project.files.create(change)
    request = project.mergerequests.create({"source_branch": "a", "target_branch": "main", "title": "a"})
    status = {"state": "skipped", "name": "check"}
    assert api(served, "POST", f"/projects/{project.id}/statuses/{request.sha}", json=status).status_code == 201
    assert project.mergerequests.get(request.iid).detailed_merge_status == "ci_must_pass"
    for enough, expected in ((True, "mergeable"), (False, "ci_must_pass")):
        api(served, "PUT", f"/projects/{project.id}", json={"allow_merge_on_skipped_pipeline": enough})
        assert project.mergerequests.get(request.iid).detailed_merge_status == expected


def test_what_is_given_as_null_stays_as_it_was(gl: gitlab.Gitlab, served: Served) -> None:
    names = ("default_project_visibility", "default_group_visibility", "default_projects_limit", "default_branch_name")
    before = api(served, "GET", "/application/settings").json()
    answer = api(served, "PUT", "/application/settings", json=dict.fromkeys(names)).json()
    assert answer == before
    assert api(served, "PUT", "/application/settings", json={"default_branch_name": 5}).status_code == 400
    group: Any = gl.groups.create({"name": "beds", "path": "beds"})
    nulls = dict.fromkeys(("project_creation_level", "subgroup_creation_level"))
    assert api(served, "PUT", f"/groups/{group.id}", json=nulls).status_code == 200
    assert gl.projects.create({"name": "inside", "namespace_id": group.id}).visibility == "private"


def test_an_accounts_limits_may_come_from_a_form(gl: gitlab.Gitlab, served: Served) -> None:
    user, lee = person(gl, "lee")
    form = {"projects_limit": "1", "can_create_group": "false"}
    answer = api(served, "PUT", f"/users/{user.id}", data=form).json()
    assert (answer["projects_limit"], answer["can_create_group"]) == (1, False)
    lee.projects.create({"name": "one"})
    with pytest.raises(gitlab.GitlabCreateError, match="limit of 1 projects"):
        lee.projects.create({"name": "two"})


def test_a_group_without_projects_may_still_have_groups_below(gl: gitlab.Gitlab, served: Served) -> None:
    beds: Any = gl.groups.create({"name": "Beds", "path": "beds", "project_creation_level": "noone"})
    user, _ = person(gl, "lee")
    beds.members.create({"user_id": user.id, "access_level": 50})
    forge = served.company.service("forge")
    assert isinstance(forge, Forge)
    store, lee = forge.store, users.find(forge.store, "lee")
    assert lee is not None
    assert [group.path for group in groups.for_subgroups(store, lee)] == ["beds"]
    beds.members.update(user.id, {"access_level": 30})
    assert groups.for_subgroups(store, lee) == []


def test_merge_requests_of_a_commit_are_for_those_who_see_merge_requests(gl: gitlab.Gitlab, served: Served) -> None:
    project: Any = project_with_readme(gl)
    given = {"branch": "ferns", "start_branch": "main", "file_path": "f", "content": "x", "commit_message": "x"}
    project.files.create(given)
    project.mergerequests.create({"source_branch": "ferns", "target_branch": "main", "title": "Ferns"})
    path = f"/projects/{project.id}/repository/commits/{project.branches.get('ferns').commit['id']}/merge_requests"
    assert [request["title"] for request in api(served, "GET", path).json()] == ["Ferns"]
    project.merge_requests_access_level = "disabled"
    project.save()
    assert api(served, "GET", path).json() == []


def test_a_moment_before_all_time_is_refused(gl: gitlab.Gitlab, served: Served) -> None:
    project: Any = project_with_readme(gl)
    given = {"branch": "ferns", "start_branch": "main", "file_path": "f", "content": "x", "commit_message": "x"}
    project.files.create(given)
    asked = {
        "source_branch": "ferns",
        "target_branch": "main",
        "title": "F",
        "merge_after": "0001-01-01T00:00:00+14:00",
    }
    assert api(served, "POST", f"/projects/{project.id}/merge_requests", json=asked).status_code == 400


def test_an_annotated_tag_has_a_pipeline_of_its_commit(gl: gitlab.Gitlab) -> None:
    project: Any = project_with_readme(gl)
    given = {"branch": "main", "file_path": ".gitlab-ci.yml", "content": "check:\n  script: [true]\n"}
    project.files.create({**given, "commit_message": "x"})
    project.tags.create({"tag_name": "v1", "ref": "main", "message": "The first one."})
    head = project.branches.get("main").commit["id"]
    assert {(pipeline.ref, pipeline.sha) for pipeline in project.pipelines.list()} == {("main", head), ("v1", head)}


def test_an_internal_note_stays_internal_in_a_copy(gl: gitlab.Gitlab, served: Served) -> None:
    project, other = project_with_readme(gl), project_with_readme(gl, "other")
    project.issues.create({"title": "Water"}).notes.create({"body": "Between us.", "internal": True})
    path = f"/projects/{project.id}/issues/1/clone"
    assert api(served, "POST", path, json={"to_project_id": other.id, "with_notes": True}).status_code == 201
    notes = [note for note in other.issues.get(1).notes.list() if note.body == "Between us."]
    assert [note.internal for note in notes] == [True]


def test_a_refused_change_keeps_no_picture(served: Served, gl: gitlab.Gitlab) -> None:
    user, _ = person(gl, "lee")
    person(gl, "ida")
    gl.groups.create({"name": "taken", "path": "taken"})
    group = gl.groups.create({"name": "free", "path": "free"})
    project = project_with_readme(gl)
    gl.projects.create({"name": "shed"})

    def kept(image: bytes) -> bool:
        try:
            served.call(served.company.blobs.path, hashlib.sha256(image).hexdigest())
        except FileNotFoundError:
            return False
        return True

    def ask(method: str, path: str, image: bytes, given: dict[str, str]) -> int:
        return api(served, method, path, files={"avatar": ("a.png", image)}, data=given).status_code

    for place, (method, path, given, status) in enumerate((
        ("PUT", f"/users/{user.id}", {"username": "ida"}, 409),
        ("PUT", f"/groups/{group.id}", {"path": "taken"}, 400),
        ("POST", "/groups", {"name": "Taken", "path": "taken"}, 400),
        ("PUT", f"/projects/{project.id}", {"path": "shed"}, 400),
        ("POST", "/projects", {"name": "shed"}, 400),
    )):  # fmt: skip
        image = b"picture %d" % place
        assert ask(method, path, image, given) == status, path
        assert not kept(image), path
        if method == "PUT":
            assert ask(method, path, image, {}) == 200
            assert kept(image), path
