"""Ends what tests leave behind: the process that ran them becomes the parent of every orphan below it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path

_PARENT_DEATH_SIGNAL, _CHILD_SUBREAPER = 1, 36


def become_reaper() -> None:
    """Inherit orphans, and leave by `SystemExit` when told to end or when the process that started this one dies."""
    libc = ctypes.CDLL(None)
    libc.prctl(_CHILD_SUBREAPER, 1, 0, 0, 0)
    libc.prctl(_PARENT_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
    signal.signal(signal.SIGTERM, _leave)


def _leave(*_: object) -> None:
    """Told twice, by whoever stops the run and by its death, it still ends its children in peace."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(143)


def end_descendants() -> None:
    """End every process below this one: its children, then those who become so by that, until none is left."""
    while True:
        for pid in _children():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended since
            if int(stat.read_text("latin-1").rpartition(")")[2].split()[1]) == os.getpid():
                found.append(int(stat.parent.name))
    return found
