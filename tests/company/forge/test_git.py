"""Clone, fetch and push with plain git over HTTP."""

from __future__ import annotations

import threading
from pathlib import Path

import gitlab
import requests

from tests.company.forge.conftest import PASSWORD, Git, person, project_with_readme, with_account
from tests.company.serving import Served


def test_a_first_push_makes_the_default_branch_and_protects_it(
    served: Served, gl: gitlab.Gitlab, git: Git, tmp_path: Path
) -> None:
    project = gl.projects.create({"name": "seeds"})
    work = tmp_path / "work"
    git("init", "-qb", "trunk", work)
    sha = git.commit(work, "Begin", README_md="# Seeds\n")
    git("push", with_account(served, "root/seeds"), "trunk", cwd=work)
    project.refresh()
    assert (project.default_branch, project.empty_repo) == ("trunk", False)
    assert project.branches.get("trunk").commit["id"] == sha
    assert [rule.name for rule in project.protectedbranches.list()] == ["trunk"]
    assert project.readme_url.endswith("/root/seeds/-/blob/trunk/README.md")


def test_what_was_pushed_can_be_cloned_shallow_partial_and_with_the_old_protocol(
    served: Served, gl: gitlab.Gitlab, git: Git, tmp_path: Path
) -> None:
    project_with_readme(gl)
    url = with_account(served, "root/garden")
    git("clone", "-q", url, tmp_path / "a")
    for number in range(3):
        git.commit(tmp_path / "a", f"Change {number}", **{f"bed{number}_txt": "x" * 5000})
    git("push", "-q", "origin", "main", cwd=tmp_path / "a")
    git("clone", "-q", "--depth", 1, url, tmp_path / "shallow")
    assert git("rev-list", "--count", "HEAD", cwd=tmp_path / "shallow").stdout.strip() == "1"
    git("clone", "-q", "--filter=blob:none", "--no-checkout", url, tmp_path / "partial")
    missing = git("rev-list", "--objects", "--missing=print", "HEAD", cwd=tmp_path / "partial").stdout
    assert any(line.startswith("?") for line in missing.splitlines())
    git("checkout", "-q", "main", cwd=tmp_path / "partial")
    assert (tmp_path / "partial" / "bed2.txt").read_text() == "x" * 5000
    git("-c", "protocol.version=0", "clone", "-q", url, tmp_path / "old")
    git("fetch", "-q", "--unshallow", cwd=tmp_path / "shallow")
    assert git("rev-list", "--count", "HEAD", cwd=tmp_path / "shallow").stdout.strip() == "4"


def test_a_token_serves_as_password_and_a_wrong_one_does_not(
    served: Served, gl: gitlab.Gitlab, git: Git, tmp_path: Path
) -> None:
    project_with_readme(gl)
    git("clone", "-q", with_account(served, "root/garden", "anything", "root-token"), tmp_path / "a")
    refused = git(
        "clone", "-q", with_account(served, "root/garden", "root", "wrong-password"), tmp_path / "b", ok=False
    )
    assert refused.returncode != 0
    assert "Authentication failed" in refused.stderr


def test_a_private_project_asks_strangers_for_credentials_and_hides_from_others(
    served: Served, gl: gitlab.Gitlab, git: Git, tmp_path: Path
) -> None:
    project_with_readme(gl)
    person(gl, "lee")
    info = f"{served.url('forge')}/root/garden.git/info/refs?service=git-upload-pack"
    assert requests.get(info, timeout=30).status_code == 401
    assert requests.get(info, auth=("lee", PASSWORD), timeout=30).status_code == 404
    assert requests.get(info, auth=("root", "blank-root-pass"), timeout=30).status_code == 200


def test_a_public_project_can_be_cloned_by_anyone_and_pushed_to_by_nobody(
    served: Served, gl: gitlab.Gitlab, git: Git, tmp_path: Path
) -> None:
    project_with_readme(gl, visibility="public")
    person(gl, "lee")
    git("clone", "-q", f"{served.url('forge')}/root/garden.git", tmp_path / "a")
    git.commit(tmp_path / "a", "Try", x_txt="x")
    assert git("push", "origin", "HEAD:topic", cwd=tmp_path / "a", ok=False).returncode != 0
    refused = git(
        "push", with_account(served, "root/garden", "lee", PASSWORD), "HEAD:topic", cwd=tmp_path / "a", ok=False
    )
    assert refused.returncode != 0
    assert "403" in refused.stderr


