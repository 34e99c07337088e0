"""A CI file that is wrong: one sentence with the file, the line and what to do, in every place that tells it."""

from __future__ import annotations

import re
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import gitlab
import pytest
import yaml

from dayjob.company.forge.ci.file import lint
from dayjob.company.forge.ci.mistakes import MOST_TOLD
from tests.company.forge.conftest import api, project_with_readme
from tests.company.serving import Served

MISTAKES = yaml.safe_load(Path(__file__).with_name("mistakes.yml").read_text("utf-8"))
_TOLD = re.compile(r".+ \((\.gitlab-ci\.yml|ci/\w+\.yml) line (\d+)\): .+", re.DOTALL)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one["told"][:50])
def test_a_mistake_is_told_with_its_file_its_line_and_what_to_do(mistake: dict[str, Any]) -> None:
    others = mistake.get("others", {})
    found = lint(mistake["file"], others.get)
    assert (found.told, found.valid) == ([mistake["told"]], False)
    told = _TOLD.fullmatch(mistake["told"])
    assert told is not None
    text = others.get(told[1], mistake["file"])
    assert 1 <= int(told[2]) <= len(text.splitlines()) + 1


def test_the_table_has_every_kind_of_mistake_once() -> None:
    assert len({one["file"] + str(one.get("others")) for one in MISTAKES}) == len(MISTAKES) >= 90


def test_several_mistakes_are_told_one_by_one_each_with_its_line() -> None:
    found = lint("a:\n  script: x\n  retry: 3\nb:\n  stage: nowhere\n  script: x\n")
    assert [re.findall(r"line (\d+)", one) for one in found.errors] == [["3"], ["5"]]


def test_a_file_of_another_name_is_called_by_it() -> None:
    found = lint("a: {script: x, retry: 3}", file="ci/own.yml")
    assert "(ci/own.yml line 1)" in found.errors[0]


def test_a_file_of_thousands_of_mistakes_is_read_soon_and_tells_a_hundred() -> None:
    began = time.process_time()
    names = [f"job{number}" for number in range(3000)]
    for each in ("{scrip: y, script: x}", "{extends: .bses, script: x}", "{script: x, retry: 3}"):
        found = lint("".join(f"{name}: {each}\n" for name in names))
        assert 1 <= len(found.told) == len(found.errors) <= MOST_TOLD
    deep = f".b: {{extends: [{', '.join(names)}]}}\n" + "".join(f"{one}: {{retry: 3, script: x}}\n" for one in names)
    assert not lint(deep + "x: {extends: .b, tags: 3}\n").valid
    assert time.process_time() - began < 5


@pytest.mark.parametrize("last", ["job9999", "job0000"])
def test_thousands_of_jobs_that_need_one_another_in_a_row_are_read_soon(last: str) -> None:
    began = time.process_time()
    row = [*(f"job{number:04}" for number in range(2500)), last]
    text = "".join(f"{one}: {{script: x, needs: [{need}]}}\n" for one, need in pairwise(row))
    told = lint(f"{text}job9999: {{script: x}}\n").told
    assert told[0].startswith("The number of jobs has exceeded the limit")
    assert len(told) == (1 if last == "job9999" else 2)
    assert time.process_time() - began < 5


def test_what_clients_know_as_it_is_stands_alone_and_its_place_and_fix_beside_it() -> None:
    """python-gitlab's own tests want `(Invalid configuration format)`."""
    found = lint("- test\n")
    assert found.errors == ["Invalid configuration format"]
    assert found.warnings == [".gitlab-ci.yml line 1: write jobs, each a name with `script` below it"]


WRONG = "test:\n  script: [run]\n  retry: 3\n"
TOLD = "jobs:test:retry config should be less than or equal to 2 (.gitlab-ci.yml line 3): write 0, 1 or 2"


def test_the_linter_and_the_pipeline_say_the_same(served: Served, gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl)
    action = {"action": "create", "file_path": ".gitlab-ci.yml", "content": WRONG}
    project.commits.create({"branch": "main", "commit_message": "Wrong", "actions": [action]})
    assert project.ci_lint.create({"content": WRONG}).errors == [TOLD]
    assert project.ci_lint.get().errors == [TOLD]
    assert api(served, "POST", "/ci/lint", json={"content": WRONG}).json()["errors"] == [TOLD]
    (pipeline,) = project.pipelines.list(get_all=True)
    assert (pipeline.status, project.pipelines.get(pipeline.id).yaml_errors) == ("failed", TOLD)
    with pytest.raises(gitlab.GitlabCreateError, match="line 3"):
        project.pipelines.create({"ref": "main"})


def test_a_job_that_a_rule_leaves_out_is_told_with_the_line_that_needs_it(gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl)
    content = "a:\n  script: x\n  rules:\n    - when: never\nb:\n  script: x\n  needs:\n    - a\n"
    action = {"action": "create", "file_path": ".gitlab-ci.yml", "content": content}
    project.commits.create({"branch": "main", "commit_message": "Wrong", "actions": [action]})
    (pipeline,) = project.pipelines.list(get_all=True)
    told = project.pipelines.get(pipeline.id).yaml_errors
    assert told is not None
    assert told.startswith("'b' job needs 'a' job, but 'a' does not exist in the pipeline")
    assert told.endswith(
        "(.gitlab-ci.yml line 7): write `optional: true` there, or let both jobs run for the same pipelines"
    )
