"""`dayjob new` as a command."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dayjob.cli.check import check
from dayjob.cli.new import new


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(new, [str(each) for each in arguments])


def test_a_new_task_passes_check_at_once(tmp_path: Path) -> None:
    done = run("pay-invoice", "--services", "rocketchat,owncloud", "--npc", "Tomas Okafor", "--in", tmp_path)
    assert done.exit_code == 0, done.output
    assert CliRunner().invoke(check, [str(tmp_path / "pay-invoice"), "--strict"]).exit_code == 0


def test_it_goes_to_tasks_when_there_is_such_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("one").exit_code == 0
    (tmp_path / "tasks").mkdir()
    assert run("two").exit_code == 0
    assert (tmp_path / "one" / "task.md").exists()
    assert (tmp_path / "tasks" / "two" / "task.md").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["Pay Invoice"], "cannot be the name of a task"),
        (["a", "--services", "jira"], "there is no service 'jira'"),
        (["a", "--npc", "Nobody Atall"], "nobody called 'Nobody Atall' works in larkspur"),
        (["a", "--world", "atlantis"], "there is no world 'atlantis'"),
        (["a", "--world", "../worlds"], "there is no world '../worlds'"),
        (["a", "--world", "blank", "--services", "rocketchat"], "nobody in blank is the examinee"),
        (["taken"], "exists already"),
    ],
)
def test_what_cannot_be_made_is_refused_in_a_sentence(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    (tmp_path / "taken").mkdir()
    done = run(*arguments, "--in", tmp_path)
    assert done.exit_code == 2
    assert sentence in done.output
    assert len(done.output.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_a_folder_that_does_not_exist_is_not_made_on_the_way(tmp_path: Path) -> None:
    done = run("a", "--in", tmp_path / "absent")
    assert done.exit_code == 2
    assert "there is no folder" in done.output
