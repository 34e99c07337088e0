"""Messages over a stream socket between two processes, on an event loop: calls, their answers, and descriptors.

A frame is a length, a number of descriptors, and a JSON object. Each side names the operations it takes. What arrives
from the other side is bounded: a frame that is too long, or too many calls at once, closes the channel.
"""

from __future__ import annotations

import array
import asyncio
import contextlib
import json
import os
import socket
import struct
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

_HEAD = struct.Struct("!IB")
_MOST_DESCRIPTORS = 16
_CHUNK = 256 * 1024

Operation = Callable[..., Awaitable[Any]]
"""Called with the call's arguments; descriptors that came with it are `fds`, and its to close."""


class ChannelClosed(Exception):
    """The other side is gone, or has broken the rules of the channel."""


class Refused(Exception):
    """What the other side says no to. `kind` is a word for programs, the message a sentence for people."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind


def _wake(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


def send_frame(sock: socket.socket, message: dict[str, Any], fds: Sequence[int] = ()) -> None:
    """Send one frame from a process without an event loop."""
    data = json.dumps(message).encode()
    frame = memoryview(_HEAD.pack(len(data), len(fds)) + data)
    sent = socket.send_fds(sock, [frame], list(fds))
    sock.sendall(frame[sent:])


def receive_frame(sock: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Wait for the next frame; None when the other side is gone."""
    head, fds, _, _ = socket.recv_fds(sock, _HEAD.size, _MOST_DESCRIPTORS)
    if len(head) < _HEAD.size:
        return None
    length, _ = _HEAD.unpack(head)
    data = bytearray()
    while len(data) < length:
        part = sock.recv(length - len(data))
        if not part:
            return None
        data += part
    message: dict[str, Any] = json.loads(data)
    return message, fds


