"""What a program printed, as much of it as is worth keeping: its beginning and its end, and how much was between."""

from __future__ import annotations

from collections.abc import Iterable

LIMIT = 512 * 1024


class Transcript:
    """Bytes in the order they came, at most `limit` of them kept; `secrets` are never shown."""

    def __init__(self, limit: int = LIMIT, secrets: Iterable[str] = ()) -> None:
        self._half = limit // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._secrets = tuple(one for one in secrets if one)
        self.dropped = 0

    def add(self, data: bytes) -> None:
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        # Cut only now and then: cutting at every piece would copy the tail each time.
        if len(self._tail) > 2 * self._half:
            self._cut()

    def _cut(self) -> None:
        over = len(self._tail) - self._half
        if over > 0:
            del self._tail[:over]
            self.dropped += over

    def text(self) -> str:
        self._cut()
        gap = f"\n[{self.dropped} bytes left out]\n".encode() if self.dropped else b""
        found = (bytes(self._head) + gap + bytes(self._tail)).decode("utf-8", "replace")
        for secret in self._secrets:
            found = found.replace(secret, "[secret]")
        return found
