"""The forge's part of a world: what it compiles to, and how it says what is wrong."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import gitlab
import pytest
import requests

from dayjob.company.company import Company
from dayjob.company.world import Snapshot, build_snapshot
from dayjob.company.world.snapshot import check_world
from tests.company.forge.conftest import Git
from tests.company.serving import WORLDS, serve


def world(folder: Path, **files: str) -> Path:
    (folder / "people").mkdir(parents=True)
    (folder / "world.toml").write_text('name = "Plot"\nhost = "plot.test"\nnow = 2026-03-09T09:00:00Z\n')
    (folder / "people" / "kim.yml").write_text("name: Kim\nusername: kim\npassword: kim-password\n")
    for name, text in files.items():
        path = folder / "forge" / name.replace("__", "/").replace("_yml", ".yml").replace("_md", ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_the_same_world_gives_the_same_bytes_and_shas(larkspur: Snapshot, tmp_path: Path) -> None:
    again = build_snapshot(WORLDS / "larkspur", cache=tmp_path)
    assert (again.path / "forge.db").read_bytes() == (larkspur.path / "forge.db").read_bytes()
    for file in sorted(larkspur.path.glob("git/**/*")):
        if file.is_file():
            assert (again.path / file.relative_to(larkspur.path)).read_bytes() == file.read_bytes()


def test_larkspur_has_history_issues_requests_releases_and_a_wiki(larkspur: Snapshot, git: Git, tmp_path: Path) -> None:
    with serve(larkspur) as served:
        client = gitlab.Gitlab(served.url("forge"), private_token="larkspur-root-token")
        trellis = client.projects.get("larkspur/trellis")
        states = [one.state for one in trellis.mergerequests.list(get_all=True)]
        assert {state: states.count(state) for state in set(states)} == {"merged": 11, "closed": 1, "opened": 1}
        assert trellis.issues.get(10).milestone["title"] == "Spring launch"
        assert [one.tag_name for one in trellis.releases.list()] == ["v1.5.0", "v1.4.0", "v1.3.2"]
        assert {one.slug for one in trellis.wikis.list()} == {"home", "onboarding", "releasing", "reviewing", "words"}
        assert [one.name for one in trellis.branches.list()] == ["colours", "main", "release-2.0", "stable-order"]
        request = trellis.mergerequests.list(state="opened")[0]
        assert [one.iid for one in request.closes_issues()] == [10]
        changes: Any = request.changes()
        assert [one["new_path"] for one in changes["changes"]] == ["trellis/schedule.py"]
        url = served.url("forge").replace("://", "://sam.reed:sam-reed-first-day@")
        git("clone", "-q", f"{url}/larkspur/trellis.git", tmp_path / "trellis")
        assert git("-C", tmp_path / "trellis", "fsck", "--strict").returncode == 0
        refused = git("clone", "-q", f"{url}/larkspur/platform/infra.git", tmp_path / "infra", ok=False)
        assert refused.returncode != 0


def test_looking_at_merge_requests_changes_nothing(larkspur: Snapshot) -> None:
    with serve(larkspur) as served:
        client = gitlab.Gitlab(served.url("forge"), private_token="larkspur-root-token")
        request = client.projects.get("larkspur/trellis").mergerequests.get(12)
        assert (request.detailed_merge_status, request.changes_count) == ("mergeable", "1")
        assert served.company.changes("forge", everyone=True) == []


def test_a_company_touches_no_repository_until_somebody_does(larkspur: Snapshot) -> None:
    company = Company(larkspur)
    try:
        assert company.ready("forge")
        assert company._temporary is None
    finally:
        company.close()
    with serve(larkspur) as served:
        client = gitlab.Gitlab(served.url("forge"), private_token="larkspur-root-token")
        assert len(client.projects.list()) == 10
        assert client.projects.get("larkspur/trellis").issues.list()
        assert not list((served.company.folder / "own").glob("forge/*.git"))
        trellis = client.projects.get("larkspur/trellis")
        trellis.repository_tree()
        touched = [one.name for one in (served.company.folder / "own" / "forge").glob("*.git")]
        assert touched == [f"{trellis.id}.git"]


def test_what_is_wrong_is_told_with_file_and_line(tmp_path: Path) -> None:
    folder = world(
        tmp_path / "w",
        groups_yml="- path: plot\n  members:\n    nobody: owner\n    kim: emperor\n",
        projects__plot__beds__project_yml="labels:\n  - {name: a}\n  - {name: a}\nodd: 1\nvariables: {A: b}\n",
        projects__plot__beds__history_yml=(
            "- author: kim\n  at: 2026-01-01\n  message: x\n  files: {a: b}\n- at: never\n  message: y\n"
            "- at: 2026-01-02\n  message: z\n  merge: ghost\n"
        ),
        projects__plot__beds__issues_yml="- title: One\n  labels: [missing]\n  milestone: Never\n- description: "
        "no title\n",
        projects__plot__beds__merge_requests_yml="- title: M\n  source: nowhere\n",
        projects__plot__beds__releases_yml="- tag: v9\n",
        projects__elsewhere__x__project_yml="",
        stray_md="what is this",
    )
    found = {(one.file, one.line, one.rule) for one in check_world(folder)}
    base = "forge/projects/plot/beds"
    assert {
        ("forge/groups.yml", 3, "unknown-person"),
        ("forge/groups.yml", 4, "forge"),
        (f"{base}/project.yml", 3, "duplicate"),
        (f"{base}/project.yml", 4, "forge"),
        (f"{base}/project.yml", 5, "forge"),
        (f"{base}/history.yml", 5, "forge"),
        (f"{base}/history.yml", 9, "forge"),
        (f"{base}/issues.yml", 2, "dangling"),
        (f"{base}/issues.yml", 3, "dangling"),
        (f"{base}/issues.yml", 4, "forge"),
        (f"{base}/merge_requests.yml", 2, "dangling"),
        (f"{base}/releases.yml", 1, "dangling"),
        ("forge/projects/elsewhere/x/project.yml", 1, "forge"),
        ("forge/stray.md", 0, "forge"),
    } <= found


HISTORY = """
- {author: kim, at: 2026-01-01, message: One, source: [a.txt, deep]}
- author: kim
  at: 2026-01-02
  message: Two
  branch: topic
  patch:
    a.txt: |
      @@
       first
      -second

      +third
      @@
      +last
