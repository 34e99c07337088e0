"""What `docker diff` says was changed in a container: read, and narrowed to what was installed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Changes:
    """Names without their leading slash, as an archive has them, of what is new or other; and paths that are gone."""

    files: set[str] = field(default_factory=set)
    gone: list[str] = field(default_factory=list)
    folders: tuple[str, ...] = ()
    """Those of the folders asked about that have any of both."""


def changes_in(diff: str, folders: Sequence[str], apart_from: Iterable[str]) -> Changes:
    """The changes below `folders`, without those at or below `apart_from`.

    A folder counts as changed when something in it is: it is told apart from a file by what is listed below it, and
    alone is no change. Python's compiled files come and go by themselves.
    """
    passed_over = tuple(apart_from)
    found: dict[str, str] = {}
    parents = set[str]()
    for line in diff.splitlines():
        kind, _, path = line.partition(" ")
        parents.add(path.rpartition("/")[0])
        if not _is_below(path, folders) or _is_at_or_below(path, passed_over) or "__pycache__" in path.split("/"):
            continue
        if kind in ("A", "C", "D"):
            found[path] = kind
    changed = {path for path, kind in found.items() if kind == "A" or (kind == "C" and path not in parents)}
    gone = sorted(path for path, kind in found.items() if kind == "D")
    touched = tuple(one for one in folders if any(_is_below(path, [one]) for path in (*changed, *gone)))
    return Changes({path[1:] for path in changed}, gone, touched)


def _is_below(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(f"{one}/") for one in folders)


def _is_at_or_below(path: str, places: Iterable[str]) -> bool:
    return any(path == one or path.startswith(f"{one}/") for one in places)
