"""What changed between two commits, within bounds: libgit2 holds the interpreter while it compares, so nothing that
takes seconds may be begun. What is left out is said as GitLab says it: `too_large`, `collapsed`, `overflow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pygit2
from pygit2.enums import DiffFind

from dayjob.company.forge.git.reading import size_of, text
from dayjob.company.journal import Visit, current

FILES = 1000
"""The most files of one difference that are told; those after it are left out."""
FILE_SIZE = 512 * 1024
"""A file larger than this, before or after, is not compared: `too_large`."""
ALL_SIZE = 4 * 1024 * 1024
"""Once the files that a request has compared are larger than this together, the rest is `collapsed`."""
PATCH_SIZE = 200 * 1024
"""A longer difference of one file is not shown: `too_large`."""
RENAMES_FILES, RENAMES_SIZE = 400, 8 * 1024 * 1024
"""Renames are looked for in differences up to this many files, and bytes of them."""


def diff_trees(repo: pygit2.Repository, old: pygit2.Commit | None, new: pygit2.Commit) -> pygit2.Diff:
    """What changed from one commit to another (or from nothing), with renames found unless there is too much."""
    # libgit2 compares from `self` to the argument; with swap an empty side stands for "nothing before".
    diff = old.tree.diff_to_tree(new.tree) if old is not None else new.tree.diff_to_tree(swap=True)
    if old is not None and len(diff) <= RENAMES_FILES and _renames_affordable(repo, diff):
        diff.find_similar(flags=DiffFind.FIND_RENAMES)
    return diff


def _renames_affordable(repo: pygit2.Repository, diff: pygit2.Diff) -> bool:
    size = 0
    for delta in diff.deltas:
        if delta.status_char() in "AD":
            size += sum(sizes(repo, delta))
            if size > RENAMES_SIZE:
                return False
    return True


def sizes(repo: pygit2.Repository, delta: pygit2.DiffDelta) -> tuple[int, int]:
    """The file's size before and after."""
    return size_of(repo, delta.old_file.id), size_of(repo, delta.new_file.id)


def _patches(repo: pygit2.Repository, diff: pygit2.Diff) -> Iterator[tuple[pygit2.DiffDelta, pygit2.Patch | None, str]]:
    """Each file, its difference unless it would take too long, and then why not."""
    visit = current.get() or Visit("forge", "company", "serve", "", "")
    for number, delta in enumerate(diff.deltas):
        if number == FILES:
            return
        both = sizes(repo, delta)
        if max(both) > FILE_SIZE:
            yield delta, None, "too_large"
        elif visit.comparing + sum(both) > ALL_SIZE:
            yield delta, None, "collapsed"
        else:
            visit.comparing += sum(both)
            yield delta, diff[number], ""


def file_diffs(repo: pygit2.Repository, diff: pygit2.Diff) -> list[dict[str, Any]]:
    """Each file's difference as the wire tells it."""
    return [_file_diff(delta, patch, missing) for delta, patch, missing in _patches(repo, diff)]


def cut_short(found: list[dict[str, Any]]) -> bool:
    """Whether `file_diffs` has left anything out."""
    return len(found) == FILES or any(one["too_large"] or one["collapsed"] for one in found)


def totals(repo: pygit2.Repository, diff: pygit2.Diff) -> tuple[int, int]:
    """Lines added and removed, in all files that are compared."""
    added = removed = 0
    for _, patch, _ in _patches(repo, diff):
        if patch is not None:
            _, more, less = patch.line_stats
            added, removed = added + more, removed + less
    return added, removed


def patch_text(repo: pygit2.Repository, diff: pygit2.Diff) -> str:
    """The difference as `git diff` prints it, of all files that are compared."""
    return "".join(text(patch.data) for _, patch, _ in _patches(repo, diff) if patch is not None)


def _file_diff(delta: pygit2.DiffDelta, patch: pygit2.Patch | None, missing: str) -> dict[str, Any]:
    status = delta.status_char()
    body = ""
    too_large = missing == "too_large"
    if patch is not None and patch.delta.is_binary:
        body = f"Binary files a/{delta.old_file.path} and b/{delta.new_file.path} differ\n"
    elif patch is not None:
        raw: bytes = patch.data
        at = raw.find(b"\n@@ ")
        too_large = at >= 0 and len(raw) > PATCH_SIZE
        body = text(raw[at + 1 :]) if at >= 0 and not too_large else ""
    new_file, deleted = status == "A", status == "D"
    return {
        "diff": body,
        "new_path": text(delta.new_file.raw_path),
        "old_path": text(delta.old_file.raw_path),
        "a_mode": "0" if new_file else f"{int(delta.old_file.mode):o}",
        "b_mode": "0" if deleted else f"{int(delta.new_file.mode):o}",
        "new_file": new_file,
        "renamed_file": status == "R",
        "deleted_file": deleted,
        "generated_file": False,
        "collapsed": missing == "collapsed",
        "too_large": too_large,
    }
