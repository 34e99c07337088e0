"""A world compiled once: a database per service, a blob store, a git store. Immutable, named by its content, cached.

A build happens beside its final place and is renamed into it when whole, so a kill in the middle leaves nothing that
could be taken for a snapshot, and two builds at once end with one.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import shutil
import sqlite3
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dayjob import owned
from dayjob.company import changes, happened, timeline
from dayjob.company.blobs import BlobStore
from dayjob.company.ids import Ids
from dayjob.company.world.files import Problem
from dayjob.company.world.model import World, WorldInfo, load_world
from dayjob.company.world.shared_files import share

if TYPE_CHECKING:
    from dayjob.company.service import Service


_PLANS = "plans"
_Mark = tuple[str, str, int, int, int, int, int, int]


class WorldError(Exception):
    """A world that cannot be compiled; `problems` says why, each with file and line."""

    def __init__(self, folder: Path, problems: list[Problem]) -> None:
        super().__init__(f"{folder} has {len(problems)} problem(s); the first: {problems[0]}")
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A compiled world on disk."""

    path: Path
    key: str
    info: WorldInfo

    @property
    def plans(self) -> tuple[str, ...]:
        """The services that have something waiting for a moment of the company's time."""
        with suppress(FileNotFoundError):
            return tuple((self.path / _PLANS).read_text("utf-8").split())
        return ()


@dataclass(slots=True)
class Build:
    """What a service writes to while its section is compiled."""

    world: World
    db: sqlite3.Connection
    blobs: BlobStore
    git: Path
    ids: Ids


def default_cache() -> Path:
    """Where snapshots are kept: `$DAYJOB_CACHE`, or `dayjob` in the user's cache folder."""
    if place := os.environ.get("DAYJOB_CACHE"):
        return Path(place)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dayjob"


