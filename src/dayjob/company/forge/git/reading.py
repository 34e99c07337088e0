"""Looking into a repository in process: resolve a name, list a tree, walk the log, compare, blame, pack an archive."""

from __future__ import annotations

import bz2
import fnmatch
import gzip
import io
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

import pygit2
from pygit2.enums import ObjectType, SortMode

from dayjob.company.forge.git.repositories import git_environment
from dayjob.http.bodies import BodyTooLarge

DEADLINE = 10
"""Seconds that a git process may take to answer a question."""
FILE_LIMIT = 64 * 1024 * 1024
"""The largest file of a repository that is opened."""
ARCHIVE_LIMIT = 256 * 1024 * 1024
"""The most bytes of files that one archive holds."""
_ERRORS = (KeyError, ValueError, pygit2.GitError, TypeError)


def resolve(repo: pygit2.Repository, name: str) -> pygit2.Commit | None:
    """The commit a branch, tag, full ref or (abbreviated) SHA means."""
    if not name or "\0" in name or name.startswith("-") or len(name) > 1000:
        return None
    for candidate in (f"refs/heads/{name}", f"refs/tags/{name}", name):
        try:
            if candidate.startswith("refs/"):
                return repo.lookup_reference(candidate).peel(pygit2.Commit)
            found = repo.revparse_single(candidate)
            return found.peel(pygit2.Commit)
        except (*_ERRORS, pygit2.InvalidSpecError):
            continue
    return None


def commit_of(repo: pygit2.Repository, sha: str | None) -> pygit2.Commit | None:
    """The commit with this full SHA."""
    if not sha:
        return None
    try:
        found = repo.get(sha)
    except _ERRORS:
        return None
    return found if isinstance(found, pygit2.Commit) else None


def entry_at(commit: pygit2.Commit, path: str) -> pygit2.Object | None:
    """The file or folder at a path of a commit."""
    if not path:
        return commit.tree
    try:
        return commit.tree[path.strip("/")]
    except _ERRORS:
        return None


class FileTooLarge(BodyTooLarge):
    """A file of the repository is larger than this service holds in memory; answered with 413."""

    def __init__(self, limit: int) -> None:
        Exception.__init__(self, f"The repository's content is larger than {limit} bytes.")
        self.limit = limit


def size_of(repo: pygit2.Repository, id: pygit2.Oid | str) -> int:
    """An object's size, read from its header: a megabyte in a pack may be a gigabyte when it is opened."""
    try:
        found: int = repo.odb.read_header(pygit2.Oid(hex=id) if isinstance(id, str) else id)[1]
    except _ERRORS:
        return 0
    return found


def check_size(repo: pygit2.Repository, id: pygit2.Oid | str) -> None:
    """`FileTooLarge` for what may not be opened here."""
    if size_of(repo, id) > FILE_LIMIT:
        raise FileTooLarge(FILE_LIMIT)


def when(signature: pygit2.Signature) -> str:
    zone = timezone(timedelta(minutes=signature.offset))
    try:
        moment = datetime.fromtimestamp(signature.time, zone)
    except (ValueError, OverflowError, OSError):
        moment = datetime.fromtimestamp(0, UTC)
    return moment.isoformat(timespec="milliseconds")


def text(data: bytes | str | None) -> str:
    return data if isinstance(data, str) else (data or b"").decode("utf-8", "replace")


def message_of(commit: pygit2.Commit) -> str:
    return text(commit.raw_message)


def signature_text(signature: pygit2.Signature) -> tuple[str, str]:
    return text(signature.raw_name), text(signature.raw_email)


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One line of a folder's listing."""

    id: str
    name: str
    type: str
    path: str
    mode: str


_TYPES = {ObjectType.TREE: "tree", ObjectType.BLOB: "blob", ObjectType.COMMIT: "commit"}


def tree_entries(tree: pygit2.Tree, prefix: str = "", *, recursive: bool = False) -> Iterator[TreeEntry]:
    """A folder's entries, folders first, as the wire lists them; with `recursive`, each folder before its content."""
    entries = sorted(tree, key=lambda one: (one.type != ObjectType.TREE, one.raw_name))
    for entry in entries:
        name = text(entry.raw_name)
        path = f"{prefix}{name}"
        yield TreeEntry(str(entry.id), name, _TYPES.get(entry.type, "commit"), path, f"{int(entry.filemode):06o}")
        if recursive and isinstance(entry, pygit2.Tree):
            yield from tree_entries(entry, f"{path}/", recursive=True)


def count_commits(repo: pygit2.Repository, head: str, limit: int = 100_000) -> int:
    count = 0
    for _ in repo.walk(head, SortMode.NONE):
        count += 1
        if count >= limit:
            break
    return count


def log(
    repo: pygit2.Repository, starts: list[str], *, path: str = "", since: datetime | None = None,
    until: datetime | None = None, author: str = "", first_parent: bool = False, hide: list[str] | None = None,
    order: SortMode = SortMode.TOPOLOGICAL | SortMode.TIME,
) -> Iterator[pygit2.Commit]:  # fmt: skip
    """Commits reachable from the starts, newest first, that match."""
    if not starts:
        return
    walker = repo.walk(starts[0], order)
    for start in starts[1:]:
        walker.push(start)
    for hidden in hide or []:
        walker.hide(hidden)
    if first_parent:
        walker.simplify_first_parent()
    wanted = author.lower()
    for commit in walker:
        if until and commit.commit_time > until.timestamp():
            continue
        if since and commit.commit_time < since.timestamp():
            continue
        if wanted and wanted not in " ".join(signature_text(commit.author)).lower():
            continue
        if path and not touches(commit, path):
            continue
        yield commit


