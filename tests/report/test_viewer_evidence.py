"""Evidence a part at a time: chat as chat, changes as differences, archives and clocks that are not to be trusted."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from dayjob.report.viewer import evidence
from dayjob.report.viewer.chat import rooms
from dayjob.report.viewer.diff import field_diffs
from dayjob.report.viewer.timeline import Mark, thinned, timeline
from dayjob.report.viewer.words import marked
from dayjob.trial.outcome import Label, Outcome


def message(
    seq: int, key: str, text: str, *, op: str = "added", role: str = "examinee", room: str = "r1"
) -> dict[str, Any]:
    row = {
        "room_id": room,
        "username": f"{role}.name",
        "user_name": role.title(),
        "text": text,
        "at": "2026-03-09T09:00:01Z",
    }
    return {
        "kind": "change", "seq": seq, "time": f"2026-03-09T09:00:0{seq}.000Z", "phase": "work", "role": role,
        "service": "chat", "account": f"{role}.name", "table": "messages", "op": op, "key": key,
        "before": row if op == "removed" else None, "after": None if op == "removed" else row,
    }  # fmt: skip


def test_chat_is_told_room_by_room_with_edits_and_removals() -> None:
    journal = [
        message(1, "a", "helo"),
        message(2, "b", "hi there", role="npc"),
        message(3, "a", "hello", op="changed"),
        message(4, "c", "elsewhere", room="r2"),
        message(5, "c", "elsewhere", op="removed", room="r2"),
        {"kind": "request", "service": "chat"},
    ]
    changes = [
        {"service": "chat", "table": "messages", "after": {"room_id": "r1"}, "words": 'sam posted "x in y" in #launch'}
    ]
    first, second = rooms(journal, changes)
    assert first.name == "#launch"
    assert [(one.text, one.mine, one.edited) for one in first.messages] == [
        ("hello", True, True),
        ("hi there", False, False),
    ]
    assert second.name == "A room with examinee.name"
    assert second.messages[0].removed


def test_a_change_shows_only_what_differs() -> None:
    before = {"id": 1, "title": "Old", "body": "one\ntwo\nthree", "tags": "[]"}
    after = {"id": 1, "title": "New", "body": "one\n2\nthree", "tags": None}
    found = {one.name: one.lines for one in field_diffs({"before": before, "after": after})}
    assert found.keys() == {"title", "body"}
    assert found["title"][-2:] == ["-Old", "+New"]
    assert "-two" in found["body"]
    assert "+2" in found["body"]
    assert [one.name for one in field_diffs({"before": None, "after": {"id": 4, "pinned": 0, "text": "x"}})] == [
        "id",
        "text",
    ]


def write_archive(folder: Path, members: dict[str, bytes], links: dict[str, str] | None = None) -> None:
    with tarfile.open(folder / "workspace.tar.gz", "w:gz") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for name, target in (links or {}).items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, target
            archive.addfile(info)


def test_the_workspace_is_listed_and_read_without_following_links(tmp_path: Path) -> None:
    write_archive(tmp_path, {"a/b~c.txt": b"text", "x.bin": b"\0\1"}, {"secret": "/etc/passwd"})
    assert [(one.name, one.kind) for one in evidence.archive_files(tmp_path)] == [
        ("a/b~c.txt", "file"),
        ("x.bin", "file"),
        ("secret", "link"),
    ]
    found = evidence.archive_file(tmp_path, "a~b~~c.txt")
    assert found is not None
    assert found[1] == b"text"
    assert evidence.archive_file(tmp_path, "secret") is None
    assert evidence.content(b"\0\1", 2).text == "00000000  00 01"


@pytest.mark.parametrize("data", [b"", b"not an archive", b"\x1f\x8b\x08\0broken"])
def test_a_broken_archive_is_an_empty_one(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "workspace.tar.gz").write_bytes(data)
    assert evidence.archive_files(tmp_path) == []
    assert evidence.archive_file(tmp_path, "x") is None


def test_no_picture_leaves_the_folder_and_svg_is_none(tmp_path: Path) -> None:
    trial = tmp_path / "trial"
    (trial / "screenshots").mkdir(parents=True)
    png = b"\x89PNG\r\n\x1a\nrest"
    (trial / "screenshots" / "1.png").write_bytes(png)
    (trial / "screenshots" / "2.svg").write_text("<svg onload='alert(1)'/>")
    (tmp_path / "outside.png").write_bytes(png)
    (trial / "link.png").symlink_to(tmp_path / "outside.png")
    assert evidence.picture(trial, "screenshots/1.png") == (png, "image/png")
    for name in ("screenshots/2.svg", "../outside.png", "link.png", "/etc/hostname", "none.png"):
        assert evidence.picture(trial, name) is None


def test_a_journal_is_paged_and_a_half_written_line_waits(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text("".join(json.dumps({"seq": number}) + "\n" for number in range(500)) + "oops\n" + '{"seq": 5')
    journal = evidence.JournalPages(path)
    assert [row["seq"] for row in journal.rows(0, 3)] == [0, 1, 2]
    assert not journal.complete
    assert [row.get("seq", row.get("kind")) for row in journal.rows(499, 10)] == [499, "unreadable"]
    assert journal.complete
    assert evidence.JournalPages(tmp_path / "none").rows(0, 5) == []


def test_steps_requests_messages_and_checkpoints_share_one_axis(tmp_path: Path) -> None:
    began = {"format": 1, "host": "1970-01-12T13:46:40+00:00", "world": "2026-03-09T09:00:00.500Z", "world_at": 10.5}
    (tmp_path / "began.json").write_text(json.dumps(began))
    outcome = Outcome(
        "t", "a", 1, Label.PARTIAL, result=1, total=2,
        checkpoints=[{"total": 1, "result": 1}, {"total": 1, "result": 0}],
        timings={"build": 10.0, "start": 1.0, "init": 1.0, "work": 20.0, "grade": 2.0, "all": 34.0},
        made_of={"world": "larkspur"},
    )  # fmt: skip
    request = {
        "kind": "request", "time": "2026-03-09T09:00:05.000Z", "phase": "work", "role": "examinee",
        "service": "drive", "method": "GET", "path": "/x", "status": 200,
    }  # fmt: skip
    stamp = "1970-01-12T13:46:54+00:00"  # 14 seconds after the trial began
    found = timeline(tmp_path, outcome, [(stamp, "step 1", "steps.html#step-1")], [request, message(6, "a", "hello")])
    lanes = {lane.name: lane.marks for lane in found.lanes}
    assert found.exact
    assert lanes["agent"][0].at == pytest.approx(14)
    assert lanes["drive"][0].at == pytest.approx(15)  # the company began with `start`, after 10 s of building
    assert lanes["messages"][0].at == pytest.approx(16)
    assert [mark.kind for mark in lanes["checkpoints"]] == ["full", "none"]
    assert lanes["checkpoints"][-1].at == pytest.approx(34)


def test_clocks_that_cannot_be_tied_together_are_lined_up_and_it_is_said(tmp_path: Path) -> None:
    outcome = Outcome("t", "a", 1, Label.FAILED, timings={"start": 1.0, "init": 2.0, "work": 5.0, "all": 8.0})
    request = {
        "kind": "request",
        "time": "2031-01-01T00:00:00Z",
        "phase": "work",
        "role": "examinee",
        "service": "chat",
    }
    found = timeline(tmp_path, outcome, [("2026-11-15T00:00:00Z", "step 1", "")], [request])
    lanes = {lane.name: lane.marks for lane in found.lanes}
    assert not found.exact
    assert lanes["agent"][0].at == lanes["chat"][0].at == pytest.approx(3)


def test_marks_that_would_cover_one_another_are_drawn_as_one() -> None:
    found = thinned([Mark(number / 1000, str(number)) for number in range(100_000)], 100.0)
    assert len(found) <= 300
    assert sum(mark.count for mark in found) == 100_000


def test_a_found_place_is_escaped_before_its_words_are_marked() -> None:
    assert str(marked("<b>\2word\3</b>")) == "&lt;b&gt;<mark>word</mark>&lt;/b&gt;"
    assert "<mark>" not in str(marked("\2\2word\3"))
