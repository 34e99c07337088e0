"""Rules of `dayjob check` at their edges: what just breaks one, and what just does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from dayjob.task.lint import company, files, instruction
from dayjob.task.lint.sheet import Sheet
from dayjob.task.rules import Rule
from tests.task.folders import link, put


def folder_of(parent: Path) -> Path:
    """A task with next to nothing in it, for the rules of one file."""
    folder = parent / "good-task"
    put("task.md", "Do it.\n")(folder)
    return folder


@pytest.mark.parametrize(
    ("target", "leaves"),
    [
        ("../good-task-2/answer.txt", True),  # a sibling whose name begins with the task's own
        ("../good-task-2", True),
        ("..", True),
        ("/etc/hostname", True),
        ("../nowhere", True),
        (".", False),
        ("task.md", False),
        ("../good-task", False),
        ("../good-task/task.md", False),
        ("references/../task.md", False),
        ("nowhere", False),
    ],
)
def test_a_link_may_lead_anywhere_within_the_folder(tmp_path: Path, target: str, leaves: bool) -> None:
    folder = folder_of(tmp_path)
    (tmp_path / "good-task-2").mkdir()
    (tmp_path / "good-task-2" / "answer.txt").write_text("42")
    link("more", target)(folder)
    found = [one for one in files.check(Sheet(folder)) if one.rule is Rule.LEAVES_FOLDER]
    assert [one.file for one in found] == (["more"] if leaves else [])


@pytest.mark.parametrize(
    ("services", "colleagues", "undeclared"),
    [
        (("gitlab",), True, True),
        ((), True, True),
        (("rocketchat",), True, False),
        (("gitlab",), False, False),
    ],
)
def test_colleagues_need_chat(tmp_path: Path, services: tuple[str, ...], colleagues: bool, undeclared: bool) -> None:
    folder = folder_of(tmp_path)
    put("dependencies.yml", "".join(f"- {one}\n" for one in services))(folder)
    if colleagues:
        put("scenarios.json", '{"Tomas Okafor": {"extra_info": "He knows."}}')(folder)
    found = [one for one in company.check(Sheet(folder)) if one.rule is Rule.UNDECLARED_SERVICE]
    assert [one.file for one in found] == (["scenarios.json"] if undeclared else [])


@pytest.mark.parametrize(
    ("said", "reference", "leaks"),
    [
        ("It was 4711.", "4711", True),
        ("It was 4711.", "a,4711,b", True),
        ("It was 4,711.", "4711", True),
        ("It was 47.11.", "total: 47.11", True),
        ("It was 47115.", "47115", True),
        ("It was 4711, he said", "4711;", True),
        ("Version 1.4711.2 of it", "4711", False),
        ("At 4711.example.org", "4711", False),
        ("Room A4711", "4711", False),
        ("It was 471.", "471", False),
        ("It was 4.71.", "4.71", False),
        ("It was 4711.", "4712", False),
        ("It was 14711.", "4711", False),
        ("In 2024.", "2024", False),
        ("In 1900 and 2100.", "1900\n2100", False),
        ("It was 1899.", "1899", True),
        ("It was 2101.", "2101", True),
        ("Hint: exactly twenty letters", "exactly twenty letter", True),
        ("Hint: only nineteen letter", "only nineteen lette", False),
    ],
)
def test_a_number_of_four_digits_or_a_whole_line_gives_a_reference_away(
    tmp_path: Path, said: str, reference: str, leaks: bool
) -> None:
    folder = folder_of(tmp_path)
    put("references/more.csv", f"{reference}\n")(folder)
    put("task.md", f"First line.\n{said}\n")(folder)
    found = [one for one in instruction.check(Sheet(folder)) if one.rule is Rule.LEAK_REFERENCE]
    assert bool(found) is leaks
