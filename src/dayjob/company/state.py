"""A company that people keep: its databases, files, journal and clock live in a folder and go on where they stopped."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from dayjob import owned
from dayjob.company.clock import Clock
from dayjob.company.company import Company
from dayjob.company.world.model import WorldInfo
from dayjob.company.world.snapshot import Snapshot
from dayjob.service_names import NAMES

FORMAT = 1
_JOURNAL_LIMIT = 256 * 1024 * 1024
"""People stay for longer than a trial."""


class StateError(Exception):
    """A folder that cannot hold this company's state; the sentence says why and what to do."""


class KeptCompany(Company):
    """A company whose folder is locked while it is open, so that no second process writes to it."""

    lock: int = -1

    def begin_time(self) -> None:
        super().begin_time()
        for name in NAMES:
            if (self.folder / f"{name}.db").exists():
                self.service(name).plan()

    def close(self) -> None:
        super().close()
        if self.lock >= 0:
            os.close(self.lock)
            self.lock = -1


def open_kept(snapshot: Snapshot, folder: Path) -> KeptCompany:
    """The company kept in `folder`: a new one from `snapshot` if there is none yet."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StateError(f"'{folder}' cannot hold a company: {error.strerror}. Choose another with --state.") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        facts = _facts(snapshot, folder)
        began = datetime.fromtimestamp(facts["began"], UTC)
        elapsed = max(timedelta(0), datetime.now(UTC) - began) + timedelta(seconds=facts.get("skipped", 0))
        owned.private(folder)  # once it is known to be ours
        found = _snapshot(snapshot, facts["snapshot"], folder)
        company = KeptCompany(
            found,
            seed=secrets.token_hex(8),
            folder=folder,
            keep=True,
            journal=folder / "journal.jsonl",
            journal_limit=_JOURNAL_LIMIT,
            clock=Clock((found.info.now or began) + elapsed),
        )
    except BlockingIOError as error:
        os.close(lock)
        raise StateError(f"Another process is serving the company in '{folder}'. Stop it first.") from error
    except BaseException:
        os.close(lock)
        raise
    company.lock = lock
    company.on_skip.append(lambda before, now: _keep_skipped(folder, now - before))
    return company


def _keep_skipped(folder: Path, skipped: timedelta) -> None:
    """Time that was let pass stays passed, also for the next process."""
    facts = json.loads((folder / "state.json").read_text("utf-8"))
    facts["skipped"] = facts.get("skipped", 0) + skipped.total_seconds()
    _write(folder, facts)


def _write(folder: Path, facts: dict[str, Any]) -> None:
    part = folder / "state.json.part"
    part.write_text(json.dumps(facts))
    part.replace(folder / "state.json")


def _facts(snapshot: Snapshot, folder: Path) -> dict[str, Any]:
    file = folder / "state.json"
    if not file.exists():
        strangers = [one.name for one in folder.iterdir() if one.name != "lock"]
        if strangers:
            raise StateError(f"'{folder}' holds something else ({strangers[0]}). Name an empty folder with --state.")
        _write(folder, {"format": FORMAT, "snapshot": snapshot.key, "began": time.time()})
    try:
        facts = json.loads(file.read_text("utf-8"))
        form, _, _ = facts["format"], facts["snapshot"] + "", facts["began"] + facts.get("skipped", 0)
    except (ValueError, KeyError, TypeError) as error:
        raise StateError(f"'{file}' is damaged. Name another folder with --state.") from error
    if form != FORMAT:
        raise StateError(f"'{file}' has format {form}; this dayjob reads format {FORMAT}. Update dayjob.")
    assert isinstance(facts, dict)
    return facts


def _snapshot(given: Snapshot, key: str, folder: Path) -> Snapshot:
    """The snapshot the state began from, which is an older one when the world's files have changed since."""
    if given.key == key:
        return given
    path = given.path.parent / key
    if not (path / "world.json").is_file():
        raise StateError(
            f"The company in '{folder}' began from another version of the world, which is no longer in the cache. "
            "Name another folder with --state."
        )
    return Snapshot(path, key, WorldInfo.from_json((path / "world.json").read_text("utf-8")))
