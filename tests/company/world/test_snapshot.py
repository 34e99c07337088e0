"""Compiling a world: one snapshot whatever happens, and the same one every time."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dayjob.company.world import WorldError, build_snapshot, snapshot
from dayjob.service_names import NAMES
from tests.company.serving import WORLDS

BUILD = """
import pathlib, sys
from dayjob.company.world import build_snapshot
print(build_snapshot(pathlib.Path(sys.argv[1]), cache=pathlib.Path(sys.argv[2])).key)
"""


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_one_world_compiles_to_the_same_bytes_anywhere(tmp_path: Path) -> None:
    here = build_snapshot(WORLDS / "larkspur", cache=tmp_path / "one")
    shutil.copytree(WORLDS / "larkspur", tmp_path / "copy")
    there = build_snapshot(tmp_path / "copy", cache=tmp_path / "two")
    assert here.key == there.key
    assert contents(here.path) == contents(there.path)
    assert {f"{name}.db" for name in NAMES} <= set(contents(here.path))


def test_a_changed_file_makes_another_snapshot(tmp_path: Path) -> None:
    shutil.copytree(WORLDS / "larkspur", tmp_path / "copy")
    before = build_snapshot(tmp_path / "copy", cache=tmp_path / "cache")
    with (tmp_path / "copy" / "people" / "sam.reed.yml").open("a") as file:
        file.write("bio: Likes gardens.\n")
    assert build_snapshot(tmp_path / "copy", cache=tmp_path / "cache").key != before.key


@pytest.fixture
def blank(tmp_path: Path) -> Path:
    """A small world whose files were all there a while ago, as this process has seen it before."""
    world = shutil.copytree(WORLDS / "blank", tmp_path / "blank")
    (world / "drive").mkdir(exist_ok=True)
    (world / "note.txt").write_text("one")
    (world / "link.txt").symlink_to("note.txt")
    snapshot._known.clear()
    newest = max(path.stat().st_ctime_ns for path in world.rglob("*"))
    while time.time_ns() <= newest + snapshot._GRAIN:
        time.sleep(0.01)
    build_snapshot(world, cache=tmp_path)
    assert snapshot._known, "it was not remembered"
    return world


def rewritten(world: Path) -> None:
    """The same size and the same time."""
    times = (world / "note.txt").stat()
    (world / "note.txt").write_text("two")
    os.utime(world / "note.txt", ns=(times.st_atime_ns, times.st_mtime_ns))


def relinked(world: Path) -> None:
    (world / "other.txt").hardlink_to(world / "note.txt")
    (world / "link.txt").unlink()
    (world / "link.txt").symlink_to("other.txt")


@pytest.mark.parametrize(
    "change",
    [
        rewritten,
        relinked,
        lambda world: (world / "note.txt").chmod(0o755),
        lambda world: (world / "note.txt").rename(world / "more.txt"),
        lambda world: (world / "more.txt").write_text(""),
    ],
)
def test_a_world_that_was_seen_before_is_read_again_when_a_file_has_changed(
    blank: Path, tmp_path: Path, change: Callable[[Path], object]
) -> None:
    change(blank)
    assert build_snapshot(blank, cache=tmp_path).key == build_snapshot(blank, cache=tmp_path / "fresh").key


def test_a_world_that_was_seen_before_is_not_read_again(
    blank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = build_snapshot(blank, cache=tmp_path)
    monkeypatch.setattr(snapshot, "load_world", None)  # can fail: whoever reads the world calls it
    assert build_snapshot(blank, cache=tmp_path) == again


def test_a_snapshot_that_was_removed_is_made_again(blank: Path, tmp_path: Path) -> None:
    shutil.rmtree(build_snapshot(blank, cache=tmp_path).path)
    assert (build_snapshot(blank, cache=tmp_path).path / "world.json").is_file()


def test_a_file_written_just_now_may_change_again_unseen_so_nothing_is_remembered(blank: Path, tmp_path: Path) -> None:
    (blank / "note.txt").write_text("now")
    snapshot._known.clear()
    build_snapshot(blank, cache=tmp_path)
    assert not snapshot._known


def test_an_overlay_counts_as_much_as_the_world(blank: Path, tmp_path: Path) -> None:
    (tmp_path / "overlay").mkdir()
    plain = build_snapshot(blank, cache=tmp_path)
    assert build_snapshot(blank, tmp_path / "overlay", cache=tmp_path).key == plain.key
    (tmp_path / "overlay" / "note.txt").write_text("two")
    assert build_snapshot(blank, tmp_path / "overlay", cache=tmp_path).key != plain.key


def test_a_world_with_problems_is_not_built(tmp_path: Path) -> None:
    (tmp_path / "world").mkdir()
    (tmp_path / "world" / "world.toml").write_text("host = 3\n")
    with pytest.raises(WorldError) as refused:
        build_snapshot(tmp_path / "world", cache=tmp_path / "cache")
    assert refused.value.problems[0].file == "world.toml"
    assert not list((tmp_path / "cache").rglob("*.db"))


def test_builds_at_once_end_with_one_snapshot(tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", BUILD, str(WORLDS / "larkspur"), str(tmp_path)]
    builders = [subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) for _ in range(6)]
    keys = {builder.communicate(timeout=120)[0].strip() for builder in builders}
    assert [builder.returncode for builder in builders] == [0] * 6
    assert [path.name for path in (tmp_path / "snapshots").iterdir()] == list(keys)


def test_a_build_killed_in_the_middle_leaves_nothing_that_counts(tmp_path: Path) -> None:
    snapshots = tmp_path / "snapshots"
    killed = 0
    for attempt in range(10):
        builder = subprocess.Popen([sys.executable, "-c", BUILD, str(WORLDS / "larkspur"), str(tmp_path)])
        until = time.monotonic() + 60
        while not list(snapshots.glob(".build-*/*")) and builder.poll() is None and time.monotonic() < until:
            time.sleep(0.002)
        time.sleep(0.01 * attempt)
        os.kill(builder.pid, signal.SIGKILL)
        builder.wait()
        killed += bool(list(snapshots.glob(".build-*")))
        for renamed in snapshots.glob("[!.]*"):  # before the kill: it must be whole, and the next build starts anew
            assert (renamed / "world.json").is_file()
            shutil.rmtree(renamed)
        if killed >= 3:
            break
    assert killed, "no build was caught in the middle"
    whole = build_snapshot(WORLDS / "larkspur", cache=tmp_path)
    assert [path.name for path in snapshots.iterdir()] == [whole.key], "the killed build's folder was not swept"


def test_snapshots_that_differ_in_a_document_share_the_rest_of_the_disk(tmp_path: Path) -> None:
    found = []
    for text in ("one", "two"):
        overlay = tmp_path / text / "drive" / "files" / "Company"
        overlay.mkdir(parents=True)
        (overlay / "note.txt").write_text(text * 1000)
        found.append(build_snapshot(WORLDS / "larkspur", tmp_path / text, cache=tmp_path / "cache").path)
    first, second = ({path.relative_to(one): path for path in one.rglob("*") if path.is_file()} for one in found)
    large = [name for name in first.keys() & second.keys() if first[name].stat().st_size >= 512]
    apart = {str(name) for name in large if first[name].stat().st_ino != second[name].stat().st_ino}
    assert apart == {"drive.db"}
    assert len(large) > 100
    again = build_snapshot(WORLDS / "larkspur", tmp_path / "one", cache=tmp_path / "other").path
    assert contents(again) == contents(found[0])


def test_what_no_snapshot_has_any_more_is_not_kept(tmp_path: Path) -> None:
    shutil.rmtree(build_snapshot(WORLDS / "larkspur", cache=tmp_path).path)
    pool = tmp_path / "shared-files"
    assert {path.stat().st_nlink for path in pool.iterdir()} == {1}
    build_snapshot(WORLDS / "blank", cache=tmp_path)
    assert {path.stat().st_nlink for path in pool.iterdir()} == {2}
