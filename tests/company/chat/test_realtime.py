"""The realtime wire, frame by frame."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import requests
from rocketchat_API.rocketchat import RocketChat  # type: ignore[import-untyped]  # it ships no types
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.company.chat.conftest import PASSWORD
from tests.company.serving import Served


class Wire:
    """A DDP connection; `until` reads on to the first frame that fits."""

    def __init__(self, served: Served, path: str = "/websocket") -> None:
        address = f"ws://127.0.0.1:{served.port('chat')}{path}"
        self.socket: ClientConnection = ExitStack().enter_context(connect(address))
        self.number = 0

    def send(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def until(self, **wanted: Any) -> dict[str, Any]:
        for _ in range(200):
            found: dict[str, Any] = json.loads(self.socket.recv(timeout=10))
            if all(found.get(key) == value for key, value in wanted.items()):
                return found
        raise AssertionError(f"no frame with {wanted}")

    def call(self, method: str, *parameters: Any) -> Any:
        """The whole answer to a method call."""
        self.number += 1
        self.send(msg="method", method=method, id=str(self.number), params=list(parameters))
        return self.until(msg="result", id=str(self.number))

    def result(self, method: str, *parameters: Any) -> Any:
        answer = self.call(method, *parameters)
        assert "error" not in answer, answer
        return answer.get("result")

    def subscribe(self, stream: str, event: str) -> dict[str, Any]:
        self.number += 1
        self.send(msg="sub", id=f"s{self.number}", name=stream, params=[event, False])
        for _ in range(50):
            found: dict[str, Any] = json.loads(self.socket.recv(timeout=10))
            if found.get("subs") == [f"s{self.number}"] or found.get("id") == f"s{self.number}":
                return found
        raise AssertionError("no answer to the subscription")

    def until_closed(self) -> None:
        for _ in range(200):
            try:
                self.socket.recv(timeout=10)
            except ConnectionClosed:
                return
        raise AssertionError("the connection was not closed")

    def heard(self, stream: str, event: str | None = None) -> list[Any]:
        for _ in range(50):
            found = self.until(msg="changed", collection=stream)["fields"]
            if event is None or found["eventName"] == event:
                arguments: list[Any] = found["args"]
                return arguments
        raise AssertionError(f"nothing on {stream} {event}")


@pytest.fixture
def wire(blank: Served, admin: RocketChat) -> Iterator[Wire]:
    """Ada, connected and signed in."""
    found = Wire(blank)
    found.send(msg="connect", version="1", support=["1"])
    found.until(msg="connected")
    digest = hashlib.sha256(PASSWORD.encode()).hexdigest()
    found.result("login", {"user": {"username": "ada"}, "password": {"digest": digest, "algorithm": "sha-256"}})
    yield found
    found.socket.close()


def test_connecting_comes_first(blank: Served) -> None:
    wire = Wire(blank)
    assert json.loads(wire.socket.recv(timeout=10)) == {"server_id": "0"}
    wire.send(msg="method", method="rooms/get", id="1", params=[])
    assert wire.until(msg="error")["reason"] == "Must connect first"
    wire.send(msg="connect", version="99", support=[])
    assert wire.until(msg="failed")["version"] == "1"
    wire.send(msg="connect", version="1", support=["1"])
    assert wire.until(msg="connected")["session"]
    wire.send(msg="ping", id="p1")
    assert wire.until(msg="pong")["id"] == "p1"
    wire.socket.close()


def test_nothing_is_told_before_signing_in(blank: Served, admin: RocketChat) -> None:
    wire = Wire(blank)
    wire.send(msg="connect", version="1", support=["1"])
    wire.until(msg="connected")
    assert wire.call("rooms/get")["error"]["error"] == "error-not-authorized"
    assert wire.subscribe("stream-room-messages", "GENERAL")["msg"] == "nosub"
    refusal = wire.call("login", {"user": {"username": "ada"}, "password": "wrong"})["error"]
    assert (refusal["error"], refusal["errorType"]) == (403, "Meteor.Error")
    wire.socket.close()


def test_a_token_of_one_wire_is_good_on_the_other(blank: Served, admin: RocketChat) -> None:
    wire = Wire(blank)
    wire.send(msg="connect", version="1", support=["1"])
    found = wire.result("login", {"resume": admin.headers["X-Auth-Token"]})
    assert found["id"] == admin.headers["X-User-Id"]
    token = wire.result("login", {"user": {"email": "ada@blank.test"}, "password": PASSWORD})["token"]
    assert RocketChat(auth_token=token, user_id=found["id"], server_url=blank.url("chat")).me()["username"] == "ada"
    wire.socket.close()


def test_a_message_from_rest_is_heard_in_its_room(wire: Wire, bea: RocketChat) -> None:
    assert wire.subscribe("stream-room-messages", "GENERAL")["msg"] == "ready"
    bea.chat_post_message("good morning @ada", channel="GENERAL")
    (message,) = wire.heard("stream-room-messages", "GENERAL")
    assert (message["msg"], message["u"]["username"]) == ("good morning @ada", "bea")
    assert isinstance(message["ts"]["$date"], int)


def test_my_messages_are_those_of_all_my_rooms_and_of_no_other(wire: Wire, bea: RocketChat) -> None:
    wire.subscribe("stream-room-messages", "__my_messages__")
    bea.groups_create("secret")
    bea.chat_post_message("not for ada", channel="secret")
    bea.chat_post_message("for ada", channel="@ada")
    message, about = wire.heard("stream-room-messages", "__my_messages__")
    assert (message["msg"], about["roomType"], about["roomParticipant"]) == ("for ada", "d", True)


def test_a_direct_message_changes_rooms_and_subscriptions_and_notifies(
    wire: Wire, bea: RocketChat, admin: RocketChat
) -> None:
    me = admin.me()["_id"]
    for event in ("rooms-changed", "subscriptions-changed", "notification"):
        assert wire.subscribe("stream-notify-user", f"{me}/{event}")["msg"] == "ready"
    bea.chat_post_message("psst", channel="@ada")
    note = wire.heard("stream-notify-user", f"{me}/notification")[0]
    assert (note["text"], note["payload"]["sender"]["username"]) == ("psst", "bea")
    found = wire.result("subscriptions/get")
    assert [one["unread"] for one in found if one["t"] == "d"] == [1]


def test_nobody_hears_what_is_not_theirs(wire: Wire, bea: RocketChat) -> None:
    room = bea.groups_create("secret")["group"]["_id"]
    assert wire.subscribe("stream-room-messages", room)["msg"] == "nosub"
    assert wire.subscribe("stream-notify-user", f"{bea.me()['_id']}/notification")["msg"] == "nosub"
    assert wire.call("loadHistory", room, None, 50, None)["error"]["error"] == "error-not-allowed"


def test_the_methods_write_what_rest_reads(wire: Wire, admin: RocketChat, bea: RocketChat) -> None:
    room = wire.result("createChannel", "garden", ["bea"])["rid"]
    sent = wire.result("sendMessage", {"rid": room, "msg": "hello", "_id": "m1"})
    assert sent["_id"] == "m1"
    wire.result("updateMessage", {"_id": "m1", "rid": room, "msg": "hello, garden"})
    wire.result("setReaction", ":sunflower:", "m1")
    found = admin.chat_get_message("m1")["message"]
    assert (found["msg"], found["reactions"]) == ("hello, garden", {":sunflower:": {"usernames": ["ada"]}})
    assert wire.result("loadHistory", room, None, 50, None)["messages"][0]["msg"] == "hello, garden"
    direct = wire.result("createDirectMessage", "bea")["rid"]
    wire.result("sendMessage", {"rid": direct, "msg": "psst"})
    assert [one["msg"] for one in bea.dm_history(direct)] == ["psst"]
    wire.result("deleteMessage", {"_id": "m1"})
    assert wire.call("getSingleMessage", "m1")["error"]["error"] == "error-message-not-found"
    assert {one["_id"] for one in wire.result("rooms/get")} == {"GENERAL", room, direct}
    wire.result("readMessages", direct)


def test_typing_is_passed_on_under_ones_own_name_only(wire: Wire, blank: Served, bea: RocketChat) -> None:
    other = Wire(blank)
    other.send(msg="connect", version="1", support=["1"])
    other.result("login", {"resume": bea.headers["X-Auth-Token"]})
    wire.subscribe("stream-notify-room", "GENERAL/user-activity")
    other.result("stream-notify-room", "GENERAL/user-activity", "bea", ["user-typing"], {})
    assert wire.heard("stream-notify-room") == ["bea", ["user-typing"], {}]
    assert other.call("stream-notify-room", "GENERAL/typing", "ada", True)["error"]["error"] == "error-not-allowed"
    other.socket.close()


def test_presence_follows_the_connection(wire: Wire, blank: Served, admin: RocketChat, bea: RocketChat) -> None:
    assert bea.users_get_presence(username="ada")["presence"] == "online"
    wire.subscribe("stream-notify-logged", "user-status")
    other = Wire(blank)
    other.send(msg="connect", version="1", support=["1"])
    other.result("login", {"resume": bea.headers["X-Auth-Token"]})
    assert wire.heard("stream-notify-logged")[0][1:3] == ["bea", 1]
    other.result("setUserStatus", "busy", "repotting")
    assert wire.heard("stream-notify-logged")[0][1:4] == ["bea", 3, "repotting"]
    other.socket.close()
    assert wire.heard("stream-notify-logged")[0][1:3] == ["bea", 0]


def test_an_unsubscribed_stream_is_silent(wire: Wire, bea: RocketChat) -> None:
    answer = wire.subscribe("stream-room-messages", "GENERAL")
    wire.send(msg="unsub", id=answer["subs"][0])
    wire.until(msg="nosub")
    bea.chat_post_message("anyone?", channel="GENERAL")
    assert wire.call("UserPresence:ping")["msg"] == "result"
    wire.send(msg="ping", id="end")
    frames = []
    while (frame := json.loads(wire.socket.recv(timeout=10))).get("id") != "end":
        frames.append(frame)
    assert [frame for frame in frames if frame["msg"] == "changed"] == []


@pytest.mark.parametrize(
    "frame",
    ["", "{", "[]", "null", '"text"', '{"msg": "method"}', '{"msg": "sub", "id": 5}', '{"msg": "what"}', "[" * 50_000],
)
def test_a_malformed_frame_is_answered_and_the_connection_lives(wire: Wire, frame: str) -> None:
    wire.socket.send(frame)
    assert wire.until(msg="error")["reason"]
    wire.send(msg="ping", id="still here")
    assert wire.until(msg="pong")["id"] == "still here"


def test_logging_out_elsewhere_ends_the_connection(wire: Wire, blank: Served, admin: RocketChat) -> None:
    other = Wire(blank)
    other.send(msg="connect", version="1", support=["1"])
    other.result("login", {"resume": admin.headers["X-Auth-Token"]})
    admin.logout()
    other.until_closed()


def test_each_call_is_a_journal_row_of_its_own(wire: Wire, blank: Served) -> None:
    wire.result("sendMessage", {"rid": "GENERAL", "msg": "noted"})
    rows = blank.company.journal.requests("chat", method="DDP")
    assert ("method/login", "ada", 200) in [(row.path, row.account, row.status) for row in rows]
    assert ("method/sendMessage", "ada", 200) in [(row.path, row.account, row.status) for row in rows]
    found = [one.words for one in blank.company.changes("chat") if one.table == "messages"]
    assert 'ada posted "noted" in #general' in found


def test_sockjs_packs_the_same_messages(blank: Served, admin: RocketChat) -> None:
    assert requests.get(f"{blank.url('chat')}/sockjs/info").json()["websocket"] is True
    with connect(f"ws://127.0.0.1:{blank.port('chat')}/sockjs/123/abcdef/websocket") as socket:
        assert socket.recv(timeout=10) == "o"
        socket.send(json.dumps([json.dumps({"msg": "connect", "version": "1", "support": ["1"]})]))
        frames = [str(socket.recv(timeout=10)) for _ in range(2)]
    assert all(frame.startswith("a[") for frame in frames)
    assert json.loads(json.loads(frames[1][1:])[0])["msg"] == "connected"


def test_a_reset_ends_every_connection_and_empties_the_rooms(wire: Wire, blank: Served, admin: RocketChat) -> None:
    blank.call(blank.company.reset, "chat")
    wire.until_closed()
    assert requests.get(f"{blank.url('chat')}/api/v1/me", headers=dict(admin.headers)).status_code == 401
