"""A running clone of a snapshot: four services, a journal, a clock. Shares nothing writable with any other.

Everything is made at first touch (a database when a service is first asked, a folder when a first file is written),
so a company that nobody uses costs next to nothing.
"""

from __future__ import annotations

import asyncio
import secrets
import shutil
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dayjob import owned
from dayjob.company import changes
from dayjob.company.agenda import Agenda
from dayjob.company.blobs import BlobStore
from dayjob.company.changes import Difference
from dayjob.company.clock import SHORT_STEP, STEP, Clock
from dayjob.company.database import Database, clone, open_file
from dayjob.company.ids import Ids
from dayjob.company.journal import LIMIT as JOURNAL_LIMIT
from dayjob.company.journal import Journal, Phase, Role, Visit, current
from dayjob.company.quota import Quota
from dayjob.company.service import Service
from dayjob.company.services import service_class
from dayjob.company.watching import Watching
from dayjob.company.world.snapshot import Snapshot
from dayjob.service_names import NAMES

if TYPE_CHECKING:
    from dayjob.company.timeline.running import Timeline

Listener = Callable[[str, dict[str, Any]], None]
BUSY_SECONDS = 900.0
"""How long time waits, in real seconds, for what is under way before it is skipped all the same."""
_WORKING: tuple[Role, ...] = ("people", "examinee", "init", "grader")
"""Whose requests take a stepped clock on by a whole step; colleagues and the timeline act in between."""


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
        begun: Path | None = None,
    ) -> None:
        """`begun` is a folder with databases of a company that this one goes on from; see `copying`."""
        self.snapshot = snapshot
        self.world = snapshot.info
        self.clock = clock or Clock(self.world.now)
        self.ids = Ids(seed)
        self.phase: Phase = phase
        self.control_token = secrets.token_urlsafe(24)
        self.journal = Journal(journal, journal_limit)
        self._folder = folder
        self._keep = keep
        self._begun = begun
        self._temporary: Path | None = None
        self._databases: dict[str, Database] = {}
        self._services: dict[str, Service] = {}
        self._listeners: list[Listener] = []
        self._secrets: dict[str, Mapping[str, Any]] = {}
        self._unset: set[str] = set()
        """The services that get their secrets when their database is first opened."""
        self._resets: dict[str, int] = {}
        self.ports: dict[Role, dict[str, int]] = {}
        """The ports its services answer on, for those who come in each role; the host writes them down."""
        self.on_jobs_waiting: Callable[[], None] = lambda: None
        """Called when a CI job begins to wait for a runner, so that nobody has to ask again and again. It may be called
        in the middle of a change: whoever sets it takes note, and asks the forge later."""
        self.quota = Quota(quota)
        """What it may store, in bytes, over all services."""
        self.blobs = BlobStore(snapshot.path / "blobs", lambda: self.folder / "blobs", self.quota)
        self.agenda = Agenda(self.clock)
        self.busy: list[Callable[[], Awaitable[None]]] = []
        """What must come to rest in real time before company time is skipped, such as a colleague who thinks."""
        self.jobs_over: Callable[[], Awaitable[None]] | None = None
        """Returns when no CI job runs or waits for a runner; None where nobody runs jobs."""
        self.may_skip: timedelta | None = None
        """How much time may be skipped in all; None for any."""
        self.answers_within = timedelta()
        """How far time goes on by itself when somebody looks for an answer that is owed them."""
        self.on_skip: list[Callable[[datetime, datetime], None]] = []
        """Told whenever time was skipped: from when to when."""
        self.passing = asyncio.Lock()
        """Held while time is being skipped: one wait at a time."""
        self.timeline: Timeline | None = None
        self.watching = Watching(self)
        self.after_change: Callable[[], asyncio.Future[None]] | None = None
        """Begun whenever the examinee changed something; its answers wait until that is over. None: nobody looks."""
        self.held: set[asyncio.Task[Any]] = set()
        """Requests that are done and wait for it."""
        self._look: asyncio.Future[None] | None = None
        if keep or begun is not None:
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
        """The services whose database was opened, here or before; the others are as the snapshot has them."""
        begun = self._begun
        return tuple(one for one in NAMES if one in self._databases or (begun and (begun / f"{one}.db").exists()))

    @property
    def awake(self) -> tuple[str, ...]:
        """The services in which anything can have happened, in their usual order."""
        return NAMES if self._keep else self.touched

    def service(self, name: str) -> Service:
        found = self._services.get(name)
        if found is None:
            found = self._services[name] = service_class(name)(self)
        return found

    @property
    def services(self) -> dict[str, Service]:
        """Those that somebody has asked for."""
        return dict(self._services)

    def database(self, name: str) -> Database:
        found = self._databases.get(name)
        if found is None:
            found = self._databases[name] = self._open(name)
            if name in self._unset:
                self._unset.discard(name)
                self._apply_secrets(name)
        return found

    def _apply_secrets(self, name: str) -> None:
        """By nobody who visits: it is no change of theirs."""
        token = current.set(None)
        try:
            self.service(name).set_secrets(self._secrets[name])
        finally:
            current.reset(token)

    def _open(self, name: str) -> Database:
        image = self._beginning(name)
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

    def _beginning(self, name: str) -> Path:
        """The image that a service's database is made from."""
        if self._begun is not None and (begun := self._begun / f"{name}.db").exists():
            return begun
        return self.snapshot.path / f"{name}.db"

    @property
    def watched(self) -> bool:
        """Whether somebody who works here has something open that shows what is new as it comes."""
        return any(service.watched for service in self._services.values())

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
        if role != "runner":  # how often it asks depends on how fast jobs are, and must not show in the company's time
            self.clock.tick(STEP if role in _WORKING else SHORT_STEP)
        return Visit(service, role, self.phase, method, path, query)

    def record(self, visit: Visit) -> None:
        """Write down what the visit has done so far; nothing new, nothing written."""
        if visit.pending or not visit.recorded:
            changed = bool(visit.pending)
            self.journal.record(visit, self.clock.stamp())
            if changed and visit.role == "examinee" and self.after_change is not None:
                self._look = self.after_change()

    async def looked_at(self) -> None:
        """Return when nobody looks at what was changed last."""
        task = asyncio.current_task()
        if self._look is None or self._look.done() or task is None:
            return
        self.held.add(task)
        try:
            await asyncio.wait({self._look})
        finally:
            self.held.discard(task)

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

    # -- time ----------------------------------------------------------------------------------------------------

    def begin_time(self) -> None:
        """From now on what the world's timeline says happens; on the loop that serves the company."""
        from dayjob.company.timeline import read_compiled

        if self.timeline is None and (entries := read_compiled(self.snapshot.path)):
            from dayjob.company.timeline.running import Timeline

            self.timeline = Timeline(self, entries)
        for name in self.snapshot.plans:
            self.service(name).plan()
        self.agenda.begin()

    def pause(self, still: bool) -> None:
        """Let time stand still, or go on."""
        self.clock.pause(still)
        self.agenda.arm()

    def skip_to(self, moment: datetime) -> None:
        """Take the clock forward to a moment. What is due on the way is `waiting`'s to carry out."""
        before = self.clock.now()
        if self.clock.skip_to(moment):
            for told in tuple(self.on_skip):
                told(before, self.clock.now())
            self.agenda.arm()

    async def settle(self, *, jobs: bool = True) -> bool:
        """Let what is busy in real time come to rest, CI jobs too unless told; False when it does not in time."""
        try:
            async with asyncio.timeout(BUSY_SECONDS):
                for rest in tuple(self.busy):
                    await rest()
                if jobs and self.jobs_over is not None:
                    await self.jobs_over()
        except TimeoutError:
            return False
        return True

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
            if self._begun is not None:
                (self._begun / f"{name}.db").unlink(missing_ok=True)
            if self._keep:
                for suffix in (".db", ".db-wal", ".db-shm"):
                    (self.folder / f"{name}{suffix}").unlink(missing_ok=True)
            if (home := self._folder or self._temporary) is not None:
                shutil.rmtree(home / "own" / name, ignore_errors=True)
            if name in self._services:
                self._services[name].on_reset()
            if name in self._secrets:
                self._unset.add(name)
        if self.timeline is not None:
            # Whatever is over by the clock happens again at once: the service is at its start, the company is not.
            self.timeline.load()
        self._count_stored()

    def _count_stored(self) -> None:
        if self.quota.limit is not None and (home := self._folder or self._temporary) is not None:
            self.quota.recount(home / "blobs", home / "own")

    def rewind(self, name: str) -> None:
        """Put a service's rows back to what this company began with; whoever is connected to it stays so."""
        if (db := self._databases.pop(name, None)) is not None:
            db.close()
        if name in self._services:
            self._services[name].on_rewind()

    @property
    def secrets(self) -> tuple[dict[str, Mapping[str, Any]], list[str]]:
        """The accounts whose secrets were exchanged, by service, and the services that have yet to hear of theirs."""
        return dict(self._secrets), sorted(self._unset)

    def recall_secrets(self, accounts: Mapping[str, Mapping[str, Any]], unset: Iterable[str]) -> None:
        """Know them as the company that this one goes on from did: where they are set already, they are."""
        self._secrets, self._unset = dict(accounts), set(unset)

    def set_secrets(self, name: str, account: Mapping[str, Any]) -> None:
        """Give a service's own account other secrets than the world's files say; a reset does not bring those back.

        One that nobody has touched yet stays so: it has them before it does anything.
        """
        self._secrets[name] = account
        if name in self._databases:
            self._apply_secrets(name)
        else:
            self._unset.add(name)

    def own_folder(self, name: str) -> Path:
        """The folder a service may write to (the forge's repositories); a reset removes it."""
        path = self.folder / "own" / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def image(self, name: str) -> bytes:
        """A service's whole database as bytes: for evidence, comparison and download."""
        return self.database(name).serialize()

    def close(self) -> None:
        self.agenda.end()
        self.watching.end()
        for db in self._databases.values():
            db.close()
        self._databases.clear()
        self.journal.close()
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)
            self._temporary = None
