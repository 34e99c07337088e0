"""Evidence at its edges: bounds of archives, what an earlier attempt left, modes, and sentences about disks."""

from __future__ import annotations

import os
import stat
import tarfile
from pathlib import Path
from typing import Any

import pytest

from dayjob.trial import evidence
from dayjob.trial.evidence import Evidence, left_out_note, next_earlier, sentence_about
from dayjob.whole_files import write_whole


def entries(place: Evidence) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(place.folder / "work.tar.gz") as tar:
        return {one.name: one for one in tar}


@pytest.mark.parametrize(("limit", "left"), [(300, 0), (299, 1), (200, 1), (199, 2), (0, 3)])
def test_an_archive_takes_files_up_to_its_limit(tmp_path: Path, limit: int, left: int) -> None:
    place, source = Evidence(tmp_path / "trial"), tmp_path / "source"
    source.mkdir()
    for name in "abc":
        (source / name).write_bytes(b"x" * 100)
    said = place.archive("work.tar.gz", source, limit)
    assert said == (f"work.tar.gz leaves out {left} files, beyond {limit} bytes" if left else None)
    assert len(entries(place)) == 3 - left


@pytest.mark.parametrize(("most", "left"), [(3, False), (2, True)])
def test_an_archive_takes_so_many_entries_and_no_more(tmp_path: Path, most: int, left: bool) -> None:
    place, source = Evidence(tmp_path / "trial"), tmp_path / "source"
    source.mkdir()
    for name in "abc":
        (source / name).touch()
    said = place.archive("work.tar.gz", source, entries=most)
    assert said == ("work.tar.gz leaves out everything after the first 2 entries" if left else None)
    assert list(entries(place)) == ["a", "b", "c"][:most]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_an_archive_names_no_owner_and_its_own_bounds_are_these(tmp_path: Path) -> None:
    place, source = Evidence(tmp_path / "trial"), tmp_path / "source"
    (source / "sub").mkdir(parents=True)
    os.chown(source / "sub", 1234, 1234)
    place.archive("work.tar.gz", source)
    (found,) = entries(place).values()
    assert (found.uid, found.gid, found.uname, found.gname) == (0, 0, "", "")
    assert (evidence.LARGEST_ARCHIVE, evidence.MOST_ARCHIVED, evidence.ARCHIVE_SECONDS) == (64 << 20, 50_000, 60.0)


def test_an_archive_that_fails_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Evidence(tmp_path / "trial")
    (tmp_path / "source").mkdir()

    def full(*_: Any) -> None:
        raise OSError("no space")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no space"):
        place.archive("work.tar.gz", tmp_path / "source")
    with pytest.raises(OSError, match="no space"):
        place.text("a", "b")
    assert [one.name for one in place.folder.iterdir()] == ["logs"]


def test_what_an_earlier_attempt_left_is_kept_apart_by_number(tmp_path: Path) -> None:
    for number in range(3):
        place = Evidence(tmp_path / "trial")
        assert sorted(one.name for one in place.folder.iterdir()) == (["earlier", "logs"] if number else ["logs"])
        place.text("outcome.json", str(number))
    assert [(tmp_path / f"trial/earlier/{one}/outcome.json").read_text() for one in (1, 2)] == ["0", "1"]
    assert next_earlier(tmp_path / "trial").name == "3"
    (tmp_path / "trial" / "earlier" / "10").mkdir()
    assert next_earlier(tmp_path / "trial").name == "11"


def test_evidence_is_its_users_alone(tmp_path: Path) -> None:
    place = Evidence(tmp_path / "trial")
    place.log("work", b"a\xff", "b")
    place.json("a.json", {"ä": 1})
    (place.folder / "open").touch(0o644)
    place.seal("{}")
    assert (place.folder / "logs" / "work.log").read_text("utf-8") == "a�b"
    assert (place.folder / "a.json").read_text("utf-8") == '{\n "ä": 1\n}\n'
    assert place.journal == place.folder / "journal.jsonl"
    modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in (place.folder, *place.folder.rglob("*"))}
    assert modes == {
        "trial": 0o700, "logs": 0o700, "work.log": 0o600, "a.json": 0o600, "open": 0o600, "outcome.json": 0o600,
    }  # fmt: skip


def test_a_whole_file_may_be_for_others_too_and_makes_its_folder(tmp_path: Path) -> None:
    write_whole(tmp_path / "deep" / "er" / "a", b"x", mode=0o644)
    assert stat.S_IMODE((tmp_path / "deep/er/a").stat().st_mode) == 0o644
    write_whole(tmp_path / "deep" / "er" / "a", b"y", settled=False)
    assert (tmp_path / "deep/er/a").read_bytes() == b"y"
    assert stat.S_IMODE((tmp_path / "deep/er/a").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(28, "No space left", "/a"), "/a: No space left; free some space, then: dayjob resume"),
        (OSError(122, "Disk quota exceeded"), "Disk quota exceeded; free some space, then: dayjob resume"),
        (OSError(2, "No such file", "/a"), "/a: No such file"),
        (OSError("just words"), "just words"),
    ],
)
def test_what_went_wrong_with_a_file_is_a_sentence(error: OSError, sentence: str) -> None:
    assert sentence_about(error) == sentence


@pytest.mark.parametrize(("number", "ends"), [(1, "/0"), (10, "/9"), (11, "/9 and 1 more")])
def test_ten_names_are_told_and_the_rest_counted(number: int, ends: str) -> None:
    (note,) = left_out_note([str(one) for one in range(number)])
    assert note.endswith(ends)
