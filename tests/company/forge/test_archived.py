"""An archived project is only read; who owns it can still change its settings and take it out of the archive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gitlab
import pytest

from tests.company.forge.conftest import Git, api, person, project_with_readme, with_account
from tests.company.serving import Served

FILE = {"branch": "main", "content": "x", "commit_message": "x"}


@pytest.fixture
def archived(gl: gitlab.Gitlab) -> Any:
    """A project with an issue, a thread and a merge request."""
    project = project_with_readme(gl)
    project.issues.create({"title": "Water"}).discussions.create({"body": "Dry."})
    project.files.create({**FILE, "file_path": "fern.md", "branch": "ferns", "start_branch": "main"})
    project.mergerequests.create({"source_branch": "ferns", "target_branch": "main", "title": "Ferns"})
    project.labels.create({"name": "bug", "color": "#ff0000"})
    project.archive()
    return project


WRITES: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "/issues", {"title": "More"}),
    ("PUT", "/issues/1", {"title": "Other"}),
    ("DELETE", "/issues/1", {}),
    ("POST", "/issues/1/notes", {"body": "Hello"}),
    ("POST", "/issues/1/award_emoji", {"name": "thumbsup"}),
    ("POST", "/issues/1/add_spent_time", {"duration": "1h"}),
    ("POST", "/merge_requests", {"source_branch": "ferns", "target_branch": "main", "title": "Again"}),
    ("PUT", "/merge_requests/1", {"state_event": "close"}),
    ("PUT", "/merge_requests/1/merge", {}),
    ("POST", "/merge_requests/1/approve", {}),
    ("PUT", "/labels/bug", {"color": "#00ff00"}),
    ("POST", "/milestones", {"title": "Spring"}),
    ("POST", "/repository/files/a.txt", FILE),
    ("POST", "/repository/files/todo", FILE),
    ("POST", "/repository/files/docs%2Fsubscribe", FILE),
    ("DELETE", "/labels/todo", {}),
    ("POST", "/repository/branches", {"branch": "b", "ref": "main"}),
    ("DELETE", "/repository/branches/ferns", {}),
    ("POST", "/repository/tags", {"tag_name": "v1", "ref": "main"}),
    ("POST", "/wikis", {"title": "Home", "content": "x"}),
    ("POST", "/releases", {"tag_name": "v1", "ref": "main"}),
]


def test_an_archived_project_refuses_work(served: Served, archived: Any) -> None:
    path = f"/projects/{archived.id}"
    refused = {(verb, part): api(served, verb, path + part, json=given).status_code for verb, part, given in WRITES}
    assert set(refused.values()) == {403}, refused
    assert api(served, "POST", f"{path}/issues", None, json={"title": "More"}).status_code == 404
    archived.unarchive()
    assert api(served, "PUT", f"{path}/issues/1", json={"title": "Other"}).status_code == 200
    assert api(served, "PUT", f"{path}/merge_requests/1/merge").status_code == 200


def test_an_archived_project_is_read_and_its_settings_change(served: Served, archived: Any) -> None:
    path = f"/projects/{archived.id}"
    for part in ("/issues/1/discussions", "/merge_requests/1", "/repository/tree", "/labels"):
        assert api(served, "GET", path + part).status_code == 200
    assert api(served, "PUT", path, json={"description": "Closed."}).json()["description"] == "Closed."
    assert api(served, "POST", f"{path}/issues/1/todo").status_code == 201
    assert api(served, "POST", f"{path}/star").status_code == 201
    assert api(served, "POST", f"{path}/hooks", json={"url": "http://hooks.test"}).status_code == 201


def test_only_owners_archive_a_project_whichever_way(gl: gitlab.Gitlab, archived: Any) -> None:
    for name, level, status in (("lee", 40, 403), ("ida", 50, 200)):
        user, client = person(gl, name)
        archived.members.create({"user_id": user.id, "access_level": level})
        path = f"/projects/{archived.id}"
        for method, part, given in (("put", "", {"archived": False}), ("post", "/unarchive", {})):
            try:
                client.http_request(method, path + part, post_data=given)
                answer = 200
            except gitlab.GitlabHttpError as error:
                answer = error.response_code or 0
            assert answer == status, name
        assert gl.projects.get(archived.id).archived is (status != 200)


def test_no_issue_comes_into_an_archived_project(gl: gitlab.Gitlab, served: Served, archived: Any) -> None:
    other = project_with_readme(gl, "shed")
    other.issues.create({"title": "Rake"})
    for verb in ("move", "clone"):
        path = f"/projects/{other.id}/issues/1/{verb}"
        answer = api(served, "POST", path, json={"to_project_id": archived.id})
        assert (answer.status_code, answer.json()["message"]) == (
            400,
            f"Cannot {verb} issue due to insufficient permissions!",
        )


def test_a_commit_elsewhere_closes_no_issue_of_an_archived_project(gl: gitlab.Gitlab, archived: Any) -> None:
    other = project_with_readme(gl, "shed")
    message = f"Closes {archived.path_with_namespace}#1"
    other.files.create({**FILE, "file_path": "a", "commit_message": message})
    assert gl.projects.get(archived.id).issues.get(1).state == "opened"
    archived.unarchive()
    other.files.create({**FILE, "file_path": "b", "commit_message": message})
    assert gl.projects.get(archived.id).issues.get(1).state == "closed"


def test_git_does_not_push_to_an_archived_project(served: Served, git: Git, archived: Any, tmp_path: Path) -> None:
    folder = tmp_path / "garden"
    git("clone", "-q", with_account(served, "root/garden"), folder)
    git.commit(folder, "More", more_txt="x")
    done = git("push", cwd=folder, ok=False)
    assert done.returncode != 0
    assert "403" in done.stderr
    archived.unarchive()
    git("push", cwd=folder)


def test_merging_and_rebasing_leave_an_archived_fork_as_it_is(gl: gitlab.Gitlab, served: Served) -> None:
    project: Any = project_with_readme(gl)
    gl.groups.create({"name": "shed", "path": "shed"})
    fork = gl.projects.get(project.forks.create({"namespace_path": "shed"}).id)
    fork.files.create({**FILE, "file_path": "fern.md", "branch": "ferns", "start_branch": "main"})
    asked = {"source_branch": "ferns", "target_branch": "main", "title": "Ferns", "target_project_id": project.id}
    request = fork.mergerequests.create({**asked, "remove_source_branch": True})
    fork.archive()
    path = f"/projects/{project.id}/merge_requests/{request.iid}"
    assert api(served, "PUT", f"{path}/rebase").status_code == 403
    assert api(served, "PUT", f"{path}/merge", json={"should_remove_source_branch": True}).status_code == 200
    assert "ferns" in [branch.name for branch in fork.branches.list()]
