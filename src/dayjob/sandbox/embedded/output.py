"""What a command prints: read as it comes, kept up to a limit from both ends, and drained for as long as it is open.

Something left in the background may hold a command's output open for the rest of the trial; it is read and dropped, so
that a server does not die of a full or broken pipe.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque

from dayjob.sandbox.sandbox import OnOutput, Stream

_CHUNK = 65536
_PAUSE = 0.02  # seconds between two looks at a stream that is read slowly


class Output:
    """One stream of one command. Pass `writer` on, then `begin`; after the command's end, `settle`."""

    def __init__(self, stream: Stream, keep: int, on_output: OnOutput | None, slow_after: int | None = None) -> None:
        self.stream = stream
        self.on_output = on_output
        self._quick = slow_after
        """How much is still read as fast as it comes; None is all of it."""
        self.dropped = 0
        self._reader, self.writer = os.pipe()
        os.set_blocking(self._reader, False)
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._half = keep // 2
        self._settled = False

    def begin(self) -> None:
        """The writing end has been handed over: close ours and listen."""
        os.close(self.writer)
        asyncio.get_running_loop().add_reader(self._reader, self._hear)

    @property
    def is_open(self) -> bool:
        return self._reader >= 0

    def settle(self) -> None:
        """Take what has been written so far; anything later is dropped."""
        while self.is_open and self._hear():
            pass
        self._settled = True

    def close(self) -> None:
        if self.is_open:
            asyncio.get_running_loop().remove_reader(self._reader)
            os.close(self._reader)
            self._reader = -1

    def kept(self) -> bytes:
        return bytes(self._head) + b"".join(self._tail)

    def _hear(self) -> bool:
        try:
            data = os.read(self._reader, _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self.close()
            return False
        if self._quick is not None:
            self._quick -= len(data)
            if self._quick < 0 and not self._settled:
                self._rest()
        if not self._settled:
            self._keep(data)
            if self.on_output is not None:
                self.on_output(self.stream, data)
        return True

    def _rest(self) -> None:
        """Look away for a moment: a full pipe makes whoever writes to it wait."""
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._reader)
        loop.call_later(_PAUSE, self._look_again)

    def _look_again(self) -> None:
        if self.is_open:
            asyncio.get_running_loop().add_reader(self._reader, self._hear)

    def _keep(self, data: bytes) -> None:
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail.append(data)
            self._tail_size += len(data)
            while self._tail and self._tail_size - len(self._tail[0]) >= self._half:
                gone = self._tail.popleft()
                self._tail_size -= len(gone)
                self.dropped += len(gone)
