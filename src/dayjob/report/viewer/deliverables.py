"""What an examinee delivered to drive and repositories: which files and branches, and their content before and after.

Content comes from the work that was kept (`kept.tar.gz`) and, for what was there before, from the world's snapshot
where this machine still has it. All of it is hostile: names are checked, sizes bounded, and nothing is unpacked whole.
"""

from __future__ import annotations

import re
import tarfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from dayjob.company.world.snapshot import default_cache
from dayjob.report.viewer.evidence import LARGEST_UNPACKED

LARGEST = 16 * 1024 * 1024
"""Of one file; a larger one is named and not shown."""
_BLOB = re.compile(r"[0-9a-f]{64}")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SNAPSHOT = re.compile(r"[0-9a-f]{32}-[0-9a-f]{8}")
_OBJECT = re.compile(r"(?:[0-9a-f]{2}/[0-9a-f]{38}|pack/pack-[0-9a-f]{40}\.(?:pack|idx))")


@dataclass(frozen=True, slots=True)
class Deliverable:
    """A file of the drive, or a branch or tag of a repository, that is new, different, elsewhere or gone."""

    number: int
    """Its place in the trial's changes."""
    kind: Literal["file", "branch", "tag"]
    name: str
    words: str
    size: int = 0
    old: str = ""
    """The blob or commit of before; empty when there was none."""
    new: str = ""
    project: int = 0

    @property
    def same(self) -> bool:
        """Only its place is another."""
        return self.old == self.new


def deliverables(changes: list[dict[str, Any]]) -> list[Deliverable]:
    """In the order of the changes."""
    found = []
    for number, change in enumerate(changes):
        before, after = _row(change.get("before")), _row(change.get("after"))
        at = after or before
        name, words = str(at.get("path") or at.get("name") or ""), str(change.get("words") or "")
        match change.get("service"), change.get("table"):
            case "drive", "nodes" if at.get("kind") == "file":
                size = at.get("size")
                found.append(
                    Deliverable(
                        number,
                        "file",
                        name,
                        words,
                        size if isinstance(size, int) else 0,
                        _matching(_BLOB, before.get("blob")),
                        _matching(_BLOB, after.get("blob")),
                    )
                )
            case "forge", "refs" if isinstance(at.get("project_id"), int):
                short = name.removeprefix("refs/heads/").removeprefix("refs/tags/")
                old, new = (_matching(_COMMIT, one.get("sha")) for one in (before, after))
                kind: Literal["branch", "tag"] = "tag" if name.startswith("refs/tags/") else "branch"
                found.append(Deliverable(number, kind, short, words, 0, old, new, at["project_id"]))
    return found


def _row(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _matching(pattern: re.Pattern[str], value: Any) -> str:
    return value if isinstance(value, str) and pattern.fullmatch(value) else ""


def snapshot_folder(made_of: dict[str, Any]) -> Path | None:
    """The snapshot that the trial's company began as, where this machine still has it."""
    key = _matching(_SNAPSHOT, made_of.get("snapshot"))
    folder = default_cache() / "snapshots" / key
    return folder if key and folder.is_dir() else None


def contents(folder: Path, snapshot: Path | None, blobs: Iterable[str]) -> dict[str, bytes]:
    """The content of each blob that is to be had and not too large."""
    wanted = {blob for blob in blobs if blob}
    found = _of_snapshot(snapshot, wanted) if snapshot is not None else {}
    names = {f"company/blobs/{blob[:2]}/{blob[2:]}": blob for blob in wanted - set(found)}
    if names:
        for archive, member in _members(folder):
            if member.name in names and member.isfile() and member.size <= LARGEST:
                file = archive.extractfile(member)
                found[names[member.name]] = file.read(LARGEST) if file is not None else b""
                if len(found) == len(wanted):
                    break
    return found


def _of_snapshot(snapshot: Path, wanted: Iterable[str]) -> dict[str, bytes]:
    paths = {blob: snapshot / "blobs" / blob[:2] / blob[2:] for blob in wanted}
    return {
        blob: path.read_bytes() for blob, path in paths.items() if path.is_file() and path.stat().st_size <= LARGEST
    }


def put_objects(folder: Path, project: int, target: Path) -> None:
    """The git objects that a repository got during the trial, written below `target`; nothing but objects."""
    before = f"company/own/forge/{project}.git/objects/"
    left = LARGEST * 4
    for archive, member in _members(folder):
        name = member.name.removeprefix(before)
        if name == member.name or not member.isfile() or not _OBJECT.fullmatch(name) or member.size > left:
            continue
        left -= member.size
        file = archive.extractfile(member)
        (target / name).parent.mkdir(exist_ok=True)
        (target / name).write_bytes(file.read() if file is not None else b"")


def _members(folder: Path) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    """Of the kept work, as far as it can be read."""
    try:
        with tarfile.open(folder / "kept.tar.gz", "r:gz") as archive:
            for member in archive:
                if archive.offset > LARGEST_UNPACKED:
                    return
                yield archive, member
    except (OSError, tarfile.TarError, zlib.error, EOFError):  # not kept, or cut short
        return
