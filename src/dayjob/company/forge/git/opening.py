"""The first part of a push, before its pack: which refs it would move; and git's words for turning it down."""

from __future__ import annotations

import re
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

COMMANDS_LIMIT = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Denied(Exception):
    """No, with a status and a sentence git shows to its user."""

    status: int
    reason: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A ref that goes from one commit to another; forty zeros stand for nothing."""

    ref: str
    old: str
    new: str

    @property
    def name(self) -> str:
        return self.ref.split("/", 2)[2]


class Opening:
    """The first part of a push: its commands, capabilities and push options, read from the stream and kept for git."""

    def __init__(self) -> None:
        self.raw = b""
        self.commands: list[Moved] = []
        self.capabilities: set[str] = set()
        self.options: list[str] = []

    async def read(self, chunks: AsyncIterator[bytes]) -> None:
        at, sections = 0, 1
        while sections:
            length = await self._need(chunks, at + 4) and self.raw[at : at + 4]
            if not length:
                return
            try:
                size = int(length, 16)
            except ValueError:
                raise Denied(400, "This is not a push: its first line has no length.") from None
            if size < 4:
                at += 4
                sections -= 1
                if self.commands and not sections and "push-options" in self.capabilities and not self.options:
                    self.capabilities.discard("push-options")
                    sections = 1
                continue
            if not await self._need(chunks, at + size):
                return
            self._line(self.raw[at + 4 : at + size].rstrip(b"\n"))
            at += size

    def _line(self, line: bytes) -> None:
        text, _, capabilities = line.partition(b"\0")
        if capabilities:
            self.capabilities = set(capabilities.decode("utf-8", "replace").split())
        parts = text.decode("utf-8", "surrogateescape").split(" ", 2)
        if len(parts) == 3 and all(re.fullmatch(r"[0-9a-f]{40}", one) for one in parts[:2]):
            self.commands.append(Moved(parts[2], parts[0], parts[1]))
        elif self.commands:
            self.options.append(text.decode("utf-8", "replace"))

    async def _need(self, chunks: AsyncIterator[bytes], size: int) -> bool:
        while len(self.raw) < size:
            if size > COMMANDS_LIMIT:
                raise Denied(413, "The push names too many refs at once.")
            try:
                self.raw += await anext(chunks)
            except StopAsyncIteration:
                return False
        return True


async def inflated(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    inflate = zlib.decompressobj(31)
    async for chunk in chunks:
        yield inflate.decompress(chunk)
    yield inflate.flush()


def declined(opening: Opening, reason: str) -> bytes:
    """git's report that the push was turned down, with the reason on the side band."""
    report = packet(b"unpack ok\n")
    for command in opening.commands:
        ref = command.ref.encode("utf-8", "surrogateescape")
        report += packet(b"ng " + ref + b" pre-receive hook declined\n")
    report += b"0000"
    if "side-band-64k" not in opening.capabilities:
        return report
    parts = [report[at : at + 60000] for at in range(0, len(report), 60000)]
    return (
        packet(b"\x02" + reason.encode("utf-8", "replace")[:900] + b"\n")
        + b"".join(packet(b"\x01" + part) for part in parts)
        + b"0000"
    )


def packet(data: bytes) -> bytes:
    return f"{len(data) + 4:04x}".encode() + data