- {author: kim, at: 2026-01-03, message: Meanwhile, files: {b.txt: "b"}}
- {author: kim, at: 2026-01-04, message: Merge, merge: topic}
- author: kim
  at: 2026-01-05
  message: After the merge
  patch:
    a.txt: |
      @@
      -third
      +3
"""


def planted(folder: Path, history: str, **files: str) -> Path:
    """A world of one project with `a.txt`, `deep/c.txt` and `unused.txt` in its source."""
    made = world(
        folder,
        groups_yml="- path: plot\n",
        projects__plot__beds__project_yml="visibility: public\nsettings: {remove_source_branch_after_merge: true}\n",
        projects__plot__beds__history_yml=history,
        **files,
    )
    for name, text in (("a.txt", "first\nsecond\n\nend\n"), ("deep/c.txt", "c\n"), ("unused.txt", "")):
        path = made / "forge" / "projects" / "plot" / "beds" / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return made


def test_a_commit_takes_part_of_the_source_and_patches_a_branch(git: Git, tmp_path: Path) -> None:
    requests = "- {title: T, author: kim, source: topic, state: merged, done: 2026-01-04}\n"
    folder = planted(tmp_path / "w", HISTORY, projects__plot__beds__merge_requests_yml=requests)
    assert check_world(folder) == []
    with serve(build_snapshot(folder, cache=tmp_path / "cache")) as served:
        git("clone", "-q", f"{served.url('forge')}/plot/beds.git", tmp_path / "beds")
        found = git("ls-files", cwd=tmp_path / "beds").stdout.split()
        assert found == ["a.txt", "b.txt", "deep/c.txt"]
        assert (tmp_path / "beds" / "a.txt").read_text() == "first\n\n3\nend\nlast\n"
        branches = git("ls-remote", "--heads", "origin", cwd=tmp_path / "beds").stdout
        assert [line.split("\t")[1] for line in branches.splitlines()] == ["refs/heads/main"]


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ("@@\n-absent\n+x", "The hunk that begins with 'absent' stands nowhere in 'a.txt'."),
        ("@@\n-same\n+x", "The hunk that begins with 'same' stands 2 times in 'a.txt'."),
        ("first", "'first' is not a line of a patch."),
    ],
)
def test_a_patch_that_does_not_fit_is_told_with_its_line(patch: str, said: str, tmp_path: Path) -> None:
    history = (
        '- {author: kim, at: 2026-01-01, message: One, files: {a.txt: "same\\nsame\\n"}}\n'
        "- author: kim\n  at: 2026-01-02\n  message: Two\n  source: [nothing.txt]\n  patch:\n    a.txt: |\n"
        + "".join(f"      {line}\n" for line in patch.split("\n"))
        + "    gone.txt: |\n      @@\n      +x\n"
    )
    found = {(one.line, one.message) for one in check_world(planted(tmp_path / "w", history))}
    assert found == {
        (5, "There is no 'nothing.txt' in source/."),
        (7, said),
        (7 + 1 + len(patch.split("\n")), "There is no file 'gone.txt' on 'main' at this point of the history."),
    }


def test_a_file_that_both_sides_of_a_merge_changed_cannot_be_patched(tmp_path: Path) -> None:
    lines = [
        '{author: kim, at: 2026-01-01, message: One, files: {a.txt: "1"}}',
        '{author: kim, at: 2026-01-02, message: Two, branch: topic, files: {a.txt: "2"}}',
        '{author: kim, at: 2026-01-03, message: Three, files: {a.txt: "3"}}',
        "{author: kim, at: 2026-01-04, message: Four, merge: topic}",
        '{author: kim, at: 2026-01-05, message: Five, patch: {a.txt: "@@\\n+x"}}',
    ]
    folder = world(
        tmp_path / "w",
        groups_yml="- path: plot\n",
        projects__plot__beds__project_yml="",
        projects__plot__beds__history_yml="".join(f"- {line}\n" for line in lines),
    )
    assert [one.message for one in check_world(folder)] == [
        "Both sides of a merge changed 'a.txt', so its text is not known here."
    ]


def test_comments_stand_at_lines_in_threads_and_issues_are_linked(tmp_path: Path) -> None:
    issues = "- {title: One, author: kim}\n- {title: Two, author: kim, links: [1]}\n"
    requests = """
