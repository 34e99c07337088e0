"""A tree as a stream: within bounds, every file once, and whatever changes on the way harms nobody."""

from __future__ import annotations

import io
import json
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from dayjob.sandbox import receiving
from dayjob.sandbox.receiving import Received, receive
from dayjob.sandbox.tree import MOST_NAMES, Bounds, Gone, TreeError, send, send_content


def carried(source: Path, target: Path, bounds: Bounds | None = None) -> Received:
    """Send a folder through a pipe and receive it."""
    reading, writing = os.pipe()
    failed: list[Exception] = []

    def sending() -> None:
        try:
            send(writing, [(str(source), "top")], bounds)
        except TreeError as error:
            os.write(writing, json.dumps({"error": str(error)}).encode() + b"\n")
        except Exception as error:
            failed.append(error)
        finally:
            os.close(writing)

    thread = threading.Thread(target=sending)
    thread.start()
    try:
        with open(reading, "rb") as stream:
            return receive(stream, str(target))
    finally:
        thread.join()
        assert not failed


def test_a_file_with_many_names_travels_once_and_stays_one_file(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "first").write_bytes(b"x" * 3_000_000)
    for number in range(50):
        os.link(source / "first", source / f"name{number}")
    received = carried(source, tmp_path / "target", Bounds(bytes=4_000_000))
    assert received.left_out.count == 0
    inodes = {path.stat().st_ino for path in (tmp_path / "target/top").iterdir()}
    assert len(list((tmp_path / "target/top").iterdir())) == 51
    assert len(inodes) == 1


