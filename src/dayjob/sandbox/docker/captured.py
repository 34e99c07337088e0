"""What a command in a container prints: told as it comes, kept up to a limit, its beginning and its end."""

from __future__ import annotations

import asyncio

from dayjob.sandbox.sandbox import OnOutput, Stream

_PAUSE = 0.02  # seconds between two looks at a stream that is read slowly


class Kept:
    """Both streams of one command."""

    def __init__(self, keep: int, on_output: OnOutput | None, slow_after: int | None = None) -> None:
        self.half = keep // 2
        self.slow_after = slow_after
        self.on_output = on_output
        self.dropped = 0
        self._parts: dict[Stream, tuple[bytearray, bytearray]] = {
            "stdout": (bytearray(), bytearray()),
            "stderr": (bytearray(), bytearray()),
        }

    async def read(self, stream: Stream, source: asyncio.StreamReader | None) -> None:
        assert source is not None
        read = 0
        while data := await source.read(65536):
            self.add(stream, data)
            read += len(data)
            if self.slow_after is not None and read > self.slow_after:
                await asyncio.sleep(_PAUSE)

    def add(self, stream: Stream, data: bytes) -> None:
        if self.on_output is not None:
            self.on_output(stream, data)
        head, tail = self._parts[stream]
        room = max(0, self.half - len(head))
        head += data[:room]
        tail += data[room:]
        if len(tail) > 2 * self.half:
            self._cut(tail)

    def _cut(self, tail: bytearray) -> None:
        beyond = len(tail) - self.half
        self.dropped += beyond
        del tail[:beyond]

    def bytes(self, stream: Stream) -> bytes:
        head, tail = self._parts[stream]
        if len(tail) > self.half:
            self._cut(tail)
        return bytes(head + tail)
