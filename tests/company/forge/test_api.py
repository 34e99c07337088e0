"""The REST dialect: arguments from anywhere, pages, errors in GitLab's shape, and what changes tell."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import gitlab
import pytest
import requests

from tests.company.forge.conftest import api, person, project_with_readme
from tests.company.serving import Served


def test_arguments_mean_the_same_in_query_form_and_json(served: Served, gl: gitlab.Gitlab) -> None:
    project = gl.projects.create({"name": "args"})
    path = f"/projects/{project.id}/issues"
    answers = [
        api(served, "POST", path, params={"title": "One", "labels": "a,b"}),
        api(served, "POST", path, data={"title": "One", "labels[]": ["a", "b"]}),
        api(served, "POST", path, json={"title": "One", "labels": ["a", "b"]}),
        api(served, "POST", path, files={"title": (None, "One"), "labels": (None, "a,b")}),
    ]
    assert [(one.status_code, one.json()["title"], one.json()["labels"]) for one in answers] == [
        (201, "One", ["a", "b"])
    ] * 4
    assert len(api(served, "GET", path, params={"labels": "a,b"}).json()) == 4
    assert len(api(served, "GET", path, params={"labels[]": ["a", "c"]}).json()) == 0


def test_pages_say_where_the_others_are(served: Served, gl: gitlab.Gitlab) -> None:
    project = gl.projects.create({"name": "pages"})
    for number in range(5):
        project.issues.create({"title": f"Issue {number}"})
    answer = api(served, "GET", f"/projects/{project.id}/issues", params={"per_page": 2, "page": 2})
    assert [one["iid"] for one in answer.json()] == [3, 2]
    wanted = {
        "X-Total": "5",
        "X-Total-Pages": "3",
        "X-Page": "2",
        "X-Per-Page": "2",
        "X-Next-Page": "3",
        "X-Prev-Page": "1",
    }
    assert {name: answer.headers[name] for name in wanted} == wanted
    assert answer.links["next"]["url"].endswith("page=3&per_page=2")
    assert answer.links["last"]["url"].startswith(served.url("forge"))
    walked = [one.iid for one in project.issues.list(iterator=True, per_page=2)]
    assert walked == [5, 4, 3, 2, 1]
    keyset = [
        one.id for one in gl.projects.list(iterator=True, per_page=1, pagination="keyset", order_by="id", sort="asc")
    ]
    assert keyset == [project.id]


@pytest.mark.parametrize("sort", ["asc", "desc"])
@pytest.mark.parametrize("per_page", [1, 3, 7, 100])
def test_every_page_size_and_order_walks_through_each_issue_once(gl: gitlab.Gitlab, sort: str, per_page: int) -> None:
    project = gl.projects.create({"name": "walk"})
    for number in range(11):
        project.issues.create({"title": f"Issue {number}", "created_at": f"2026-01-0{1 + number % 3}T00:00:00.000Z"})
    pages = [project.issues.list(per_page=per_page, page=page, sort=sort) for page in range(1, 13)]
    found = [one.id for page in pages for one in page]
    whole = [one.id for one in project.issues.list(per_page=100, sort=sort)]
    assert found == whole
    assert sorted(found) == list(range(1, 12))


def test_an_answer_is_never_older_than_the_last_change(served: Served, gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl)
    path = f"/projects/{project.id}"
    for number in range(3):
        assert len(api(served, "GET", f"{path}/issues").json()) == number
        assert len(api(served, "GET", f"{path}/issues").json()) == number
        project.issues.create({"title": f"Issue {number}"})
    user, lee = person(gl, "lee")
    assert api(served, "GET", path, token=lee.private_token).status_code == 404
    member = project.members.create({"user_id": user.id, "access_level": 30})
    assert api(served, "GET", path, token=lee.private_token).status_code == 200
    member.delete()
    assert api(served, "GET", path, token=lee.private_token).status_code == 404
    assert api(served, "GET", f"{path}/issues").headers["X-Total"] == "3"
    accounts = {
        row.account for row in served.call(served.company.journal.requests, "forge") if row.path.endswith("/issues")
    }
    assert accounts == {"root"}


def test_a_project_is_found_by_number_and_by_path(served: Served, gl: gitlab.Gitlab) -> None:
    project = gl.projects.create({"name": "by path"})
    assert api(served, "GET", "/projects/root%2Fby-path").json()["id"] == project.id
    assert api(served, "GET", f"/projects/{project.id}").json()["path_with_namespace"] == "root/by-path"


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "answer"),
    [
        ("POST", "/projects/1/issues", {}, 400, {"error": "title is missing"}),
        ("POST", "/projects", {}, 400, {"error": "name, path are missing, at least one parameter must be provided"}),
        ("GET", "/projects/999", None, 404, {"message": "404 Project Not Found"}),
        ("GET", "/projects/1/issues/999", None, 404, {"message": "404 Issue Not Found"}),
        ("GET", "/nothing/here", None, 404, {"error": "404 Not Found"}),
        ("GET", "/projects?visibility=odd", None, 400, {"error": "visibility does not have a valid value"}),
        ("GET", "/projects?per_page=many", None, 400, {"error": "per_page is invalid"}),
        ("POST", "/users", {"username": "root", "name": "R", "email": "new@blank.test", "password": "long-enough"}, 409,
         {"message": "Username has already been taken"}),
    ],
)  # fmt: skip
def test_errors_have_gitlabs_shape(
    served: Served, gl: gitlab.Gitlab, method: str, path: str, body: object, status: int, answer: object
) -> None:
    gl.projects.create({"name": "first"})
    found = api(served, method, path, json=body)
    assert (found.status_code, found.json()) == (status, answer)


def test_a_taken_name_is_said_of_the_field(served: Served, gl: gitlab.Gitlab) -> None:
    gl.projects.create({"name": "twice"})
    found = api(served, "POST", "/projects", json={"name": "twice"})
    assert (found.status_code, found.json()["message"]["name"]) == (400, ["has already been taken"])


def test_changes_are_told_by_who_did_what(served: Served, gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl)
    issue = project.issues.create({"title": "Slugs"})
    issue.notes.create({"body": "They are back."})
    issue.state_event = "close"
    issue.save()
    project.files.create({"file_path": "a.txt", "branch": "main", "content": "x", "commit_message": "Add a"})
    words = [one.words for one in served.call(served.company.changes, "forge")]
    assert 'root opened issue root/garden#1 "Slugs"' in words
    assert 'root commented "They are back." on root/garden#1' in words
    assert any(line.startswith("root created branch main of root/garden") for line in words)
    tokens = gl.users.get(1).impersonationtokens.create({"name": "t", "scopes": ["api"]})
    assert tokens.token not in str(served.call(served.company.changes, "forge"))


def test_a_reset_brings_back_rows_and_repositories(served: Served, gl: gitlab.Gitlab) -> None:
    project_with_readme(gl)
    served.call(served.company.reset, "forge")
    assert gl.projects.list() == []
    again = project_with_readme(gl)
    assert [one["name"] for one in again.repository_tree()] == ["README.md"]


@pytest.mark.parametrize(("method", "kept"), [("merge", 3), ("rebase_merge", 3), ("ff", 2)])
def test_a_request_is_merged_by_the_projects_method(gl: gitlab.Gitlab, method: str, kept: int) -> None:
    project = project_with_readme(gl, merge_method=method)
    project.commits.create(
        {"branch": "topic", "start_branch": "main", "commit_message": "Work",
         "actions": [{"action": "create", "file_path": "a", "content": "a"}]}
    )  # fmt: skip
    request = project.mergerequests.create({"source_branch": "topic", "target_branch": "main", "title": "Topic"})
    request.merge(should_remove_source_branch=True)
    assert len(project.commits.list(get_all=True)) == kept
    assert [one.name for one in project.branches.list()] == ["main"]


def test_squash_makes_one_commit_of_many(gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl, merge_method="ff")
    for number in range(3):
        project.files.create(
            {
                "file_path": f"f{number}",
                "branch": "topic",
                "start_branch": "main" if not number else None,
                "content": "x",
                "commit_message": f"Step {number}",
            }
        )
    request = project.mergerequests.create(
        {"source_branch": "topic", "target_branch": "main", "title": "All steps", "squash": True}
    )
    request.merge()
    commits = project.commits.list(get_all=True)
    assert [one.title for one in commits] == ["All steps", "Initial commit"]
    assert project.mergerequests.get(request.iid).squash_commit_sha == commits[0].id


def test_a_branch_behind_is_rebased_onto_its_target(gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl, merge_method="ff")
    project.branches.create({"branch": "topic", "ref": "main"})
    for branch, name in (("topic", "t"), ("main", "m")):
        project.files.create({"file_path": name, "branch": branch, "content": name, "commit_message": f"Add {name}"})
    request = project.mergerequests.create({"source_branch": "topic", "target_branch": "main", "title": "Topic"})
    with pytest.raises(gitlab.GitlabMRClosedError):
        request.merge()
    request.rebase()
    request = project.mergerequests.get(request.iid, include_diverged_commits_count=True)
    assert request.diverged_commits_count == 0
    request.merge()
    assert [one.title for one in project.commits.list(get_all=True)] == ["Add t", "Add m", "Initial commit"]
    assert project.mergerequests.get(request.iid).state == "merged"


def test_a_pushed_ci_file_makes_a_pipeline_that_waits(gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl)
    text = "stages: [build, test]\nmake:\n  stage: build\n  script: make\ncheck:\n  script: make check\n"
    project.files.create({"file_path": ".gitlab-ci.yml", "branch": "main", "content": text, "commit_message": "CI"})
    pipeline = project.pipelines.list()[0]
    assert (pipeline.status, pipeline.source, pipeline.ref) == ("pending", "push", "main")
    jobs = {one.name: one.status for one in pipeline.jobs.list()}
    assert jobs == {"make": "pending", "check": "created"}
    assert not project.ci_lint.create({"content": "job:\n  stage: nowhere\n  script: x"}).valid


def test_a_tag_makes_a_pipeline_of_the_jobs_that_want_tags(gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl)
    text = "check:\n  script: x\n  only: [branches]\nship:\n  script: x\n  only: [tags]\n"
    project.files.create({"file_path": ".gitlab-ci.yml", "branch": "main", "content": text, "commit_message": "CI"})
    project.tags.create({"tag_name": "v1", "ref": "main"})
    pipeline = project.pipelines.list(ref="v1")[0]
    assert (pipeline.source, project.pipelines.get(pipeline.id).tag) == ("push", True)
    assert [job.name for job in pipeline.jobs.list()] == ["ship"]
    project.tags.delete("v1")
    assert len(project.pipelines.list(ref="v1")) == 1


def test_a_pipeline_is_started_from_the_file_that_the_project_names(gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl)
    file = {"file_path": "ci/main.yml", "branch": "main", "content": "dig:\n  script: x\n", "commit_message": "CI"}
    project.files.create(file)
    with pytest.raises(gitlab.GitlabCreateError, match="Missing CI config file"):
        project.pipelines.create({"ref": "main"})
    project.ci_config_path = "ci/main.yml"
    project.save()
    assert [job.name for job in project.pipelines.create({"ref": "main"}).jobs.list()] == ["dig"]


def test_a_merge_removes_the_source_branch_when_it_or_the_request_says_so(gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl)
    assert project.remove_source_branch_after_merge is True

    def branches_after(branch: str, opened: dict[str, bool], merged: dict[str, bool]) -> bool:
        change = {"file_path": branch, "branch": branch, "start_branch": "main", "content": "x", "commit_message": "x"}
        project.files.create(change)
        facts = {"source_branch": branch, "target_branch": "main", "title": branch, **opened}
        project.mergerequests.create(facts).merge(**merged)
        return branch in [one.name for one in project.branches.list()]

    assert branches_after("plain", {}, {}) is True
    assert branches_after("opened", {"remove_source_branch": True}, {}) is False
    assert branches_after("merged", {}, {"should_remove_source_branch": True}) is False
    assert branches_after("kept", {"remove_source_branch": True}, {"should_remove_source_branch": False}) is True


def test_what_is_so_already_is_not_modified(served: Served, gl: gitlab.Gitlab) -> None:
    project = gl.projects.create({"name": "stars"})
    answers = [api(served, "POST", f"/projects/{project.id}/{verb}") for verb in ("star", "star", "unstar", "unstar")]
    assert [(one.status_code, one.content == b"") for one in answers] == [
        (201, False),
        (304, True),
        (201, False),
        (304, True),
    ]


def test_the_address_of_a_release_file_leads_to_it(served: Served, gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl, visibility="public")
    link = {"name": "Map", "url": "http://files.test/map.pdf", "direct_asset_path": "/docs/map.pdf"}
    project.releases.create({"tag_name": "v1", "ref": "main", "assets": {"links": [link]}})
    address = project.releases.get("v1").assets["links"][0]["direct_asset_url"]
    for asked in (address, f"{served.url('forge')}/api/v4/projects/{project.id}/releases/v1/downloads/docs/map.pdf"):
        answer = requests.get(asked, allow_redirects=False, timeout=30)
        assert (answer.status_code, answer.headers["location"]) == (302, "http://files.test/map.pdf")
    assert requests.get(asked.replace("map", "other"), timeout=30).status_code == 404


def test_a_label_is_archived_and_taken_out_again(gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl)
    label = project.labels.create({"name": "bug", "color": "#ff0000"})
    for archived in (True, False):
        label.archived = archived
        label.save()
        assert project.labels.get("bug").archived is archived


def test_a_day_that_no_calendar_has_is_refused(gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl)
    with pytest.raises(gitlab.GitlabCreateError, match="due_date is invalid"):
        project.issues.create({"title": "Leap", "due_date": "2026-02-31"})
    assert project.issues.create({"title": "Leap", "due_date": "2028-02-29"}).due_date == "2028-02-29"


def test_a_group_is_imported_where_one_could_be_made(served: Served, gl: gitlab.Gitlab, tmp_path: Path) -> None:
    hidden = gl.groups.create({"name": "hidden", "path": "hidden", "visibility": "private"})
    hidden.exports.create()
    archive = tmp_path / "group.tar.gz"
    download = f"/groups/{hidden.id}/export/download"
    archive.write_bytes(api(served, "GET", download).content)
    user, lee = person(gl, "lee")

    def status(path: str, parent: int | None = None) -> int | None:
        try:
            with archive.open("rb") as file:
                lee.groups.import_group(file, path, path, parent_id=parent)
        except gitlab.GitlabImportError as error:
            return error.response_code
        return 202

    assert (status("one"), status("two", hidden.id)) == (202, 404)
    user.can_create_group = False
    user.save()
    assert status("three") == 403


def test_a_request_waits_for_its_hour(served: Served, gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl)
    change = {"file_path": "a", "branch": "a", "start_branch": "main", "content": "x", "commit_message": "x"}
    project.files.create(change)
    request = project.mergerequests.create({"source_branch": "a", "target_branch": "main", "title": "a"})
    hour = served.company.clock.now() + timedelta(hours=1)
    request.merge_after = hour.isoformat()
    request.save()
    assert project.mergerequests.get(request.iid).detailed_merge_status == "merge_time"
    with pytest.raises(gitlab.GitlabMRClosedError):
        request.merge()
    served.company.clock.origin -= 3700
    assert project.mergerequests.get(request.iid).detailed_merge_status == "mergeable"
    assert request.merge()["state"] == "merged"
    request.merge_after = "soon"
    with pytest.raises(gitlab.GitlabUpdateError, match="merge_after is invalid"):
        request.save()


@pytest.mark.parametrize(
    ("given", "status"), [({"import_url": "http://code.test/a.git"}, 403), ({"template_name": "rails"}, 400)]
)
def test_a_project_that_would_not_be_filled_is_not_made(served: Served, given: dict[str, str], status: int) -> None:
    assert api(served, "POST", "/projects", json={"name": "filled", **given}).status_code == status
    assert api(served, "GET", "/projects/root%2Ffilled").status_code == 404


@pytest.mark.parametrize(
    ("method", "rest"),
    [("POST", "/restore"), ("GET", "/mirror/pull"), ("PUT", "/mirror/pull"), ("POST", "/releases/v1/evidence")],
)
def test_what_the_forge_cannot_do_is_not_there(served: Served, gl: gitlab.Gitlab, method: str, rest: str) -> None:
    project = project_with_readme(gl)
    project.releases.create({"tag_name": "v1", "ref": "main"})
    assert api(served, method, f"/projects/{project.id}{rest}").json() == {"error": "404 Not Found"}


def test_a_release_is_upcoming_until_its_moment_comes(gl: gitlab.Gitlab, served: Served) -> None:
    project: Any = project_with_readme(gl)
    clock = served.company.clock
    moment = (clock.now() + timedelta(minutes=30)).isoformat()
    project.releases.create({"tag_name": "v1", "ref": "main", "released_at": moment})
    path = f"/projects/{project.id}/releases/v1"
    assert api(served, "GET", path).json()["upcoming_release"] is True
    clock.origin -= 31 * 60
    assert api(served, "GET", path).json()["upcoming_release"] is False