def touches(commit: pygit2.Commit, path: str) -> bool:
    """Whether a commit changed what is at the path (a merge: against every parent)."""
    here = _id_at(commit, path)
    parents = commit.parents
    if not parents:
        return here is not None
    return all(_id_at(parent, path) != here for parent in parents)


def _id_at(commit: pygit2.Commit, path: str) -> str | None:
    found = entry_at(commit, path)
    return str(found.id) if found is not None else None


def merge_base(repo: pygit2.Repository, one: str, other: str) -> str | None:
    try:
        found = repo.merge_base(one, other)
    except _ERRORS:
        return None
    return str(found) if found else None


def is_ancestor(repo: pygit2.Repository, old: str, new: str) -> bool:
    if old == new:
        return True
    try:
        return bool(repo.descendant_of(new, old))
    except _ERRORS:
        return False


def commits_between(repo: pygit2.Repository, base: str | None, head: str) -> list[pygit2.Commit]:
    """Commits that are in `head` and not in `base`, newest first."""
    return list(log(repo, [head], hide=[base] if base else [], order=SortMode.TOPOLOGICAL | SortMode.TIME))


def blame(repo: pygit2.Repository, commit: pygit2.Commit, path: str) -> list[tuple[pygit2.Commit, list[str]]]:
    """Runs of lines with the commit each comes from. By git itself, which can be stopped: call it off the loop."""
    done = subprocess.run(
        ["git", "-C", repo.path, "blame", "--porcelain", str(commit.id), "--", path],
        env=git_environment(), capture_output=True, timeout=DEADLINE, check=False,
    )  # fmt: skip
    found: list[tuple[pygit2.Commit, list[str]]] = []
    for line in done.stdout.split(b"\n"):
        if line.startswith(b"\t"):
            found[-1][1].append(text(line[1:]))
        elif (parts := line.split(b" ")) and len(parts) == 4 and len(parts[0]) == 40 and parts[3].isdigit():
            # Only the first line of a run says how long the run is.
            origin = repo[parts[0].decode()]
            assert isinstance(origin, pygit2.Commit)
            found.append((origin, []))
    return found


# -- archives ----------------------------------------------------------------------------------------------------

_TARS = {
    "tar": "",
    "tar.gz": "gz",
    "tgz": "gz",
    "gz": "gz",
    "tar.bz2": "bz2",
    "tbz": "bz2",
    "tbz2": "bz2",
    "tb2": "bz2",
    "bz2": "bz2",
}
ARCHIVES = {
    **{name: "application/x-gzip" if kind == "gz" else "application/octet-stream" for name, kind in _TARS.items()},
    "zip": "application/zip",
}


def archive(repo: pygit2.Repository, commit: pygit2.Commit, prefix: str, form: str, path: str = "") -> bytes:
    """Everything (or one folder) in a commit as a tar or zip; the same commit gives the same bytes."""
    root = entry_at(commit, path)
    if not isinstance(root, pygit2.Tree):
        raise KeyError(path)
    base = f"{path.strip('/')}/" if path.strip("/") else ""
    if sum(size_of(repo, one.id) for one in tree_entries(root, base, recursive=True)) > ARCHIVE_LIMIT:
        raise FileTooLarge(ARCHIVE_LIMIT)
    if form == "zip":
        return _zip(repo, root, prefix, base, commit.commit_time)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT, pax_headers={"comment": str(commit.id)}) as tar:
        for entry in tree_entries(root, base, recursive=True):
            info = tarfile.TarInfo(f"{prefix}/{entry.path}")
            info.mtime = commit.commit_time
            data = b""
            if entry.type == "tree":
                info.type, info.mode = tarfile.DIRTYPE, 0o775
            elif entry.type == "blob":
                data = _blob(repo, entry.id)
                if entry.mode == "120000":
                    info.type, info.linkname, data = tarfile.SYMTYPE, text(data), b""
                else:
                    info.mode = 0o775 if entry.mode == "100755" else 0o664
                    info.size = len(data)
            else:
                continue
            tar.addfile(info, io.BytesIO(data))
    raw = out.getvalue()
    if _TARS[form] == "gz":
        return gzip.compress(raw, 6, mtime=0)
    return bz2.compress(raw) if _TARS[form] == "bz2" else raw


def _zip(repo: pygit2.Repository, root: pygit2.Tree, prefix: str, base: str, time: int) -> bytes:
    out = io.BytesIO()
    moment = datetime.fromtimestamp(max(time, 315532800), UTC).timetuple()[:6]
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as bundle:
        for entry in tree_entries(root, base, recursive=True):
            if entry.type == "blob":
                info = zipfile.ZipInfo(f"{prefix}/{entry.path}", moment)
                info.external_attr = int(entry.mode, 8) << 16
                info.compress_type = zipfile.ZIP_DEFLATED
                bundle.writestr(info, _blob(repo, entry.id))
    return out.getvalue()


def _blob(repo: pygit2.Repository, sha: str) -> bytes:
    found = repo[sha]
    assert isinstance(found, pygit2.Blob)
    return found.data


def matches(pattern: str, name: str) -> bool:
    """GitLab's wildcard for protected branches: `*` is any run of characters, `/` included."""
    return fnmatch.fnmatchcase(name, pattern.replace("[", "[[]").replace("?", "[?]"))
