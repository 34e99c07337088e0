"""Chat's realtime wire without a socket: what is sent, what is heard, and what a lost connection means."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any, cast

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosedOK

from dayjob.npc import realtime
from dayjob.npc.realtime import Realtime, RealtimeError


class Socket:
    """Stands for a websocket: frames in, frames out."""

    def __init__(self) -> None:
        self.frames: asyncio.Queue[str | None] = asyncio.Queue()
        self.sent: list[dict[str, Any]] = []
        self.lost = False
        self.on_send: Callable[[dict[str, Any]], None] | None = None

    async def send(self, text: str) -> None:
        if self.lost:
            raise ConnectionClosedOK(None, None)
        self.sent.append(json.loads(text))
        if self.on_send is not None:
            self.on_send(self.sent[-1])

    def give(self, **frame: Any) -> None:
        self.frames.put_nowait(json.dumps(frame))

    def __aiter__(self) -> Socket:
        return self

    async def __anext__(self) -> str:
        frame = await self.frames.get()
        if frame is None:
            raise StopAsyncIteration
        return frame

    async def close(self) -> None:
        self.lost = True
        self.frames.put_nowait(None)


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


class Opened:
    """A connection on a socket of ours, and what was heard."""

    def __init__(self) -> None:
        self.socket = Socket()
        self.heard: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self.wire = Realtime(cast(ClientConnection, self.socket), lambda *one: self.heard.append(one))

    async def asking(self, method: str = "x", *parameters: Any, **more: Any) -> asyncio.Task[Any]:
        task = asyncio.ensure_future(self.wire.call(method, *parameters, **more))
        await settle()
        return task


def run(work: Callable[[Opened], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        opened = Opened()
        async with asyncio.timeout(10):
            await work(opened)
            await opened.wire.close()

    asyncio.run(main())


def test_a_call_is_numbered_and_gets_its_own_result() -> None:
    async def main(opened: Opened) -> None:
        first, second = await opened.asking("rooms/get"), await opened.asking("say", "a", {"b": 1})
        assert opened.socket.sent == [
            {"msg": "method", "method": "rooms/get", "id": "1", "params": []},
            {"msg": "method", "method": "say", "id": "2", "params": ["a", {"b": 1}]},
        ]
        opened.socket.give(msg="result", id="2", result=[2])
        opened.socket.give(msg="result", id="9", result=[9])
        opened.socket.give(msg="result", id="1")
        assert (await first, await second) == (None, [2])
        assert opened.wire._waiting == {}

    run(main)


@pytest.mark.parametrize(
    ("error", "sentence", "code"),
    [
        ({"reason": "Not allowed", "message": "Not allowed [403]", "error": "error-not-allowed"},
         "Not allowed", "error-not-allowed"),
        ({"message": "Not allowed [403]", "error": 403}, "Not allowed [403]", "403"),
        ({}, "Chat refused.", ""),
        ("no", "Chat refused.", ""),
        (None, "Chat refused.", ""),
    ],
)  # fmt: skip
def test_a_refusal_has_its_reason_and_its_code(error: Any, sentence: str, code: str) -> None:
    async def main(opened: Opened) -> None:
        task = await opened.asking()
        opened.socket.give(msg="result", id="1", error=error)
        with pytest.raises(RealtimeError) as refused:
            await task
        assert (str(refused.value), refused.value.code) == (sentence, code)

    run(main)


def test_a_call_that_is_not_answered_in_time_is_given_up() -> None:
    async def main(opened: Opened) -> None:
        task = await opened.asking("slow", seconds=0.01)
        with pytest.raises(RealtimeError, match=r"Chat did not answer slow within 0\.01 s"):
            await task
        assert opened.wire._waiting == {}
        opened.socket.give(msg="result", id="1", result=1)
        await settle()
        assert not opened.wire.closed.is_set()

    run(main)


@pytest.mark.parametrize(
    ("frame", "heard"),
    [
        ({"collection": "stream-room-messages", "fields": {"args": [{"_id": "m"}, {"roomType": "c"}]}},
         [({"_id": "m"}, {"roomType": "c"})]),
        ({"collection": "stream-room-messages", "fields": {"args": [{"_id": "m"}]}}, [({"_id": "m"}, {})]),
        ({"collection": "stream-room-messages", "fields": {"args": [{"_id": "m"}, "odd"]}}, [({"_id": "m"}, {})]),
        ({"collection": "stream-room-messages", "fields": {"args": []}}, []),
        ({"collection": "stream-room-messages", "fields": None}, []),
        ({"collection": "stream-room-messages"}, []),
        ({"collection": "stream-notify-room", "fields": {"args": [{"_id": "m"}]}}, []),
    ],
)  # fmt: skip
def test_messages_in_ones_rooms_are_heard_and_nothing_else(frame: dict[str, Any], heard: list[Any]) -> None:
    async def main(opened: Opened) -> None:
        opened.socket.give(msg="changed", **frame)
        await settle()
        assert opened.heard == heard

    run(main)


@pytest.mark.parametrize(
    ("ping", "pong"), [({"msg": "ping"}, {"msg": "pong"}), ({"msg": "ping", "id": "7"}, {"msg": "pong", "id": "7"})]
)
def test_a_ping_is_answered(ping: dict[str, str], pong: dict[str, str]) -> None:
    async def main(opened: Opened) -> None:
        opened.socket.give(**ping)
        await settle()
        assert opened.socket.sent == [pong]

    run(main)


@pytest.mark.parametrize("how", ["chat closes", "not JSON", "another version"])
def test_whoever_waits_is_told_when_the_connection_ends(how: str) -> None:
    async def main(opened: Opened) -> None:
        task = await opened.asking()
        if how == "chat closes":
            opened.socket.frames.put_nowait(None)
        elif how == "not JSON":
            opened.socket.frames.put_nowait("{")
        else:
            opened.socket.give(msg="failed", version="pre2")
        with pytest.raises(RealtimeError, match="The connection to chat was lost"):
            await task
        assert opened.wire.closed.is_set()
        with pytest.raises(RealtimeError, match="The connection to chat is closed"):
            await opened.wire.call("x")

    run(main)


def test_what_cannot_be_sent_is_a_lost_connection() -> None:
    async def main(opened: Opened) -> None:
        opened.socket.lost = True
        with pytest.raises(RealtimeError, match="The connection to chat was lost"):
            await opened.wire.call("x")
        assert opened.wire._waiting == {}

    run(main)


# -- signing in --------------------------------------------------------------------------------------------------


def answering(socket: Socket, login: dict[str, Any], subscription: dict[str, Any] | None) -> None:
    def answer(frame: dict[str, Any]) -> None:
        if frame["msg"] == "connect":
            socket.give(msg="connected")
        elif frame["msg"] == "method":
            socket.give(msg="result", id=frame["id"], **login)
        elif frame["msg"] == "sub" and subscription is not None:
            socket.give(**subscription)

    socket.on_send = answer


async def opening(
    monkeypatch: pytest.MonkeyPatch, socket: Socket | Exception, url: str, **more: Any
) -> tuple[Any, Any]:
    called: list[tuple[str, dict[str, Any]]] = []

    async def connect(address: str, **options: Any) -> Any:
        called.append((address, options))
        if isinstance(socket, Exception):
            raise socket
        return socket

    monkeypatch.setattr(realtime, "connect", connect)  # can fail: the socket is ours, what is said on it is not
    return await Realtime.open(url, {"resume": "token"}, lambda *_: None, **more), called


@pytest.mark.parametrize(
    ("url", "address"),
    [("http://chat.test:3000", "ws://chat.test:3000/websocket"), ("https://chat.test", "wss://chat.test/websocket")],
)
def test_one_signs_in_and_subscribes_to_ones_own_rooms(url: str, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        socket = Socket()
        answering(socket, {"result": {"id": "u1"}}, {"msg": "ready", "subs": ["sub-mine"]})
        wire, called = await opening(monkeypatch, socket, url)
        assert (wire.user_id, wire.closed.is_set()) == ("u1", False)
        options = {"compression": None, "ping_interval": None, "max_size": None, "proxy": None}
        assert called == [(address, options)]
        assert socket.sent == [
            {"msg": "connect", "version": "1", "support": ["1"]},
            {"msg": "method", "method": "login", "id": "1", "params": [{"resume": "token"}]},
            {
                "msg": "sub",
                "id": "sub-mine",
                "name": "stream-room-messages",
                "params": ["__my_messages__", {"useCollection": False, "args": []}],
            },
        ]
        await wire.close()

    asyncio.run(main())


REFUSED = {"error": {"reason": "No such user", "error": "403"}}


@pytest.mark.parametrize(
    ("login", "subscription", "sentence"),
    [
        (REFUSED, None, "No such user"),
        ({"result": {"id": "u1"}}, {"msg": "nosub", "id": "sub-mine", **REFUSED}, "No such user"),
        ({"result": {"id": "u1"}}, {"msg": "ready", "subs": ["other"]}, r"did not answer within 0\.05 s"),
        ({"result": {"id": "u1"}}, {"msg": "nosub", "id": "other"}, r"did not answer within 0\.05 s"),
    ],
)
def test_who_is_not_let_in_is_told_and_leaves_no_connection(
    login: dict[str, Any], subscription: dict[str, Any] | None, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        socket = Socket()
        answering(socket, login, subscription)
        with pytest.raises(RealtimeError, match=sentence):
            await opening(monkeypatch, socket, "http://chat.test", seconds=0.05)
        assert socket.lost

    asyncio.run(main())


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(), r"Chat at http://chat\.test cannot be reached: OSError\."),
        (OSError("refused"), r"Chat at http://chat\.test cannot be reached: refused\."),
        (ConnectionClosedOK(None, None), r"Chat at http://chat\.test cannot be reached: "),
    ],
)
def test_a_chat_that_is_not_there_is_said(error: Exception, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        with pytest.raises(RealtimeError, match=sentence) as refused:
            await opening(monkeypatch, error, "http://chat.test")
        assert refused.value.code == ""

    asyncio.run(main())
