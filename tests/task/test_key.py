"""key.yml: what it may say, and one sentence with the line and the fix for what it may not."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from dayjob.task.findings import TaskError
from dayjob.task.key import read_key
from dayjob.task.lint import check
from tests.task.folders import good_task

GOOD = """\
- what: what the telephone costs
  is: 310
  about: [telephone|phone, month]
  says:
    - {in: "chat/*", words: 310.00  a month, is: agrees}
    - {in: drive/old.md, is: superseded, by: the new contract}
    - {in: drive/offer.md, is: trap, why: it was not taken}
    - {in: drive/other.md, is: unrelated}
"""


def test_a_key_is_read_with_its_lines(tmp_path: Path) -> None:
    (tmp_path / "key.yml").write_text(GOOD, "utf-8")
    (value,) = read_key(tmp_path)
    assert (value.line, value.what, value.value, value.among) == (1, "what the telephone costs", "310", ())
    assert [(mark.line, mark.verdict, mark.reason) for mark in value.marks] == [
        (5, "agrees", ""),
        (6, "superseded", "the new contract"),
        (7, "trap", "it was not taken"),
        (8, "unrelated", ""),
    ]
    said = value.marks[0]
    assert said.covers("chat/channels/finance.yml", "from May 310.00 a\nMonth")
    assert not said.covers("chat/channels/finance.yml", "from May 298.00 a month")
    assert not said.covers("drive/finance.md", "310.00 a month")
    assert [bool(value.about[0].search(text)) for text in ("Telephones", "the PHONE", "microphone")] == [
        True,
        True,
        False,
    ]


def test_without_the_file_there_is_no_key(tmp_path: Path) -> None:
    assert read_key(tmp_path) == ()
    (tmp_path / "key.yml").write_text("# nothing yet\n", "utf-8")
    assert read_key(tmp_path) == ()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("- [", "key.yml:2: this is no YAML"),
        ("what: x", "key.yml:1: this is no list. Write a list of values"),
        ("- 3", "key.yml:1: this is no mapping. Write one with what, is, about."),
        ("- {what: x, is: 1}", "key.yml:1: 'about' is missing. Add 'about'."),
        ("- {what: x, is: 1, about: []}", "key.yml:1: 'about' is empty. Say which words a passage about it has."),
        ("- {what: x, is: [1], about: y}", "key.yml:1: this is neither a text nor a number. Write one."),
        ("- {what: x, is: '', about: y}", "key.yml:1: this is neither a text nor a number. Write one."),
        ("- {what: x, is: 1, about: y, kind: z}", "key.yml:1: nobody reads 'kind'."),
        ("- {what: x, is: 1, about: y, says: z}", "key.yml:1: 'says' is no list."),
        ("- what: x\n  is: 1\n  about: y\n  says:\n  - {in: z}", "key.yml:5: 'is' is missing. Add 'is'."),
        (
            "- what: x\n  is: 1\n  about: y\n  says:\n  - {in: z, is: fine}",
            "key.yml:5: 'fine' is no verdict on a passage. Write one of agrees, superseded, trap, unrelated.",
        ),
        (
            "- what: x\n  is: 1\n  about: y\n  says:\n  - {in: z, is: superseded, why: w}",
            "key.yml:5: a passage that is superseded needs a reason. Add 'by'.",
        ),
    ],
)
def test_a_bad_key_is_told_with_its_line_and_the_fix(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "key.yml").write_text(text, "utf-8")
    with pytest.raises(TaskError) as raised:
        read_key(tmp_path)
    assert sentence in str(raised.value)


def linted(folder: Path, key: str | None, constants: str) -> list[tuple[str, int, str]]:
    task = good_task(folder)
    evaluator = task / "evaluator.py"
    text = evaluator.read_text("utf-8")
    evaluator.write_text(text + "\n\n" + dedent(constants), "utf-8")
    if key is not None:
        (task / "key.yml").write_text(key, "utf-8")
    last = len(text.splitlines()) + 2
    return [
        (finding.rule.id, finding.line - last, finding.message) for finding in check(task, select=("DJ715", "DJ716"))
    ]


def test_what_an_evaluator_asks_for_is_in_the_key(tmp_path: Path) -> None:
    constants = """\
        RENT = {"old": 298, "new": 310}
        DAY = "2026-05-01"
        SMALL, small = 31, 5000
        """
    assert linted(tmp_path, GOOD, constants) == [
        ("DJ716", 1, "298 is not in key.yml"),
        ("DJ716", 2, "05-01 is not in key.yml"),
    ]


def test_a_key_that_cannot_be_read_is_an_error_of_check(tmp_path: Path) -> None:
    ((rule, _, message),) = linted(tmp_path, "- 3", "")
    assert (rule, message) == ("DJ715", "this is no mapping")


def test_a_task_without_a_key_is_not_asked_for_one(tmp_path: Path) -> None:
    assert linted(tmp_path, None, "RENT = 310\n") == []