- title: T
  description: "Closes #2, see #1"
  author: kim
  source: topic
  comments:
    - {author: kim, at: 2026-01-05, body: Plain}
    - author: kim
      at: 2026-01-06
      body: Why?
      place: a.txt:2
      resolved_by: kim
      replies: [{author: kim, at: 2026-01-07, body: Because}]
"""
    history = HISTORY.partition("- {author: kim, at: 2026-01-04")[0]
    folder = planted(
        tmp_path / "w",
        history,
        projects__plot__beds__issues_yml=issues,
        projects__plot__beds__merge_requests_yml=requests,
    )
    with serve(build_snapshot(folder, cache=tmp_path / "cache")) as served:
        client = gitlab.Gitlab(served.url("forge"))
        beds = client.projects.get("plot/beds")
        request = beds.mergerequests.get(1)
        assert request.user_notes_count == 3
        plain, thread = (one.attributes["notes"] for one in request.discussions.list())
        assert [note["body"] for note in plain] == ["Plain"]
        assert [(note["type"], note["body"], note["resolved"]) for note in thread] == [
            ("DiffNote", "Why?", True),
            ("DiffNote", "Because", True),
        ]
        assert (thread[0]["position"]["new_path"], thread[0]["position"]["new_line"]) == ("a.txt", 2)
        assert [one.iid for one in request.closes_issues()] == [2]
        assert [one.iid for one in beds.issues.get(1).links.list()] == [2]
    problems = check_world(
        planted(tmp_path / "x", history, projects__plot__beds__issues_yml=issues.replace("[1]", "[7]"))
    )
    assert [one.message for one in problems] == ["'Two' is linked to plot/beds#7, which does not exist."]


def test_an_issue_may_have_its_number_and_the_rest_count_on(tmp_path: Path) -> None:
    issues = "- {title: First}\n- {title: Late, number: 759, links: [1]}\n- {title: After it}\n"
    history = HISTORY.partition("- {author: kim, at: 2026-01-04")[0]
    folder = planted(tmp_path / "w", history, projects__plot__beds__issues_yml=issues)
    with serve(build_snapshot(folder, cache=tmp_path / "cache")) as served:
        kim = {"grant_type": "password", "username": "kim", "password": "kim-password"}
        token = requests.post(f"{served.url('forge')}/oauth/token", data=kim, timeout=60).json()["access_token"]
        beds = gitlab.Gitlab(served.url("forge"), oauth_token=token).projects.get("plot/beds")
        assert {one.iid: one.title for one in beds.issues.list()} == {1: "First", 759: "Late", 760: "After it"}
        assert beds.issues.get(759).web_url.endswith("/plot/beds/-/issues/759")
        assert [one.iid for one in beds.issues.get(759).links.list()] == [1]
        assert beds.issues.create({"title": "Fresh"}).iid == 761
    for number in ("1", "soon", "true"):
        wrong = issues.replace("759", number)
        [problem] = check_world(planted(tmp_path / number, history, projects__plot__beds__issues_yml=wrong))
        assert (problem.line, "above 1" in problem.fix) == (2, True), problem


def _as_kim(url: str) -> gitlab.Gitlab:
    kim = {"grant_type": "password", "username": "kim", "password": "kim-password"}
    token = requests.post(f"{url}/oauth/token", data=kim, timeout=60).json()["access_token"]
    return gitlab.Gitlab(url, oauth_token=token)


def test_merge_requests_milestones_and_projects_have_the_numbers_a_world_writes(tmp_path: Path) -> None:
    folder = world(
        tmp_path / "w",
        groups_yml="- path: plot\n  milestones: [{title: Year, number: 9}, {title: Next year}]\n"
        "  members: {kim: owner}\n",
        projects__plot__aisle__project_yml="visibility: public\n",
        projects__plot__beds__project_yml="visibility: public\nid: 3\n"
        "milestones:\n  - {title: Spring}\n  - {title: Summer, number: 30}\n",
        projects__plot__beds__history_yml=HISTORY.partition("- {author: kim, at: 2026-01-04")[0].replace(
            "source: [a.txt, deep]", 'files: {a.txt: "first\\nsecond\\n\\n"}'
        ),
        projects__plot__beds__merge_requests_yml="- {title: First, source: topic, state: closed}\n"
        "- {title: Late, number: 81, source: topic, milestone: Summer}\n",
        projects__plot__cellar__project_yml="visibility: public\n",
        projects__plot__door__project_yml="visibility: public\nid: 700\n",
    )
    with serve(build_snapshot(folder, cache=tmp_path / "cache")) as served:
        client = _as_kim(served.url("forge"))
        ids = {one.path: one.id for one in client.projects.list(get_all=True)}
        assert ids == {"aisle": 1, "beds": 3, "cellar": 701, "door": 700}, "a place that another has written goes on"
        beds = client.projects.get(3)
        assert {one.iid: one.title for one in beds.milestones.list()} == {1: "Spring", 30: "Summer"}
        assert {one.iid: one.title for one in client.groups.get("plot").milestones.list()} == {
            9: "Year", 10: "Next year",
        }  # fmt: skip
        assert {one.iid: one.title for one in beds.mergerequests.list()} == {1: "First", 81: "Late"}
        late = beds.mergerequests.get(81)
        assert late.milestone["iid"] == 30
        assert late.web_url.endswith("/plot/beds/-/merge_requests/81")
        assert beds.milestones.create({"title": "Autumn"}).iid == 31
        made = beds.mergerequests.create({"title": "More", "source_branch": "main", "target_branch": "topic"})
        assert made.iid == 82
        url = f"{served.url('forge')}/plot/beds.git"
        heads = subprocess.run(["git", "ls-remote", url], capture_output=True, text=True, check=True, timeout=60).stdout
        assert "refs/merge-requests/81/head" in heads
        assert client.projects.create({"name": "Fresh"}).id == 702


@pytest.mark.parametrize(
    ("file", "text", "rule", "line", "words"),
    [
        ("project_yml", "id: three\n", "forge", 1, "'three' is not a project's id"),
        ("project_yml", "name: Beds\nid: 0\n", "forge", 2, "'0' is not a project's id"),
        ("project_yml", "id: true\n", "forge", 1, "'True' is not a project's id"),
        ("project_yml", "id: 5\n", "duplicate", 1, "The id 5 is already that of plot/aisle"),
        ("project_yml", "milestones:\n  - {title: A, number: 2}\n  - {title: B, number: 2}\n", "forge", 3, "'2' is no"),
        ("project_yml", "milestones:\n  - {title: A, number: II}\n", "forge", 2, "'II' is no number"),
        ("merge_requests_yml", "- {title: A, source: topic, number: 4}\n- {title: B, source: topic, number: 4}\n",
         "forge", 2, "'4' is no number for this merge request"),
        ("merge_requests_yml", "- title: A\n  source: topic\n  number: 0\n", "forge", 3, "'0' is no number"),
        ("issues_yml", "- title: A\n  author: {email: jo@away.test}\n", "forge", 2, "This author has no name"),
        ("issues_yml", "- title: A\n  author: {name: Jo, email: away}\n", "forge", 2, "not an e-mail address"),
        ("issues_yml", "- title: A\n  author: {name: [Jo]}\n", "forge", 2, "An author's 'name' must be text"),
        ("issues_yml", "- title: A\n  author: {name: Jo, colour: red}\n", "forge", 2, "'colour' means nothing"),
        ("issues_yml", "- title: A\n  author: {name: Jo, username: a b}\n", "forge", 2, "'a b' is not a username"),
        ("issues_yml", "- title: A\n  author: {name: Jo, username: KIM}\n", "duplicate", 2, "'KIM' is taken"),
        ("issues_yml", "- title: A\n  author: {name: Jo, username: plot}\n", "duplicate", 2, "'plot' is taken"),
        ("issues_yml", "- title: A\n  author: {name: Jo, username: root}\n", "duplicate", 2, "'root' is taken"),
        ("issues_yml", "- title: A\n  author: {name: Jo, email: kim@plot.test}\n", "duplicate", 2, "Kim's address"),
        ("issues_yml", "- title: A\n  author: {name: Jo, email: jo@away.test}\n"
         "- title: B\n  author: {name: Flo, email: JO@away.test}\n", "duplicate", 4, "is Jo elsewhere, not Flo"),
        ("issues_yml", "- title: A\n  assignees: [ghost]\n", "unknown-person", 2, "'ghost'"),
        ("issues_yml", "- title: A\n  comments:\n    - {author: zed, body: b}\n", "unknown-person", 3, "'zed'"),
    ],
)  # fmt: skip
def test_bad_numbers_ids_and_authors_are_told_with_file_and_line(
    tmp_path: Path, file: str, text: str, rule: str, line: int, words: str
) -> None:
    files = {
        "groups_yml": "- path: plot\n",
        "projects__plot__aisle__project_yml": "id: 5\n",
        "projects__plot__beds__project_yml": "",
        "projects__plot__beds__history_yml": "- {author: kim, at: 2026-01-01, message: M, files: {a: b}}\n"
        "- {author: kim, at: 2026-01-02, message: N, branch: topic, files: {a: c}}\n",
        f"projects__plot__beds__{file}": text,
    }
    [problem] = check_world(world(tmp_path / "w", **files))
    assert (problem.rule, problem.line) == (rule, line), problem
    assert problem.file.endswith(f"plot/beds/{file.replace('_yml', '.yml')}")
    assert words in problem.message


OUTSIDE = """
- title: From outside
  author: {name: Jo Kim, email: jo@away.test}
  at: 2026-01-05
  state: closed
  closed_by: ghost
  comments:
    - {author: {name: Jo Kim}, at: 2026-01-06, body: Is anybody there?}
    - {author: {name: Jo Kim, email: other@away.test}, at: 2026-01-06, body: I am.}
    - {author: ghost, at: 2026-01-07, body: So was I.}
    - {author: {name: Plot}, at: 2026-01-08, body: My name is that of a group.}
    - {author: {name: Ming, username: m.away}, at: 2026-01-09, body: Hello}
