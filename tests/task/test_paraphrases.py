"""paraphrases.yml: what it says, what is wrong with it and on which line, and whose turn it is on a day."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from dayjob.task import Task, TaskError
from dayjob.task.lint import check
from dayjob.task.paraphrases import Act, read_paraphrases
from tests.task.folders import add, good_task, put, swap

SMALL = """\
format: 1
without: [tell]
deliverables:
  sum: {message: "@tomas.okafor", usual: "12:00"}
  table: {sheet: /Finance/sum.xlsx, page: Teams}
right:
  - yes
  - [12:00, {edit: "1,200"}]
  - table: {D4: 8450, D5: "8450", D6: 1.5}
near:
  - {text: "no", wrong: it says no}
  - {text: {sum: []}, wrong: nothing, result: 0}
  - {text: some, wrong: too vague, result: at most 2}
"""


def problems(text: str) -> list[tuple[int, str]]:
    return [(one.line, one.message) for one in read_paraphrases(text)[1]]


def test_texts_are_taken_as_they_are_written() -> None:
    found, wrong = read_paraphrases(SMALL)
    assert wrong == []
    assert [one.acts.get("sum") for one in found.right] == [
        (Act("new", "yes"),),
        (Act("new", "12:00"), Act("edit", "1,200")),
        None,
    ]
    assert found.right[2].acts["table"][0].cells == {"D4": 8450, "D5": "8450", "D6": 1.5}


def test_what_an_entry_does_not_name_is_delivered_as_usual() -> None:
    found, _ = read_paraphrases(SMALL)
    given = [[(what.id, acts) for what, acts in found.deliveries(one)] for one in (found.right[2], found.near[1])]
    assert given[0][0] == ("sum", (Act("new", "12:00"),))
    assert given[1] == [("sum", ()), ("table", ())]


def test_a_result_is_held_against_what_is_expected() -> None:
    found, _ = read_paraphrases(SMALL)
    right, less, none, most = found.right[0], *found.near
    assert right.refuted(6, 6) is None
    assert right.refuted(5, 6) == "got 5 of 6, and is right"
    assert less.refuted(5, 6) is None
    assert less.refuted(6, 6) == "got 6 of 6, and at most 5 was expected: it says no"
    assert none.refuted(0, 6) is None
    assert none.refuted(1, 6) == "got 1 of 6, and 0 was expected: nothing"
    assert most.refuted(2, 6) is None
    assert most.refuted(3, 6) == "got 3 of 6, and at most 2 was expected: too vague"


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("format: 1", "format: 2", 1, "'format: 1' is missing or newer"),
        ("without: [tell]", "without: []", 2, "nothing of the solution is left out"),
        ("usual:", "ususal:", 4, "'sum' has the unknown key 'ususal'. Did you mean 'usual'?"),
        ("message:", "letter:", 4, "'sum' has 0 kinds"),
        ("@tomas.okafor", "tomas.okafor", 4, "'tomas.okafor' is no place for 'message'"),
        ("  - yes", '  - ""', 7, "a text is empty"),
        ("  - yes", "  - so: yes", 7, "right 1: there is no deliverable 'so'."),
        ("  - yes", "  - [so: yes]", 7, "this is neither a text nor a step"),
        ("  - yes", "  - [12:00, {edit: '1,200'}]", 8, "right 2 is the same as the entry of line 7"),
        ("table: {D4", "tables: {D4", 9, "right 3: there is no deliverable 'tables'. Did you mean 'table'?"),
        (", wrong: it says no", "", 11, "near 1 does not say what is wrong with it"),
        ('text: "no", ', "", 11, "near 1 has no text"),
        ("result: at most 2", "result: few", 13, "'few' is no result"),
        ("near:", "far:", 10, "the file has the unknown key 'far'."),
    ],
)
def test_what_is_wrong_is_named_with_its_line(old: str, new: str, line: int, said: str) -> None:
    assert old in SMALL
    found = problems(SMALL.replace(old, new, 1))
    assert (line, said) in found or any(at == line + (old == "near:") and text == said for at, text in found), found


LINES = """\
format: 1
without: [tell]
deliverables:
  board: {items: Website}
  folder: {names: /Operations/To sort, usual: "one.txt -> two.txt"}
  link: {link: /Company/press-kit.md}
right:
  - "WEB-1 state: Done\\nWEB-2 module: Launch pages\\nWEB-3 due: 2026-03-13"
  - folder: "one file.txt ->"
  - link: "name: Press kit: for the fair\\npermissions: 1"
near: []
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("WEB-1 state", "WEB-1 states", 8, "'WEB-1 states: Done' is no line for 'items'"),
        ("WEB-3 due: 2026-03-13", "WEB-3 due", 8, "'WEB-3 due' is no line for 'items'"),
        ("one.txt -> two.txt", "one.txt", 5, "'one.txt' is no line for 'names'"),
        ("one file.txt ->", "-> one file.txt", 9, "'-> one file.txt' is no line for 'names'"),
        ("permissions: 1", "access: 1", 10, "'access: 1' is no line for 'link'"),
    ],
)
def test_lines_of_one_form_are_held_against_it(old: str, new: str, line: int, said: str) -> None:
    assert problems(LINES) == []
    assert old in LINES
    assert problems(LINES.replace(old, new)) == [(line, said)]


@pytest.mark.parametrize(
    ("spoil", "rule", "said"),
    [
        (swap("solution.py", "write_answer", "jot_down"), "DJ713", "solution.py has no function 'write_answer'"),
        (
            swap(
                "paraphrases.yml",
                '"forty-three", wrong: "one too many", result: 2',
                '"fifty", wrong: "8 too many", result: 6',
            ),
            "DJ713",
            "near 3 is expected to get 6 of 6",
        ),
        (swap("paraphrases.yml", '  - "forty-two cans"\n', ""), "DJ714", "there are 19 right answers"),
        (add("paraphrases.yml", "  - {text: forty-two, wrong: but it is right}\n"), "DJ713", "near 11 is the same as"),
        (put("paraphrases.yml", "format: [\n"), "DJ713", "it is not valid YAML"),
    ],
)
def test_check_says_what_cannot_be_tried_or_expected(tmp_path: Path, spoil: object, rule: str, said: str) -> None:
    folder = good_task(tmp_path)
    assert check(folder) == []
    assert callable(spoil)
    spoil(folder)
    found = [(one.rule.id, one.file, one.message) for one in check(folder)]
    assert [one[:2] for one in found] == [(rule, "paraphrases.yml")]
    assert found[0][2].startswith(said)


def test_a_task_with_unusable_paraphrases_is_refused_when_they_are_asked_for(tmp_path: Path) -> None:
    folder = good_task(tmp_path)
    put("paraphrases.yml", "format: 3\n")(folder)
    task = Task.load(folder)
    with pytest.raises(TaskError, match=r"paraphrases\.yml:1: 'format: 1' is missing or newer"):
        _ = task.paraphrases


def test_ten_days_try_every_entry_once(tmp_path: Path) -> None:
    found = Task.load(good_task(tmp_path)).paraphrases
    assert found is not None
    days = [found.share("tenth", date(2026, 3, 9) + timedelta(days=day)) for day in range(10)]
    assert sorted(one.line for day in days for one in day) == [one.line for one in found.entries]
    assert {(sum(one.right for one in day), len(day)) for day in days} == {(2, 3)}
    assert found.share("all", date.today()) == found.entries
    assert found.share("none", date.today()) == ()
