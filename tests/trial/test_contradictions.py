"""What a company says about a key's value and nobody marked is found, wherever it stands."""

from __future__ import annotations

import json
from pathlib import Path

from dayjob.task import Task
from dayjob.trial.contradictions import contradictions
from tests.trial.offices import office, task

KEY = """\
- what: the telephone's cost
  is: 310
  about: [telephone, month]
"""
CHAT = """\
name: operations
owner: mara.lind
messages:
  - {from: mara.lind, at: 2026-02-24T08:00:00Z, text: "Telephone: 310.00 a month from 1 May."}
  - {from: mara.lind, at: 2026-02-25T08:00:00Z, text: "The telephone was 298 a month until now."}
  - {from: mara.lind, at: 2026-02-26T08:00:00Z, text: "Telephone! Every month."}
"""


def unsettled(folder: Path, key: str, **more: str) -> list[str]:
    world = office(folder)
    (world / "chat/channels").mkdir(parents=True)
    (world / "chat/channels/operations.yml").write_text(CHAT, "utf-8")
    path = task(folder, **{"key__yml": key, **more})
    number, found = contradictions(Task.load(path), str(world))
    assert number == key.count("- what")
    return found


def test_another_number_is_found_and_the_same_or_none_is_not(tmp_path: Path) -> None:
    (line,) = unsettled(tmp_path, KEY)
    assert line.startswith(
        "chat/channels/operations.yml:5 speaks of the telephone's cost, which is 310, and is not marked: from: mara"
    )
    assert "298" in line
    assert line.endswith("(mark it in key.yml:1: agrees, superseded, trap or unrelated)")


def test_a_mark_settles_it_and_one_that_fits_nothing_is_told(tmp_path: Path) -> None:
    marks = (
        "  says:\n"
        "    - {in: chat/channels/operations.yml, words: until now, is: superseded, by: the new contract}\n"
        "    - {in: drive/files/gone.md, is: trap, why: an old offer}\n"
    )
    (line,) = unsettled(tmp_path, KEY + marks)
    assert line == (
        "key.yml:6: no passage of drive/files/gone.md speaks of the telephone's cost any more; take the mark away"
    )


def test_a_mark_with_other_words_does_not_settle_it(tmp_path: Path) -> None:
    marks = "  says:\n    - {in: chat/channels/operations.yml, words: from 1 May, is: agrees}\n"
    assert ["operations.yml:5" in line for line in unsettled(tmp_path, KEY + marks)] == [True]


def test_an_overlay_and_what_colleagues_say_are_looked_at_too(tmp_path: Path) -> None:
    scenario = {"Mara Lind": {"script": [{"on": {"topic": "word"}, "reply": "The telephone is 12 a month more."}]}}
    world = office(tmp_path)
    path = task(tmp_path, key__yml=KEY, scenarios__json=json.dumps(scenario))
    note = path / "world/drive/files/Notes/telephone.md"
    note.parent.mkdir(parents=True)
    note.write_text("# By month\n\nIt comes to 298.\n", "utf-8")
    _, found = contradictions(Task.load(path), str(world))
    assert [line.split(" speaks")[0] for line in found] == ["drive/files/Notes/telephone.md:3", "scenarios.json"]


def test_a_reply_is_about_what_it_answers(tmp_path: Path) -> None:
    world = office(tmp_path)
    (world / "chat/channels").mkdir(parents=True)
    (world / "chat/channels/operations.yml").write_text(
        "name: operations\nowner: mara.lind\nmessages:\n"
        "  - from: sam.reed\n    at: 2026-02-24T08:00:00Z\n    text: What is the telephone a month?\n"
        "    thread:\n"
        "      - {from: mara.lind, at: 2026-02-24T08:05:00Z, text: 298. Why?}\n"
        "      - {from: sam.reed, at: 2026-02-24T08:06:00Z, text: Thank you.}\n",
        "utf-8",
    )
    plain = "- what: the offer\n  is: the one year\n  about: [telephone]\n"
    _, found = contradictions(Task.load(task(tmp_path, key__yml=KEY + plain)), str(world))
    assert [line.split(" which")[0] for line in found] == [
        "chat/channels/operations.yml:8 speaks of the telephone's cost,",
        "chat/channels/operations.yml:4 speaks of the offer,",
    ]


def test_days_and_words_are_compared_with_their_own_kind(tmp_path: Path) -> None:
    key = """\
- what: the day of the change
  is: 2 May
  about: telephone
- what: the state of the contract
  is: signed
  among: [until now, open]
  about: telephone
"""
    found = unsettled(tmp_path, key)
    assert [line.split(" speaks of ")[1].split(",")[0] for line in found] == [
        "the day of the change",
        "the state of the contract",
    ]


def test_a_task_without_a_key_is_not_searched(tmp_path: Path) -> None:
    assert contradictions(Task.load(task(tmp_path)), "no-such-world") == (0, [])
