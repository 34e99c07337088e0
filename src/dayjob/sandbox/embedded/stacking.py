"""What of an image's layers lies below a path, and how it is hidden.

The rules are overlayfs's: a mark or a file hides what lies below it, and so does a folder that is marked as opaque.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from dayjob.sandbox.receiving import Received, remove, set_time
from dayjob.sandbox.tree import OPAQUE


def folders_below(layers: Sequence[str], path: str) -> list[str]:
    """The folders that together are `path` in an image, topmost first; `layers` likewise."""
    found: list[str] = []
    for layer in layers:
        place, last = layer, False
        for part in path.strip("/").split("/"):
            place = f"{place}/{part}"
            try:
                kind = os.lstat(place).st_mode
            except (FileNotFoundError, NotADirectoryError):
                break
            if not stat.S_ISDIR(kind):
                return found
            last = last or _is_opaque(place)
        else:
            found.append(place)
        if last:
            break
    return found


def complete(into: Path, paths: Sequence[str], received: Received, layers: Sequence[str]) -> None:
    """Make what was received of an image's changes a layer for each path: a folder, with marks for what is gone."""
    hiding = list(received.new_folders)
    for name in (path.strip("/") for path in paths):
        place = into / name
        if place.is_dir() and not place.is_symlink():
            continue
        replaced = os.path.lexists(place) or name in dict(received.gone)
        remove(str(place))
        place.mkdir(parents=True)
        if replaced:
            hiding.append(name)  # gone, or no folder any more: the grader finds it empty
        if below := folders_below(layers, name):
            info = os.stat(below[0])
            os.chown(place, info.st_uid, info.st_gid)
            place.chmod(info.st_mode & 0o7777)
            if not replaced:  # one that was is as old as its replacement
                set_time(str(place), info.st_mtime_ns)
    for name, changed in received.gone:
        if is_in_image(layers, name) and not (into / name).is_dir() and (into / name).parent.is_dir():
            hide(str(into / name), changed)
    for name in hiding:
        hide_below(into, name, layers)


def only_changed(into: Path, paths: Sequence[str], received: Received) -> list[str]:
    """Those of the paths in which more was received than folders; of the others nothing is left."""
    marked = tuple({name for name, _ in received.gone} | set(received.new_folders))
    found = []
    for path in paths:
        place, name = into / path.strip("/"), path.strip("/")
        if any(one == name or one.startswith(f"{name}/") for one in marked) or _has_files(str(place)):
            found.append(path)
        else:
            shutil.rmtree(place, ignore_errors=True)
    return found


def _has_files(place: str) -> bool:
    if os.path.islink(place) or not os.path.isdir(place):
        return os.path.lexists(place)
    return any(_has_files(entry.path) for entry in os.scandir(place))


def is_in_image(layers: Sequence[str], name: str) -> bool:
    """Whether an image shows anything at this path."""
    parent, _, last = name.rpartition("/")
    for folder in folders_below(layers, parent) if parent else layers:
        try:
            return not _is_gone(os.lstat(f"{folder}/{last}"))
        except FileNotFoundError:
            continue
    return False


def hide(path: str, changed: int) -> None:
    """Say in a layer that there is nothing at `path`, whatever the layers below have there."""
    remove(path)
    os.mknod(path, 0o020000, 0)  # overlayfs's mark: a character device that can be no device
    set_time(path, changed)


def hide_below(frozen: Path, name: str, layers: Sequence[str]) -> None:
    """Make the folder `frozen/name` all there is: what the layers have in its place is marked as gone."""
    changed = os.lstat(frozen / name).st_mtime_ns
    for child in _names(folders_below(layers, name)):
        place = frozen / name / child
        if not os.path.lexists(place):
            hide(str(place), changed)
        elif place.is_dir() and not place.is_symlink():
            hide_below(frozen, f"{name}/{child}", layers)
    set_time(str(frozen / name), changed)


def _names(folders: list[str]) -> Iterator[str]:
    """The names that the folders together show."""
    seen = set[str]()
    for folder in folders:
        for entry in os.scandir(folder):
            if entry.name not in seen:
                seen.add(entry.name)
                if not _is_gone(entry.stat(follow_symlinks=False)):
                    yield entry.name


def _is_gone(info: os.stat_result) -> bool:
    return stat.S_ISCHR(info.st_mode) and info.st_rdev == 0


def _is_opaque(folder: str) -> bool:
    try:
        return os.getxattr(folder, OPAQUE, follow_symlinks=False) == b"y"
    except OSError:
        return False
