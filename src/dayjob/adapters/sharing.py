"""One workshop for all environments of a process, where a library makes and ends them one by one."""

from __future__ import annotations

import threading
from pathlib import Path

from dayjob.env import SyncWorkshop

_lock = threading.Lock()
_open: dict[Path | None, tuple[SyncWorkshop, int]] = {}


def take(cache: Path | None) -> SyncWorkshop:
    """The workshop on this cache; to be given back."""
    with _lock:
        workshop, users = _open.get(cache) or (SyncWorkshop(cache), 0)
        _open[cache] = workshop, users + 1
        return workshop


def give_back(cache: Path | None) -> None:
    """When its environment is closed; with the last one it is closed, too."""
    with _lock:
        workshop, users = _open[cache]
        if users > 1:
            _open[cache] = workshop, users - 1
            return
        del _open[cache]
    workshop.close()
