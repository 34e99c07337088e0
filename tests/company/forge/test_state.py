"""What outlives a process, a reset and a change of secrets."""

from __future__ import annotations

from pathlib import Path

import gitlab

from dayjob.company.world import Snapshot
from tests.company.forge.conftest import Git, api, project_with_readme, with_account
from tests.company.serving import Served, serve


def test_a_kept_company_goes_on_with_its_repositories(larkspur: Snapshot, git: Git, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with serve(larkspur, folder=state, keep=True) as served:
        client = gitlab.Gitlab(served.url("forge"), private_token="larkspur-root-token")
        trellis = client.projects.get("larkspur/trellis")
        trellis.files.create({"file_path": "new.txt", "branch": "main", "content": "kept", "commit_message": "Add"})
        sha = trellis.branches.get("main").commit["id"]
    with serve(larkspur, folder=state, keep=True) as served:
        client = gitlab.Gitlab(served.url("forge"), private_token="larkspur-root-token")
        assert client.projects.get("larkspur/trellis").branches.get("main").commit["id"] == sha
        url = served.url("forge").replace("://", "://sam.reed:sam-reed-first-day@")
        git("clone", "-q", f"{url}/larkspur/trellis.git", tmp_path / "work")
        assert (tmp_path / "work" / "new.txt").read_text() == "kept"


def test_two_companies_of_one_snapshot_do_not_see_each_others_pushes(larkspur: Snapshot) -> None:
    with serve(larkspur) as one, serve(larkspur) as other:
        clients = [gitlab.Gitlab(served.url("forge"), private_token="larkspur-root-token") for served in (one, other)]
        ours, theirs = (client.projects.get("larkspur/trellis") for client in clients)
        before = theirs.branches.get("main").commit["id"]
        ours.files.create({"file_path": "x", "branch": "main", "content": "x", "commit_message": "Ours alone"})
        assert ours.branches.get("main").commit["id"] != before
        assert theirs.branches.get("main").commit["id"] == before


def test_other_secrets_replace_the_worlds_and_survive_a_reset(served: Served, git: Git, tmp_path: Path) -> None:
    account = {"username": "root", "password": "another-password", "token": "another-token"}
    served.call(served.company.set_secrets, "forge", account)
    served.call(served.company.reset, "forge")
    assert api(served, "GET", "/user").status_code == 401
    assert api(served, "GET", "/user", token="another-token").json()["username"] == "root"
    project_with_readme(gitlab.Gitlab(served.url("forge"), private_token="another-token"))
    assert git("ls-remote", with_account(served, "root/garden"), ok=False).returncode != 0
    git("ls-remote", with_account(served, "root/garden", "root", "another-password"))
