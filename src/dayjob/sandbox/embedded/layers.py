"""Folders that overlays are made of: written once, named by what made them, shared by every trial.

A layer is made beside its place and renamed into it when whole, under a lock, so a kill leaves nothing that could be
taken for a layer, and two trials that need the same one make it once.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dayjob import owned
from dayjob.sandbox.embedded.identity import Identity

BASE = "debian-"  # how the names of layers begin that may be shared: a base, and what is laid on it below tasks
_MAKING = "making"  # the lock under which folders are made, held and swept: none is swept before its maker holds it


class LayerStore:
    """The layers of one cache folder."""

    def __init__(self, cache: Path, identity: Identity, bases: Path | None = None) -> None:
        # Layers hold evaluators and references, and folders that everybody may write to inside a room: nobody else on
        # this machine gets past their parent.
        self.folder = owned.private_cache(cache, "layers")
        self.identity = identity
        self.bases = LayerStore(bases, identity) if bases is not None else self
        """Where the layers of a system of its own are: several caches may share them, since they are large."""

    def of(self, key: str) -> LayerStore:
        """Where a layer is, or is to be."""
        return self.bases if key.startswith(BASE) else self

    def path(self, key: str) -> Path:
        """The overlay folder of a layer."""
        return self.of(key).folder / key / "files"

    def has(self, key: str) -> bool:
        return (self.of(key).folder / key).is_dir()

    def note(self, key: str) -> dict[str, object]:
        """What was remembered when the layer was made: its log, how long it took."""
        try:
            found: dict[str, object] = json.loads((self.of(key).folder / key / "note.json").read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return found

    def make(self, key: str, fill: Callable[[Path], Any], *, owned: bool = False) -> str:
        """Have the layer `key`; `fill` writes its files (and returns a note). `owned`: it has set the owners."""
        if self.has(key):
            return key
        if self.of(key) is not self:
            return self.bases.make(key, fill, owned=owned)
        with self.lock(key):
            if not self.has(key):
                with self.workplace() as part:
                    note = fill(part / "files")
                    if not owned:
                        self.own(part / "files")
                    self.finish(key, part, note)
        return key

    @contextmanager
    def lock(self, key: str) -> Iterator[None]:
        """One maker at a time for a key, across processes."""
        fd = os.open(self.folder / f".lock-{key}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)

    @contextmanager
    def workplace(self) -> Iterator[Path]:
        """A folder with `files` and `work` in it, for an overlay to write to; removed unless finished."""
        with self.lock(_MAKING):
            self._sweep()
            part = Path(tempfile.mkdtemp(prefix=".making-", dir=self.folder))
            held = os.open(part, os.O_RDONLY | os.O_CLOEXEC)
            fcntl.flock(held, fcntl.LOCK_EX)
        try:
            part.chmod(0o755)
            for name in ("files", "work"):
                (part / name).mkdir(mode=0o755)
                self._give(part / name)
            yield part
        finally:
            os.close(held)
            shutil.rmtree(part, ignore_errors=True)

    def finish(self, key: str, part: Path, note: dict[str, object] | None = None) -> None:
        shutil.rmtree(part / "work", ignore_errors=True)
        (part / "note.json").write_text(json.dumps(note or {}), "utf-8")
        part.rename(self.folder / key)

    def own(self, folder: Path) -> None:
        """Give everything below to the rooms' root."""
        if self.identity.separate:
            self._give(folder)
            for path, folders, files in os.walk(folder):
                for name in (*folders, *files):
                    self._give(Path(path, name))

    def _give(self, path: Path) -> None:
        if self.identity.separate:
            os.chown(path, self.identity.first, self.identity.first, follow_symlinks=False)

    def sweep(self) -> None:
        """Remove what killed makers left: folders that nobody holds."""
        for store in {self, self.bases}:
            with store.lock(_MAKING):
                store._sweep()

    def _sweep(self) -> None:
        for part in self.folder.glob(".making-*"):
            try:
                fd = os.open(part, os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                continue
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(part, ignore_errors=True)
            except BlockingIOError:
                continue
            finally:
                os.close(fd)
