"""Reading the chat service while grading: a small client, and the questions evaluators ask of it.

`ChatClient` answers the calls existing evaluators make with the service's own response objects (`.json()`).
A service that is down raises what `requests` raises; an unknown colleague or channel is an empty list with a warning.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any

import requests

from dayjob.grading import config
from dayjob.grading.chat_calls import CALLS

log = logging.getLogger("common")


class ChatLoginError(Exception):
    """The chat service is up and refused these credentials."""


class ChatClient:
    """One account's view of the chat service."""

    def __init__(self, username: str, password: str, server_url: str | None = None) -> None:
        self.api = f"{server_url or config.ROCKETCHAT_URL}/api/v1"
        self.session = requests.Session()
        response = self.session.post(f"{self.api}/login", json={"user": username, "password": password}, timeout=30)
        if response.status_code in (400, 401, 403):
            raise ChatLoginError(f"the chat service refused the log-in of '{username}'")
        response.raise_for_status()
        account = response.json()["data"]
        self.session.headers.update({"X-Auth-Token": account["authToken"], "X-User-Id": account["userId"]})

    def call_api_get(self, endpoint: str, **parameters: Any) -> requests.Response:
        """GET any endpoint, with its parameters in the service's own spelling."""
        return self.session.get(f"{self.api}/{endpoint}", params=_given(parameters), timeout=30)

    def call_api_post(self, endpoint: str, **content: Any) -> requests.Response:
        """POST to any endpoint, with its fields in the service's own spelling."""
        return self.session.post(f"{self.api}/{endpoint}", json=_given(content), timeout=30)

    def __getattr__(self, name: str) -> Callable[..., requests.Response]:
        """Every other call that graders know; see `chat_calls`."""
        call = CALLS.get(name)
        if call is None:
            raise AttributeError(
                f"the chat client has no call '{name}'; call_api_get and call_api_post reach any endpoint"
            )
        ask = self.call_api_get if call.verb == "get" else self.call_api_post
        return lambda *given, **named: ask(call.endpoint, **call.fields(given, named))

    def me(self) -> requests.Response:
        return self.call_api_get("me")

    def users_list(self, **parameters: Any) -> requests.Response:
        # A company is small: asking for everybody saves every evaluator from paging.
        return self.call_api_get("users.list", **{"count": 0, **parameters})

    def users_info(self, user_id: str | None = None, username: str | None = None) -> requests.Response:
        return self.call_api_get("users.info", userId=user_id, username=username)

    def users_create(self, email: str, name: str, password: str, username: str, **fields: Any) -> requests.Response:
        return self.call_api_post(
            "users.create", email=email, name=name, password=password, username=username, **fields
        )

    def roles_get_users_in_role(self, role: str, room_id: str | None = None, **parameters: Any) -> requests.Response:
        return self.call_api_get("roles.getUsersInRole", role=role, roomId=room_id, **parameters)

    def im_history(self, room_id: str, **parameters: Any) -> requests.Response:
        return self.call_api_get("im.history", roomId=room_id, **parameters)

    def im_list(self, **parameters: Any) -> requests.Response:
        return self.call_api_get("im.list", **parameters)

    def channels_list(self, **parameters: Any) -> requests.Response:
        return self.call_api_get("channels.list", **{"count": 0, **parameters})

    def channels_list_joined(self, **parameters: Any) -> requests.Response:
        return self.call_api_get("channels.list.joined", **parameters)

    def channels_info(self, room_id: str | None = None, channel: str | None = None) -> requests.Response:
        return self.call_api_get("channels.info", roomId=room_id, roomName=channel)

    def channels_history(self, room_id: str, **parameters: Any) -> requests.Response:
        return self.call_api_get("channels.history", roomId=room_id, **parameters)

    def channels_members(
        self, room_id: str | None = None, channel: str | None = None, **parameters: Any
    ) -> requests.Response:
        return self.call_api_get("channels.members", roomId=room_id, roomName=channel, **parameters)

    def channels_create(self, name: str, **fields: Any) -> requests.Response:
        return self.call_api_post("channels.create", name=name, **fields)

    def channels_invite(self, room_id: str, user_id: str, **fields: Any) -> requests.Response:
        return self.call_api_post("channels.invite", roomId=room_id, userId=user_id, **fields)

    def groups_list(self, **parameters: Any) -> requests.Response:
        return self.call_api_get("groups.list", **parameters)

    def groups_history(self, room_id: str, **parameters: Any) -> requests.Response:
        return self.call_api_get("groups.history", roomId=room_id, **parameters)

    def chat_post_message(
        self, text: str, room_id: str | None = None, channel: str | None = None, **fields: Any
    ) -> requests.Response:
        return self.call_api_post("chat.postMessage", text=text, roomId=room_id, channel=channel, **fields)