"""


def test_authors_may_be_people_outside_the_company(tmp_path: Path) -> None:
    requests_file = (
        "- {title: Better, source: topic, at: 2026-01-05, author: {name: Ming, username: m.away}, state: closed,\n"
        "   done: 2026-01-06, done_by: {name: Ming, username: m.away}}\n"
    )
    history = HISTORY.partition("- {author: kim, at: 2026-01-04")[0]
    files = {"projects__plot__beds__issues_yml": OUTSIDE, "projects__plot__beds__merge_requests_yml": requests_file}
    folder = planted(tmp_path / "w", history, **files)
    with serve(build_snapshot(folder, cache=tmp_path / "cache")) as served:
        client = _as_kim(served.url("forge"))
        beds = client.projects.get("plot/beds")
        issue = beds.issues.get(1)
        assert (issue.author["name"], issue.author["username"], issue.author["state"]) == ("Jo Kim", "jo.kim", "active")
        assert issue.attributes["closed_by"]["username"] == "ghost"
        said = {one.author["username"]: one.author["name"] for one in issue.notes.list()}
        assert said == {
            "jo.kim": "Jo Kim", "jo.kim1": "Jo Kim", "ghost": "Ghost User", "plot1": "Plot", "m.away": "Ming",
        }  # fmt: skip
        request = beds.mergerequests.get(1)
        assert (request.author["username"], request.attributes["closed_by"]["username"]) == ("m.away", "m.away")
        page = requests.get(f"{served.url('forge')}/plot/beds/-/issues/1", timeout=60).text
        assert "Ghost User" in page
        for username, secret in (("jo.kim", ""), ("ghost", "ghost"), ("m.away", "m.away")):
            form = {"grant_type": "password", "username": username, "password": secret}
            assert requests.post(f"{served.url('forge')}/oauth/token", data=form, timeout=60).status_code in (400, 401)
        bare = {one.path: one.id for one in client.groups.list(all_available=True)}
    without = planted(tmp_path / "bare", history)
    with serve(build_snapshot(without, cache=tmp_path / "cache")) as served:
        client = _as_kim(served.url("forge"))
        assert {one.path: one.id for one in client.groups.list(all_available=True)} == bare, "ids of others stay"


CI_GROUPS = "- {path: plot, name: Plot}\n"


def test_a_ci_file_that_is_wrong_is_told_where_its_author_finds_it(tmp_path: Path) -> None:
    files = {
        "groups_yml": CI_GROUPS,
        "projects__plot__beds__project_yml": "description: Beds\n",
        "projects__plot__beds__source__.gitlab-ci_yml": "test:\n  script: [make]\n  retry: 3\n",
        "projects__plot__paths__project_yml": "description: Paths\n",
        "projects__plot__paths__history_yml": """- {author: kim, at: 2026-02-02T09:00:00Z, message: Go, files: {a: b}}
