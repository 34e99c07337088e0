"""Where a company's repositories lie. One costs nothing until it is touched: then a bare folder is made whose objects
are the snapshot's, through git's alternates, and whose own objects and refs belong to this company alone.

Names: `7` is project 7's code, `7.wiki` its wiki, `group-7.wiki` the wiki of group 7.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pygit2

from dayjob.company.quota import folder_size

if TYPE_CHECKING:
    from dayjob.company.forge.service import Forge

ZERO = "0" * 40
OPEN_AT_ONCE = 64
OBJECT_SIZE = 2048
"""What a commit adds besides its files' content: the commit itself and a few small trees."""
MEASURED_EVERY = 32
CONFIG = """[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\tlogAllRefUpdates = false
[http]
\treceivepack = true
[receive]
\tfsckObjects = true
\tautogc = false
\tunpackLimit = 1
\tadvertisePushOptions = true
[uploadpack]
\tallowFilter = true
\tallowAnySHA1InWant = true
[gc]
\tauto = 0
"""


class RefMoved(Exception):
    """Somebody else moved the ref in the meantime, or holds it."""


def make_bare(folder: Path, head: str = "main") -> None:
    """An empty bare repository, without the samples a template would bring."""
    (folder / "objects" / "info").mkdir(parents=True)
    (folder / "objects" / "pack").mkdir()
    (folder / "refs" / "heads").mkdir(parents=True)
    (folder / "refs" / "tags").mkdir()
    (folder / "config").write_text(CONFIG)
    (folder / "HEAD").write_text(f"ref: refs/heads/{head}\n")


def git_environment() -> dict[str, str]:
    """For git processes: nobody's own configuration, no prompts, any owner."""
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": "/nonexistent",
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
    }


class Repositories:
    """All repositories of one company's forge."""

    def __init__(self, forge: Forge) -> None:
        self._forge = forge
        self._open: OrderedDict[str, pygit2.Repository] = OrderedDict()
        self._ready: dict[str, Path] = {}
        self._counted: dict[str, int] = {}
        self._written: dict[str, int] = {}
        self._writes: dict[str, int] = {}

    # -- what they take of the company's quota ---------------------------------------------------------------------

    def take(self, name: str | int, size: int) -> None:
        """Count what a commit through the API is about to add, or `OutOfSpace`. Now and then, what it really was."""
        quota, name = self._forge.company.quota, str(name)
        if quota.limit is None:
            return
        quota.take(size + OBJECT_SIZE)
        self._written[name] = self._written.get(name, 0) + size + OBJECT_SIZE
        self._writes[name] = self._writes.get(name, 0) + 1
        if self._writes[name] % MEASURED_EVERY == 0:
            self.measure(name)

    def measure(self, name: str, reserved: int = 0) -> None:
        """Count what the repository takes on the disk, in place of what was counted on the way (`reserved`)."""
        quota = self._forge.company.quota
        if quota.limit is None:
            return
        size = folder_size(self._forge.company.own_folder("forge") / f"{name}.git")
        quota.correct(size - self._counted.get(name, 0) - self._written.pop(name, 0) - reserved)
        self._counted[name] = size

    # -- where they are --------------------------------------------------------------------------------------------

    def folder(self, name: str) -> Path:
        """The repository's folder, made at first touch."""
        found = self._ready.get(name)
        if found is None:
            found = self._ready[name] = self._materialise(name)
        return found

    def _materialise(self, name: str) -> Path:
        folder = self._forge.company.own_folder("forge") / f"{name}.git"
        pristine = self._forge.company.snapshot.path / "git" / f"{name}.git"
        if not folder.exists():
            part = folder.with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)
            make_bare(part)
            if pristine.exists():
                for file in ("HEAD", "packed-refs"):
                    if (pristine / file).exists():
                        shutil.copyfile(pristine / file, part / file)
            part.rename(folder)
        self._link(folder, [pristine] if pristine.exists() else [])
        return folder

    def _link(self, folder: Path, sources: list[Path]) -> None:
        """Point at the snapshot's objects; written afresh because a kept company may find its snapshot elsewhere."""
        listing = folder / "objects" / "info" / "alternates"
        known = set(listing.read_text().splitlines()) if listing.exists() else set()
        git = self._forge.company.snapshot.path / "git"
        kept = {str(git / Path(line).parent.name / "objects") for line in known}
        wanted = sorted(kept | {str(source / "objects") for source in sources})
        if set(wanted) != known:
            listing.write_text("".join(f"{line}\n" for line in wanted))

    def open(self, name: str | int) -> pygit2.Repository:
        """The repository, ready for libgit2."""
        name = str(name)
        found = self._open.get(name)
        if found is None:
            found = self._open[name] = pygit2.Repository(str(self.folder(name)))
            if len(self._open) > OPEN_AT_ONCE:
                self._open.popitem(last=False)[1].free()
        else:
            self._open.move_to_end(name)
        return found

    def copy(self, source: str, target: str) -> None:
        """A fork: the same refs and objects. Shared objects stay shared with the snapshot, own ones are copied."""
        origin = self.folder(source)
        folder = self._forge.company.own_folder("forge") / f"{target}.git"
        size = folder_size(origin) if self._forge.company.quota.limit is not None else 0
        self._forge.company.quota.take(size)
        self._counted[target] = size
        shutil.copytree(origin, folder, ignore=shutil.ignore_patterns("*.lock", "tmp_*", "incoming-*"))
        shutil.rmtree(folder / "refs" / "merge-requests", ignore_errors=True)
        packed = folder / "packed-refs"
        if packed.exists():
            lines = [line for line in packed.read_text().splitlines(True) if " refs/merge-requests/" not in line]
            packed.write_text("".join(lines))
        self._ready[target] = folder

    def fetch(self, target: str, source: str, refspec: str) -> None:
        """Bring a ref and its objects from another repository of this company. Slow: call it off the loop."""
        done = subprocess.run(
            ["git", "-C", str(self.folder(target)), "fetch", "--no-tags", "--quiet", "--no-write-fetch-head", "--force",
             str(self.folder(source)), refspec],
            env=git_environment(), capture_output=True, timeout=300, check=False,
        )  # fmt: skip
        if done.returncode:
            raise RefMoved(done.stderr.decode("utf-8", "replace").strip())
        self.measure(target)

    def discard(self, project_id: int) -> None:
        """Remove a project's repositories from the disk."""
        for name in (str(project_id), f"{project_id}.wiki"):
            self.discard_name(name)

    def discard_name(self, name: str) -> None:
        opened = self._open.pop(name, None)
        if opened is not None:
            opened.free()
        self._ready.pop(name, None)
        self._forge.company.quota.correct(-self._counted.pop(name, 0) - self._written.pop(name, 0))
        shutil.rmtree(self._forge.company.own_folder("forge") / f"{name}.git", ignore_errors=True)

    def forget(self) -> None:
        """After a reset: the folders are gone, and so is everything remembered of them."""
        for opened in self._open.values():
            opened.free()
        self._open.clear()
        self._ready.clear()
        for counted in (self._counted, self._written, self._writes):
            counted.clear()


