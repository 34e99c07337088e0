"""The tasks that come with dayjob, listed and meant by their names from any folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dayjob.cli import dayjob
from dayjob.cli.folders import task_folders
from dayjob.task.find import own_tasks, tasks_folder
from dayjob.task.lint import find_tasks
from tests.trial.offices import office, task


def said(*words: str) -> Result:
    return CliRunner().invoke(dayjob, words, prog_name="dayjob")


def listed(*words: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in said("tasks", "--json", *words).output.splitlines()]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_every_task_is_listed_with_what_it_is() -> None:
    rows = {row["name"]: row for row in listed()}
    assert sorted(map(str, rows)) == [path.name for path in find_tasks(tasks_folder())]
    assert rows["example"] == {
        "name": "example", "role": "generalist", "difficulty": "easy", "minutes": 20, "points": 8,
        "services": ["chat", "drive"], "colleagues": True, "family": False,
    }  # fmt: skip
    assert rows["contract-for-the-lawyers"]["family"] is True
    assert all(row["points"] for row in rows.values())
    table = said("tasks").output
    assert len(table.splitlines()) == 1 + len(rows)
    assert max(map(len, table.splitlines())) <= 160


def test_a_role_chooses_among_them() -> None:
    finance = [row["name"] for row in listed("--role", "finance")]
    assert finance == [row["name"] for row in listed() if row["role"] == "finance"]
    assert 0 < len(finance) < len(listed())
    assert [path.name for path in task_folders((), "finance")] == finance
    assert [path.name for path in task_folders((Path("example"), tasks_folder()), "finance")] == finance


def test_a_name_means_the_task_that_comes_with_dayjob_unless_there_is_such_a_folder(elsewhere: Path) -> None:
    assert task_folders((Path("example"),)) == [tasks_folder() / "example"]
    ours = task(elsewhere)
    ours.rename(elsewhere / "example")
    assert task_folders((Path("example"),)) == [Path("example")]


def test_commands_take_names(elsewhere: Path) -> None:
    assert said("check", "example").exit_code == 0
    world = office(elsewhere)
    done = said("run", "example", "--world", str(world), "-a", "mutant:none", "-o", "out")
    assert "example has no mutant 'none'." in done.output
    assert "active-at-new-year has no colleagues" in said("colleagues", "active-at-new-year").output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("run exmaple", "There is no task 'exmaple': it is neither a folder here nor one of those that `dayjob tasks` "
         "lists. Did you mean 'example'?"),
        ("shell exmaple", "Did you mean 'example'?"),
        ("test exmaple", "Did you mean 'example'?"),
        ("colleagues exmaple", "Did you mean 'example'?"),
        ("run --role finanse", "None of these tasks has the role 'finanse'; they have administration, data, finance,"),
        ("run --role finanse", "Did you mean 'finance'?"),
    ],
)  # fmt: skip
def test_an_unknown_name_or_role_gets_a_sentence(words: str, sentence: str, elsewhere: Path) -> None:
    done = said(*words.split())
    assert done.exit_code == 2
    assert sentence in done.output
    assert list(elsewhere.iterdir()) == []


def test_no_task_of_a_role_is_an_answer() -> None:
    done = said("tasks", "--role", "finanse")
    assert done.exit_code == 1
    assert "No task has the role 'finanse'" in done.output
    assert len(own_tasks()) > 30
