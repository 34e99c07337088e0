"""A request that was never recorded: what is said of it, without a gateway."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from dayjob.llm.cassette import Cassette, Take
from dayjob.llm.faults import Label, ModelFault
from dayjob.llm.secret import Scrubber
from dayjob.whole_files import write_whole


def asking(*lines: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": "\n".join(lines)}]}


def recorded(folder: Path, *requests: dict[str, Any], trial: str = "t.1", role: str = "npc") -> None:
    tape = Cassette(folder, "record")
    for request in requests:
        tape.record(tape.place(trial, role, "chat", request), "chat", request, Take(body=b"{}"), Scrubber())


def missed(folder: Path, request: dict[str, Any], trial: str = "t.1", role: str = "npc") -> str:
    tape = Cassette(folder, "replay")
    with pytest.raises(ModelFault) as fault:
        tape.replay(tape.place(trial, role, "chat", request), "chat", request)
    assert fault.value.label is Label.REPLAY_MISS
    return fault.value.sentence


def test_a_role_that_was_never_recorded_is_told_so(tmp_path: Path) -> None:
    folder = tmp_path / "tape"
    lead = "This request of t.1 (npc, chat) is not on the cassette tape"
    assert missed(folder, asking("x")) == f"{lead}: it has no npc calls at all."
    for number in range(9):
        recorded(folder, asking("x"), trial=f"u.{number}")
    recorded(folder, asking("x"), trial="v.1", role="judge")
    others = ", ".join(f"u.{number}" for number in range(8))
    assert missed(folder, asking("x")) == f"{lead}: it has npc calls of {others}."


def test_the_nearest_request_is_shown_with_the_difference(tmp_path: Path) -> None:
    near, far = asking("Send it to Mara", "by noon"), asking("Something else", "altogether", "and longer")
    recorded(tmp_path / "tape", far, near)
    tape = Cassette(tmp_path / "tape", "replay")
    lines = missed(tmp_path / "tape", asking("Send it to Tom", "by noon")).splitlines()
    lead = "This request of t.1 (npc, chat) is not on the cassette tape. The nearest recorded request is"
    assert lines[0] == f"{lead} 89% alike; the difference:"
    assert lines[1:3] == [f"--- recorded ({tape.key('chat', near)}.json)", "+++ asked now"]
    assert lines[4:] == [
        "   {",
        '-   "content": "Send it to Mara',
        '+   "content": "Send it to Tom',
        ' by noon",',
    ]


def test_of_two_that_are_as_near_the_first_is_shown(tmp_path: Path) -> None:
    recorded(tmp_path, asking("one", "same"), asking("two", "same"))
    first = min(one.name for one in tmp_path.rglob("*.json"))
    assert f"--- recorded ({first})" in missed(tmp_path, asking("ten", "same"))


# Two lines of names, one of places, and one that is the same on either side stand around what differs.
@pytest.mark.parametrize(("lines", "left_out"), [(55, 0), (56, 1), (100, 45)])
def test_of_a_difference_sixty_lines_are_shown(lines: int, left_out: int, tmp_path: Path) -> None:
    recorded(tmp_path, asking("same", "end"))
    said = missed(tmp_path, asking("same", *(f"line {number}." for number in range(lines)), "end"))
    shown = said.splitlines()[1:]
    assert len(shown) == (61 if left_out else 60)
    assert (shown[-1] == f"… and {left_out} more lines") is (left_out > 0)


def test_of_a_long_line_three_hundred_letters_are_shown(tmp_path: Path) -> None:
    recorded(tmp_path, asking("same", "end"))
    shown = missed(tmp_path, asking("same", "y!" * 500, "end")).splitlines()[1:]
    assert max(map(len, shown)) == 300
    assert ("+" + "y!" * 500)[:300] in shown


def test_a_question_asked_more_often_than_recorded_is_told_how_often(tmp_path: Path) -> None:
    recorded(tmp_path, asking("x"), asking("x"))
    tape = Cassette(tmp_path, "replay")
    spots = [tape.place("t.1", "npc", "chat", asking("x")) for _ in range(3)]
    for spot in spots[:2]:
        assert tape.replay(spot, "chat", asking("x")) == Take(body=b"{}")
    with pytest.raises(ModelFault) as fault:
        tape.replay(spots[2], "chat", asking("x"))
    assert fault.value.sentence == (
        "The cassette has 2 answer(s) to this request, and it was now asked for the 3. time (t.1, npc)."
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "cannot be read: "),
        ("[]", "cannot be read: "),
        ("{}", "cannot be read: 'format'."),
        (json.dumps({"format": 2}), "The cassette has format 2; this dayjob reads format 1. Update dayjob."),
    ],
)
def test_a_file_that_cannot_be_read_is_named(text: str, sentence: str, tmp_path: Path) -> None:
    recorded(tmp_path, asking("x"))
    (file,) = tmp_path.rglob("*.json")
    file.write_text(text)
    said = missed(tmp_path, asking("x"))
    assert sentence in said
    assert "format" in said or file.name in said


@pytest.mark.parametrize(("role", "known"), [("npc", True), ("judge", False)])
def test_a_cassette_knows_the_roles_that_asked(role: str, known: bool, tmp_path: Path) -> None:
    recorded(tmp_path, asking("x"))
    assert Cassette(tmp_path, "replay").has(role) is known


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "far" / "down" / "file.json"
    write_whole(file, b"one")
    write_whole(file, b"two")
    assert [(one.name, one.read_bytes()) for one in file.parent.iterdir()] == [("file.json", b"two")]

    def refuse(source: Path, target: Path) -> None:
        raise OSError("no")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="no"):
        write_whole(file, b"three")
    assert [(one.name, one.read_bytes()) for one in file.parent.iterdir()] == [("file.json", b"two")]
