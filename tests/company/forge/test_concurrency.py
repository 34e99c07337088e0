"""Twenty people at once: nothing lost, nothing duplicated, numbers without gaps."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gitlab

from tests.company.forge.conftest import Git, api, project_with_readme, with_account
from tests.company.serving import Served

CLIENTS = 20


def test_twenty_clients_push_comment_and_commit_at_once(
    served: Served, gl: gitlab.Gitlab, git: Git, tmp_path: Path
) -> None:
    project = project_with_readme(gl)
    issue = project.issues.create({"title": "Meeting point"})
    url = with_account(served, "root/garden")
    git("clone", "-q", url, tmp_path / "seed")

    def work(number: int) -> str:
        folder = tmp_path / f"c{number}"
        git("clone", "-q", tmp_path / "seed", folder)
        git("checkout", "-qb", f"topic-{number}", cwd=folder)
        sha = git.commit(folder, f"Change {number}", **{f"f{number}_txt": str(number)})
        git("push", "-q", url, f"topic-{number}", cwd=folder)
        for path, facts in (
            (f"/projects/{project.id}/issues", {"title": f"Issue {number}"}),
            (f"/projects/{project.id}/issues/{issue.iid}/notes", {"body": f"Note {number}"}),
            (
                f"/projects/{project.id}/merge_requests",
                {"title": f"MR {number}", "source_branch": f"topic-{number}", "target_branch": "main"},
            ),
        ):
            assert api(served, "POST", path, json=facts).status_code == 201
        commit = {"branch": "main", "commit_message": f"API {number}", "content": "x"}
        assert (
            api(served, "POST", f"/projects/{project.id}/repository/files/api{number}.txt", json=commit).status_code
            == 201
        )
        return sha

    with ThreadPoolExecutor(CLIENTS) as pool:
        shas = list(pool.map(work, range(CLIENTS)))
    branches = {one.name: one.commit["id"] for one in project.branches.list(get_all=True)}
    assert [branches[f"topic-{number}"] for number in range(CLIENTS)] == shas
    assert sorted(one.iid for one in project.issues.list(get_all=True)) == list(range(1, CLIENTS + 2))
    assert sorted(one.iid for one in project.mergerequests.list(get_all=True)) == list(range(1, CLIENTS + 1))
    bodies = [one.body for one in issue.notes.list(get_all=True)]
    assert sorted(bodies) == sorted(f"Note {number}" for number in range(CLIENTS))
    assert project.issues.get(issue.iid).user_notes_count == CLIENTS
    git("clone", "-q", url, tmp_path / "end")
    assert len(list((tmp_path / "end").glob("api*.txt"))) == CLIENTS
    folder = served.company.own_folder("forge") / f"{project.id}.git"
    assert git("-C", folder, "fsck", "--full", "--strict").stderr == ""