# -- refs --------------------------------------------------------------------------------------------------------


def ref_sha(repo: pygit2.Repository, ref: str) -> str | None:
    """What a full ref name points at, or None."""
    try:
        found = repo.lookup_reference(ref).resolve()
    except (KeyError, ValueError, pygit2.GitError):
        return None
    return str(found.target)


def all_refs(repo: pygit2.Repository) -> dict[str, str]:
    """Branches and tags with what they point at (a tag: its own object)."""
    found = {}
    for name in repo.references:
        if name.startswith(("refs/heads/", "refs/tags/")) and (sha := ref_sha(repo, name)):
            found[name] = sha
    return found


def set_ref(repo: pygit2.Repository, ref: str, new: str, expected: str | None) -> None:
    """Move a ref from exactly `expected` (None: it must not exist) to `new`, by git's own locking rules."""
    path = Path(repo.path, ref)
    for parent in (f"{ref.rsplit('/', count)[0]}" for count in range(1, ref.count("/") - 1)):
        if ref_sha(repo, parent) is not None:
            raise RefMoved(f"'{parent}' exists; cannot create '{ref}'")
    if expected is None and any(name.startswith(f"{ref}/") for name in repo.references):
        raise RefMoved(f"'{ref}/…' exists; cannot create '{ref}'")
    with _locked(path):
        if ref_sha(repo, ref) != expected:
            raise RefMoved(f"'{ref}' was moved by somebody else")
        path.with_name(path.name + ".lock").write_text(f"{new}\n")
        os.replace(path.with_name(path.name + ".lock"), path)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    lock = path.with_name(path.name + ".lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            _prune(path)
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
    except OSError as error:
        raise RefMoved(f"'{path.name}' is held by somebody else") from error
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


def _prune(folder: Path) -> None:
    """Empty folders that deleted branches left behind may not stand in the way of a branch of that name."""
    for path, _, _ in os.walk(folder, topdown=False):
        with contextlib.suppress(OSError):
            os.rmdir(path)


def delete_ref(repo: pygit2.Repository, ref: str) -> bool:
    try:
        repo.lookup_reference(ref).delete()
    except (KeyError, ValueError, pygit2.GitError):
        return False
    return True


def valid_branch(name: str) -> bool:
    """Whether git would take this as a branch or tag name."""
    return (
        bool(name)
        and len(name.encode("utf-8", "replace")) < 245
        and not name.startswith("-")
        and name not in ("HEAD", "@")
        and not name.startswith("refs/heads/")
        and bool(pygit2.reference_is_valid_name(f"refs/heads/{name}"))
    )