@functools.cache
def compiler_version() -> str:
    """A hash of the code that compiles: part of every snapshot's name, so changed code never meets an old snapshot."""
    digest = hashlib.sha256()
    company = Path(__file__).parents[1]
    for path in sorted(company.rglob("*.py")):
        digest.update(f"{path.relative_to(company)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:8]


def check_world(folder: Path, overlay: Path | None = None) -> list[Problem]:
    """Everything that is wrong with a world's files."""
    world = load_world(folder, overlay)
    timeline.load(world, _named(_sections(world)))
    return world.problems.found


def build_snapshot(folder: Path, overlay: Path | None = None, *, cache: Path | None = None) -> Snapshot:
    """The snapshot of a world, from the cache or compiled now. Raises `WorldError` when its files are wrong."""
    snapshots = owned.private_cache(cache or default_cache(), "snapshots")
    asked = (folder, overlay, snapshots)
    looked = time.time_ns()
    files = tuple(_marks(place) for place in (folder, overlay) if place is not None)
    if asked in _known and _known[asked][0] == files and _is_whole(_known[asked][1].path):
        return _known[asked][1]
    found = _build(folder, overlay, snapshots)
    # A file that changes again within the grain of the disk's clock would look the same.
    if all(mark[-1] < looked - _GRAIN for marks in files for mark in marks):
        _known[asked] = (files, found)
    return found


def _build(folder: Path, overlay: Path | None, snapshots: Path) -> Snapshot:
    world = load_world(folder, overlay)
    key = f"{world.files.key()[:32]}-{compiler_version()}"
    target = snapshots / key
    if not _is_whole(target):
        sections = _sections(world)
        timeline.load(world, _named(sections))
        if world.problems.found:
            raise WorldError(folder, world.problems.found)
        with _workplace(snapshots) as part:
            _compile(world, sections, part)
            share(part, owned.private_cache(snapshots.parent, "shared-files"))
            _flush(part)
            try:
                part.rename(target)
            except OSError:
                if not _is_whole(target):  # only a whole snapshot may have been first
                    raise
    return Snapshot(target, key, WorldInfo.from_json((target / "world.json").read_text("utf-8")))


def _is_whole(snapshot: Path) -> bool:
    return (snapshot / "world.json").exists()


# What was asked for before by this process, with the files as they were: a run's trials ask for the same few worlds.
_known: dict[tuple[Path, Path | None, Path], tuple[tuple[list[_Mark], ...], Snapshot]] = {}
_GRAIN = 100_000_000  # nanoseconds


def _marks(folder: Path) -> list[_Mark]:
    """Every file below a folder, with what changes when it does."""
    marks = []
    for path, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            place, link = os.path.join(path, name), ""
            with suppress(FileNotFoundError):  # a link that leads nowhere
                found = os.lstat(place)
                if stat.S_ISLNK(found.st_mode):
                    link, found = os.readlink(place), os.stat(place)
                times = (found.st_mtime_ns, found.st_ctime_ns)
                marks.append((place, link, found.st_dev, found.st_ino, found.st_mode, found.st_size, *times))
    return marks


def _sections(world: World) -> dict[type[Service], object]:
    from dayjob.company.services import service_class
    from dayjob.service_names import NAMES

    return {(found := service_class(name)): found.load(world) for name in NAMES}


def _named(sections: dict[type[Service], object]) -> dict[str, object]:
    return {service.name: section for service, section in sections.items()}


def _compile(world: World, sections: dict[type[Service], object], part: Path) -> None:
    blobs = part / "blobs"
    blobs.mkdir()
    (part / "git").mkdir()
    for service, section in sections.items():
        db = sqlite3.connect(part / f"{service.name}.db", isolation_level=None)
        db.execute("PRAGMA journal_mode=OFF")
        db.execute("PRAGMA synchronous=OFF")
        schema, tracked = service.schema()
        db.executescript(schema + happened.SCHEMA)
        build = Build(world, db, BlobStore(None, lambda: blobs), part / "git", Ids(f"{world.info.slug}/{service.name}"))
        db.execute("BEGIN")
        service.compile(section, build)
        db.execute("COMMIT")
        changes.install(db, tracked)
        db.execute("PRAGMA journal_mode=DELETE")
        db.execute("ANALYZE")
        db.execute("VACUUM")
        db.close()
    kept = BlobStore(None, lambda: blobs)
    timeline.write_compiled(timeline.load(world, _named(sections), kept), part)
    if plans := [service.name for service, section in sections.items() if service.has_plans(section)]:
        (part / _PLANS).write_text("\n".join(plans), "utf-8")
    (part / "world.json").write_text(world.info.to_json(), "utf-8")


def _flush(folder: Path) -> None:
    """Put everything on the disk before the rename makes it visible.

    Whoever reaches it may read it: the folders above keep others out, and a company's process, which has an uid of its
    own, is handed this folder alone.
    """
    for path, _, names in os.walk(folder):
        for name in (*names, "."):
            fd = os.open(Path(path, name), os.O_RDONLY)
            try:
                os.fchmod(fd, 0o755 if name == "." else 0o644)
                os.fsync(fd)
            finally:
                os.close(fd)


@contextmanager
def _workplace(snapshots: Path) -> Iterator[Path]:
    """A folder to build in, locked while its builder lives; what killed builders left is swept first."""
    with _locked(snapshots):  # nobody may find the new folder before it is locked
        _sweep(snapshots)
        part = Path(tempfile.mkdtemp(prefix=".build-", dir=snapshots))
        lock = os.open(part, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        yield part
    finally:
        os.close(lock)
        shutil.rmtree(part, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _sweep(snapshots: Path) -> None:
    """Remove the folders whose builder no longer holds the lock."""
    for part in snapshots.glob(".build-*"):
        try:
            lock = os.open(part, os.O_RDONLY)
        except FileNotFoundError:  # its builder has just finished
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue
        else:
            shutil.rmtree(part, ignore_errors=True)
        finally:
            os.close(lock)
