"""What graders ask of chat, to the letter: the client's calls, what somebody said, and who is there."""

from __future__ import annotations

import json
from typing import Any

import pytest
import requests

from dayjob.grading import chat, config, npc, said
from tests.grading.sandbox import Answer, Here, SmallCompany


def signed_in(office: SmallCompany) -> chat.ChatClient:
    office.on("POST", "/api/v1/login", {"data": {"authToken": "t", "userId": "g"}})
    client = chat.create_rocketchat_client()
    assert json.loads(office.asked[-1].body) == {"user": "grader", "password": "chat-word"}
    return client


# Each with what it asks: method, endpoint, query or body.
OWN_CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any], str, dict[str, Any]]] = [
    ("me", (), {}, "GET me", {}),
    ("users_list", (), {}, "GET users.list", {"count": "0"}),
    ("users_list", (), {"count": 5, "query": None}, "GET users.list", {"count": "5"}),
    ("users_info", ("u",), {}, "GET users.info", {"userId": "u"}),
    ("users_info", (), {"username": "n"}, "GET users.info", {"username": "n"}),
    ("users_create", ("e", "n", "p", "u"), {"roles": ["x"]}, "POST users.create",
     {"email": "e", "name": "n", "password": "p", "username": "u", "roles": ["x"]}),
    ("roles_get_users_in_role", ("admin", "r"), {"count": 1}, "GET roles.getUsersInRole",
     {"role": "admin", "roomId": "r", "count": "1"}),
    ("im_history", ("r",), {"count": 1}, "GET im.history", {"roomId": "r", "count": "1"}),
    ("im_list", (), {"count": 1}, "GET im.list", {"count": "1"}),
    ("channels_list", (), {}, "GET channels.list", {"count": "0"}),
    ("channels_list", (), {"count": 3}, "GET channels.list", {"count": "3"}),
    ("channels_list_joined", (), {"count": 1}, "GET channels.list.joined", {"count": "1"}),
    ("channels_info", ("r",), {}, "GET channels.info", {"roomId": "r"}),
    ("channels_info", (), {"channel": "c"}, "GET channels.info", {"roomName": "c"}),
    ("channels_history", ("r",), {"count": 1}, "GET channels.history", {"roomId": "r", "count": "1"}),
    ("channels_members", ("r", "c"), {"count": 1}, "GET channels.members",
     {"roomId": "r", "roomName": "c", "count": "1"}),
    ("channels_create", ("n",), {"members": []}, "POST channels.create", {"name": "n", "members": []}),
    ("channels_invite", ("r", "u"), {"x": 1}, "POST channels.invite", {"roomId": "r", "userId": "u", "x": 1}),
    ("groups_list", (), {"count": 1}, "GET groups.list", {"count": "1"}),
    ("groups_history", ("r",), {"count": 1}, "GET groups.history", {"roomId": "r", "count": "1"}),
    ("chat_post_message", ("t",), {"channel": "#c", "alias": "a"}, "POST chat.postMessage",
     {"text": "t", "channel": "#c", "alias": "a"}),
    ("chat_post_message", ("t", "r"), {}, "POST chat.postMessage", {"text": "t", "roomId": "r"}),
    ("chat_search", ("r", "s"), {}, "GET chat.search", {"roomId": "r", "searchText": "s"}),
    ("chat_delete", ("r", "m"), {}, "POST chat.delete", {"roomId": "r", "msgId": "m"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given", "named", "asked", "fields"), OWN_CALLS)
def test_a_call_of_the_chat_client_asks_for_just_this(
    office: SmallCompany, name: str, given: tuple[Any, ...], named: dict[str, Any], asked: str, fields: dict[str, Any]
) -> None:
    client = signed_in(office)
    getattr(client, name)(*given, **named)
    seen = office.asked[-1]
    assert f"{seen.method} {seen.path}" == asked.replace(" ", " /api/v1/")
    assert (seen.headers["X-Auth-Token"], seen.headers["X-User-Id"]) == ("t", "g")
    assert (seen.query if seen.method == "GET" else json.loads(seen.body)) == fields


def test_the_chat_client_names_what_it_has_not(office: SmallCompany) -> None:
    with pytest.raises(AttributeError, match="no call 'nonsense'; call_api_get and call_api_post reach any endpoint"):
        signed_in(office).nonsense()


@pytest.mark.parametrize(("status", "error"), [(400, chat.ChatLoginError), (401, chat.ChatLoginError),
                                               (403, chat.ChatLoginError), (404, requests.HTTPError),
                                               (500, requests.HTTPError)])  # fmt: skip
def test_a_refused_log_in_is_told_from_a_broken_chat(office: SmallCompany, status: int, error: type[Exception]) -> None:
    office.on("POST", "/api/v1/login", Answer({}, status))
    with pytest.raises(error):
        chat.create_rocketchat_client("sam", "pass")
    assert json.loads(office.asked[-1].body) == {"user": "sam", "password": "pass"}


def test_another_chat_can_be_named(office: SmallCompany) -> None:
    office.on("POST", "/api/v1/login", {"data": {"authToken": "t", "userId": "g"}})
    config.ROCKETCHAT_URL = "http://127.0.0.1:9"
    chat.ChatClient("a", "b", server_url=office.url)
    assert len(office.asked) == 1


def test_a_person_is_found_by_any_of_their_names_and_history_is_whole(office: SmallCompany) -> None:
    client = signed_in(office)
    people = [{"_id": "u0"}, {"_id": "u1", "username": "M.L", "name": None, "nameInsensitive": "mara l"}]
    office.on("GET", "/api/v1/users.list", {"users": people})
    history = {"messages": [{"msg": "b"}, {"msg": "a"}]}
    office.on("GET", "/api/v1/im.history", lambda asked: Answer(history if asked.query["count"] == "0" else {}))
    for name in ("m.l", "MARA L"):
        assert chat.get_rocketchat_personal_chat_history(client, name) == ["a", "b"]
    assert office.asked[-1].query == {"roomId": "u1", "count": "0"}
    assert chat.get_rocketchat_personal_chat_history(client, "none") == []
    office.on("GET", "/api/v1/im.history", {"success": False})
    assert chat.get_rocketchat_personal_chat_history(client, "m.l") == []


def test_a_channel_without_messages_is_empty_and_a_message_without_text_matches_nothing(office: SmallCompany) -> None:
    client = signed_in(office)
    office.on("GET", "/api/v1/channels.info", {"success": True, "channel": {"_id": "c"}})
    office.on("GET", "/api/v1/channels.history", {"messages": None})
    assert chat.get_rocketchat_channel_history(client, "launch") == []
    assert office.asked[-1].query == {"roomId": "c", "count": "0"}
    office.on("GET", "/api/v1/channels.history", {"messages": [{}, {"msg": "The Plan"}]})
    assert chat.check_rocketchat_message_posted(client, "launch", ["PLAN", "the"])
    assert not chat.check_rocketchat_message_posted(client, "launch", ["none"])


CHANGED = {"table": "messages", "op": "added"}
SAID = {"username": "sam", "type": "", "room_id": "d", "text": "hi", "at": "2", "thread_id": None, "files": None}


def test_what_somebody_said_is_what_they_added_themselves(here: Here, office: SmallCompany) -> None:
    signed_in(office)
    rows = [
        {**CHANGED, "after": SAID},
        {**CHANGED, "after": {**SAID, "room_id": "c", "at": "1", "text": "first", "thread_id": "m", "files": ["f"]}},
        {**CHANGED, "after": {**SAID, "username": "mara"}},
        {**CHANGED, "after": {**SAID, "type": "uj"}},
        {**CHANGED, "op": "changed", "after": SAID},
        {**CHANGED, "table": "rooms", "after": SAID},
    ]
    office.on("GET", "/api/changes", {"changes": rows})
    rooms = [{"_id": "d", "t": "d", "usernames": ["sam", "mara"]}, {"_id": "c", "t": "c", "name": "launch"}]
    office.on("GET", "/api/v1/rooms.adminRooms", {"rooms": rooms})
    said.messages_from.cache_clear()
    assert said.messages_from("sam") == (
        said.Message("sam", "first", "1", "launch", frozenset(), "m", True),
        said.Message("sam", "hi", "2", "", frozenset({"mara"}), None, False),
    )
    assert [one.query for one in office.asked if one.path.endswith("adminRooms")] == [{"count": "0"}]
    before = len(office.asked)
    assert said.messages_from("nobody") == ()
    assert [one.path for one in office.asked[before:]] == ["/api/changes"]
    office.on("GET", "/api/v1/rooms.adminRooms", Answer({"rooms": []}, 403))
    said.messages_from.cache_clear()
    with pytest.raises(requests.HTTPError):
        said.messages_from("sam")


@pytest.mark.parametrize(
    ("text", "people", "is_to"),
    [
        ("", {"mara.lindqvist"}, True),
        ("ask @mara.lindqvist", set(), True),
        ("MARA, please", set(), True),
        ("samara", set(), False),
        ("lindqvist", set(), False),
        ("", {"mara"}, False),
    ],
)
def test_whom_a_message_is_said_to(text: str, people: set[str], is_to: bool) -> None:
    assert said.Message("sam.reed", text, "", "launch", frozenset(people), None, False).is_to("mara.lindqvist") is is_to


@pytest.mark.parametrize(
    ("presence", "model", "ready"),
    [("online", 200, True), ("offline", 200, False), (None, 200, False), ("away", 503, False), ("busy", None, True)],
)
def test_colleagues_are_ready_when_all_are_in_chat_and_the_model_answers(
    here: Here, office: SmallCompany, presence: str | None, model: int | None, ready: bool
) -> None:
    here.set(DAYJOB_COLLEAGUES=",mara,sam,")
    signed_in(office)
    office.on("GET", "/api/v1/users.getPresence", lambda asked: Answer({"presence": presence}))
    if model is not None:
        here.set(LITELLM_BASE_URL=f"{office.url}/v1/", LITELLM_API_KEY="key")
        office.on("GET", "/v1/ready", Answer({}, model))
    assert npc.npc_ready(within=-1) is ready
    present = presence not in (None, "offline")
    names = [one.query["username"] for one in office.asked if one.path.endswith("getPresence")]
    assert names == (["mara", "sam"] if present else ["mara"])
    asked = [one.headers["Authorization"] for one in office.asked if one.path == "/v1/ready"]
    assert asked == (["Bearer key"] if present and model else [])


def test_without_colleagues_only_the_model_is_asked_and_one_that_is_gone_is_not_ready(
    here: Here, office: SmallCompany
) -> None:
    here.set(DAYJOB_COLLEAGUES="", LITELLM_BASE_URL="")
    assert npc.npc_ready() is True
    here.set(LITELLM_BASE_URL="http://127.0.0.1:9")
    assert npc.npc_ready() is False
    assert office.asked == []
