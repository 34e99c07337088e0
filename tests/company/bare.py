"""A company with empty databases and no sockets: its stores, asked directly. The clock stands until a test moves it."""

from __future__ import annotations

import functools
import sqlite3
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from dayjob.company import changes
from dayjob.company.clock import Clock
from dayjob.company.company import Company
from dayjob.company.services import service_class
from dayjob.company.world import Snapshot
from dayjob.company.world.model import WorldInfo
from dayjob.service_names import NAMES

NOW = datetime(2026, 3, 9, 9, 0, tzinfo=UTC)


def day(number: int) -> str:
    """The date that many days from the company's first one."""
    return (NOW + timedelta(days=number)).date().isoformat()


class StillClock(Clock):
    """Stands at nine o'clock until it is moved."""

    def __init__(self) -> None:
        super().__init__(NOW, 0.0)
        self.passed = 0.0

    def _elapsed(self) -> float:
        return self.passed

    def forward(self, **span: float) -> None:
        self.passed += timedelta(**span).total_seconds()


class Bare(Company):
    """One such company, with one service; `clock` can be moved."""

    clock: StillClock

    def __init__(self, name: str) -> None:
        super().__init__(_snapshot(name), clock=StillClock())


@functools.cache
def _snapshot(name: str) -> Snapshot:
    folder = Path(_folder().name)
    service = service_class(name)
    db = sqlite3.connect(folder / f"{name}.db")
    schema, tracked = service.schema()
    db.executescript(schema)
    changes.install(db, tracked)
    db.close()
    info = WorldInfo("Bare", "bare", "bare.test", NOW, dict.fromkeys(NAMES, 80), {}, ())
    return Snapshot(folder, "bare", info)


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Removed when the process ends."""
    return tempfile.TemporaryDirectory(prefix="dayjob-bare-")
