"""git in a workbench, for every repository that may be the examinee's: a copy of it, and its changes as plain data.

Whatever the repository starts there (hooks, filters, helpers), it starts away from the grader and without network. A
subcommand that may change files has its folder handed back, with links that lead elsewhere withheld; the repository
stays a stranger's, and is never used directly.
"""

from __future__ import annotations

import os
import shutil
import sys
import tarfile
from collections.abc import Mapping, Sequence
from typing import IO

from dayjob.grading.stand_in import MOST_OUTPUT, NO_LIMIT, given_input, show
from dayjob.grading.workbench import Ended, NotIsolated, Refused, Workbench

__all__ = ["NotIsolated", "run"]

_BROKEN = 128
_WITHHELD = "/link-withheld-from-the-grader"

# Subcommands that leave every file as it was.
_READING = frozenset({
    "log", "show", "diff", "status", "rev-parse", "rev-list", "cat-file", "ls-files", "ls-tree", "ls-remote", "blame",
    "grep", "shortlog", "describe", "for-each-ref", "show-ref", "merge-base", "name-rev", "diff-tree", "diff-index",
    "diff-files", "count-objects", "fsck", "check-ignore", "check-attr", "whatchanged", "var", "cherry", "range-diff",
    "verify-pack", "verify-commit", "verify-tag", "show-branch", "symbolic-ref", "annotate", "reflog", "stripspace",
})  # fmt: skip
_OUTPUT = ("-o", "--output", "--output-directory")


def run(
    arguments: Sequence[str],
    here: str,
    env: Mapping[str, str],
    top: str,
    subcommand: str,
    rest: Sequence[str],
    made: Sequence[str],
) -> int:
    """Run git with these arguments in the folder `here`; `top` is its repository's, `made` what it is to make."""
    outputs = [os.path.join(here, path) for path in _outputs(rest)]
    for path in made:
        if os.path.lexists(path) and not (os.path.isdir(path) and not os.listdir(path)):
            print(f"fatal: destination path '{path}' already exists and is not an empty directory.", file=sys.stderr)
            return _BROKEN
    writing = subcommand not in _READING and not outputs and not made
    handed = [_settled(path) for path in (*outputs, *made, *([top] if writing and top != "/" else []))]
    try:
        with Workbench(ports=False, installed=False) as bench:  # what git says must be git's
            words = [os.path.join(here, word) for word in rest if os.path.lexists(os.path.join(here, word))]
            bench.bring_own([here, top, *words])
            ended = bench.execute(
                ["git", *arguments], here, env, given_input(), NO_LIMIT, handed, most_output=MOST_OUTPUT
            )
    except Refused as refusal:
        print(f"git: {refusal}", file=sys.stderr)
        return _BROKEN
    return _finish(ended, handed)


def _finish(ended: Ended, handed: Sequence[str]) -> int:
    with ended.archive:
        if not show("git", ended):
            return _BROKEN
        if ended.left_out and ended.code == 0 and any(path in ended.left_out for path in handed):
            print("git: what it wrote cannot be handed back, because it is too large", file=sys.stderr)
            return _BROKEN
        _hand_back(ended.archive, handed)
    return ended.code


def _settled(path: str) -> str:
    """A path without links on the way."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def _outputs(rest: Sequence[str]) -> list[str]:
    """The files and folders that a command line says to write to."""
    found = []
    for number, word in enumerate(rest):
        name, equals, value = word.partition("=")
        if name in _OUTPUT:
            found.append(value if equals else "".join(rest[number + 1 : number + 2]))
    if rest[:1] == ["create"]:  # of a bundle
        found += [word for word in rest[1:] if not word.startswith("-")][:1]
    return [path for path in found if path]


def _hand_back(archive: IO[bytes], handed: Sequence[str]) -> None:
    """Write what came back in place of what was there. Nothing is written through a link, or outside these paths."""
    with tarfile.open(fileobj=archive, mode="r:") as tar:
        entries = tar.getmembers()
        for path in handed:
            name = path.lstrip("/")
            inside = [one for one in entries if one.name == name or one.name.startswith(f"{name}/")]
            if not inside:
                continue
            known = _links(path)
            _remove(path)
            for entry in inside:
                if ".." not in entry.name.split("/"):
                    _write(tar, entry, path, known)


def _write(tar: tarfile.TarFile, entry: tarfile.TarInfo, top: str, known: Mapping[str, str]) -> None:
    place = f"/{entry.name}"
    if os.path.lexists(place) or os.path.realpath(os.path.dirname(place)) != os.path.dirname(place):
        return
    os.makedirs(os.path.dirname(place), exist_ok=True)
    if entry.isdir():
        os.mkdir(place, entry.mode & 0o777 | 0o700)
    elif entry.issym():
        kept = known.get(place) == entry.linkname or _stays(top, place, entry.linkname)
        os.symlink(entry.linkname if kept else _WITHHELD, place)
    elif entry.isreg() and (content := tar.extractfile(entry)) is not None:
        file = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, entry.mode & 0o777 | 0o600)
        with open(file, "wb") as out:
            shutil.copyfileobj(content, out)
        os.utime(place, (entry.mtime, entry.mtime))


def _stays(top: str, place: str, target: str) -> bool:
    """Whether a link leads to something below `top`; a `..` that comes later may mean anything, and is not trusted."""
    parts = target.split("/")
    while parts and parts[0] in ("..", "."):
        parts.pop(0)
    if ".." in parts or target.startswith("/"):
        return False
    found = os.path.normpath(os.path.join(os.path.dirname(place), target))
    return found.startswith(f"{top}/")


def _links(path: str) -> dict[str, str]:
    """The links that are there already: whether they may be followed was decided when they were frozen."""
    found = {}
    for folder, folders, files in os.walk(path):
        for name in (*folders, *files):
            if os.path.islink(place := os.path.join(folder, name)):
                found[place] = os.readlink(place)
    return found


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        # Its own folder stays, where it may be a mount.
        for name in os.listdir(path):
            _remove(os.path.join(path, name))
        if not os.path.ismount(path):
            os.rmdir(path)
    elif os.path.lexists(path):
        os.unlink(path)
