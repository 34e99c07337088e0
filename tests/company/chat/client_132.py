"""Run by the interpreter that has rocketchat_API 1.32: what tasks for that version do. Argument: the server's URL."""

# ruff: noqa: PT018 - a script, whose assertions pytest does not rewrite

import sys
import tempfile
import uuid
from pathlib import Path
from typing import Any

from rocketchat_API.APIExceptions.RocketExceptions import (  # type: ignore[import-untyped]  # it ships no types
    RocketAuthenticationException,
)
from rocketchat_API.rocketchat import RocketChat  # type: ignore[import-untyped]  # it ships no types

url, password = sys.argv[1], "correct-horse-battery"


def ok(response: Any) -> Any:
    found = response.json()
    assert response.status_code == 200 and found.get("success"), (response.url, response.text)
    return found


def refused(response: Any, kind: str) -> None:
    found = response.json()
    assert response.status_code == 400 and found["success"] is False and found["errorType"] == kind, response.text


ok(
    RocketChat(server_url=url).users_register(
        email="first@blank.test", name="first", password=password, username="first"
    )
)
first = RocketChat("first", password, server_url=url)
try:
    first.login("first", "wrong")
except RocketAuthenticationException:
    pass
else:
    raise AssertionError("a wrong password was accepted")
assert first.login("first@blank.test", password).json()["status"] == "success"
me = ok(first.me())
assert me["roles"] == ["user", "admin"]
second = ok(first.users_create("second@blank.test", "Second", password, "second"))["user"]

# What graders of published tasks call.
names = {user["username"]: user for user in ok(first.users_list())["users"]}
assert names["second"]["nameInsensitive"] == "second" and names["second"]["name"] == "Second"
assert ok(first.im_history(second["_id"]))["messages"] == []
ok(first.chat_post_message("hello", channel="@second"))
ok(first.chat_post_message("are you there?", channel="@second"))
history = ok(first.im_history(second["_id"]))["messages"]
assert [message["msg"] for message in history] == ["are you there?", "hello"]
assert history[0]["u"]["username"] == "first"
other = RocketChat("second", password, server_url=url)
assert len(ok(other.im_history(me["_id"]))["messages"]) == 2
assert ok(first.channels_info(channel="general"))["channel"]["_id"] == "GENERAL"
refused(first.channels_info(channel="nowhere"), "error-room-not-found")
ok(first.chat_post_message("to all", channel="#general"))
assert ok(first.channels_history("GENERAL", count=1))["messages"][0]["msg"] == "to all"
assert {one["username"] for one in ok(first.channels_members(channel="general"))["members"]} >= {"first", "second"}
assert ok(first.roles_get_users_in_role(role="admin"))["users"][0]["username"] == "first"
channel = ok(first.channels_create(str(uuid.uuid1())))["channel"]
ok(first.channels_invite(channel["_id"], second["_id"]))

# Calls this version has and the current one has not.
with tempfile.TemporaryDirectory() as folder:
    picture = Path(folder, "picture.png")
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    sent = ok(first.rooms_upload("GENERAL", file=str(picture), description="a picture"))["message"]
    assert sent["file"]["name"] == "picture.png" and sent["attachments"][0]["description"] == "a picture"
    assert (
        first.req.get(url + sent["attachments"][0]["image_url"], headers=first.headers).content == picture.read_bytes()
    )
room = ok(first.im_create("second"))["room"]["_id"]
ok(first.im_close(room))
ok(first.im_open(room))
assert ok(first.im_set_topic(room, "tea"))["topic"] == "tea"
assert ok(first.im_members(room))["count"] == 2
assert ok(first.im_messages(username="second"))["messages"] == ok(first.im_messages(room_id=room))["messages"]
refused(first.im_messages_others(room), "error-endpoint-disabled")
ok(first.im_list())
ok(first.im_list_everyone())
ok(first.im_files(room_id=room))
ok(first.im_counters(room_id=room))
ok(first.update_jitsi_timeout(room_id="GENERAL"))
ok(first.settings_oauth())
token = ok(first.users_create_token(user_id=me["_id"]))["data"]["authToken"]
assert ok(RocketChat(user_id=me["_id"], auth_token=token, server_url=url).me())["username"] == "first"
assert first.users_get_avatar(user_id="nobody").status_code == 400
assert first.users_get_avatar(username="first").text
refused(first.channels_leave(channel["_id"]), "error-you-are-last-owner")
assert first.logout().json()["status"] == "success"
assert first.me().status_code == 401
print("done")
