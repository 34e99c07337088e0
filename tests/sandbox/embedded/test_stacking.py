"""What an image's layers show together, and how what was received becomes a layer of its own."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from dayjob.sandbox.embedded.stacking import complete, folders_below, hide, is_in_image, only_changed
from dayjob.sandbox.receiving import Received
from dayjob.sandbox.tree import OPAQUE
from tests.sandbox.embedded.test_rules import layers

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes overlayfs's marks")


def opaque(folder: Path) -> None:
    os.setxattr(folder, OPAQUE, b"y")


@root_only
def test_a_folder_of_an_image_is_what_its_layers_have_until_something_hides_it(tmp_path: Path) -> None:
    found = layers(tmp_path, {"a/b/x": ""}, {"a/b/y": ""}, {"a/c": ""}, {"a/b/z": ""})
    names = [str(one) for one in found]
    assert folders_below(names, "/a/b/") == [f"{names[0]}/a/b", f"{names[1]}/a/b", f"{names[3]}/a/b"]
    assert folders_below(names, "none") == []
    opaque(found[1] / "a")
    assert folders_below(names, "a/b") == [f"{names[0]}/a/b", f"{names[1]}/a/b"]
    assert folders_below(names[1:], "a/c") == []
    shutil.rmtree(found[0] / "a" / "b")
    hide(f"{names[0]}/a/b", 5)
    assert folders_below(names, "a/b") == []
    (found[0] / "a" / "b").unlink()
    (found[0] / "a" / "b").write_text("a file")
    assert folders_below(names, "a/b") == []


@root_only
def test_an_opaque_folder_on_the_way_hides_what_lies_below(tmp_path: Path) -> None:
    found = layers(tmp_path, {"a/b/x": ""}, {"a/b/y": ""})
    names = [str(one) for one in found]
    opaque(found[0] / "a")
    assert folders_below(names, "a/b") == [f"{names[0]}/a/b"]
    assert is_in_image(names, "a/b/x")
    assert not is_in_image(names, "a/b/y")


@root_only
def test_what_an_image_shows_at_a_path(tmp_path: Path) -> None:
    found = layers(tmp_path, {"a/new": ""}, {"a/old": "", "top": ""})
    names = [str(one) for one in found]
    assert [is_in_image(names, name) for name in ("a/new", "a/old", "top", "a", "none", "a/none")] == [
        True, True, True, True, False, False,
    ]  # fmt: skip
    hide(f"{names[0]}/a/old", 5)
    assert not is_in_image(names, "a/old")
    info = os.lstat(f"{names[0]}/a/old")
    assert stat.S_ISCHR(info.st_mode)
    assert (info.st_rdev, info.st_mtime_ns) == (0, 5)


def marks(folder: Path) -> dict[str, str]:
    return {
        str(one.relative_to(folder)): "gone"
        if stat.S_ISCHR(one.lstat().st_mode)
        else "folder"
        if one.is_dir()
        else "file"
        for one in folder.rglob("*")
    }


@root_only
def test_what_was_received_becomes_a_layer_for_each_path(tmp_path: Path) -> None:
    below = layers(
        tmp_path / "image",
        dict.fromkeys(("work/keep", "work/gone", "work/sub/deep", "replaced/x", "untouched/x", "new/x", "new/y"), ""),
    )
    (below[0] / "untouched").chmod(0o751)
    os.chown(below[0] / "untouched", 1234, 4321)
    os.utime(below[0] / "untouched", ns=(7, 7))
    into = tmp_path / "into"
    (into / "work").mkdir(parents=True)
    (into / "replaced").write_text("a file now")
    (into / "new" / "y").mkdir(parents=True)
    received = Received(new_folders=["new"], gone=[("work/gone", 9), ("work/never", 9), ("lost/x", 9)])
    complete(into, ["/work", "/replaced", "/untouched", "/new", "/absent"], received, [str(one) for one in below])
    assert marks(into) == {
        "work": "folder",
        "work/gone": "gone",
        "replaced": "folder",
        "replaced/x": "gone",
        "untouched": "folder",
        "new": "folder",
        "new/x": "gone",
        "new/y": "folder",
        "absent": "folder",
    }
    info = os.stat(into / "untouched")
    assert (info.st_uid, info.st_gid, stat.S_IMODE(info.st_mode), info.st_mtime_ns) == (1234, 4321, 0o751, 7)
    assert os.stat(into / "replaced").st_mtime_ns != 7


def test_of_a_system_only_folders_with_changes_are_kept(tmp_path: Path) -> None:
    for name in ("usr/bin/greet", "etc", "opt/new", "var/lib/a", "srv"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "usr/bin/greet/file").touch()
    (tmp_path / "srv").rmdir()
    (tmp_path / "srv").symlink_to("/nowhere")
    received = Received(new_folders=["opt/new"], gone=[("var/lib/b", 1), ("etcetera", 1)])
    kept = only_changed(tmp_path, ["/usr", "/etc", "/opt", "/var", "/srv", "/mnt"], received)
    assert kept == ["/usr", "/opt", "/var", "/srv"]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["opt", "srv", "usr", "var"]
