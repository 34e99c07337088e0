"""@gitbeaker/rest and an MCP server for GitLab, as published, work on the forge."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.clients import client_python, node_folder
from tests.company.serving import Served

HERE = Path(__file__).parent


def test_gitbeaker_branches_commits_merges_and_pages_through_issues(served: Served) -> None:
    done = subprocess.run(
        ["node", str(HERE / "beaker.mjs"), served.url("forge"), str(node_folder("gitlab-node"))],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "me": "root",
        "path": "club/beaker",
        "content": "hello",
        "labels": ["one", "two"],
        "state": "merged",
        "diffs": ["a.txt"],
        "closed": ["Broken"],
        "count": 6,
        "release": "v1",
        "tree": ["README.md", "a.txt"],
        "missing": 404,
    }


def test_an_mcp_server_for_gitlab_works_a_merge_request_through(served: Served) -> None:
    here = {"project_id": "root/made"}
    request = {**here, "merge_request_iid": "1"}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("create_repository", {"name": "made", "initialize_with_readme": True}),
        ("create_branch", {**here, "branch": "topic", "ref": "main"}),
        ("create_or_update_file",
         {**here, "file_path": "a.txt", "content": "hello", "commit_message": "Add a", "branch": "topic"}),
        ("push_files",
         {**here, "branch": "topic", "files": [{"file_path": "b.txt", "content": "b"}], "commit_message": "Add b"}),
        ("get_file_contents", {**here, "file_path": "a.txt", "ref": "topic"}),
        ("create_merge_request", {**here, "title": "Topic", "source_branch": "topic", "target_branch": "main"}),
        ("get_merge_request_diffs", request),
        ("create_merge_request_thread", {**request, "body": "Why?"}),
        ("mr_discussions", request),
        ("create_issue", {**here, "title": "One", "labels": ["a"]}),
        ("create_issue_note", {**here, "issue_iid": "1", "body": "A note"}),
        ("update_issue", {**here, "issue_iid": "1", "state_event": "close"}),
        ("list_issues", {**here, "scope": "all", "state": "closed"}),
        ("create_wiki_page", {**here, "title": "Home", "content": "Welcome"}),
        ("merge_merge_request", request),
        ("get_repository_tree", here),
    ]  # fmt: skip
    done = subprocess.run(
        [str(client_python("mcp")), str(HERE / "mcp_session.py"), served.url("forge"), str(node_folder("gitlab-node"))],
        input=json.dumps(calls), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answers = dict(zip((name for name, _ in calls), json.loads(done.stdout), strict=True))
    assert [name for name, answer in answers.items() if answer["error"]] == []
    found = {name: json.loads(answer["text"]) for name, answer in answers.items()}
    assert found["get_file_contents"]["content"] == "hello"
    assert [one["new_path"] for one in found["get_merge_request_diffs"]] == ["a.txt", "b.txt"]
    assert found["mr_discussions"]["items"][0]["notes"][0]["body"] == "Why?"
    assert [one["title"] for one in found["list_issues"]] == ["One"]
    assert found["merge_merge_request"]["state"] == "merged"
    assert {one["name"] for one in found["get_repository_tree"]} == {"README.md", "a.txt", "b.txt"}
