"""A range of uids for each room, so that no counter the kernel keeps per user is shared between two rooms.

Layers and frozen files on the disk belong to one storage range; a room sees them as its own through idmapped mounts.
A range is held by a lock on a small file, shared with the room itself: the kernel lets go of it when both have ended.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dayjob.sandbox.embedded.client import Warden
from dayjob.sandbox.embedded.identity import FIRST_UID, RANGE, Identity
from dayjob.sandbox.sandbox import SandboxError

LOCKS = Path("/run/dayjob/uids")
# The storage range is number 0. Every id stays below 2^31, which some file systems and programs take for the end.
MOST_RANGES = (2**31 - FIRST_UID) // RANGE - 1

SHARED_COUNTERS = "descriptors in flight, pipe buffers, inotify instances, locked memory, pending signals"


@dataclass(frozen=True, slots=True)
class UidRange:
    """The uids of one room, its lock, and the user namespace that maps the storage range to it."""

    first: int
    lock: int
    mapping: int

    @property
    def descriptors(self) -> list[int]:
        return [self.mapping, self.lock]


class UidRanges:
    """The ranges this process holds. One that a room gave back is used again by the next."""

    def __init__(self, warden: Warden, storage: Identity) -> None:
        self.warden = warden
        self.storage = storage
        self.locks = LOCKS
        self._free: list[UidRange] = []
        self._held: list[UidRange] = []
        self._next = 1

    async def obstacle(self, folders: Sequence[Path]) -> str | None:
        """Why rooms cannot have ranges of their own with files in these folders, or None."""
        try:
            _private(self.locks)
            one = await self.take()
        except (OSError, SandboxError) as error:
            return f"no range of uids could be had: {error}"
        try:
            for folder in folders:
                await self.warden.ask("try_mapping", [one.mapping], folder=str(folder))
        except SandboxError as error:
            return f"files in {folder} cannot be shown with other owners (idmapped mounts, Linux 5.19): {error}"
        finally:
            self.give_back(one)
        return None

    async def take(self) -> UidRange:
        if self._free:
            return self._free.pop()
        number, lock = self._lock()
        try:
            first = FIRST_UID + number * RANGE
            _, (mapping,) = await self.warden.ask(
                "mapping", inside=self.storage.first, outside=first, count=self.storage.count
            )
        except BaseException:
            os.close(lock)
            raise
        found = UidRange(first, lock, mapping)
        self._held.append(found)
        return found

    def give_back(self, one: UidRange) -> None:
        """Only once every process of its room has ended."""
        if one in self._held:
            self._free.append(one)

    def close(self) -> None:
        for one in self._held:
            for fd in one.descriptors:
                os.close(fd)
        self._held.clear()
        self._free.clear()

    def _lock(self) -> tuple[int, int]:
        for tried in range(MOST_RANGES):
            number = (self._next + tried - 1) % MOST_RANGES + 1
            lock = os.open(self.locks / str(number), os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._next = number + 1
                return number, lock
            os.close(lock)
        raise SandboxError(f"all {MOST_RANGES} ranges of uids are in use; see who holds the files in {self.locks}")


def _private(folder: Path) -> None:
    """Have the folder, ours alone."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for place in (folder, folder.parent):
        facts = place.lstat()
        if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid():
            raise OSError(f"{place} is not a folder of this user")
        place.chmod(0o700)
