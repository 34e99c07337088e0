"""What travels between the driver of a run and its nodes: tasks, worlds and scripts out, evidence back.

A parcel is named by its content and kept in the node's cache, so each node gets it once and no disk is shared.
"""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dayjob import owned
from dayjob.company.world.find import find_world
from dayjob.task.model import load_settings
from dayjob.trial.evidence import Evidence
from dayjob.trial.ingredients import digest, files_of
from dayjob.trial.outcome import Outcome
from dayjob.trial.spec import TrialSpec
from dayjob.trial.variants import found_folder
from dayjob.unpacking import unpack

PIECE = 1024 * 1024
_KEPT_AS = "parcels"


@dataclass(frozen=True, slots=True)
class Parcel:
    """A folder or file on its way. `content` holds a reference to its bytes, fetched only where it is not known yet."""

    key: str
    name: str
    content: list[Any]


@dataclass(slots=True)
class Packer:
    """Where parcels are handed in on the driver: each path is packed once per run."""

    store: Callable[[bytes], Any]
    """Puts bytes where every node can fetch them, and returns a reference."""
    _known: dict[Path, Parcel] = field(default_factory=dict)

    def pack(self, path: Path) -> Parcel:
        if path not in self._known:
            key = digest(path) if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()
            self._known[path] = Parcel(key, path.name, [self.store(_packed(path))])
        return self._known[path]


@dataclass(frozen=True, slots=True)
class PackedTrial:
    """A trial on its way to a node: its spec, and a parcel for each field of the spec that names a path."""

    spec: str
    parcels: Mapping[str, Parcel]
    called: Mapping[str, str]
    """What the driver calls each of them."""


def pack_trial(spec: TrialSpec, scripts: Mapping[str, Path], packer: Packer) -> PackedTrial:
    """Everything a node needs for a trial. Raises `TaskError` or `UnknownWorld` when there is nothing to send."""
    # A variant made here travels as it is, so that no node needs the key of a private set; others are made there.
    task = found_folder(spec) or Path(spec.task)
    world = spec.world or load_settings(task).world
    parcels = {"task": packer.pack(task), "world": packer.pack(find_world(world))}
    parcels |= {name: packer.pack(path.resolve()) for name, path in scripts.items()}
    called = {"task": spec.task, "world": world, **{name: f"script:{path}" for name, path in scripts.items()}}
    return PackedTrial(spec.to_json(), parcels, called)


def _packed(path: Path) -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w:gz", compresslevel=1) as tar:
        for one in sorted(files_of(path)) if path.is_dir() else [path]:
            tar.add(one, arcname=one.relative_to(path.parent), filter=_anonymous)
    return whole.getvalue()


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mode |= 0o644
    return entry


def receive(parcel: Parcel, cache: Path, fetch: Callable[[Any], bytes]) -> Path:
    """The parcel's content on this node: from the cache, or fetched, unpacked beside its place and renamed into it."""
    place = owned.private_cache(cache, _KEPT_AS) / parcel.key
    if not place.is_dir():
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".arriving-") as folder:
            made = Path(folder, "made")
            made.mkdir()
            with tarfile.open(fileobj=io.BytesIO(fetch(parcel.content[0])), mode="r:gz") as tar:
                unpack(tar, made, "tar")
            try:
                made.rename(place)
            except OSError:
                if not place.is_dir():  # else another slot of this node was faster
                    raise
    return place / parcel.name


def evidence_pieces(folder: Path, home: Mapping[str, str], node: str) -> Iterator[bytes]:
    """A trial's folder as pieces of an archive. `home` names, for paths of this node, what the driver calls them."""
    path = folder / "outcome.json"
    text = path.read_text("utf-8")
    for here, there in home.items():
        text = text.replace(here, there)
    outcome = Outcome.from_json(text)
    outcome.made_of["node"] = node
    path.write_text(outcome.to_json(), "utf-8")
    with tempfile.TemporaryFile() as whole:
        with tarfile.open(fileobj=whole, mode="w:gz", compresslevel=1) as tar:
            tar.add(folder, arcname=".", filter=_anonymous)
        whole.seek(0)
        while piece := whole.read(PIECE):
            yield piece


class Arriving:
    """A trial's evidence on its way in: gathered beside the trial's folder, put in place when whole. Use as `with`."""

    def __init__(self, spec: TrialSpec) -> None:
        self._spec = spec
        self._place = Path(spec.out)

    def __enter__(self) -> Arriving:
        self._place.parent.mkdir(parents=True, exist_ok=True)
        self._folder = tempfile.TemporaryDirectory(dir=self._place.parent, prefix=".arriving-")
        self._archive = Path(self._folder.name, "archive").open("w+b")
        return self

    def __exit__(self, *about: object) -> None:
        self._archive.close()
        self._folder.cleanup()

    def add(self, piece: bytes) -> None:
        self._archive.write(piece)

    def settle(self) -> None:
        """Put it in place, the outcome last, as everywhere; what was there is set aside."""
        made = Path(self._folder.name, "made")
        self._archive.seek(0)
        with tarfile.open(fileobj=self._archive, mode="r:gz") as tar:
            unpack(tar, made)
        (made / "spec.json").write_text(self._spec.to_json(), "utf-8")
        for path in made.rglob("*"):
            if path.is_file() and not path.is_symlink():
                _on_disk(path)
        evidence = Evidence(self._place)
        for path in sorted(made.iterdir(), key=lambda one: one.name == "outcome.json"):
            path.rename(evidence.folder / path.name)


def _on_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
