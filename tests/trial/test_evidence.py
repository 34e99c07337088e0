"""What a trial leaves as evidence: archives within bounds, and a sentence about what is not in them."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

from dayjob.trial.evidence import Evidence, left_out_note


def packed(folder: Path) -> list[str]:
    with tarfile.open(folder / "work.tar.gz") as tar:
        return tar.getnames()


def test_an_archive_holds_folders_files_and_links_and_each_file_once(tmp_path: Path) -> None:
    source, evidence = tmp_path / "source", Evidence(tmp_path / "trial")
    (source / "sub").mkdir(parents=True)
    (source / "big").write_bytes(os.urandom(600_000))
    for number in range(30):
        os.link(source / "big", source / "sub" / str(number))
    (source / "link").symlink_to("/etc/passwd")
    os.mkfifo(source / "pipe")
    assert evidence.archive("work.tar.gz", source, 1_000_000) is None
    assert sorted(packed(evidence.folder)) == sorted(["big", "link", "sub", *(f"sub/{n}" for n in range(30))])
    assert (evidence.folder / "work.tar.gz").stat().st_size < 700_000


def test_beyond_its_bounds_an_archive_says_what_it_leaves_out(tmp_path: Path) -> None:
    source, evidence = tmp_path / "source", Evidence(tmp_path / "trial")
    source.mkdir()
    for number in range(20):
        (source / f"{number:02}").write_bytes(b"x" * 100)
    assert evidence.archive("work.tar.gz", source, 250) == "work.tar.gz leaves out 18 files, beyond 250 bytes"
    assert packed(evidence.folder) == ["00", "01"]
    said = evidence.archive("work.tar.gz", source, entries=5)
    assert said == "work.tar.gz leaves out everything after the first 5 entries"
    assert len(packed(evidence.folder)) == 5
    said = evidence.archive("work.tar.gz", source, seconds=-1)
    assert said is not None
    assert "the time was up" in said
    assert packed(evidence.folder) == []
    assert [path.name for path in evidence.folder.iterdir() if path.name.startswith(".")] == []


def test_what_could_not_be_frozen_is_one_short_note() -> None:
    assert left_out_note([]) == []
    (note,) = left_out_note([f"workspace/{n}" for n in range(50)])
    assert note.startswith("left out of what the grader sees: /workspace/0, /workspace/1")
    assert note.endswith("/workspace/9 and 40 more")
