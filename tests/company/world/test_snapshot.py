"""Compiling a world: one snapshot whatever happens, and the same one every time."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dayjob.company.services import NAMES
from dayjob.company.world import WorldError, build_snapshot
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
        for whole in snapshots.glob(
            "[!.]*"
        ):  # renamed before the kill: it must be whole, and the next build starts anew
            assert (whole / "world.json").is_file()
            shutil.rmtree(whole)
        if killed >= 3:
            break
    assert killed, "no build was caught in the middle"
    snapshot = build_snapshot(WORLDS / "larkspur", cache=tmp_path)
    assert [path.name for path in snapshots.iterdir()] == [snapshot.key], "the killed build's folder was not swept"