def test_a_protected_branch_refuses_rewriting_deleting_and_developers(
    served: Served, gl: gitlab.Gitlab, git: Git, tmp_path: Path
) -> None:
    project = project_with_readme(gl)
    user, _ = person(gl, "lee")
    project.members.create({"user_id": user.id, "access_level": 30})
    url = with_account(served, "root/garden")
    git("clone", "-q", url, tmp_path / "a")
    before = project.branches.get("main").commit["id"]
    git("commit", "-q", "--amend", "-m", "Rewritten", cwd=tmp_path / "a")
    forced = git("push", "-f", "origin", "main", cwd=tmp_path / "a", ok=False)
    assert forced.returncode != 0
    assert "You are not allowed to force push code to a protected branch on this project." in forced.stderr
    deleted = git("push", "origin", ":main", cwd=tmp_path / "a", ok=False)
    assert "The default branch of a project cannot be deleted." in deleted.stderr
    git("reset", "-q", "--hard", before, cwd=tmp_path / "a")
    git.commit(tmp_path / "a", "A developer's change", x_txt="x")
    by_lee = git("push", with_account(served, "root/garden", "lee", PASSWORD), "main", cwd=tmp_path / "a", ok=False)
    assert "You are not allowed to push code to protected branches on this project." in by_lee.stderr
    git("push", "-q", with_account(served, "root/garden", "lee", PASSWORD), "main:refs/heads/topic", cwd=tmp_path / "a")
    assert project.branches.get("main").commit["id"] == before
    git(
        "push",
        "-q",
        "-f",
        with_account(served, "root/garden", "lee", PASSWORD),
        f"{before}:refs/heads/topic",
        cwd=tmp_path / "a",
    )


def test_refs_outside_branches_and_tags_cannot_be_pushed(
    served: Served, gl: gitlab.Gitlab, git: Git, tmp_path: Path
) -> None:
    project_with_readme(gl)
    git("clone", "-q", with_account(served, "root/garden"), tmp_path / "a")
    refused = git("push", "origin", "HEAD:refs/merge-requests/9/head", cwd=tmp_path / "a", ok=False)
    assert refused.returncode != 0
    assert "only branches and tags can" in refused.stderr


def test_lfs_is_refused_politely(served: Served, gl: gitlab.Gitlab) -> None:
    project_with_readme(gl)
    answer = requests.post(
        f"{served.url('forge')}/root/garden.git/info/lfs/objects/batch",
        json={},
        auth=("root", "blank-root-pass"),
        timeout=30,
    )
    assert answer.status_code == 501
    assert "LFS" in answer.json()["message"]


def test_a_push_says_where_to_open_a_merge_request_and_can_open_it(
    served: Served, gl: gitlab.Gitlab, git: Git, tmp_path: Path
) -> None:
    project = project_with_readme(gl)
    git("clone", "-q", with_account(served, "root/garden"), tmp_path / "a")
    git("checkout", "-qb", "roses", cwd=tmp_path / "a")
    git.commit(tmp_path / "a", "Plant roses", roses_txt="red")
    hint = git("push", "origin", "roses", cwd=tmp_path / "a").stderr
    assert "To create a merge request for roses, visit:" in hint
    git.commit(tmp_path / "a", "Plant more", roses_txt="red\nwhite")
    git("push", "-q", "-o", "merge_request.create", "origin", "roses", cwd=tmp_path / "a")
    assert [one.title for one in project.mergerequests.list()] == ["Plant more"]


def test_a_wiki_is_a_repository_too(served: Served, gl: gitlab.Gitlab, git: Git, tmp_path: Path) -> None:
    project = project_with_readme(gl)
    project.wikis.create({"title": "Home", "content": "Welcome"})
    git("clone", "-q", with_account(served, "root/garden.wiki"), tmp_path / "wiki")
    assert (tmp_path / "wiki" / "Home.md").read_text() == "Welcome"
    git.commit(tmp_path / "wiki", "Explain watering", Watering_md="Every morning.")
    git("push", "-q", cwd=tmp_path / "wiki")
    assert project.wikis.get("Watering").content == "Every morning."


def test_a_deploy_token_reads_its_project_and_nothing_else(
    served: Served, gl: gitlab.Gitlab, git: Git, tmp_path: Path
) -> None:
    project = project_with_readme(gl)
    project_with_readme(gl, "shed")
    token = project.deploytokens.create({"name": "ci", "scopes": ["read_repository"]})
    git("clone", "-q", with_account(served, "root/garden", token.username, token.token), tmp_path / "a")
    assert git(
        "clone", "-q", with_account(served, "root/shed", token.username, token.token), tmp_path / "b", ok=False
    ).returncode
    git.commit(tmp_path / "a", "Try", x_txt="x")
    assert git("push", "origin", "HEAD:topic", cwd=tmp_path / "a", ok=False).returncode


def test_two_pushes_to_one_branch_end_with_one_winner(
    served: Served, gl: gitlab.Gitlab, git: Git, tmp_path: Path
) -> None:
    project = project_with_readme(gl)
    url = with_account(served, "root/garden")
    shas, results = {}, {}
    for name in ("a", "b"):
        git("clone", "-q", url, tmp_path / name)
        shas[name] = git.commit(tmp_path / name, f"By {name}", **{f"{name}_txt": name})

    def push(name: str) -> None:
        results[name] = git("push", "origin", "main", cwd=tmp_path / name, ok=False).returncode

    threads = [threading.Thread(target=push, args=(name,)) for name in shas]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(results.values()) in ([0, 1], [0, 128])
    winner = next(name for name, code in results.items() if code == 0)
    assert project.branches.get("main").commit["id"] == shas[winner]
