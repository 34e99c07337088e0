"""`REF/PATH` in an address: which part is a branch (it may hold slashes), which is a file; and who changed what."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote

import pygit2

from dayjob.company.forge.errors import forbidden, not_found
from dayjob.company.forge.git import reading
from dayjob.company.forge.git.repositories import ref_sha
from dayjob.company.forge.pages.visit import Visit

COMMITS_READ = 2000
"""How far back the last change of a file is looked for in a folder's listing."""


@dataclass(frozen=True, slots=True)
class At:
    """A place in a project's history: a branch, tag or commit by its name, and a path in it."""

    repo: pygit2.Repository
    ref: str
    path: str
    commit: pygit2.Commit
    branch: bool

    @property
    def address(self) -> str:
        """`REF/PATH` for links."""
        return quote(f"{self.ref}/{self.path}" if self.path else self.ref)

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]


def repository(visit: Visit) -> pygit2.Repository:
    if not visit.reads_code:
        raise forbidden()
    return visit.store.repos.open(visit.project.id)


def at(visit: Visit, where: str) -> At:
    """The longest name of a branch or tag that begins `where`; else its first part is any name of a commit."""
    repo = repository(visit)
    parts = where.strip("/").split("/") if where.strip("/") else [visit.project.default_branch or "main"]
    for cut in range(len(parts), 0, -1):
        name = "/".join(parts[:cut])
        branch = ref_sha(repo, f"refs/heads/{name}") is not None
        if branch or ref_sha(repo, f"refs/tags/{name}") is not None or cut == 1:
            commit = reading.resolve(repo, name if name != "HEAD" else visit.project.default_branch or "main")
            if commit is not None:
                return At(repo, name, "/".join(parts[cut:]), commit, branch)
    raise not_found("Commit")


@dataclass(frozen=True, slots=True)
class Change:
    """The commit that last touched a file or folder."""

    sha: str
    title: str
    when: str


def last_changes(place: At, names: tuple[str, ...]) -> dict[str, Change]:
    """Each entry's last change, for those found within `COMMITS_READ` commits."""
    return _last_changes(place.repo.path, str(place.commit.id), place.path, names)


@lru_cache(256)
def _last_changes(folder: str, head: str, path: str, names: tuple[str, ...]) -> dict[str, Change]:
    repo = pygit2.Repository(folder)
    found: dict[str, Change] = {}
    for count, commit in enumerate(reading.log(repo, [head])):
        here, before = _ids(commit, path), [_ids(parent, path) for parent in commit.parents]
        for name in names:
            if name in found or name not in here:
                continue
            if all(one.get(name) != here[name] for one in before):
                title = reading.message_of(commit).split("\n", 1)[0]
                found[name] = Change(str(commit.id), title, reading.when(commit.committer))
        if len(found) == len(names) or count >= COMMITS_READ:
            break
    return found


def _ids(commit: pygit2.Commit, path: str) -> dict[str, str]:
    tree = reading.entry_at(commit, path)
    return {reading.text(one.raw_name): str(one.id) for one in tree} if isinstance(tree, pygit2.Tree) else {}


def names(repo: pygit2.Repository, kind: str) -> list[str]:
    """The branches (`heads`) or `tags` of a repository."""
    prefix = f"refs/{kind}/"
    return sorted(one.removeprefix(prefix) for one in repo.references if one.startswith(prefix))
