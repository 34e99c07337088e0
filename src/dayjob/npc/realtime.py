"""Chat's realtime wire (DDP over a websocket) from the client's side: sign in, call methods, hear messages at once.

Works against Rocket.Chat itself as well as against our chat: it uses only what any member's client uses.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from itertools import count
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

Hear = Callable[[dict[str, Any], dict[str, Any]], None]
"""Called for every message in the member's rooms: the message, and what is said about its room."""


class RealtimeError(Exception):
    """The connection is gone, or chat refused what was asked."""

    def __init__(self, sentence: str, code: str = "") -> None:
        super().__init__(sentence)
        self.code = code


class Realtime:
    """One member's connection. `open` signs in; `closed` is set when it ended, however it ended."""

    def __init__(self, socket: ClientConnection, hear: Hear) -> None:
        self._socket = socket
        self._hear = hear
        self._numbers = count(1)
        self._waiting: dict[str, asyncio.Future[Any]] = {}
        self.closed = asyncio.Event()
        self.user_id = ""
        self._reader = asyncio.create_task(self._read(), name="realtime")

    @classmethod
    async def open(cls, url: str, login: dict[str, Any], hear: Hear, *, seconds: float = 20) -> Realtime:
        """Connect to chat at `url` (http or https), sign in, and hear everything said in the member's rooms."""
        place = urlsplit(url)
        scheme = "wss" if place.scheme == "https" else "ws"
        try:
            async with asyncio.timeout(seconds):
                socket = await connect(
                    f"{scheme}://{place.netloc}/websocket",
                    compression=None,
                    ping_interval=None,
                    max_size=None,
                    proxy=None,
                )
                found = cls(socket, hear)
                try:
                    await found._arrive(login)
                except BaseException:
                    await found.close()
                    raise
                return found
        except TimeoutError as error:
            raise RealtimeError(f"Chat at {url} did not answer within {seconds:g} s.") from error
        except (OSError, WebSocketException) as error:
            raise RealtimeError(f"Chat at {url} cannot be reached: {str(error) or type(error).__name__}.") from error

    async def _arrive(self, login: dict[str, Any]) -> None:
        # All at once: the server takes them in order, and nobody waits for three round trips.
        await self._send({"msg": "connect", "version": "1", "support": ["1"]})
        answer = asyncio.ensure_future(self.call("login", login))
        heard = self._promise("sub-mine")
        try:
            self.user_id = str((await answer)["id"])
            parameters = ["__my_messages__", {"useCollection": False, "args": []}]
            await self._send({"msg": "sub", "id": "sub-mine", "name": "stream-room-messages", "params": parameters})
            await heard
        finally:
            answer.cancel()

    async def call(self, method: str, *parameters: Any, seconds: float = 20) -> Any:
        """A method's result. Raises `RealtimeError` when chat refuses or the connection ends first."""
        id = str(next(self._numbers))
        answer = self._promise(id)
        try:
            await self._send({"msg": "method", "method": method, "id": id, "params": list(parameters)})
            async with asyncio.timeout(seconds):
                return await answer
        except TimeoutError as error:
            raise RealtimeError(f"Chat did not answer {method} within {seconds:g} s.") from error
        finally:
            self._waiting.pop(id, None)

    async def ping(self, *, seconds: float = 20) -> None:
        """Return once chat has answered: by then everything it had sent before has arrived."""
        id = f"ping-{next(self._numbers)}"
        answer = self._promise(id)
        try:
            await self._send({"msg": "ping", "id": id})
            async with asyncio.timeout(seconds):
                await answer
        except TimeoutError as error:
            raise RealtimeError(f"Chat did not answer a ping within {seconds:g} s.") from error
        finally:
            self._waiting.pop(id, None)

    async def close(self) -> None:
        await self._socket.close()
        await asyncio.gather(self._reader, return_exceptions=True)

    # -- the wire ------------------------------------------------------------------------------------------------

    def _promise(self, id: str) -> asyncio.Future[Any]:
        if self.closed.is_set():
            raise RealtimeError("The connection to chat is closed.")
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[id] = answer
        return answer

    async def _send(self, message: dict[str, Any]) -> None:
        try:
            await self._socket.send(json.dumps(message))
        except WebSocketException as error:
            raise RealtimeError("The connection to chat was lost.") from error

    async def _read(self) -> None:
        try:
            async for frame in self._socket:
                await self._take(json.loads(frame))
        except (WebSocketException, OSError, ValueError):
            # Whoever waits is told below; a colleague that comes back reads what it missed.
            pass
        finally:
            self.closed.set()
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(RealtimeError("The connection to chat was lost."))
                    answer.exception()  # nobody may be waiting any more

    async def _take(self, message: dict[str, Any]) -> None:
        kind = message.get("msg")
        if kind == "changed":
            fields = message.get("fields") or {}
            arguments = fields.get("args") or []
            if message.get("collection") == "stream-room-messages" and arguments:
                about = arguments[1] if len(arguments) > 1 and isinstance(arguments[1], dict) else {}
                self._hear(arguments[0], about)
        elif kind == "result":
            answer = self._waiting.get(str(message.get("id")))
            if answer is not None and not answer.done():
                if "error" in message:
                    answer.set_exception(_refusal(message["error"]))
                else:
                    answer.set_result(message.get("result"))
        elif kind == "pong":
            if (answer := self._waiting.get(str(message.get("id")))) is not None and not answer.done():
                answer.set_result(None)
        elif kind == "ready":
            for id in message.get("subs") or []:
                if (answer := self._waiting.pop(str(id), None)) is not None and not answer.done():
                    answer.set_result(None)
        elif kind == "nosub":
            if (answer := self._waiting.pop(str(message.get("id")), None)) is not None and not answer.done():
                answer.set_exception(_refusal(message.get("error")))
        elif kind == "ping":
            await self._send({"msg": "pong", **({"id": message["id"]} if "id" in message else {})})
        elif kind == "failed":
            raise ValueError("chat speaks another version of the realtime wire")


def _refusal(error: Any) -> RealtimeError:
    facts = error if isinstance(error, dict) else {}
    sentence = facts.get("reason") or facts.get("message") or "Chat refused."
    return RealtimeError(str(sentence), str(facts.get("error", "")))
