"""`dayjob world check` and `dayjob world build`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dayjob.cli import dayjob
from tests.company.serving import WORLDS


def run(*arguments: str) -> Result:
    return CliRunner().invoke(dayjob, ["world", *arguments], catch_exceptions=False)


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    shutil.copytree(WORLDS / "larkspur", tmp_path / "broken")
    (tmp_path / "broken" / "people" / "new.yml").write_text("name: New One\nchannels: nonsense\n")
    return tmp_path / "broken"


def test_a_good_world_is_told_so() -> None:
    answer = run("check", "larkspur")
    assert (answer.exit_code, "well formed" in answer.output) == (0, True)


def test_problems_are_listed_with_file_line_and_rule(broken: Path) -> None:
    answer = run("check", str(broken))
    assert answer.exit_code == 1
    assert f"{broken}/people/new.yml:2: 'channels' must be a list of channel names. [person]" in answer.output
    [problem] = json.loads(run("check", "--json", str(broken)).output)["problems"]
    assert (problem["file"], problem["line"], problem["rule"]) == ("people/new.yml", 2, "person")


def test_a_world_is_built_once_and_then_found(tmp_path: Path) -> None:
    first = json.loads(run("build", "--json", "--cache", str(tmp_path), "blank").output)
    again = json.loads(run("build", "--json", "--cache", str(tmp_path), "blank").output)
    assert first["key"] == again["key"]
    assert (Path(first["path"]) / "world.json").is_file()


def test_a_broken_world_is_not_built(broken: Path, tmp_path: Path) -> None:
    answer = run("build", "--cache", str(tmp_path / "cache"), str(broken))
    assert answer.exit_code == 1
    assert "people/new.yml:2" in answer.output


def test_a_world_that_is_not_there_cannot_be_asked_about() -> None:
    for command in ("check", "build"):
        answer = run(command, "atlantis")
        assert (answer.exit_code, "There is no world 'atlantis'" in answer.output) == (2, True)
