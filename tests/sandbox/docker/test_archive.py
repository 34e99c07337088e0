"""What comes out of a container as a tar: within bounds, nothing outside the folder, each file once."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

import pytest

from dayjob.sandbox.docker.archive import TooMuch, pack, repack, unpack
from dayjob.sandbox.tree import Bounds


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


# -- what goes in -----------------------------------------------------------------------------------------------------


def listed(data: io.BytesIO) -> dict[str, tuple[int, int, str, bytes]]:
    """Every entry of a tar: owner, mode, what a link leads to, content."""
    found = {}
    data.seek(0)
    with tarfile.open(fileobj=data, mode="r|") as given:
        for one in given:
            content = given.extractfile(one) if one.isreg() else None
            assert (one.uid, one.uname, one.gname) == (one.gid, "", "")
            found[one.name] = (one.uid, one.mode, one.linkname, content.read() if content else b"")
    return found


def test_bytes_and_trees_are_packed_under_one_owner(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "sub").mkdir(parents=True)
    (source / "a").write_text("a")
    (source / "a").chmod(0o640)
    (source / "again").hardlink_to(source / "a")
    (source / "link").symlink_to("a")
    os.mkfifo(source / "pipe")
    out = io.BytesIO()
    pack(out, [(b"text", "name"), (source, "tree")], mode=0o600, uid=7)
    found = listed(out)
    assert set(found) == {"name", "tree", "tree/sub", "tree/a", "tree/again", "tree/link"}
    assert found["name"] == (7, 0o600, "", b"text")
    assert found["tree/a"][:2] == (7, 0o640)
    assert {one[0] for one in found.values()} == {7}
    assert (found["tree/link"][2], found["tree/again"][2]) == ("a", "tree/a")
    out = io.BytesIO()
    pack(out, [(b"", "name")])
    assert listed(out)["name"][:2] == (0, 0o644)


def test_what_is_repacked_is_plain_below_the_root_and_roots() -> None:
    owner: dict[str, object] = {"uid": 5, "gid": 6, "uname": "x", "gname": "y"}
    source = tar(
        ("/srv/a", {**owner, "mode": 0o640}, b"a"),
        ("srv/folder/", {**owner, "type": tarfile.DIRTYPE}, b""),
        ("srv/link", {**owner, "type": tarfile.SYMTYPE, "linkname": "/etc"}, b""),
        ("srv/second", {**LINK, "linkname": "srv/a"}, b""),
        ("srv/pipe", {"type": tarfile.FIFOTYPE}, b""),
        ("../out", {}, b"x"),
        ("a/../../out", {}, b"x"),
        ("/", {"type": tarfile.DIRTYPE}, b""),
        ("/".join(["d"] * 3000), {}, b"x"),
    )
    out = io.BytesIO()
    repack(source, out)
    assert listed(out) == {
        "srv/a": (0, 0o640, "", b"a"),
        "srv/folder": (0, 0o644, "", b""),
        "srv/link": (0, 0o644, "/etc", b""),
    }


def test_what_comes_out_is_readable_and_what_leaves_the_folder_is_left_out(tmp_path: Path) -> None:
    source = tar(
        ("w/file", {"mode": 0o6200, "mtime": 1_600_000_000}, b"x"),
        ("w/pipe", {"type": tarfile.FIFOTYPE}, b""),
        ("w/link", {"type": tarfile.SYMTYPE, "linkname": "/etc"}, b""),
        ("w/link/through", {}, b"x"),
        ("w/../out", {}, b"x"),
        ("w/file", {}, b"again"),
    )
    left = unpack(source, tmp_path / "in", link=lambda name, target: f"{name} was {target}").as_list()
    assert left == ["w/pipe", "w/link/through", "w/../out", "w/file"]
    info = (tmp_path / "in/w/file").stat()
    assert (oct(info.st_mode), info.st_mtime) == ("0o100644", 1_600_000_000)
    assert os.readlink(tmp_path / "in/w/link") == "w/link was /etc"
    assert unpack(io.BytesIO(b""), tmp_path / "nothing").as_list() == []
    assert (tmp_path / "nothing").is_dir()


@pytest.mark.parametrize(("size", "left"), [(100, 0), (101, 1)])
def test_the_last_byte_allowed_still_comes(tmp_path: Path, size: int, left: int) -> None:
    found = unpack(tar(("a", {}, b"x" * size)), tmp_path, Bounds(bytes=100, partly=True))
    assert found.count == left
    assert unpack(tar(("b", {}, b""), ("c", {}, b"")), tmp_path, Bounds(entries=2)).count == 0
