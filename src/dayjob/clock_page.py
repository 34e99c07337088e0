"""The company's time, for programs in rooms: a page of 56 bytes that the company writes and rooms can only read.

What a room's preloaded library adds to the host's time stands here (`docs/clock.md`). The page is a small file: its
descriptor goes to whoever keeps the clock, the file itself is shown, read-only, at `WHERE` in every room of the trial.
Numbers are little-endian: a count (odd while it is being written), `stands` (0 or 1), then nanoseconds: what to add to
the host's real time, the company's time where it stands still, and the host's and the company's when the page was first
written. Last the port that leads out of the rooms, or 0, from whoever made the file.
"""

from __future__ import annotations

import mmap
import os
import struct
import time
from pathlib import Path

WHERE = "/run/company-clock"
SIZE = 56

_COUNT = struct.Struct("<Q")
_REST = struct.Struct("<Qqq")  # stands, what to add, the time where it stands
_BEGAN = struct.Struct("<qq")  # the host's time and the company's, when it was first written
_WAY_OUT = struct.Struct("<Q")


def make(path: Path, way_out: int = 0) -> None:
    """Make the file, with no time on it yet. `way_out`: the port whose users go out, if there is one."""
    path.write_bytes(bytes(SIZE - _WAY_OUT.size) + _WAY_OUT.pack(way_out))
    path.chmod(0o644)


class ClockPage:
    """The writer's side, over an open descriptor of a file of `SIZE` bytes."""

    def __init__(self, descriptor: int) -> None:
        os.ftruncate(descriptor, SIZE)
        self._page = mmap.mmap(descriptor, SIZE)

    def write(self, now: int, stands: bool) -> None:
        """Say that the company's time is `now` (nanoseconds since 1970), and whether it stands still there."""
        (count,) = _COUNT.unpack_from(self._page, 0)
        host = time.time_ns()
        _COUNT.pack_into(self._page, 0, count | 1)
        _REST.pack_into(self._page, _COUNT.size, int(stands), now - host, now)
        if not count:
            _BEGAN.pack_into(self._page, _COUNT.size + _REST.size, host, now)
        _COUNT.pack_into(self._page, 0, (count | 1) + 1)


def read(page: bytes, real: int) -> int:
    """The company's time by such a page, in nanoseconds, when the host's real time is `real`."""
    told: tuple[int, int, int] = _REST.unpack_from(page, _COUNT.size)
    stands, offset, still = told
    return still if stands else real + offset
