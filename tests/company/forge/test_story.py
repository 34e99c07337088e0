"""A week's work in one test: fork, branch, push, merge request, conflict, review, merge, issue, release, wiki."""

from __future__ import annotations

from pathlib import Path

import gitlab
import pytest
import requests

from tests.company.forge.conftest import PASSWORD, Git, person, project_with_readme, with_account
from tests.company.serving import Served


def test_from_fork_to_release(served: Served, gl: gitlab.Gitlab, git: Git, tmp_path: Path) -> None:
    project = project_with_readme(gl, visibility="public")
    _, lee = person(gl, "lee")
    issue = project.issues.create({"title": "Nobody waters the ferns"})
    page = f"{served.url('forge')}/root/garden/-/merge_requests/1"

    # Lee forks, branches and pushes.
    fork = lee.projects.get(project.id).forks.create({})
    assert lee.projects.get(fork.id).forked_from_project["id"] == project.id
    work = tmp_path / "lee"
    git("clone", "-q", with_account(served, "lee/garden", "lee", PASSWORD), work)
    git("checkout", "-qb", "ferns", cwd=work)
    first = git.commit(
        work, f"Water the ferns\n\nCloses root/garden#{issue.iid}", README_md="# garden\n\nFerns: daily\n"
    )
    git("push", "-q", "origin", "ferns", cwd=work)

    # The merge request is visible through API, git and page.
    opened = lee.projects.get(fork.id).mergerequests.create(
        {"source_branch": "ferns", "target_branch": "main", "title": "Water the ferns", "target_project_id": project.id}
    )
    request = project.mergerequests.get(opened.iid)
    assert (request.state, request.sha, request.detailed_merge_status) == ("opened", first, "mergeable")
    fetched = tmp_path / "root"
    git("clone", "-q", with_account(served, "root/garden"), fetched)
    git("fetch", "-q", "origin", "merge-requests/1/head", cwd=fetched)
    assert git("rev-parse", "FETCH_HEAD", cwd=fetched).stdout.strip() == first
    assert 'data-state="opened"' in requests.get(page, timeout=30).text

    # Meanwhile main changes the same line: a conflict.
    git.commit(fetched, "Water ferns weekly", README_md="# garden\n\nFerns: weekly\n")
    git("push", "-q", "origin", "main", cwd=fetched)
    request = project.mergerequests.get(opened.iid)
    assert request.has_conflicts
    with pytest.raises(gitlab.GitlabMRClosedError):
        request.merge()

    # Root reviews on the line; Lee merges main in, fixes, pushes, and the thread is resolved.
    position = {
        **request.diff_refs,
        "position_type": "text",
        "new_path": "README.md",
        "old_path": "README.md",
        "new_line": 3,
    }
    thread = request.discussions.create({"body": "Weekly or daily?", "position": position})
    assert thread.attributes["notes"][0]["position"]["new_line"] == 3
    git(
        "pull",
        "-q",
        "--no-rebase",
        "-s",
        "ours",
        with_account(served, "root/garden", "lee", PASSWORD),
        "main",
        cwd=work,
    )
    fixed = git.commit(work, "Settle on daily", README_md="# garden\n\nFerns: daily, at nine\n")
    git("push", "-q", "origin", "ferns", cwd=work)
    request = project.mergerequests.get(opened.iid)
    assert (request.sha, request.has_conflicts) == (fixed, False)
    assert [one["new_path"] for one in request.changes()["changes"]] == ["README.md"]
    thread.resolved = True
    thread.save()

    # Approved and merged; the issue closes with it.
    request.approve()
    assert [one["user"]["username"] for one in request.approvals.get().approved_by] == ["root"]
    request.merge()
    request = project.mergerequests.get(opened.iid)
    assert request.state == "merged"
    assert 'data-state="merged"' in requests.get(page, timeout=30).text
    assert project.issues.get(issue.iid).state == "closed"
    git("pull", "-q", "origin", "main", cwd=fetched)
    assert (fetched / "README.md").read_text() == "# garden\n\nFerns: daily, at nine\n"
    assert git("rev-parse", "HEAD", cwd=fetched).stdout.strip() == request.merge_commit_sha

    # Release and wiki page.
    release = project.releases.create(
        {"tag_name": "v1.0", "ref": "main", "name": "First", "description": "Ferns live."}
    )
    git("fetch", "-q", "--tags", cwd=fetched)
    assert (
        git("rev-parse", "v1.0^{commit}", cwd=fetched).stdout.strip()
        == release.commit["id"]
        == request.merge_commit_sha
    )
    project.wikis.create({"title": "Watering", "content": "# Watering\n\n<script>alert(1)</script>"})
    shown = requests.get(f"{served.url('forge')}/root/garden/-/wikis/Watering", timeout=30).text
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown

    # All of it is told in words, by who did it.
    words = [one.words for one in served.call(served.company.changes, "forge")]
    assert 'lee opened merge request root/garden!1 "Water the ferns"' not in words  # folded: it is merged by now
    assert any(
        line.startswith("root opened merge request root/garden!1") or "merge request root/garden!1" in line
        for line in words
    )
    assert any("root wrote the wiki page" in line for line in words)
    assert "root created tag v1.0 of root/garden" in words


def test_a_commits_message_closes_an_issue_from_the_moment_its_request_is_opened(
    served: Served, gl: gitlab.Gitlab, git: Git, tmp_path: Path
) -> None:
    project = project_with_readme(gl)
    issue = project.issues.create({"title": "Nobody waters the ferns"})
    git("clone", "-q", with_account(served, "root/garden"), tmp_path / "a")
    git("checkout", "-qb", "ferns", cwd=tmp_path / "a")
    git.commit(tmp_path / "a", f"Water the ferns\n\nFixes #{issue.iid}", fern_md="daily")
    options = ("-o", "merge_request.create", "-o", "merge_request.title=Water")
    git("push", "-q", *options, "origin", "ferns", cwd=tmp_path / "a")
    assert [one.iid for one in project.mergerequests.get(1).closes_issues()] == [issue.iid]
