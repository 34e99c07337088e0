"""The head of a git bundle, read without git: which branches it brings, and which one its HEAD is at."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

HOW = "Make one with 'git bundle create repo.bundle --all'."
_USUAL = ("main", "master")
_MOST_LINES = 1_000_000


class BadBundle(Exception):
    """A file that is no bundle, or one that cannot stand alone; the sentence says so."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """`branches` in the order of their names; `head` is the branch a clone begins with, None when there is none."""

    branches: tuple[str, ...]
    head: str | None


def read_bundle(path: Path) -> Bundle:
    """HEAD is a commit in a bundle, not a branch: of several branches at it, main and master come first."""
    refs: dict[str, str] = {}
    with path.open("rb") as file:
        if not file.readline(64).startswith(b"# v"):
            raise BadBundle("This is not a git bundle.")
        for raw in itertools.islice(file, _MOST_LINES):
            line = raw.decode("utf-8", "replace").rstrip("\n")
            if not line:
                break
            if line.startswith("-"):
                raise BadBundle("This bundle needs commits that are not in it.")
            if not line.startswith("@"):
                commit, _, ref = line.partition(" ")
                refs[ref] = commit
    branches = sorted(ref.removeprefix("refs/heads/") for ref in refs if ref.startswith("refs/heads/"))
    at_head = [name for name in branches if refs[f"refs/heads/{name}"] == refs.get("HEAD")] or branches
    return Bundle(tuple(branches), min(at_head, key=lambda name: (name not in _USUAL, name), default=None))
