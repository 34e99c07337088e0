"""Requests that would keep a forge busy for seconds, or fill its memory, are answered at once and within bounds."""

from __future__ import annotations

import random
import time
from typing import Any

import gitlab
import pytest
import requests

from tests.company.serving import Served
from tests.company.test_bounds import BOMB, BUSY

ROOT = {"PRIVATE-TOKEN": "root-token"}


@pytest.fixture
def project(gl: gitlab.Gitlab) -> Any:
    found = gl.projects.create({"name": "p", "initialize_with_readme": True})
    found.branches.create({"branch": "a" * 60, "ref": "main"})
    return found


def commit(project: Any, message: str, **files: str) -> Any:
    actions = [{"action": "create", "file_path": name, "content": text} for name, text in files.items()]
    return project.commits.create({"branch": "main", "commit_message": message, "actions": actions})


class Watch:
    """The processor time that the company's loop takes."""

    def __init__(self, served: Served) -> None:
        self.served = served

    def __enter__(self) -> None:
        self.before = self.served.call(time.thread_time)

    def __exit__(self, *_: object) -> None:
        assert self.served.call(time.thread_time) - self.before < BUSY


def test_branches_are_searched_by_an_expression_in_linear_time(served: Served, project: Any) -> None:
    with Watch(served):
        assert project.branches.list(regex="^(a+)+!$") == []
    assert [one.name for one in project.branches.list(regex="^ma")] == ["main"]
    with pytest.raises(gitlab.GitlabListError, match="regex is invalid"):
        project.branches.list(regex="(?=a)")


@pytest.mark.parametrize(
    "text",
    [
        BOMB,
        "job:\n  script: x\n  rules:\n  - if: '" + "(" * 20_000 + "'\n",
        "job:\n  script: x\n  rules:\n  - if: '$CI_COMMIT_REF_NAME =~ /^(a+)+$/'\n",
        ".a: {extends: [" + ",".join([".a"] * 20) + "]}\njob: {script: x, extends: .a}\n",
    ],
    ids=["aliases of aliases", "20,000 parentheses", "an expression that backtracks", "extends itself twenty times"],
)
def test_a_hostile_ci_file_is_pushed_and_read_at_once(served: Served, project: Any, text: str) -> None:
    with Watch(served):
        commit(project, "ci", **{".gitlab-ci.yml": text})
        url = f"{served.url('forge')}/api/v4/projects/{project.id}/ci/lint"
        answer = requests.post(url, json={"content": text}, headers=ROOT, timeout=60)
    assert answer.status_code == 200


def test_files_that_are_too_large_to_be_compared_say_so(served: Served, project: Any) -> None:
    dice = random.Random(1)
    lines = [str(dice.random()) for _ in range(50_000)]
    commit(project, "one", **{"large.txt": "\n".join(lines), "small.txt": "a\n"})
    dice.shuffle(lines)
    actions = [
        {"action": "update", "file_path": "large.txt", "content": "\n".join(lines)},
        {"action": "update", "file_path": "small.txt", "content": "b\n"},
    ]
    with Watch(served):
        made = project.commits.create({"branch": "main", "commit_message": "two", "actions": actions})
        found = {one["new_path"]: one for one in made.diff(get_all=True)}
        compared = project.repository_compare(made.parent_ids[0], made.id)["diffs"]
    assert (found["large.txt"]["too_large"], found["large.txt"]["diff"]) == (True, "")
    assert found["small.txt"]["diff"] == "@@ -1 +1 @@\n-a\n+b\n"
    assert [one["too_large"] for one in compared] == [True, False]


def test_a_commit_of_many_files_is_told_up_to_a_thousand(served: Served, project: Any) -> None:
    with Watch(served):
        made = commit(project, "many", **{f"d{one % 50}/f{one}": f"{one}\n" for one in range(1500)})
        found = made.diff(get_all=True)
    assert len(found) == 1000
    assert made.stats["additions"] == 1000


def test_blame_tells_runs_of_lines_with_their_commits(project: Any) -> None:
    commit(project, "one", f="a\nb\n\tc\n")
    actions = [{"action": "update", "file_path": "f", "content": "a\nB\n\tc\n"}]
    project.commits.create({"branch": "main", "commit_message": "two", "actions": actions})
    runs = project.files.blame("f", "main")
    assert [(one["commit"]["message"], one["lines"]) for one in runs] == [
        ("one", ["a"]),
        ("two", ["B"]),
        ("one", ["\tc"]),
    ]


def test_a_file_where_a_setting_belongs_is_refused(served: Served, gl: gitlab.Gitlab) -> None:
    url = f"{served.url('forge')}/api/v4/application/settings"
    answer = requests.put(url, files={"home_page_url": ("a.txt", b"x")}, headers=ROOT, timeout=30)
    assert answer.status_code == 400


def test_forms_have_a_bounded_number_of_fields(served: Served, gl: gitlab.Gitlab) -> None:
    url = f"{served.url('forge')}/api/v4/projects"
    body = "&".join(f"a{one}=1" for one in range(5000))
    headers = {**ROOT, "content-type": "application/x-www-form-urlencoded"}
    assert requests.post(url, data=body, headers=headers, timeout=30).status_code == 400
    parts = {f"a{one}": (None, "1") for one in range(5000)}
    assert requests.post(url, files=parts, headers=ROOT, timeout=30).status_code == 400
