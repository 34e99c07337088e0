"""What colleagues did is kept in memory and on disk, line by line, and a full disk stops nobody."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from dayjob.npc.evidence import Evidence, Turn
from dayjob.npc.hearing import Line

HEARD = Line("m1", "r", "sam.reed", "Sam Reed", "Hello", 5, "t1", ("mara.lind",))


def turn() -> Turn:
    return Turn("Mara Lind", "script", "#launch", "t1", [HEARD], "speak", ["Grüße"], ["no"], {"rules": [1]}, 0.123456)


def fill(evidence: Evidence) -> None:
    evidence.turn(turn())
    evidence.fault("Mara Lind", "dead", "Mara is gone.")
    evidence.note("Mara Lind", "She said \ud800 nothing.")


def lines(file: Path) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    for one in found:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", one.pop("time"))
    return found


EXPECTED = [
    {
        "kind": "turn",
        "colleague": "Mara Lind",
        "mind": "script",
        "place": "#launch",
        "thread": "t1",
        "heard": [
            {
                "id": "m1",
                "room": "r",
                "sender": "sam.reed",
                "name": "Sam Reed",
                "text": "Hello",
                "at": 5,
                "thread": "t1",
                "mentions": ["mara.lind"],
            }
        ],
        "action": "speak",
        "said": ["Grüße"],
        "withheld": ["no"],
        "how": {"rules": [1]},
        "seconds": 0.1235,
        "fault": "",
        "did": [],
    },
    {"kind": "fault", "colleague": "Mara Lind", "label": "dead", "sentence": "Mara is gone."},
    {"kind": "note", "colleague": "Mara Lind", "sentence": "She said \ud800 nothing."},
]


def test_a_turn_that_nobody_asked_for_took_no_time(tmp_path: Path) -> None:
    file = tmp_path / "npc.jsonl"
    Evidence(file).turn(Turn("Mara Lind", "script", "#launch", "", [], "initiates", ["Hello"]))
    assert lines(file) == [
        {
            "kind": "turn", "colleague": "Mara Lind", "mind": "script", "place": "#launch", "thread": "", "heard": [],
            "action": "initiates", "said": ["Hello"], "withheld": [], "how": {}, "seconds": 0.0, "fault": "",
            "did": [],
        }
    ]  # fmt: skip


def test_every_turn_fault_and_note_is_a_line(tmp_path: Path) -> None:
    file = tmp_path / "far" / "down" / "npc.jsonl"
    evidence = Evidence(file)
    fill(evidence)
    assert lines(file) == EXPECTED
    assert "Grüße" in file.read_text("utf-8")
    assert ": " not in file.read_text("utf-8").splitlines()[1], "as short as JSON can be"
    assert [one.said for one in evidence.turns] == [["Grüße"]]
    assert [(one.colleague, one.label, one.sentence) for one in evidence.faults] == [
        ("Mara Lind", "dead", "Mara is gone.")
    ]
    assert evidence.notes == ["She said \ud800 nothing."]
    assert evidence.trouble == ""


def test_a_descriptor_is_written_to_and_left_open(tmp_path: Path) -> None:
    file = tmp_path / "npc.jsonl"
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        fill(Evidence(descriptor))
        os.write(descriptor, b"")
    finally:
        os.close(descriptor)
    assert lines(file) == EXPECTED


def test_without_a_file_it_is_kept_in_memory() -> None:
    evidence = Evidence()
    fill(evidence)
    assert (len(evidence.turns), len(evidence.faults), len(evidence.notes)) == (1, 1, 1)
    assert evidence.turns[0].time
    assert evidence.faults[0].time


def test_what_cannot_be_written_is_said_once_and_the_colleagues_go_on(tmp_path: Path) -> None:
    (tmp_path / "npc.jsonl").mkdir()
    evidence = Evidence(tmp_path / "npc.jsonl")
    fill(evidence)
    assert evidence.trouble == "what colleagues did cannot be written down: Is a directory"
    assert (len(evidence.turns), len(evidence.faults), len(evidence.notes)) == (1, 1, 1)
