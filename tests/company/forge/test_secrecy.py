"""What is confidential, internal or private is in no answer to anybody else, whichever address they ask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import gitlab
import pytest
import requests

from dayjob.company.forge import api, pages
from dayjob.company.forge.api.routes import router
from dayjob.company.forge.pages import routes
from dayjob.company.world import Snapshot
from tests.company.crawling import SEARCHED, crawl, filled, given_away, secret
from tests.company.forge.conftest import PASSWORD, person
from tests.company.serving import Served, serve

SCOPES = ("projects", "issues", "merge_requests", "milestones", "snippet_titles", "users", "wiki_blobs", "commits",
          "blobs", "notes", "work_items")  # fmt: skip
LISTS = ("?per_page=100&with_content=1&statistics=true&with_counts=true&all_available=true&with_shared=true",
         "?scope=all&state=all", f"?search={SEARCHED}")  # fmt: skip
QUERY = '{project(fullPath:"PATH"){name description fullPath openIssuesCount}}'


@dataclass
class Office:
    """A forge with secrets in it: words by name, names for addresses, and who is who (headers to send)."""

    served: Served
    words: dict[str, str] = field(default_factory=dict)
    code: dict[str, str] = field(default_factory=dict)
    members: dict[str, str] = field(default_factory=dict)
    values: dict[str, list[Any]] = field(default_factory=dict)
    people: dict[str, dict[str, str]] = field(default_factory=dict)

    def word(self, what: str, *, code: bool = False, member: bool = False) -> str:
        """A secret of the code of a private project, or one that a guest of a public project may see, or any other."""
        made = self.words[what] = secret(what)
        if code:
            self.code[what] = made
        if member:
            self.members[what] = made
        return made

    def addresses(self) -> list[str]:
        api.load()
        pages.load()
        patterns = router.patterns("GET")
        in_threads = [one for one in patterns if one.endswith("/{discussion_id}/notes/{note_id}")]
        listed = list(filled((one for one in patterns if one not in in_threads), self.values))
        for thread, note in self.values["threads"]:
            listed += filled(in_threads, {**self.values, "discussion_id": [thread], "note_id": [note]})
        wide = [path for path in listed if path.count("/") <= 5]
        searches = [
            f"/api/v4{place}/search?search={SEARCHED}&scope={scope}"
            for place in (
                "",
                *(f"/{kind}s/{one}" for kind in ("project", "group") for one in self.values[f"{kind}s/id"]),
            )
            for scope in SCOPES
        ]
        shown = list(filled(routes.SITE.patterns("GET"), self.values))
        for project in self.values["paths"]:
            shown += [f"/{project}", f"/{project}/edit", f"/{project}.git/info/refs?service=git-upload-pack"]
            shown += [f"/{project}/-{path}" for path in filled(routes.PROJECT.patterns("GET"), self.values)]
        for group in self.values["group_paths"]:
            shown += [f"/groups/{group}/-{path}" for path in filled(routes.GROUP.patterns("GET"), self.values)]
        shown += [f"/search?search={SEARCHED}&scope={scope}" for scope in SCOPES]
        asked = [f"/api/graphql?query={quote(QUERY.replace('PATH', path))}" for path in self.values["paths"]]
        return [*listed, *(path + more for path in wide for more in LISTS), *searches, *shown, *asked]


def headers_of(served: Served, username: str, token: str) -> dict[str, str]:
    answer = requests.post(
        f"{served.url('forge')}/users/sign_in", {"user[login]": username, "user[password]": PASSWORD},
        timeout=30, allow_redirects=False,
    )  # fmt: skip
    return {"PRIVATE-TOKEN": token, "Cookie": f"_gitlab_session={answer.cookies['_gitlab_session']}"}


def confidential(office: Office, garden: Any, group: Any) -> None:
    """A public project whose visitors are not told everything."""
    label = group.labels.create({"name": "bug", "color": "#ff0000"})
    milestone = group.milestones.create({"title": "Autumn"})
    facts = {"labels": "bug", "milestone_id": milestone.id}
    board = garden.boards.create({"name": "Board"})
    board.lists.create({"label_id": label.id})
    plain = garden.issues.create({"title": "Rake the leaves", **facts})
    text = f"{office.word('description')} for @lee and @gil"
    hidden = garden.issues.create({"title": office.word("title"), "description": text, "confidential": True, **facts})
    hidden.notes.create({"body": f"{office.word('comment')} @lee"})
    hidden.discussions.create({"body": office.word("thread")})
    hidden.state_event = "close"
    hidden.save()
    hidden.state_event = "reopen"
    hidden.save()
    hidden.awardemojis.create({"name": "thumbsup"})
    plain.links.create({"target_project_id": garden.id, "target_issue_iid": hidden.iid})
    plain.notes.create({"body": f"{office.word('internal')} @lee @gil", "internal": True})
    thread = plain.discussions.create({"body": office.word("internal-thread"), "internal": True})
    thread.notes.create({"body": office.word("internal-reply")})
    gone = garden.issues.create({"title": office.word("gone"), "confidential": True})
    gone.notes.create({"body": "soon gone"}).delete()
    garden.commits.create(
        {"branch": "topic", "start_branch": "main", "commit_message": "Rake",
         "actions": [{"action": "create", "file_path": "rake.md", "content": "rake"}]}
    )  # fmt: skip
    garden.mergerequests.create(
        {"source_branch": "topic", "target_branch": "main", "title": "Rake", "description": f"Closes #{hidden.iid}"}
    )
    own = garden.snippets.create(
        {"title": office.word("snippet", member=True), "visibility": "private",
         "files": [{"file_path": "a.txt", "content": office.word("snippet-text", member=True)}]}
    )  # fmt: skip
    own.notes.create({"body": office.word("snippet-comment", member=True)})
    garden.variables.create({"key": "KEY", "value": office.word("variable")})
    garden.hooks.create({"url": f"http://hooks.test/{office.word('hook')}"})


def private(office: Office, gl: gitlab.Gitlab, group: Any, **where: Any) -> Any:
    """A private project full of secrets."""
    name = office.word("name")
    project = gl.projects.create(
        {"name": name, "description": office.word("about"), "initialize_with_readme": True,
         "topics": [office.word("topic")], "visibility": "private", **where}
    )  # fmt: skip
    at = office.word("file", code=True)
    project.commits.create(
        {"branch": "main", "commit_message": office.word("commit", code=True),
         "actions": [{"action": "create", "file_path": "secret.txt", "content": at}]}
    )  # fmt: skip
    project.branches.create({"branch": office.word("branch", code=True), "ref": "main"})
    project.tags.create({"tag_name": "v1", "ref": "main", "message": office.word("tag", code=True)})
    file = {"name": "Map", "url": f"http://files.test/{office.word('file')}", "direct_asset_path": "/map.pdf"}
    facts = {"tag_name": "v1", "name": "One", "description": office.word("release"), "assets": {"links": [file]}}
    project.releases.create(facts)
    project.commits.get("main").comments.create({"note": office.word("commit-comment", code=True)})
    project.wikis.create({"title": "Plan", "content": office.word("wiki")})
    milestone = project.milestones.create({"title": office.word("milestone")})
    project.labels.create({"name": office.word("label"), "color": "#00ff00"})
    issue = project.issues.create({"title": office.word("issue"), "milestone_id": milestone.id, "labels": "bug"})
    issue.notes.create({"body": f"{office.word('note')} @lee"})
    project.commits.create(
        {"branch": "work", "start_branch": "main", "commit_message": "Work",
         "actions": [{"action": "create", "file_path": "work.txt", "content": "work"}]}
    )  # fmt: skip
    request = project.mergerequests.create(
        {"source_branch": "work", "target_branch": "main", "title": office.word("request", code=True)}
    )
    request.notes.create({"body": f"{office.word('request-note', code=True)} @lee"})
    for visibility in ("internal", "public"):
        project.snippets.create(
            {"title": office.word(f"{visibility}-snippet"), "visibility": visibility,
             "files": [{"file_path": "a.txt", "content": office.word(f"{visibility}-text")}]}
        )  # fmt: skip
    project.boards.create({"name": office.word("board")})
    project.badges.create({"link_url": f"http://badge.test/{office.word('badge')}", "image_url": "http://badge.test/i"})
    return project


def members_only(office: Office, gl: gitlab.Gitlab, group: Any) -> Any:
    """A public project whose parts are for its members."""
    features = ("issues", "merge_requests", "wiki", "repository", "snippets")
    project = gl.projects.create(
        {"name": "shy", "namespace_id": group.id, "visibility": "public", "initialize_with_readme": True,
         **{f"{one}_access_level": "private" for one in features}}
    )  # fmt: skip
    project.commits.create(
        {"branch": "work", "start_branch": "main", "commit_message": office.word("shy-commit"),
         "actions": [{"action": "create", "file_path": "secret.txt", "content": office.word("shy-file")}]}
    )  # fmt: skip
    issue = project.issues.create({"title": office.word("shy-issue"), "labels": "bug", "milestone_id": 1})
    issue.notes.create({"body": f"{office.word('shy-note')} @lee"})
    request = project.mergerequests.create(
        {"source_branch": "work", "target_branch": "main", "title": office.word("shy-request"), "milestone_id": 1}
    )
    request.notes.create({"body": f"{office.word('shy-request-note')} @lee"})
    project.wikis.create({"title": "Plan", "content": office.word("shy-wiki")})
    project.snippets.create(
        {"title": office.word("shy-snippet"), "visibility": "public",
         "files": [{"file_path": "a.txt", "content": office.word("shy-snippet-text")}]}
    )  # fmt: skip
    return project


@pytest.fixture(scope="module")
def office(blank: Snapshot) -> Iterator[Office]:
    with serve(blank) as served:
        gl = gitlab.Gitlab(served.url("forge"), private_token="root-token")
        gl.auth()
        root = gl.users.get(gl.user.id)  # type: ignore[union-attr]  # auth() has found out
        root.password = PASSWORD
        root.save()
        found = Office(served)
        lee, lee_client = person(gl, "lee")
        gil, gil_client = person(gl, "gil")
        tim, tim_client = person(gl, "tim")
        group = gl.groups.create({"name": "Open", "path": "open", "visibility": "public"})
        garden = gl.projects.create(
            {"name": "garden", "namespace_id": group.id, "initialize_with_readme": True, "visibility": "public"}
        )
        garden.members.create({"user_id": gil.id, "access_level": 10})
        confidential(found, garden, group)
        club = gl.groups.create({"name": found.word("group"), "path": "umbragroup", "visibility": "private"})
        club.milestones.create({"title": found.word("group-milestone")})
        garden.share(club.id, 20)
        hidden = private(found, gl, club, namespace_id=club.id, path="hidden")
        hidden.members.create({"user_id": tim.id, "access_level": 10})
        inner = gl.projects.create(
            {"name": found.word("inner"), "path": "inner", "namespace_id": group.id, "visibility": "private"}
        )
        inner.issues.create({"title": found.word("inner-issue"), "labels": "bug", "milestone_id": 1})
        fork = garden.forks.create(
            {"namespace_path": "root", "name": found.word("fork"), "path": "copy", "visibility": "private"}
        )
        shy = members_only(found, gl, group)
        for one in (hidden, inner):
            one.star()
        gl.snippets.create(
            {"title": found.word("own-snippet"), "visibility": "private",
             "files": [{"file_path": "a.txt", "content": found.word("own-text")}]}
        )  # fmt: skip
        upload = hidden.upload("plan.txt", filedata=found.word("upload").encode())
        projects, groups = [garden.id, hidden.id, inner.id, fork.id, shy.id], [group.id, club.id]
        discussions = [one for issue in (1, 2) for one in garden.issues.get(issue).discussions.list(get_all=True)]
        shas = [hidden.commits.list()[0].id, shy.commits.list(ref_name="work")[0].id]
        found.values = {
            "projects/id": projects, "groups/id": groups, "users/id": [1, lee.id], "namespaces/id": [1, *groups],
            "project/id": projects, "paths": ["open/garden", "umbragroup/hidden", "open/inner", "open/shy"],
            "group_paths": ["open", "umbragroup"], "snippets/snippet_id": [1, 2, 3, 4, 5], "snippets/iid": [1, 2, 4],
            "iid": [1, 2], "note_id": list(range(1, 16)), "discussion_id": [one.id for one in discussions],
            "threads": [(one.id, note["id"]) for one in discussions for note in one.attributes["notes"]],
            "issue_id": [1, 2, 3],
            "milestone_id": [1, 2, 3], "board_id": [1, 2], "boards/board": [1], "name": ["bug", "main"], "sha": shas,
            "commits/iid": shas, "branch": ["main", "work"], "tag": ["v1"], "tag_name": ["v1"], "tags/name": ["v1"],
            "downloads/path": ["map.pdf"],
            "file_path": ["secret.txt", "a.txt", "README.md"], "slug": ["Plan"],
            "archive": ["archive.tar.gz", "archive.zip"], "templates/kind": ["gitignores"], "state": ["all"],
            "where": ["main", "main/secret.txt", "work/secret.txt"], "sides": ["main...work"],
            "username": ["root", "lee"], "groups/name": ["open", "umbragroup"], "kind": ["project"],
            "avatar/id": [1], "id": [1, 2],
            "uploads/secret": [upload["url"].split("/")[-2]], "secret/name": ["plan.txt"], "ref": ["main"],
            "user_id": [1], "key": [1, "KEY"], "key_id": [1], "token_id": [1], "award_id": [1], "event_id": [1, 2],
            "link_id": [1], "version_id": [1], "rule_id": [1], "pipeline_id": [1], "job_id": [1], "package_id": [1],
            "runner_id": [1], "schedule_id": [1], "raw/path": ["a.txt"], "artifacts/path": ["a.txt"],
            "file/path": ["a.txt"], "browse/path": ["a"], "package": ["x"], "version": ["1"], "file": ["x"],
            "list_id": [1], "email_id": [1],
        }  # fmt: skip
        found.people = {
            "root": headers_of(served, "root", "root-token"), "nobody": {},
            **{name: headers_of(served, name, str(client.private_token)) for name, client in
               (("lee", lee_client), ("gil", gil_client), ("tim", tim_client))},
        }  # fmt: skip
        yield found


def asked(office: Office, who: str) -> dict[str, str]:
    return crawl(office.served.url("forge"), office.people[who], office.addresses(), links=True)


def test_whoever_may_see_everything_finds_every_secret(office: Office) -> None:
    assert set(given_away(asked(office, "root"), office.words)) == set(office.words)


@pytest.mark.parametrize("who", ["nobody", "lee"])
def test_no_address_tells_a_stranger_what_is_confidential_internal_or_private(office: Office, who: str) -> None:
    assert given_away(asked(office, who), office.words) == {}


def test_a_guest_of_a_public_project_sees_nothing_that_is_confidential_or_internal(office: Office) -> None:
    assert set(given_away(asked(office, "gil"), office.words)) == set(office.members)


def test_a_guest_of_a_private_project_sees_its_issues_and_none_of_its_code(office: Office) -> None:
    answers = asked(office, "tim")
    assert given_away(answers, office.code) == {}
    assert "issue" in given_away(answers, office.words)