def test_beyond_the_bytes_allowed_files_are_left_out_and_smaller_ones_still_come(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name, size in (("a", 600), ("b", 600), ("c", 300)):
        (source / name).write_bytes(b"x" * size)
    received = carried(source, tmp_path / "target", Bounds(bytes=1000, partly=True))
    assert sorted(os.listdir(tmp_path / "target/top")) == ["a", "c"]
    assert received.left_out.as_list() == ["top/b (beyond 1000 bytes)"]
    with pytest.raises(TreeError, match="more than the 1000 bytes"):
        carried(source, tmp_path / "other", Bounds(bytes=1000))


def test_beyond_the_entries_allowed_the_rest_is_left_out_and_said_once(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for number in range(500):
        (source / f"{number:03}").touch()
    received = carried(source, tmp_path / "target", Bounds(entries=101, partly=True))
    assert len(os.listdir(tmp_path / "target/top")) == 100
    assert received.left_out.as_list() == ["top/100 (and everything after it: more than 101 files and folders)"]


def test_when_the_time_is_up_the_rest_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    received = carried(tmp_path / "source", tmp_path / "target", Bounds(seconds=-1.0, partly=True))
    assert "not copied within" in received.left_out.as_list()[0]
    with pytest.raises(TreeError, match="not copied within"):
        carried(tmp_path / "source", tmp_path / "target", Bounds(seconds=-1.0))


def test_the_names_of_what_is_left_out_are_few_and_short(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for number in range(MOST_NAMES + 50):
        os.mkfifo(source / f"{number}-{'x' * 230}")
    names = carried(source, tmp_path / "target").left_out.as_list()
    assert len(names) == MOST_NAMES + 1
    assert names[-1] == "and 50 more"
    assert max(map(len, names)) <= 200


def test_ten_terabytes_of_nothing_cost_nothing(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    with (source / "huge").open("wb") as file:
        file.truncate(10 * 2**40)
        file.seek(5 * 2**40)
        file.write(b"here")
    carried(source, tmp_path / "target", Bounds(bytes=1_000_000))
    copy = tmp_path / "target/top/huge"
    assert copy.stat().st_size == 10 * 2**40
    assert copy.stat().st_blocks * 512 < 1_000_000
    with copy.open("rb") as file:
        file.seek(5 * 2**40)
        assert file.read(4) == b"here"


def test_odd_names_deep_folders_and_attributes_are_held(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    odd = [b"new\nline", b"\xff\xfe", b"\x1b[31m", "ünï".encode(), b"a" * 255, b'{"end": true}']
    for name in odd:
        Path(os.fsdecode(os.path.join(os.fsencode(source), name))).write_bytes(name)
    os.setxattr(source, "user.note", b"x")
    os.setxattr(os.path.join(os.fsencode(source), odd[0]), "user.note", b"x")
    deep = os.open(source, os.O_RDONLY)
    for _ in range(400):
        os.mkdir("d", dir_fd=deep)
        deeper = os.open("d", os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = deeper
    os.close(deep)
    received = carried(source, tmp_path / "target")
    target = os.fsencode(tmp_path / "target/top")
    assert {name: Path(os.fsdecode(os.path.join(target, name))).read_bytes() for name in odd} == {
        name: name for name in odd
    }
    assert os.listxattr(target) == []
    assert received.left_out.count == 1
    assert "too deep" in received.left_out.as_list()[0]


def test_a_name_the_receiver_cannot_write_is_left_out_and_what_follows_comes(tmp_path: Path) -> None:
    frames: list[dict[str, object] | bytes] = [
        {"name": "a" * 300, "kind": "file", "size": 3, "parts": [[0, 3]]},
        b"abc",
        {"name": "good", "kind": "file", "size": 3, "parts": [[0, 3]]},
        b"def",
        {"name": "a" * 300 + "/below", "kind": "folder"},
        {"end": True, "left_out": []},
    ]
    received = receive(_stream(frames), str(tmp_path))
    assert (tmp_path / "good").read_bytes() == b"def"
    assert received.left_out.count == 2


def _stream(frames: list[dict[str, object] | bytes]) -> io.BytesIO:
    common = {"mode": 0o644, "uid": 0, "gid": 0, "time": 0}
    return io.BytesIO(
        b"".join(one if isinstance(one, bytes) else json.dumps({**common, **one}).encode() + b"\n" for one in frames)
    )


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x"])
def test_a_name_that_leaves_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(TreeError, match="would leave the folder"):
        receive(_stream([{"name": name, "kind": "folder"}]), str(tmp_path / "in"))
    assert not (tmp_path / "x").exists()


def test_nothing_is_written_through_a_link_that_the_stream_brought(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    frames: list[dict[str, object] | bytes] = [
        {"name": "way", "kind": "link", "target": str(tmp_path / "outside")},
        {"name": "way/file", "kind": "file", "size": 0, "parts": []},
        {"name": "way/deep/file", "kind": "file", "size": 0, "parts": []},
        {"end": True, "left_out": []},
    ]
    assert receive(_stream(frames), str(tmp_path / "in")).left_out.count == 2
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_second_name_is_given_only_to_a_file_of_this_stream(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "already").write_text("the host's")
    frames: list[dict[str, object] | bytes] = [
        {"name": "stolen", "kind": "same", "as": "already"},
        {"name": "outside", "kind": "same", "as": "../../etc/passwd"},
        {"end": True, "left_out": []},
    ]
    assert receive(_stream(frames), str(tmp_path / "in")).left_out.count == 2
    assert sorted(os.listdir(tmp_path / "in")) == ["already"]


def test_a_stream_that_ends_early_is_an_error(tmp_path: Path) -> None:
    for data in (b"", b'{"name": "x"', b'{"name":"x","kind":"file","size":9,"parts":[[0,9]],"mode":0,"time":0}\nabc'):
        with pytest.raises(TreeError, match="ended early"):
            receive(io.BytesIO(data), str(tmp_path))


def test_a_sender_nobody_reads_ends(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 1_000_000)
    reading, writing = os.pipe()
    os.close(reading)
    with pytest.raises(Gone):
        send(writing, [(str(tmp_path), "top")])
    os.close(writing)


def _swaps(place: Path) -> list[Callable[[], object]]:
    """What an examinee could turn a name into between two looks at it."""

    def fresh(make: Callable[[Path], object]) -> Callable[[], object]:
        def swap() -> None:
            part = place / "part"
            make(part)
            target = place / "target"
            if target.is_dir() and not target.is_symlink():
                target.rename(place / f"old{len(os.listdir(place))}")
            os.rename(part, target)

        return swap

    def grow(part: Path) -> None:
        part.write_bytes(b"y" * 300_000)

    return [
        fresh(lambda part: part.write_bytes(b"x" * 100_000)),
        fresh(lambda part: os.mkfifo(part)),
        fresh(lambda part: part.symlink_to("/etc/passwd")),
        fresh(lambda part: part.mkdir()),
        fresh(lambda part: os.link(place / "kept", part)),
        fresh(grow),
        lambda: os.truncate(place / "shrinks", 10),
        lambda: os.truncate(place / "shrinks", 500_000),
        lambda: (place / "target").unlink(missing_ok=True),
    ]


def test_files_that_become_pipes_links_and_folders_while_they_are_read_never_fail_or_hang_it(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    for name in ("kept", "shrinks"):
        (place / name).write_bytes(b"k" * 200_000)
    done = threading.Event()
    swaps = _swaps(place)

    def swapping() -> None:
        while not done.is_set():
            for swap in swaps:
                try:
                    swap()
                except OSError:
                    if (place / "part").is_dir():
                        (place / "part").rmdir()

    thread = threading.Thread(target=swapping)
    thread.start()
    try:
        for number in range(60):
            target = tmp_path / f"copy{number}"
            carried(place, target)
            for path in (target / "top").iterdir():
                kind = path.lstat().st_mode
                assert stat.S_ISREG(kind) or stat.S_ISDIR(kind) or path.readlink() == Path("/etc/passwd")
            assert (target / "top/kept").read_bytes() == b"k" * 200_000
    finally:
        done.set()
        thread.join()


def test_what_a_file_system_refuses_is_one_list() -> None:
    """A full disk of the host is no file's fault: it has to stay an error."""
    import errno

    assert errno.ENOSPC not in receiving.NOT_HERE
    assert errno.EDQUOT not in receiving.NOT_HERE


@pytest.mark.parametrize("content", [b"", b"hello"])
def test_one_file_is_sent_as_roots_with_its_permissions(tmp_path: Path, content: bytes) -> None:
    reading, writing = os.pipe()
    send_content(writing, content, "deep/note.txt", 0o640)
    os.close(writing)
    asked: list[tuple[int, int]] = []

    def owner(uid: int, gid: int) -> tuple[int, int]:
        asked.append((uid, gid))
        return os.geteuid(), os.getegid()

    (tmp_path / "deep").mkdir()
    with open(reading, "rb") as stream:
        received = receive(stream, str(tmp_path), owner=owner)
    assert (asked, received.left_out.count) == ([(0, 0)], 0)
    made = tmp_path / "deep/note.txt"
    assert (made.read_bytes(), made.stat().st_mode & 0o7777) == (content, 0o640)
