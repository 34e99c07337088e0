"""Completion, asked of a real bash that has read what `dayjob completion --install` wrote."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from dayjob.cli import dayjob


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "dayjob"
    program.write_text(f"#!{sys.executable}\nfrom dayjob.cli import main\nmain()\n")
    program.chmod(0o755)
    return tmp_path


def installed(home: Path, shell: str) -> str:
    env = {"HOME": str(home), "SHELL": f"/bin/{shell}", "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": ""}
    done = CliRunner().invoke(dayjob, ["completion", "--install"], env=env)
    assert done.exit_code == 0, done.output
    return done.output


def completed(home: Path, *words: str) -> list[str]:
    """What bash offers after these words."""
    line = " ".join(words)
    ask = (
        f'. ~/.bashrc; COMP_WORDS=({line}); [ -n "{words[-1]}" ] || COMP_WORDS+=(""); '
        "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _dayjob_completion dayjob; printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    env = {**os.environ, "HOME": str(home), "PATH": f"{home}/bin:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", ask], env=env, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_bash_completes_commands_options_agents_and_worlds(home: Path) -> None:
    (home / ".bashrc").write_text("true")  # a last line without an end
    installed(home, "bash")
    assert completed(home, "dayjob", "re") == ["resume", "regrade", "report"]
    assert completed(home, "dayjob", "run", "--var") == ["--variant", "--variants", "--variant-key"]
    assert completed(home, "dayjob", "run", "-a", "o") == ["oracle", "openhands"]
    assert "larkspur" in completed(home, "dayjob", "run", "--world", "l")


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_installing_twice_changes_nothing(home: Path, shell: str) -> None:
    settings = home / f".{shell}rc"
    settings.write_text("export MINE=1\n")
    installed(home, shell)
    once = settings.read_text()
    assert once.startswith("export MINE=1\n")
    assert len(once.splitlines()) == 2
    installed(home, shell)
    assert settings.read_text() == once


def test_fish_reads_it_from_its_own_folder(home: Path) -> None:
    assert "completions/dayjob.fish" in installed(home, "fish")
    assert "_DAYJOB_COMPLETE=fish_complete" in (home / ".config/fish/completions/dayjob.fish").read_text()


def test_an_unknown_shell_is_asked_for(home: Path) -> None:
    done = CliRunner().invoke(dayjob, ["completion"], env={"SHELL": "/bin/tcsh"})
    assert done.exit_code == 2
    assert "name one of bash, zsh, fish" in done.output
