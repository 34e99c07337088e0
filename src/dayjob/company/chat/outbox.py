"""What waits to be sent over a websocket. Whoever has something to say never waits for the one who reads."""

from __future__ import annotations

import asyncio
from collections import deque

from starlette.types import Send


class Outbox:
    """Texts in order. A client that reads nothing is let go before it holds more than `limit` of them."""

    def __init__(self, send: Send, limit: int) -> None:
        self._send = send
        self._limit = limit
        self._texts: deque[str] = deque()
        self._waiting = asyncio.Event()
        self._closed = False

    def put(self, text: str) -> None:
        if len(self._texts) >= self._limit:
            self.close()
        if not self._closed:
            self._texts.append(text)
            self._waiting.set()

    def close(self) -> None:
        """Say goodbye once what waits has been sent."""
        self._closed = True
        self._waiting.set()

    async def write(self) -> None:
        """Send what comes until it is closed."""
        while True:
            await self._waiting.wait()
            self._waiting.clear()
            while self._texts:
                await self._send({"type": "websocket.send", "text": self._texts.popleft()})
            if self._closed:
                await self._send({"type": "websocket.close", "code": 1000})
                return