class Channel:
    """One end. `takes` are the operations the other side may call; `closed` is set when nobody is there any more."""

    def __init__(
        self,
        sock: socket.socket,
        takes: Callable[[str], Operation | None],
        *,
        longest: int = 64 * 1024 * 1024,
        at_once: int = 256,
        descriptors: bool = False,
    ) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._takes = takes
        self._longest = longest
        self._at_once = at_once
        self._descriptors = descriptors
        self._loop = asyncio.get_running_loop()
        self._buffer = bytearray()
        self._fds: list[int] = []
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._serving: set[asyncio.Task[None]] = set()
        self._sending = asyncio.Lock()
        self.closed = asyncio.Event()
        self._loop.add_reader(sock.fileno(), self._readable)

    async def call(self, operation: str, *, fds: Sequence[int] = (), **arguments: Any) -> Any:
        """Have the other side do something. Raises `Refused` when it says no, `ChannelClosed` when it is gone."""
        if self.closed.is_set():
            raise ChannelClosed
        self._number += 1
        number = self._number
        answer = self._waiting[number] = self._loop.create_future()
        try:
            await self._send({"call": number, "do": operation, "with": arguments}, fds)
            return await answer
        finally:
            self._waiting.pop(number, None)

    async def tell(self, operation: str, **arguments: Any) -> None:
        """Like a call, without an answer."""
        await self._send({"do": operation, "with": arguments})

    def close(self) -> None:
        """End the channel: calls under way fail, what the other side asked for is cancelled."""
        if self.closed.is_set():
            return
        self.closed.set()
        self._loop.remove_reader(self._sock.fileno())
        self._sock.close()
        for fd in self._fds:
            os.close(fd)
        self._fds.clear()
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(ChannelClosed())
        for task in self._serving:
            task.cancel()

    def let_go(self) -> bool:
        """Leave the socket to another loop, if nothing is half said on it; else close it."""
        if self.closed.is_set() or self._buffer or self._waiting:
            self.close()
            return False
        self.closed.set()
        self._loop.remove_reader(self._sock.fileno())
        return True

    # -- sending -------------------------------------------------------------------------------------------------

    async def _send(self, message: dict[str, Any], fds: Sequence[int] = ()) -> None:
        data = json.dumps(message).encode("utf-8", "surrogatepass")
        frame = memoryview(_HEAD.pack(len(data), len(fds)) + data)
        async with self._sending:
            if self.closed.is_set():
                raise ChannelClosed
            try:
                sent = await self._begin(frame, fds)
                if sent < len(frame):
                    await self._loop.sock_sendall(self._sock, frame[sent:])
            except OSError as error:
                self.close()
                raise ChannelClosed from error

    async def _begin(self, frame: memoryview, fds: Sequence[int]) -> int:
        """Send the frame's beginning, with its descriptors; returns how much went."""
        passed = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
        while True:
            try:
                return self._sock.sendmsg([frame], passed)
            except BlockingIOError:
                await self._writable()

    async def _writable(self) -> None:
        ready = self._loop.create_future()
        self._loop.add_writer(self._sock.fileno(), _wake, ready)
        try:
            await ready
        finally:
            if not self.closed.is_set():
                self._loop.remove_writer(self._sock.fileno())

    # -- receiving -----------------------------------------------------------------------------------------------

    def _readable(self) -> None:
        try:
            data, notes, _, _ = self._sock.recvmsg(_CHUNK, socket.CMSG_SPACE(_MOST_DESCRIPTORS * 4))
        except BlockingIOError:
            return
        except OSError:
            data, notes = b"", []
        for level, kind, content in notes:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                found = array.array("i")
                found.frombytes(content[: len(content) - len(content) % found.itemsize])
                for fd in found:
                    os.set_inheritable(fd, False)
                self._fds += found
        if not data or (self._fds and not self._descriptors):
            self.close()
            return
        self._buffer += data
        try:
            while not self.closed.is_set() and self._next():
                pass
        except (ValueError, KeyError, TypeError, RecursionError):
            self.close()

    def _next(self) -> bool:
        """Take one whole frame off the buffer, if there is one."""
        if len(self._buffer) < _HEAD.size:
            return False
        length, number = _HEAD.unpack_from(self._buffer)
        if length > self._longest or number > _MOST_DESCRIPTORS:
            raise ValueError("a frame longer than is taken here")
        end = _HEAD.size + length
        if len(self._buffer) < end:
            return False
        message = json.loads(bytes(self._buffer[_HEAD.size : end]).decode("utf-8", "surrogatepass"))
        del self._buffer[:end]
        if not isinstance(message, dict):
            raise TypeError("a frame that is no object")
        fds, self._fds = self._fds[:number], self._fds[number:]
        self._take(message, fds)
        return True

    def _take(self, message: dict[str, Any], fds: list[int]) -> None:
        if "answer" in message:
            answer = self._waiting.get(message["answer"])
            if answer is not None and not answer.done():
                if "kind" in message:
                    answer.set_exception(Refused(str(message["kind"]), str(message["sentence"])))
                else:
                    answer.set_result(message.get("value"))
            return
        if len(self._serving) >= self._at_once:
            raise ValueError("more calls at once than are taken here")
        task = self._loop.create_task(self._serve(message.get("call"), str(message["do"]), dict(message["with"]), fds))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, number: Any, operation: str, arguments: dict[str, Any], fds: list[int]) -> None:
        does = self._takes(operation)
        try:
            if does is None:
                raise Refused("unknown", f"there is no '{operation}' here")
            value = await (does(**arguments, fds=fds) if fds else does(**arguments))
            said = {"value": value}
        except Refused as refusal:
            said = {"kind": refusal.kind, "sentence": str(refusal)}
        except Exception as error:
            said = {"kind": "error", "sentence": f"{operation}: {type(error).__name__}: {error}"}
        if number is not None:
            with contextlib.suppress(ChannelClosed):  # whoever asked is gone
                await self._send({"answer": number, **said})
