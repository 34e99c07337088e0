"""The `gitlab` command line, hooks that arrive, pages that browsers read, and GraphQL's who-am-I."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue
from typing import Any

import gitlab
import requests

from dayjob.company.world import Snapshot
from tests.company.forge.conftest import project_with_readme
from tests.company.serving import Served, serve


def command(served: Served, *args: str) -> Any:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "gitlab",
            "--server-url",
            served.url("forge"),
            "--private-token",
            "root-token",
            "-o",
            "json",
            *args,
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout) if done.stdout.strip() else None


def test_the_gitlab_command_line_works_on_projects_issues_and_files(served: Served) -> None:
    project = command(served, "project", "create", "--name", "cli")
    number = str(project["id"])
    command(
        served, "project-file", "create", "--project-id", number, "--file-path", "README", "--branch", "main",
        "--content", "hello", "--commit-message", "first",
    )  # fmt: skip
    command(served, "project-issue", "create", "--project-id", number, "--title", "From the shell")
    assert [one["title"] for one in command(served, "project-issue", "list", "--project-id", number)] == [
        "From the shell"
    ]
    assert command(served, "current-user", "get")["username"] == "root"


@contextmanager
def listener() -> Iterator[tuple[str, Queue[tuple[dict[str, str], Any]]]]:
    """A server that keeps what is posted to it."""
    received: Queue[tuple[dict[str, str], Any]] = Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            received.put((dict(self.headers), json.loads(body)))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook", received
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()


def test_a_hook_really_delivers(served: Served, gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl)
    with listener() as (url, received):
        project.hooks.create({"url": url, "token": "sesame", "push_events": True, "issues_events": True})
        project.issues.create({"title": "Tell me"})
        headers, body = received.get(timeout=20)
        assert (headers["X-Gitlab-Event"], headers["X-Gitlab-Token"]) == ("Issue Hook", "sesame")
        assert (body["object_kind"], body["object_attributes"]["title"]) == ("issue", "Tell me")
        project.files.create({"file_path": "a", "branch": "main", "content": "a", "commit_message": "Add a"})
        headers, body = received.get(timeout=20)
        assert (headers["X-Gitlab-Event"], body["ref"], body["commits"][0]["title"]) == (
            "Push Hook",
            "refs/heads/main",
            "Add a",
        )
    assert "sesame" not in str(served.call(served.company.changes, "forge"))


def test_what_is_confidential_reaches_only_hooks_that_ask_for_it(gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl)
    with listener() as (url, received), listener() as (open_url, heard):
        wanted = {"confidential_issues_events": True, "confidential_note_events": True}
        project.hooks.create({"url": url, "push_events": False, **wanted})
        project.hooks.create({"url": open_url, "push_events": False, "issues_events": True, "note_events": True})
        secret = project.issues.create({"title": "Leak", "confidential": True})
        headers, body = received.get(timeout=20)
        assert headers["X-Gitlab-Event"] == "Confidential Issue Hook"
        assert (body["object_kind"], body["event_name"]) == ("issue", "confidential_issue")
        secret.notes.create({"body": "In the cellar."})
        headers, body = received.get(timeout=20)
        assert (headers["X-Gitlab-Event"], body["object_kind"]) == ("Confidential Note Hook", "note")
        plain = project.issues.create({"title": "Weeds"})
        plain.discussions.create({"body": "For us only.", "internal": True})
        assert received.get(timeout=20)[1]["object_attributes"]["note"] == "For us only."
        plain.notes.create({"body": "For all."})
        told = [heard.get(timeout=20)[1] for _ in range(2)]
        assert sorted(one["object_kind"] for one in told) == ["issue", "note"]
        assert "Leak" not in str(told)
        assert "us only" not in str(told)
        assert (received.empty(), heard.empty()) == (True, True)


def test_a_trials_hooks_do_not_leave_the_company(blank: Snapshot) -> None:
    with serve(blank, phase="work") as served, listener() as (url, received):
        client = gitlab.Gitlab(served.url("forge"), private_token="root-token")
        project = client.projects.create({"name": "inside"})
        project.hooks.create({"url": url, "issues_events": True})
        project.issues.create({"title": "Stay"})
        assert project.issues.list()
        assert received.empty()


def test_signing_in_through_the_page_opens_private_pages(larkspur: Snapshot) -> None:
    with serve(larkspur) as served:
        base = served.url("forge")
        browser = requests.Session()
        page = f"{base}/larkspur/trellis/-/merge_requests/12"
        assert browser.get(page, timeout=30).url.startswith(f"{base}/users/sign_in")
        form = browser.get(f"{base}/users/sign_in", timeout=30).text
        for text in ("Username or primary email", "Password", "Sign in"):
            assert text in form
        wrong = browser.post(
            f"{base}/users/sign_in", data={"user[login]": "sam.reed", "user[password]": "no"}, timeout=30
        )
        assert wrong.status_code == 422
        browser.post(
            f"{base}/users/sign_in",
            data={"user[login]": "sam.reed", "user[password]": "sam-reed-first-day"},
            timeout=30,
        )
        assert 'data-state="opened"' in browser.get(page, timeout=30).text
        wiki = browser.get(f"{base}/larkspur/trellis/-/wikis/onboarding", timeout=30).text
        assert "ask Jonas Weber" in wiki
        assert browser.get(f"{base}/larkspur/platform/infra", timeout=30).status_code == 404


def test_graphql_says_who_is_asking(served: Served) -> None:
    def ask(query: str, **more: Any) -> Any:
        return requests.post(
            f"{served.url('forge')}/api/graphql",
            json={"query": query, **more},
            headers={"Authorization": "Bearer root-token"},
            timeout=30,
        ).json()

    assert ask("query { me: currentUser { username active } }") == {
        "data": {"me": {"username": "root", "active": True}}
    }
    assert ask("{ project(fullPath: $p) { id } }", variables={"p": "no/where"}) == {"data": {"project": None}}
    assert "doesn't exist" in ask("{ currentUser { shoeSize } }")["errors"][0]["message"]
