"""Rules of `dayjob check` at their edges: what just breaks one, and what just does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from dayjob.task.lint import company, files, instruction
from dayjob.task.lint.sheet import Sheet
from dayjob.task.rules import Rule
from dayjob.task.steps import step_lines
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


STEPS = {
    "orders": "1. Open the drive\n2. Download the sheet\n3. Sort it by date\n4. Send it to Mara\n5. Close the ticket\n",
    "orders in brackets": "1) Open it\n2) Read it\n3) Copy it\n4) Send it\n5) Close it\n",
    "orders in bold": '1. **Open** it\n2. `Run` it\n3. *Copy* it\n4. "Send" it\n5. (Close) it\n',
    "named steps": "Step 1: the drive\nStep 2: the sheet\n- Step 3\n## Step 4\n**Step 5** the end\n",
    "one order after the other": "1. First the sheet\n2. Then the chat\n3. Next the wiki\n4. After that\n5. Finally\n",
    "orders with notes below": "1. Open it\n   - it is blue\n2. Read it\n\n3. Copy it\n4. Send it\n   now\n5. Close\n",
    "said to be steps": "Follow these steps to fill the columns:\n1. Open\n2. Read\n3. Copy\n4. Send\n5. Close\n",
    "a sentence of something else": "The columns are in the sheet.\n1. Open\n2. Read\n3. Copy\n4. Send\n5. Close\n",
}
NO_STEPS = {
    "four orders": "1. Open it\n2. Read it\n3. Copy it\n4. Send it\n",
    "columns": "The sheet has these columns:\n1. Name\n2. Check in\n3. Check out\n4. Email\n5. Total\n6. Note\n",
    "people": "1. Mara Lind\n2. Sam Reed\n3. Tomas Okafor\n4. Nele Brandt\n5. Jonas Weber\n",
    "questions": "Answer:\n1. Find who left?\n2. Who came?\n3. Count of teams?\n4. Which is first?\n5. Is it open?\n",
    "contents": "The report must contain:\n1. List of vendors\n2. Order of pay\n3. Set of rules\n4. Note\n5. View\n",
    "requirements": "It meets the following requirements:\n1. Use blue\n2. Make wide\n3. Add\n4. Sort\n5. Round\n",
    "issues": "Create these issues:\n1. Fix the log-in\n2. Add a map\n3. Update docs\n4. Remove it\n5. Test\n",
    "settings": "1. open: yes\n2. read=no\n3. copy/paste\n4. send_mail\n5. close-up\n6. run: never\n",
    "an example in a fence": "```\n1. Open\n2. Read\n3. Copy\n4. Send\n5. Close\n```\n",
    "facts": "1. The office opens at nine\n2. We are closed in May\n3. It is far\n4. Mara knows\n5. 30 % is paid\n",
}


@pytest.mark.parametrize("text", STEPS.values(), ids=STEPS)
def test_a_numbered_recipe_is_steps(tmp_path: Path, text: str) -> None:
    folder = folder_of(tmp_path)
    put("task.md", f"Do the books.\n\n{text}")(folder)
    found = [one for one in instruction.check(Sheet(folder)) if one.rule is Rule.STEP_BY_STEP]
    assert [(one.line, one.message) for one in found] == [
        (step_lines(f"Do the books.\n\n{text}")[0], "5 numbered steps are a recipe, not a goal")
    ]


@pytest.mark.parametrize("text", NO_STEPS.values(), ids=NO_STEPS)
def test_a_numbered_list_of_something_else_is_none(tmp_path: Path, text: str) -> None:
    folder = folder_of(tmp_path)
    put("task.md", f"Do the books.\n\n{text}")(folder)
    assert [one for one in instruction.check(Sheet(folder)) if one.rule is Rule.STEP_BY_STEP] == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("The file (2 pts) must exist.", True),
        ("The file [2pts] must exist.", True),
        ("[1 point] The file must exist.", True),
        ("You get 2 pts for it.", True),
        ("The map has 2 points [x, y].", False),
        ("Version [2] of it.", False),
    ],
)
def test_points_in_any_brackets_sound_like_a_rubric(tmp_path: Path, said: str, told: bool) -> None:
    folder = folder_of(tmp_path)
    put("task.md", f"{said}\n")(folder)
    assert any(one.rule is Rule.LEAK_POINTS for one in instruction.check(Sheet(folder))) is told
