"""`dayjob check` as a command: what it prints, what it answers, and one sentence for every kind of bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dayjob.cli.check import check
from dayjob.task.rules import Rule
from tests.task.folders import add, drop, good_task, link, put

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(check, [str(each) for each in arguments])


def test_a_good_task_is_answered_with_zero(tmp_path: Path) -> None:
    done = run(good_task(tmp_path))
    assert done.exit_code == 0
    assert done.output == "1 task checked: nothing to report.\n"


def test_the_tasks_of_this_checkout_pass() -> None:
    done = run(ROOT / "tasks", "--strict")
    assert done.exit_code == 0, done.output


def test_an_error_is_answered_with_one_and_names_file_line_rule_and_fix(tmp_path: Path) -> None:
    folder = good_task(tmp_path)
    add("Dockerfile", "CMD bash\n")(folder)
    done = run(tmp_path)
    assert done.exit_code == 1
    first, last = done.output.splitlines()
    assert first.startswith(f"{folder}/Dockerfile:2: error DJ503 CMD decides")
    assert first.endswith("Move it to pre_init.py or post_init.py.")
    assert last == "1 task checked: 1 error."


def test_a_warning_fails_only_a_strict_check(tmp_path: Path) -> None:
    folder = good_task(tmp_path)
    put("README.md", "hello")(folder)
    assert run(folder).exit_code == 0
    assert run(folder, "--strict").exit_code == 1
    assert run(folder, "--strict", "--ignore", "DJ103,DJ2").exit_code == 0


def test_json_is_for_programs(tmp_path: Path) -> None:
    folder = good_task(tmp_path)
    drop("task.md")(folder)
    done = run(folder, "--json")
    assert done.exit_code == 1
    (task,) = json.loads(done.output)["tasks"]
    assert task["ok"] is False
    assert task["findings"][0] == {
        "rule": "DJ101",
        "severity": "error",
        "file": "task.md",
        "line": 0,
        "message": "task.md is missing",
        "fix": "Describe in it what the examinee shall achieve",
    }


def test_github_annotations_are_escaped(tmp_path: Path) -> None:
    folder = good_task(tmp_path / "50%,a:b")
    put("README.md", "hello")(folder)
    done = run(folder, "--github")
    assert done.output.startswith("::warning file=")
    assert "50%25%2Ca%3Ab/good-task/README.md,line=1,title=DJ103::" in done.output


def test_rules_lists_every_rule_once() -> None:
    done = run("--rules")
    assert [line.split()[0] for line in done.output.splitlines()] == [rule.id for rule in Rule]
    rows = json.loads(run("--rules", "--json").output)["rules"]
    assert [row["id"] for row in rows] == [rule.id for rule in Rule]


def test_an_unknown_rule_cannot_be_asked_about(tmp_path: Path) -> None:
    done = run(good_task(tmp_path), "--select", "E501")
    assert done.exit_code == 2
    assert "'E501' is not a rule" in done.output


def bad(tmp_path: Path, kind: str) -> Path:
    """A path with one kind of bad input."""
    folder = good_task(tmp_path)
    spoils = {
        "binary evaluator": put("evaluator.py", os.urandom(4096) + b"\0"),
        "invalid YAML": put("dependencies.yml", "- a\n- {b\n- c: [\n"),
        "invalid JSON": put("scenarios.json", '{\n"a":\n'),
        "invalid TOML": put("task.toml", "format = 1\n[timeouts\n"),
        "huge task.md": put("task.md", b"a line of text\n" * 3_500_000),
        "link out of the folder": link("task.md", "/etc/passwd"),
        "not UTF-8": put("task.md", "Gr\u00fc\u00dfe".encode("utf-16")),
    }
    if kind == "not a task":
        (tmp_path / "empty").mkdir()
        return tmp_path / "empty"
    if kind == "nothing at all":
        return tmp_path / "absent"
    if kind == "a file":
        return folder / "task.md"
    if kind == "a folder for a file":
        (folder / "task.md").unlink()
        (folder / "task.md").mkdir()
    elif kind == "a named pipe":
        (folder / "task.md").unlink()
        os.mkfifo(folder / "task.md")
    else:
        spoils[kind](folder)
    return folder


@pytest.mark.parametrize(
    ("kind", "code", "sentence"),
    [
        ("not a task", 2, "DJ100 this is not a task folder"),
        ("nothing at all", 2, "DJ100 this is not a task folder"),
        ("a file", 2, "DJ100 this is not a task folder"),
        ("binary evaluator", 1, "DJ107 this is binary data"),
        ("invalid YAML", 1, "dependencies.yml:3: error DJ601 it is not valid YAML"),
        ("invalid JSON", 1, "scenarios.json:3: error DJ611 it is not valid JSON"),
        ("invalid TOML", 1, "task.toml:2: error DJ701 it is not valid TOML"),
        ("huge task.md", 1, "DJ106 52,500,000 bytes are more than the 1,000,000 allowed here"),
        ("link out of the folder", 1, "DJ105 this symbolic link leads out of the task folder"),
        ("not UTF-8", 1, "DJ107"),
        ("a folder for a file", 1, "DJ101 this is not a file"),
        ("a named pipe", 1, "DJ101 this is not a file"),
    ],
)
def test_bad_input_gets_one_clear_sentence_and_no_traceback(
    tmp_path: Path, kind: str, code: int, sentence: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from dayjob.cli import main; main()", "check", str(bad(tmp_path, kind))],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert done.stderr == ""
    assert "Traceback" not in done.stdout
    matching = [line for line in done.stdout.splitlines() if sentence in line]
    assert len(matching) == 1, done.stdout


def test_a_path_the_system_refuses_is_said_to_be_no_task(tmp_path: Path) -> None:
    done = run(tmp_path / ("x" * 300))
    assert done.exit_code == 2
    assert "DJ100" in done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)
