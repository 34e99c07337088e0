"""Making commits in process: file actions, merges, rebases, cherry-picks and reverts, without a working tree.

Every function builds the new objects first and moves the branch last, only from where it was seen to be; what fails
leaves the branch alone.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pygit2
from pygit2.enums import FileMode, MergeFlag

from dayjob.company.forge.git.differences import FILE_SIZE, RENAMES_FILES, sizes
from dayjob.company.forge.git.reading import commits_between, entry_at, merge_base, message_of
from dayjob.company.forge.git.repositories import set_ref

ACTIONS = ("create", "delete", "move", "update", "chmod")


class CommitRefused(Exception):
    """The commit cannot be made; the text is what the wire says."""


class Conflict(Exception):
    """Both sides changed the same lines; `paths` are where."""

    def __init__(self, paths: list[str]) -> None:
        super().__init__(", ".join(paths))
        self.paths = paths


@dataclass(frozen=True, slots=True)
class Author:
    """Who a commit is by."""

    name: str
    email: str
    time: int
    offset: int = 0

    def signature(self) -> pygit2.Signature:
        clean = "".join(one for one in self.name if one not in "<>\n\0").strip() or "Unknown"
        email = "".join(one for one in self.email if one not in "<>\n\0 ").strip() or "unknown@localhost"
        return pygit2.Signature(clean, email, self.time, self.offset)


def decode(content: Any, encoding: str | None) -> bytes:
    """A file's bytes from the wire's `content` and `encoding`."""
    plain = "" if content is None else str(content)
    if encoding == "base64":
        try:
            return base64.b64decode(plain, validate=False)
        except (binascii.Error, ValueError) as error:
            raise CommitRefused("The content is not valid base64.") from error
    return plain.encode("utf-8", "surrogatepass")


def content_size(actions: Sequence[Mapping[str, Any]]) -> int:
    """How many characters of content a list of file actions brings."""
    return sum(len(one["content"]) for one in actions if isinstance(one.get("content"), str))


def check_path(path: str) -> str:
    """The path, if a file may stand there."""
    parts = path.split("/")
    if not path or path.startswith("/") or any(part in ("", ".", "..") for part in parts):
        raise CommitRefused(
            "You can only create or edit files when you are on a branch"
            if not path
            else "Path cannot include directory traversal"
        )
    if any(part.lower() == ".git" or "\0" in part or len(part.encode("utf-8", "replace")) > 255 for part in parts):
        raise CommitRefused("Path can contain only letters, digits, '_', '-', '@', '+' and '.' and cannot be '.git'")
    return path


def apply_actions(repo: pygit2.Repository, base: pygit2.Commit | None, actions: list[dict[str, Any]]) -> str:
    """The tree after a list of file actions; raises `CommitRefused` when one does not fit."""
    index = pygit2.Index()
    if base is not None:
        index.read_tree(base.tree)

    def there(path: str) -> bool:
        return path in index

    def folder(path: str) -> bool:
        return base is not None and isinstance(entry_at(base, path), pygit2.Tree) and not there(path)

    for action in actions:
        kind = str(action.get("action"))
        path = check_path(str(action.get("file_path") or ""))
        encoding = action.get("encoding")
        if kind == "create":
            if there(path) or folder(path):
                raise CommitRefused("A file with this name already exists")
            data = decode(action.get("content"), encoding)
            mode = FileMode.BLOB_EXECUTABLE if action.get("execute_filemode") else FileMode.BLOB
            index.add(pygit2.IndexEntry(path, repo.create_blob(data), mode))
        elif kind == "update":
            if not there(path):
                raise CommitRefused("A file with this name doesn't exist")
            data = decode(action.get("content"), encoding)
            index.add(pygit2.IndexEntry(path, repo.create_blob(data), index[path].mode))
        elif kind == "delete":
            if not there(path):
                raise CommitRefused("A file with this name doesn't exist")
            index.remove(path)
        elif kind == "move":
            before = check_path(str(action.get("previous_path") or ""))
            if not there(before):
                raise CommitRefused("A file with this name doesn't exist")
            if there(path):
                raise CommitRefused("A file with this name already exists")
            entry = index[before]
            content = action.get("content")
            blob = entry.id if content is None else repo.create_blob(decode(content, encoding))
            index.remove(before)
            index.add(pygit2.IndexEntry(path, blob, entry.mode))
        elif kind == "chmod":
            if not there(path):
                raise CommitRefused("A file with this name doesn't exist")
            mode = FileMode.BLOB_EXECUTABLE if action.get("execute_filemode") else FileMode.BLOB
            index.add(pygit2.IndexEntry(path, index[path].id, mode))
        else:
            raise CommitRefused(f"Unknown action '{kind}'")
    try:
        return str(index.write_tree(repo))
    except pygit2.GitError as error:
        raise CommitRefused("A file with this name already exists") from error


def commit(
    repo: pygit2.Repository, tree: str, parents: list[str], author: Author, committer: Author, message: str
) -> str:
    return str(repo.create_commit(None, author.signature(), committer.signature(), message, tree, parents))


def commit_actions(
    repo: pygit2.Repository, branch: str, start: str | None, actions: list[dict[str, Any]], message: str,
    author: Author, committer: Author, expected: str | None,
) -> str:  # fmt: skip
    """Commit file actions on top of `start` and move the branch there from `expected`."""
    base = repo[start] if start else None
    assert base is None or isinstance(base, pygit2.Commit)
    tree = apply_actions(repo, base, actions)
    sha = commit(repo, tree, [start] if start else [], author, committer, message)
    set_ref(repo, f"refs/heads/{branch}", sha, expected)
    return sha


# -- merging -----------------------------------------------------------------------------------------------------


def merged_tree(repo: pygit2.Repository, ours: str, theirs: str) -> str:
    """The tree of a merge of two commits, or `Conflict`."""
    base = merge_base(repo, ours, theirs)
    index = repo.merge_commits(ours, theirs, flags=_flags(repo, base, ours, theirs))
    _no_conflicts(index)
    return str(index.write_tree(repo))


def _flags(repo: pygit2.Repository, base: str | None, ours: str, theirs: str) -> MergeFlag:
    """How two commits are merged; `Conflict` where merging would take long."""
    if base is None:
        return MergeFlag(0)
    trees = [one.tree for one in (repo[base], repo[ours], repo[theirs]) if isinstance(one, pygit2.Commit)]
    _refuse_huge(repo, *trees)
    return _rename_flags(*trees)


def _refuse_huge(repo: pygit2.Repository, before: pygit2.Tree, ours: pygit2.Tree, theirs: pygit2.Tree) -> None:
    """A file that both sides changed and that is too large to be compared is a conflict: somebody has to look at it."""
    mine = {delta.new_file.path for delta in before.diff_to_tree(ours).deltas}
    both = [delta for delta in before.diff_to_tree(theirs).deltas if delta.new_file.path in mine]
    huge = [one.new_file.path for one in both if max(sizes(repo, one)) > FILE_SIZE]
    if huge:
        raise Conflict(sorted(huge))


def _rename_flags(before: pygit2.Tree, ours: pygit2.Tree, theirs: pygit2.Tree) -> MergeFlag:
    """Renames are followed unless there is too much to look through."""
    few = all(len(before.diff_to_tree(side)) <= RENAMES_FILES for side in (ours, theirs))
    return MergeFlag.FIND_RENAMES if few else MergeFlag(0)


def _no_conflicts(index: pygit2.Index) -> None:
    if index.conflicts is not None:
        paths = []
        for sides in index.conflicts:
            side = next(one for one in sides if one is not None)
            paths.append(side.path)
        raise Conflict(sorted(set(paths)))


def conflicts(repo: pygit2.Repository, ours: str, theirs: str) -> list[str]:
    """Where a merge of the two would conflict; empty when it would not."""
    try:
        merged_tree(repo, ours, theirs)
    except Conflict as error:
        return error.paths
    return []


def replay(
    repo: pygit2.Repository,
    original: pygit2.Commit,
    onto: str,
    committer: Author,
    message: str | None = None,
    *,
    backwards: bool = False,
) -> str:
    """One commit's change made again on top of another commit (or, backwards, undone there)."""
    base = repo[onto]
    assert isinstance(base, pygit2.Commit)
    parent = original.parents[0].tree if original.parents else repo[repo.TreeBuilder().write()]
    before, after = (original.tree, parent) if backwards else (parent, original.tree)
    _refuse_huge(repo, before, base.tree, after)
    index = repo.merge_trees(before, base.tree, after, flags=_rename_flags(before, base.tree, after))
    _no_conflicts(index)
    tree = str(index.write_tree(repo))
    if tree == str(base.tree.id):
        raise CommitRefused("empty")
    author = committer.signature() if backwards else original.author
    return str(repo.create_commit(None, author, committer.signature(), message or message_of(original), tree, [onto]))


def rebase(repo: pygit2.Repository, head: str, onto: str, committer: Author) -> str:
    """A branch's own commits made again on top of another; merges among them are left out, as git does."""
    base = merge_base(repo, head, onto)
    tip = onto
    for original in reversed(commits_between(repo, base, head)):
        if len(original.parents) > 1:
            continue
        try:
            tip = replay(repo, original, tip, committer)
        except CommitRefused:
            continue
    return tip
