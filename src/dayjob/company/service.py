"""What chat, forge, board and drive have in common: tables, a section of the world, an ASGI app and words for changes.

A service's class knows how to read and compile its part of a world; an instance serves one company from one
database of its own. Each folder has the same rooms, which `docs/architecture.md` lists.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from dayjob.company import happened
from dayjob.company.changes import Difference, Tracked
from dayjob.company.journal import current

if TYPE_CHECKING:
    from dayjob.company.company import Company
    from dayjob.company.database import Database
    from dayjob.company.world import Build, World


class Service(ABC):
    """One of the four services of one company."""

    name: ClassVar[str]
    """Our word for it: chat, forge, board or drive."""

    def __init__(self, company: Company) -> None:
        self.company = company

    # -- compiling a world ---------------------------------------------------------------------------------------

    @classmethod
    def schema(cls) -> tuple[str, Sequence[Tracked]]:
        """The SQL that makes its tables, and those whose changes a grader can ask for."""
        room = cls._room("schema")
        return room.SCHEMA, room.TRACKED

    @classmethod
    def load(cls, world: World) -> Any:
        """Read this service's files of a world into its own model, reporting what is wrong to `world.problems`."""
        return cls._room("world").load(world)

    @classmethod
    def compile(cls, section: Any, build: Build) -> None:
        """Write that model to the snapshot: rows to `build.db`, files to `build.blobs`, repositories to `build.git`."""
        cls._room("world").compile(section, build)

    @classmethod
    def has_plans(cls, section: Any) -> bool:
        """Whether something of that model waits for a moment of the company's time."""
        return False

    @classmethod
    def _room(cls, room: str) -> Any:
        """A module of the service that only a world's compiler needs; it is imported then and not before."""
        return importlib.import_module(f"dayjob.company.{cls.name}.{room}")

    # -- serving a company ---------------------------------------------------------------------------------------

    @abstractmethod
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI app. Exceptions that reach the door become `failure(500)`; `BodyTooLarge` becomes `failure(413)`."""

    @abstractmethod
    def failure(self, status: int, message: str) -> Response:
        """An error in this service's own shape, for what goes wrong before or outside a handler."""

    @abstractmethod
    def describe(self, difference: Difference) -> str:
        """One sentence for a person: who did what to what."""

    def set_secrets(self, account: Mapping[str, Any]) -> None:
        """Give the world's own account (`[accounts.NAME]`) these secrets in place of its own, and end its sessions."""
        raise NotImplementedError(f"the account of {self.name} cannot be given other secrets")

    def plan(self) -> None:  # noqa: B027 - most services have nothing that waits for a moment
        """Time begins: what the database has waiting for its moment goes on the company's agenda."""

    def on_reset(self) -> None:  # noqa: B027 - most services remember nothing outside their database
        """Called after the database was put back: drop whatever is remembered outside it."""

    def on_rewind(self) -> None:  # noqa: B027 - most services remember nothing of their rows
        """Called after the rows were put back with everybody still connected: drop whatever is remembered of them."""

    def memory(self) -> dict[str, Any]:
        """What it knows outside its database that a copy of the company must know too, as JSON takes it."""
        return {}

    def recall(self, memory: Mapping[str, Any]) -> None:  # noqa: B027 - most services have nothing to recall
        """Know what `memory` of the same service in another company said."""

    def is_look(self, scope: Scope) -> bool:
        """Whether a request looks for what colleagues have said."""
        return False

    @property
    def watched(self) -> bool:
        """Whether somebody who works in the company has a page or a client open that shows what is new as it comes."""
        return False

    # -- storage -------------------------------------------------------------------------------------------------

    @property
    def db(self) -> Database:
        """This company's own database for this service; made at first use, replaced by a reset."""
        return self.company.database(self.name)

    @contextmanager
    def transaction(self) -> Iterator[Database]:
        """All or nothing, for the rows and for the journal. May be nested."""
        db = self.db
        visit = current.get()
        mark = len(visit.pending) if visit is not None else 0
        nested = db.in_transaction
        db.execute("SAVEPOINT step" if nested else "BEGIN IMMEDIATE")
        marked = visit.mark if visit is not None and visit.service == self.name else None
        try:
            if marked is not None and visit is not None:
                happened.mark(db, marked)
                visit.mark = None
            yield db
        except BaseException:
            db.execute("ROLLBACK TO step" if nested else "ROLLBACK")
            if nested:
                db.execute("RELEASE step")
            if visit is not None:
                del visit.pending[mark:]
                visit.mark = visit.mark or marked
            raise
        db.execute("RELEASE step" if nested else "COMMIT")
