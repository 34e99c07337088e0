"""What published tasks rely on: a user's id as a direct room's, first messages that make rooms, counts and order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from dayjob.company.world import Snapshot
from tests.company.serving import Served, serve


@pytest.fixture(scope="module")
def served(larkspur_snapshot: Snapshot) -> Iterator[Served]:
    with serve(larkspur_snapshot) as found:
        yield found


class Client:
    def __init__(self, served: Served, user: str, password: str) -> None:
        self.api = f"{served.url('chat')}/api/v1"
        self.session = requests.Session()
        answer = self.session.post(f"{self.api}/login", json={"user": user, "password": password})
        assert answer.status_code == 200, answer.text
        found = answer.json()
        assert found["status"] == "success"
        self.id = found["data"]["userId"]
        self.session.headers.update({"X-Auth-Token": found["data"]["authToken"], "X-User-Id": self.id})

    def get(self, endpoint: str, **parameters: Any) -> Any:
        return self.session.get(f"{self.api}/{endpoint}", params=parameters).json()

    def post(self, endpoint: str, **body: Any) -> Any:
        return self.session.post(f"{self.api}/{endpoint}", json=body).json()


@pytest.fixture(scope="module")
def admin(served: Served) -> Client:
    return Client(served, "larkspur.admin", "admin-of-larkspur-chat")


@pytest.fixture(scope="module")
def sam(served: Served) -> Client:
    return Client(served, "sam.reed", "sam-reed-first-day")


def test_bad_credentials_are_401(served: Served) -> None:
    bodies: tuple[dict[str, Any], ...] = (
        {"user": "sam.reed", "password": "no"},
        {"username": "nobody", "password": "x"},
        {},
        {"user": {}, "password": []},
    )
    for body in bodies:
        answer = requests.post(f"{served.url('chat')}/api/v1/login", json=body)
        assert answer.status_code == 401
        assert answer.json() == {"status": "error", "error": "Unauthorized", "message": "Unauthorized"}


def test_a_password_may_be_sent_as_its_digest(served: Served) -> None:
    digest = "d5e3a1b1b5a9f5fb1c3a7a4bd8b4f0ddc6e0f3d8c6fd9b1d1c24a3ef7c1ba0c1"
    body: dict[str, Any] = {"user": "sam.reed", "password": {"digest": digest, "algorithm": "sha-256"}}
    assert requests.post(f"{served.url('chat')}/api/v1/login", json=body).status_code == 401
    body["password"]["digest"] = hashlib.sha256(b"sam-reed-first-day").hexdigest()
    assert requests.post(f"{served.url('chat')}/api/v1/login", json=body).status_code == 200


def test_a_colleague_without_a_password_cannot_sign_in_with_one(served: Served) -> None:
    for password in ("", "None", "tomas.okafor"):
        answer = requests.post(
            f"{served.url('chat')}/api/v1/login", json={"user": "tomas.okafor", "password": password}
        )
        assert answer.status_code == 401


def test_users_are_listed_with_the_names_tasks_look_for(admin: Client) -> None:
    found = {user["username"]: user for user in admin.get("users.list")["users"]}
    tomas = found["tomas.okafor"]
    assert (tomas["name"], tomas["nameInsensitive"]) == ("Tomas Okafor", "tomas okafor")
    info = admin.get("users.info", username="tomas.okafor")["user"]
    assert (info["_id"], info["bio"]) == (tomas["_id"], "Finance manager")


def test_a_users_id_means_the_direct_room_with_them(admin: Client, sam: Client) -> None:
    tomas = sam.get("users.info", username="tomas.okafor")["user"]["_id"]
    assert sam.get("im.history", roomId=tomas) == {"messages": [], "success": True}
    sam.post("chat.postMessage", channel="@tomas.okafor", text="The report is ready.")
    sam.post("chat.postMessage", channel=tomas, text="It is in Operations.")
    messages = sam.get("im.history", roomId=tomas)["messages"]
    assert [message["msg"] for message in messages] == ["It is in Operations.", "The report is ready."]
    assert {message["u"]["username"] for message in messages} == {"sam.reed"}
    room = messages[0]["rid"]
    assert sam.get("im.history", roomId=room)["messages"] == messages
    assert admin.get("im.history", roomId=tomas)["messages"] == []
    assert admin.get("im.history", roomId=room)["success"] is False


def test_history_is_twenty_messages_newest_first_unless_asked(sam: Client) -> None:
    room = sam.post("channels.create", name="many")["channel"]["_id"]
    for number in range(25):
        sam.post("chat.postMessage", channel="#many", text=str(number))
    texts = [message["msg"] for message in sam.get("channels.history", roomId=room)["messages"]]
    assert texts == [str(number) for number in range(24, 4, -1)]
    assert len(sam.get("channels.history", roomId=room, count=100)["messages"]) == 25


def test_an_unknown_channel_is_400(sam: Client) -> None:
    answer = sam.session.get(f"{sam.api}/channels.info", params={"roomName": "nowhere"})
    assert answer.status_code == 400
    assert answer.json()["success"] is False


def test_members_roles_and_lists_that_colleagues_ask_for(sam: Client, admin: Client) -> None:
    members = {user["username"] for user in sam.get("channels.members", roomName="launch")["members"]}
    assert {"mara.lindqvist", "sam.reed", "tomas.okafor"} <= members
    assert [user["username"] for user in admin.get("roles.getUsersInRole", role="admin")["users"]] == ["larkspur.admin"]
    assert {user["username"] for user in admin.get("roles.getUsersInRole", role="owner")["users"]} >= {
        "mara.lindqvist",
        "jonas.weber",
    }
    assert {room["name"] for room in sam.get("channels.list.joined")["channels"]} >= {"general", "launch", "random"}
    assert sam.get("groups.list")["groups"] == []
    assert sam.get("me")["username"] == "sam.reed"


def test_posting_names_a_room_by_id_name_or_sign(sam: Client) -> None:
    room = sam.get("channels.info", roomName="launch")["channel"]["_id"]
    for name in (room, "#launch", "launch"):
        assert sam.post("chat.postMessage", channel=name, text="hello")["message"]["rid"] == room
    assert sam.post("chat.postMessage", channel="#nowhere", text="x")["errorType"] == "invalid-channel"


def test_the_log_in_page_has_two_fields_and_a_login_button(served: Served) -> None:
    page = requests.get(served.url("chat")).text
    assert page.count("<input") == 2
    assert ">Login</button>" in page