- author: kim
  at: 2026-02-03T09:00:00Z
  message: Test
  files:
    .gitlab-ci.yml: |
      test:
        script: [make]
        needs: [biuld]
- {author: kim, at: 2026-02-04T09:00:00Z, message: More, files: {c: d}}
""",
    }
    folder = world(tmp_path / "w", **files)
    beds, paths = check_world(folder)
    assert (beds.rule, beds.file, beds.line) == ("ci-file", "forge/projects/plot/beds/source/.gitlab-ci.yml", 3)
    assert beds.message == "jobs:test:retry config should be less than or equal to 2."
    assert beds.fix == "Write 0, 1 or 2; where it is wrong on purpose, write 'broken_ci: true' in project.yml."
    assert (paths.file, paths.line) == ("forge/projects/plot/paths/history.yml", 2)
    assert paths.message == (
        "'test' job needs 'biuld' job, but 'biuld' does not exist in the pipeline (.gitlab-ci.yml line 3)."
    )
    for name in ("beds", "paths"):
        folder.joinpath(f"forge/projects/plot/{name}/project.yml").write_text("broken_ci: true\n")
    assert check_world(folder) == []
    folder.joinpath("forge/projects/plot/beds/project.yml").write_text("broken_ci: perhaps\n")
    assert check_world(folder)[0].message == "'broken_ci' is true or false."


def test_a_ci_file_was_wrong_once_and_is_not_now(tmp_path: Path) -> None:
    history = "".join(
        f"- author: kim\n  at: 2026-02-0{day}T09:00:00Z\n  message: Day {day}\n  files:\n    .gitlab-ci.yml: '{text}'\n"
        for day, text in ((2, "test: x"), (3, "test: {script: x}"))
    )
    files = {"groups_yml": CI_GROUPS, "projects__plot__beds__project_yml": "description: Beds\n"}
    assert check_world(world(tmp_path / "w", **files, projects__plot__beds__history_yml=history)) == []


def test_a_bundle_brings_a_whole_history(git: Git, tmp_path: Path) -> None:
    work = tmp_path / "work"
    git("init", "-qb", "main", work)
    first = git.commit(work, "One", a_txt="1")
    git("tag", "-a", "v1", "-m", "First", cwd=work)
    git("checkout", "-qb", "topic", cwd=work)
    second = git.commit(work, "Two", b_txt="2")
    folder = world(
        tmp_path / "w", groups_yml="- path: plot\n", projects__plot__beds__project_yml="visibility: public\n"
    )
    bundle = folder / "forge" / "projects" / "plot" / "beds" / "repo.bundle"
    git("bundle", "create", "-q", bundle, "--all", cwd=work)
    with serve(build_snapshot(folder, cache=tmp_path / "cache")) as served:
        url = f"{served.url('forge')}/plot/beds.git"
        heads = subprocess.run(["git", "ls-remote", url], capture_output=True, text=True, check=True, timeout=60).stdout
        assert f"{first}\trefs/heads/main" in heads
        assert f"{second}\trefs/heads/topic" in heads
        assert f"{first}\trefs/tags/v1^{{}}" in heads
