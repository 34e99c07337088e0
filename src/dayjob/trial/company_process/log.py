"""What a company's code logs, carried to the driver for the trial's evidence, as much of it as there is room for.

What a server logs is caused by whoever sends it requests, so there is a limit on both sides: the company stops telling,
and the driver stops keeping.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging

from dayjob.trial.company_process.channel import Channel, ChannelClosed

MOST_LOGGED = 256 * 1024
_LONGEST = 16 * 1024
_FULL = "[there is no room for more]\n"


class ToDriver(logging.Handler):
    """Tells the driver of every warning and error, from whichever thread it comes."""

    def __init__(self, channel: Channel) -> None:
        super().__init__(logging.WARNING)
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        self._channel = channel
        self._loop = asyncio.get_running_loop()
        self._left = MOST_LOGGED
        self._telling: set[asyncio.Task[None]] = set()

    def emit(self, record: logging.LogRecord) -> None:
        if self._left <= 0:
            return
        text = self.format(record)
        text = (text if len(text) <= _LONGEST else f"{text[:_LONGEST]} […]") + "\n"
        self._left -= len(text)
        with contextlib.suppress(RuntimeError):  # the loop has ended, and with it the company
            self._loop.call_soon_threadsafe(self._tell, text)

    def _tell(self, text: str) -> None:
        telling = asyncio.create_task(self._say(text))
        self._telling.add(telling)
        telling.add_done_callback(self._telling.discard)

    async def _say(self, text: str) -> None:
        with contextlib.suppress(ChannelClosed):
            await self._channel.tell("log", text=text)


class Kept:
    """The driver's side: what a company has said so far."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._left = MOST_LOGGED

    def add(self, text: str) -> None:
        if self._left <= 0:
            return
        self.parts.append(text[: self._left])
        self._left -= len(text)
        if self._left <= 0:
            self.parts.append(f"\n{_FULL}")