def create_rocketchat_client(username: str | None = None, password: str | None = None) -> ChatClient:
    """Sign in; without arguments, as the account the world gives to graders."""
    return ChatClient(username or config.ROCKETCHAT_USERNAME, password or config.ROCKETCHAT_PASSWORD)


def get_rocketchat_personal_chat_history(
    rocket_client: ChatClient, username: str, content_only: bool = True
) -> list[Any]:
    """All of the client's direct messages with a colleague (full name or user name), oldest first."""
    user = _person(rocket_client, username.lower())
    if user is None:
        log.warning("the chat service knows nobody called '%s'", username)
        return []
    # Without a count the service hands out twenty, and a long talk would hide what was said at its start.
    messages = rocket_client.im_history(room_id=user["_id"], count=0).json().get("messages") or []
    return [message["msg"] if content_only else message for message in reversed(messages)]


def _person(rocket_client: ChatClient, called: str) -> dict[str, Any] | None:
    """Who is called so. User names are unique; of one full name, which anybody can give themselves, it is whoever was
    there first, and not the client's own account."""
    people: list[dict[str, Any]] = rocket_client.users_list(sort='{"createdAt": 1}').json()["users"]
    others = [one for one in people if one["_id"] != rocket_client.session.headers.get("X-User-Id")]
    for found, names in ((people, ("username",)), (others, ("name", "nameInsensitive"))):
        for user in found:
            if called in {str(user.get(key) or "").lower() for key in names}:
                return user
    return None


def num_rocketchat_users_contacted(rocket_client: ChatClient, users: Iterable[str]) -> int:
    """With how many of these user names the client's account has exchanged a direct message."""
    wanted = set(users)
    return sum(
        bool(rocket_client.im_history(room_id=user["_id"]).json().get("messages"))
        for user in rocket_client.users_list().json()["users"]
        if user.get("username") in wanted
    )


def get_rocketchat_channel_room_id(rocket_client: ChatClient, channel_name: str) -> str | None:
    """A public channel's room id, or None when there is no such channel."""
    answer = rocket_client.channels_info(channel=channel_name).json()
    if not answer.get("success"):
        log.warning("there is no channel '%s'", channel_name)
        return None
    room: str = answer["channel"]["_id"]
    return room


def get_rocketchat_channel_history(rocket_client: ChatClient, channel: str) -> list[dict[str, Any]]:
    """All messages of a public channel, newest first; empty when there is none."""
    room = get_rocketchat_channel_room_id(rocket_client, channel)
    if room is None:
        return []
    history = rocket_client.channels_history(room_id=room, count=0).json()
    messages: list[dict[str, Any]] = history.get("messages") or []
    return messages


def check_rocketchat_message_posted(rocket_client: ChatClient, channel_name: str, keywords: Iterable[str]) -> bool:
    """Is there one message in the channel that contains every keyword, upper or lower case?"""
    wanted = [keyword.lower() for keyword in keywords]
    return any(
        all(keyword in str(message.get("msg", "")).lower() for keyword in wanted)
        for message in get_rocketchat_channel_history(rocket_client, channel_name)
    )


def _given(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if value is not None}
