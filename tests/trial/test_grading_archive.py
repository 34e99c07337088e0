"""What is kept of a trial's end: packed within bounds, only plain files of the company's, unpacked as it was."""

from __future__ import annotations

import asyncio
import io
import json
import os
import tarfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dayjob.sandbox.sandbox import Frozen
from dayjob.trial import grading_archive
from dayjob.trial.company_process import TrialCompany
from dayjob.trial.grading_archive import NAME, End, NotKept, keep, unpack

END = End("snapshot-key", "2026-03-09T10:00:00Z", ["/workspace", "/tmp"], "it worked", [8000])


def archive(*entries: tuple[str, bytes | None, int, bytes]) -> bytes:
    """A tar of names, contents (None: a folder), modes and kinds."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content, mode, kind in entries:
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode, entry.size = kind, mode, len(content or b"")
            entry.uid, entry.uname, entry.linkname = 7, "seven", "x"
            tar.addfile(entry, io.BytesIO(content) if content is not None else None)
    return out.getvalue()


COMPANY = archive(
    ("state", None, 0o755, tarfile.DIRTYPE),
    ("state/chat.db", b"chat", 0o644, tarfile.REGTYPE),
    ("state/hook", b"run", 0o755, tarfile.REGTYPE),
)


class Company:
    """A company whose packed state is this."""

    def __init__(self, packed: bytes) -> None:
        self.packed = packed
        self.snapshot = SimpleNamespace(key=END.snapshot)

    async def now(self) -> str:
        return END.now

    async def pack(self, target: int) -> None:
        await asyncio.to_thread(os.write, target, self.packed)


def kept_in(folder: Path, packed: bytes = COMPANY) -> str | None:
    frozen = folder / "frozen-there"
    (frozen / "workspace").mkdir(parents=True, exist_ok=True)
    (frozen / "workspace" / "answer.txt").write_text("shipshape")
    company: Any = Company(packed)
    place = Frozen(frozen, tuple(END.paths))
    return asyncio.run(keep(folder, cast(TrialCompany, company), place, END.trajectory, END.left_running))


def test_what_was_kept_comes_back_as_it_was(tmp_path: Path) -> None:
    assert kept_in(tmp_path) is None
    end, frozen = unpack(tmp_path, tmp_path / "again")
    assert end == END
    assert frozen == Frozen(tmp_path / "again" / "frozen", ("/workspace", "/tmp"))
    assert (frozen.folder / "workspace" / "answer.txt").read_text() == "shipshape"
    assert (tmp_path / "again" / "company" / "state" / "chat.db").read_bytes() == b"chat"
    with tarfile.open(tmp_path / NAME) as tar:
        facts = {one.name: (one.mode, one.uid, one.uname) for one in tar if one.name.startswith("company")}
    assert facts == {
        "company/state": (0o700, 0, ""),
        "company/state/chat.db": (0o600, 0, ""),
        "company/state/hook": (0o700, 0, ""),
    }
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []


@pytest.mark.parametrize(
    "entry",
    [
        ("../out", b"x", 0o644, tarfile.REGTYPE),
        ("a/../b", b"x", 0o644, tarfile.REGTYPE),
        ("/etc/x", b"x", 0o644, tarfile.REGTYPE),
        ("a//b", b"x", 0o644, tarfile.REGTYPE),
        ("link", None, 0o777, tarfile.SYMTYPE),
        ("again", None, 0o644, tarfile.LNKTYPE),
        ("pipe", None, 0o644, tarfile.FIFOTYPE),
    ],
)
def test_only_plain_files_and_folders_are_taken_from_a_company(
    tmp_path: Path, entry: tuple[str, bytes | None, int, bytes]
) -> None:
    with pytest.raises(tarfile.TarError, match="the company's archive holds"):
        kept_in(tmp_path, archive(entry))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["frozen-there"]


def cost(folder: Path) -> int:
    """What the small company and its frozen files count for: each entry, and a block for its head."""
    sizes = [0, 4, 3, *(0 if one.is_dir() else one.stat().st_size for one in (folder, *folder.rglob("*")))]
    return sum(sizes) + 512 * len(sizes)


def test_what_is_too_large_is_not_kept_and_the_edge_still_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept_in(tmp_path)
    edge = cost(tmp_path / "frozen-there")
    for room, is_kept in ((edge, True), (edge - 1, False), (2047, False), (1543, False), (0, False)):
        (tmp_path / NAME).unlink(missing_ok=True)
        monkeypatch.setattr(grading_archive, "LARGEST", room)
        note = kept_in(tmp_path)
        assert (tmp_path / NAME).exists() is is_kept
        sentence = f"this work cannot be graded again: it is more than the {room} bytes that are kept"
        assert note == (None if is_kept else sentence)
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []


def test_a_quarter_of_a_gibibyte_is_kept() -> None:
    assert grading_archive.LARGEST == 256 * 1024 * 1024


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "its work did not come to an end, or was too large to keep"),
        (b"no archive", "cannot be read"),
        (archive(("kept.json", b"{", 0o600, tarfile.REGTYPE)), "cannot be read"),
        (archive(("kept.json", b'{"format": 3}', 0o600, tarfile.REGTYPE)), "is not of format 2; update dayjob"),
        (archive(("kept.json", b"{}", 0o600, tarfile.REGTYPE)), "is not of format 2; update dayjob"),
        (archive(("other", b"", 0o600, tarfile.REGTYPE)), "its work did not come to an end"),
    ],
)
def test_what_cannot_be_graded_again_says_why(tmp_path: Path, content: bytes | None, sentence: str) -> None:
    if content is not None:
        (tmp_path / NAME).write_bytes(content)
    with pytest.raises(NotKept, match=sentence):
        unpack(tmp_path, tmp_path / "again")


def test_what_was_kept_before_systems_were_can_still_be_read(tmp_path: Path) -> None:
    facts = {"format": 1, "snapshot": "s", "now": "n", "paths": ["/workspace"], "trajectory": "", "left_running": []}
    (tmp_path / NAME).write_bytes(archive(("kept.json", json.dumps(facts).encode(), 0o600, tarfile.REGTYPE)))
    end, frozen = unpack(tmp_path, tmp_path / "again")
    assert (end.system, frozen.paths, frozen.system, frozen.gone) == ([], ("/workspace",), (), ())


def test_its_format_is_written_down(tmp_path: Path) -> None:
    kept_in(tmp_path)
    unpack(tmp_path, tmp_path / "again")
    assert json.loads((tmp_path / "again" / "kept.json").read_text())["format"] == 2
