"""A running clone of a snapshot: four services, a journal, a clock. Shares nothing writable with any other.

Everything is made at first touch (a database when a service is first asked, a folder when a first file is written),
so a company that nobody uses costs next to nothing.
"""

from __future__ import annotations

import secrets
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from dayjob import owned
from dayjob.company import changes
from dayjob.company.blobs import BlobStore
from dayjob.company.changes import Difference
from dayjob.company.clock import Clock
from dayjob.company.database import Database, clone, open_file
from dayjob.company.ids import Ids
from dayjob.company.journal import LIMIT as JOURNAL_LIMIT
from dayjob.company.journal import Journal, Phase, Role, Visit, current
from dayjob.company.quota import Quota
from dayjob.company.service import Service
from dayjob.company.services import service_class
from dayjob.company.world.snapshot import Snapshot
from dayjob.service_names import NAMES

Listener = Callable[[str, dict[str, Any]], None]


class Company:
    """One company. `folder` holds what it writes; without one it is temporary and removed by `close`.

    With `keep=True` the databases are files in `folder`, so the company goes on where it stopped.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        *,
        seed: str = "0",
        folder: Path | None = None,
        keep: bool = False,
        journal: Path | int | None = None,
        journal_limit: int | None = JOURNAL_LIMIT,
        phase: Phase = "serve",
        clock: Clock | None = None,
        quota: int | None = None,
    ) -> None:
        self.snapshot = snapshot
        self.world = snapshot.info
        self.clock = clock or Clock(self.world.now)
        self.ids = Ids(seed)
        self.phase: Phase = phase
        self.control_token = secrets.token_urlsafe(24)
        self.journal = Journal(journal, journal_limit)
        self._folder = folder
        self._keep = keep
        self._temporary: Path | None = None
        self._databases: dict[str, Database] = {}
        self._services: dict[str, Service] = {}
        self._listeners: list[Listener] = []
        self._secrets: dict[str, Mapping[str, Any]] = {}
        self._resets: dict[str, int] = {}
        self.ports: dict[Role, dict[str, int]] = {}
        """The ports its services answer on, for those who come in each role; the host writes them down."""
        self.quota = Quota(quota)
        """What it may store, in bytes, over all services."""
        self.blobs = BlobStore(snapshot.path / "blobs", lambda: self.folder / "blobs", self.quota)
        if keep:
            self.blobs.adopt()
            self._count_stored()

    # -- parts ---------------------------------------------------------------------------------------------------

    @property
    def folder(self) -> Path:
        """Where this company writes files; made when first asked for."""
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            return self._folder
        if self._temporary is None:
            self._temporary = owned.folder("company")
        return self._temporary

    @property
    def touched(self) -> tuple[str, ...]:
        """The services whose database was opened; the others are as the snapshot has them."""
        return tuple(self._databases)

    def service(self, name: str) -> Service:
        found = self._services.get(name)
        if found is None:
            found = self._services[name] = service_class(name)(self)
        return found

    def database(self, name: str) -> Database:
        found = self._databases.get(name)
        if found is None:
            found = self._databases[name] = self._open(name)
        return found

    def _open(self, name: str) -> Database:
        image = self.snapshot.path / f"{name}.db"
        if self._keep:
            path = self.folder / f"{name}.db"
            if not path.exists():
                part = path.with_suffix(".part")
                shutil.copyfile(image, part)
                part.replace(path)
            db = open_file(path)
        else:
            db = clone(image)
        changes.connect(db)
        # Asked once for each statement, however many rows it looks at.
        db.create_function("today", 0, lambda: self.clock.stamp()[:10], deterministic=True)
        return db

    # -- events: what a service tells the others (realtime, hooks, colleagues) ------------------------------------

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call `listener(topic, facts)` for every event; returns the way to stop."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def tell(self, topic: str, facts: dict[str, Any]) -> None:
        """Something happened, such as `chat.message`. Listeners run at once, on the loop, and must not raise."""
        for listener in tuple(self._listeners):
            listener(topic, facts)

    # -- the journal ---------------------------------------------------------------------------------------------

    def visit(self, service: str, role: Role, method: str, path: str, query: str = "") -> Visit:
        return Visit(service, role, self.phase, method, path, query)

    def record(self, visit: Visit) -> None:
        """Write down what the visit has done so far; nothing new, nothing written."""
        if visit.pending or not visit.recorded:
            self.journal.record(visit, self.clock.stamp())

    @contextmanager
    def acting(self, service: str, role: Role, method: str, path: str) -> Iterator[Visit]:
        """Do something as one journal row that is not an HTTP request of its own (a realtime call, a colleague)."""
        visit = self.visit(service, role, method, path)
        token = current.set(visit)
        try:
            yield visit
        finally:
            current.reset(token)
            self.record(visit)

    def changes(
        self, service: str | None = None, *, everyone: bool = False, by_role: str | None = None
    ) -> list[Difference]:
        """What is different since work began, each with a sentence that says so; `by_role` counts that role alone."""
        rows = self.journal.changes(service)
        if by_role is not None:
            rows, everyone = [row for row in rows if row.role == by_role], True
        found = changes.differences(rows, everyone=everyone)
        told = [replace(one, words=self.service(one.service).describe(one)) for one in found]
        if missing := self.journal.changes_left_out:
            # Whoever asks what is different must not take a full journal for "nothing else".
            note = {"changes_left_out": missing}
            told.append(Difference("company", "journal", "changed", "", None, note, None, self.journal.notes[0].text))
        return told

    # -- life ----------------------------------------------------------------------------------------------------

    def ready(self, name: str) -> bool:
        """Whether the service answers from a whole database right now."""
        try:
            return bool(self.database(name).execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
        except (sqlite3.Error, OSError):
            return False

    def reset(self, *names: str) -> None:
        """Put services back to the snapshot; done when this returns."""
        for name in names or NAMES:
            db = self._databases.pop(name, None)
            if db is not None:
                db.close()
            if self._keep:
                for suffix in (".db", ".db-wal", ".db-shm"):
                    (self.folder / f"{name}{suffix}").unlink(missing_ok=True)
            if (home := self._folder or self._temporary) is not None:
                shutil.rmtree(home / "own" / name, ignore_errors=True)
            if name in self._services:
                self._services[name].on_reset()
            if name in self._secrets:
                self.service(name).set_secrets(self._secrets[name])
        self._count_stored()

    def _count_stored(self) -> None:
        if self.quota.limit is not None and (home := self._folder or self._temporary) is not None:
            self.quota.recount(home / "blobs", home / "own")

    def set_secrets(self, name: str, account: Mapping[str, Any]) -> None:
        """Give a service's own account other secrets than the world's files say; a reset does not bring those back."""
        self._secrets[name] = account
        self.service(name).set_secrets(account)

    def own_folder(self, name: str) -> Path:
        """The folder a service may write to (the forge's repositories); a reset removes it."""
        path = self.folder / "own" / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def image(self, name: str) -> bytes:
        """A service's whole database as bytes: for evidence, comparison and download."""
        return self.database(name).serialize()

    def close(self) -> None:
        for db in self._databases.values():
            db.close()
        self._databases.clear()
        self.journal.close()
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)
            self._temporary = None
