"""How much one company may store: files of all four services and the forge's repositories, against one limit.

What is counted is what lies on the disk: the same content sent twice counts once, and a file that is deleted from a
drive but still held as a blob goes on counting. Writers count before they write, so nothing is stored first and refused
later; a git process, which nobody can stop half-way, is counted as its pack arrives and measured when it has ended.
"""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path


class OutOfSpace(OSError):
    """There is no room for it; nothing was stored."""

    def __init__(self, more: int) -> None:
        super().__init__(errno.EDQUOT, f"There is no room for {more} more bytes in this company.")


class Quota:
    """Bytes in use and the most there may be; `limit` None is no limit. Safe to use from threads."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self.used = 0
        self._lock = threading.Lock()

    @property
    def left(self) -> int | None:
        """Bytes that may still be stored; None when there is no limit."""
        return None if self.limit is None else max(0, self.limit - self.used)

    def room(self, otherwise: int) -> int:
        """The smaller of what is left and another bound."""
        left = self.left
        return otherwise if left is None else min(left, otherwise)

    def take(self, size: int) -> None:
        """Count bytes that are about to be written, or `OutOfSpace`."""
        with self._lock:
            if self.limit is not None and self.used + size > self.limit:
                raise OutOfSpace(size)
            self.used += size

    def correct(self, more: int) -> None:
        """Count what is there already (or, below zero, no longer there), whether or not it fits."""
        with self._lock:
            self.used = max(0, self.used + more)

    def recount(self, *folders: Path) -> None:
        """Begin again from what lies in these folders."""
        found = sum(folder_size(folder) for folder in folders)
        with self._lock:
            self.used = found


def folder_size(folder: Path) -> int:
    """The bytes of all files below a folder; nothing when there is none."""
    size = 0
    waiting = [os.fspath(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        size += entry.stat(follow_symlinks=False).st_size
        except FileNotFoundError:
            continue  # a git process at work renames and removes files of its own
    return size
