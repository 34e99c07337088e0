"""What comes out of a container as a tar: within bounds, nothing outside the folder, each file once."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

import pytest

from dayjob.sandbox.docker.archive import TooMuch, unpack
from dayjob.sandbox.embedded.tree import Bounds


def tar(*entries: tuple[str, dict[str, object], bytes]) -> io.BytesIO:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as out:
        for name, facts, content in entries:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            for fact, value in facts.items():
                setattr(entry, fact, value)
            out.addfile(entry, io.BytesIO(content))
    made.seek(0)
    return made


LINK: dict[str, object] = {"type": tarfile.LNKTYPE}


def test_a_second_name_becomes_a_link_to_the_file_that_came_before(tmp_path: Path) -> None:
    source = tar(("w/first", {}, b"x" * 900), *((f"w/{n}", {**LINK, "linkname": "w/first"}, b"") for n in range(20)))
    assert unpack(source, tmp_path, Bounds(bytes=1000, partly=True)).count == 0
    assert len({path.stat().st_ino for path in (tmp_path / "w").iterdir()}) == 1


@pytest.mark.parametrize("to", ["w/already", "../outside", "/etc/passwd", "w/link"])
def test_a_second_name_is_given_to_nothing_that_this_stream_did_not_bring(tmp_path: Path, to: str) -> None:
    (tmp_path / "in/w").mkdir(parents=True)
    (tmp_path / "in/w/already").write_text("the host's")
    (tmp_path / "outside").write_text("the host's")
    source = tar(("w/link", {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}, b""),
                 ("w/second", {**LINK, "linkname": to}, b""))  # fmt: skip
    assert unpack(source, tmp_path / "in").as_list() == ["w/second"]
    assert not os.path.lexists(tmp_path / "in/w/second")


def test_bytes_entries_and_time_are_bounded(tmp_path: Path) -> None:
    files: list[tuple[str, dict[str, object], bytes]] = [(f"{n:02}", {}, b"x" * 100) for n in range(20)]
    found = unpack(tar(*files), tmp_path / "a", Bounds(bytes=250, partly=True)).as_list()
    assert sorted(os.listdir(tmp_path / "a")) == ["00", "01"]
    assert found[0] == "02 (beyond 250 bytes)"
    assert found[-1].startswith("10 (and everything after it: more than 4 times")
    found = unpack(tar(*files), tmp_path / "b", Bounds(entries=5, partly=True)).as_list()
    assert len(os.listdir(tmp_path / "b")) == 5
    assert found == ["05 (and everything after it: more than 5 files and folders)"]
    assert "not copied within" in unpack(tar(*files), tmp_path / "c", Bounds(seconds=-1, partly=True)).as_list()[0]
    for bounds in (Bounds(bytes=250), Bounds(entries=5), Bounds(seconds=-1)):
        with pytest.raises(TooMuch):
            unpack(tar(*files), tmp_path / "d", bounds)
