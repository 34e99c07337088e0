"""The page about published tasks shows commands that exist, and names the files that the import reads."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from dayjob.cli import dayjob
from dayjob.importing import checkout as layout
from tests.importing.checkouts import checkout

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "published-tasks.md").read_text("utf-8")
COMMANDS = re.findall(r"^    (dayjob .+)$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_on_the_page_is_understood(line: str, tmp_path: Path) -> None:
    """Everything but the work itself: parsing the command's own arguments."""
    folder = checkout(tmp_path)
    words = shlex.split(line.replace("~/TheAgentCompany", str(folder)).replace("/NAME", "/silk-prices"))[1:]
    if words[0] == "world":
        CliRunner().invoke(dayjob, ["world", "import-tac", str(folder), str(tmp_path / "tac")])
        words = [str(tmp_path / "tac") if word == "worlds/tac" else word for word in words]
        assert CliRunner().invoke(dayjob, words, catch_exceptions=False).exit_code == 0
        return
    command = dayjob.get_command(click.Context(dayjob), words[0])
    assert command is not None
    with command.make_context(words[0], words[1:]) as context:
        assert context.params


def test_the_page_names_every_file_that_is_read() -> None:
    for path in (layout.DEFINITIONS, *layout.CREDENTIALS, layout.SETTINGS[0], layout.LISTING, f"{layout.WIKI}/*.md"):
        assert f"`{path}`" in PAGE
