"""The current rocketchat_API over a real socket, family by family: what it calls, chat answers."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rocketchat_API.APIExceptions.RocketExceptions import (  # type: ignore[import-untyped]  # it ships no types
    RocketApiException,
    RocketAuthenticationException,
    RocketBadStatusCodeException,
)
from rocketchat_API.rocketchat import RocketChat  # type: ignore[import-untyped]  # it ships no types

from tests.company.chat.conftest import PASSWORD, Sign
from tests.company.serving import Served

LONG_AGO = "2000-01-01T00:00:00.000Z"


def new_name() -> str:
    return f"r{uuid.uuid4().hex[:12]}"


def post(rocket: RocketChat, text: str, channel: str = "GENERAL", **facts: Any) -> str:
    found: str = rocket.chat_post_message(text, channel=channel, **facts)["message"]["_id"]
    return found


@pytest.fixture
def picture(tmp_path: Path) -> str:
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    return str(path)


# -- accounts ------------------------------------------------------------------------------------------------------


def test_the_first_to_register_is_the_administrator_and_no_other(admin: RocketChat, bea: RocketChat) -> None:
    assert admin.me()["roles"] == ["user", "admin"]
    assert bea.me()["roles"] == ["user"]


def test_a_wrong_password_is_refused_and_an_email_signs_in(admin: RocketChat) -> None:
    with pytest.raises(RocketAuthenticationException):
        admin.login("ada", "wrong")
    assert admin.login("ada@blank.test", PASSWORD)["status"] == "success"


def test_logging_out_ends_the_token(blank: Served, admin: RocketChat) -> None:
    admin.logout()
    with pytest.raises(RocketBadStatusCodeException) as refusal:
        admin.me()
    assert refusal.value.status_code == 401


def test_a_name_or_an_email_in_use_is_refused(admin: RocketChat) -> None:
    for email, name in (("ada@blank.test", "other"), ("other@blank.test", "ada"), ("other@blank.test", "ADA")):
        with pytest.raises(RocketApiException):
            admin.users_register(email, "Other", PASSWORD, name)


def test_an_administrator_creates_changes_and_deletes_accounts(admin: RocketChat) -> None:
    id = admin.users_create("cy@blank.test", "Cy", PASSWORD, "cy")["user"]["_id"]
    changed = admin.users_update(id, name="Cyan", username="cyan", bio="Likes blue")["user"]
    assert (changed["name"], changed["username"]) == ("Cyan", "cyan")
    assert admin.users_info(user_id=id)["user"]["bio"] == "Likes blue"
    assert admin.users_info(email="cy@blank.test")["user"]["_id"] == id
    admin.users_delete(id)
    with pytest.raises(RocketApiException, match=r"User not found\."):
        admin.users_info(user_id=id)


def test_the_last_owner_of_a_shared_channel_is_not_deleted_unasked(admin: RocketChat, bea: RocketChat) -> None:
    room = bea.channels_create(new_name())["channel"]["_id"]
    bea.channels_invite(room, admin.me()["_id"])
    id = bea.me()["_id"]
    with pytest.raises(RocketApiException) as refusal:
        admin.users_delete(id)
    assert refusal.value.error_type == "user-last-owner"
    admin.users_delete(id, confirmRelinquish=True)
    assert [one["u"]["username"] for one in admin.channels_roles(room_id=room)["roles"]] == ["ada"]


def test_a_deactivated_account_is_signed_out_and_stays_out(blank: Served, admin: RocketChat, bea: RocketChat) -> None:
    admin.users_set_active_status(bea.me()["_id"], active_status=False)
    with pytest.raises(RocketBadStatusCodeException):
        bea.me()
    with pytest.raises(RocketAuthenticationException):
        RocketChat("bea", PASSWORD, server_url=blank.url("chat"))


def test_pictures_of_people(admin: RocketChat, picture: str) -> None:
    assert "<svg" in admin.users_get_avatar(username="ada")
    admin.users_set_avatar(picture)
    found = admin.session.get(f"{admin.server_url}/avatar/ada")
    assert (found.headers["content-type"], found.content) == ("image/png", Path(picture).read_bytes())
    admin.users_set_avatar("https://pictures.test/ada.png")
    found = admin.session.get(f"{admin.server_url}/avatar/ada", allow_redirects=False)
    assert found.headers["location"] == "https://pictures.test/ada.png"
    admin.users_reset_avatar(username="ada")
    assert "<svg" in admin.users_get_avatar(user_id=admin.me()["_id"])
    with pytest.raises(RocketApiException):
        admin.users_get_avatar(user_id="nobody")


def test_status_presence_and_preferences(admin: RocketChat) -> None:
    admin.users_set_status(message="in the greenhouse", status="busy")
    assert admin.users_get_presence(username="ada")["presence"] == "busy"
    assert {"connectionStatus", "lastLogin"} <= set(admin.users_get_presence(user_id=admin.me()["_id"]))
    assert admin.call_api_get("users.getStatus")["message"] == "in the greenhouse"
    id = admin.me()["_id"]
    assert admin.users_set_preferences(user_id=id, data={"useEmojis": False})["user"]["_id"] == id
    assert admin.users_get_preferences()["preferences"]["useEmojis"] is False
    admin.users_forgot_password("ada@blank.test")


def test_personal_access_tokens(blank: Served, admin: RocketChat) -> None:
    token = admin.call_api_post("users.generatePersonalAccessToken", tokenName="bot")["token"]
    again = admin.call_api_post("users.regeneratePersonalAccessToken", tokenName="bot")["token"]
    id = admin.me()["_id"]
    assert RocketChat(user_id=id, auth_token=again, server_url=blank.url("chat")).me()["username"] == "ada"
    with pytest.raises(RocketBadStatusCodeException):
        RocketChat(user_id=id, auth_token=token, server_url=blank.url("chat")).me()
    listed = admin.call_api_get("users.getPersonalAccessTokens")["tokens"]
    assert [(one["name"], one["lastTokenPart"]) for one in listed] == [("bot", again[-6:])]
    admin.call_api_post("users.removePersonalAccessToken", tokenName="bot")
    assert admin.call_api_get("users.getPersonalAccessTokens")["tokens"] == []


def test_pages_add_up_to_the_whole_list(admin: RocketChat, sign_up: Sign) -> None:
    for number in range(5):
        sign_up(f"person{number}")
    everyone = [user["username"] for user in admin.users_list()]
    assert [user["username"] for user in admin.users_list(count=2)] == everyone
    assert len(everyone) == len(set(everyone)) == 7  # with the service's own bot
    page = admin.call_api_get("users.list", count=2, offset=4)
    assert (page["count"], page["offset"], page["total"]) == (2, 4, 7)
    backwards = admin.call_api_get("users.list", sort='{"username":-1}', count=0)["users"]
    assert [user["username"] for user in backwards] == everyone[::-1]


def test_lists_answer_queries_and_fields(admin: RocketChat, bea: RocketChat) -> None:
    found = admin.call_api_get("users.list", query='{"username":{"$regex":"^be"}}', fields='{"username":1}')["users"]
    assert found == [{"_id": bea.me()["_id"], "username": "bea"}]
    with pytest.raises(RocketApiException) as refusal:
        admin.call_api_get("users.list", query='{"password":"x"}')
    assert refusal.value.error_type == "error-invalid-query"


# -- channels and groups -------------------------------------------------------------------------------------------


def test_a_channel_from_making_to_deleting(admin: RocketChat, bea: RocketChat) -> None:
    name = new_name()
    room = admin.channels_create(name, members=["bea"])["channel"]
    assert (room["name"], room["usersCount"], room["t"]) == (name, 2, "c")
    id = room["_id"]
    for setter, key in (
        (admin.channels_set_topic, "topic"),
        (admin.channels_set_description, "description"),
        (admin.channels_set_announcement, "announcement"),
    ):
        assert setter(id, f"the {key}")[key] == f"the {key}"
        assert admin.channels_info(room_id=id)["channel"][key] == f"the {key}"
    assert admin.channels_set_custom_fields(id, {"key": "value"})["channel"]["customFields"] == {"key": "value"}
    renamed = new_name()
    assert admin.channels_rename(id, renamed)["channel"]["name"] == renamed
    types = {message.get("t") for message in admin.channels_history(id)}
    assert types >= {"r", "room_changed_topic", "room_changed_description", "room_changed_announcement", "au"}
    admin.channels_delete(channel=renamed)
    with pytest.raises(RocketApiException) as refusal:
        admin.channels_info(room_id=id)
    assert refusal.value.error_type == "error-room-not-found"


def test_roles_in_a_room_are_given_and_taken(admin: RocketChat, bea: RocketChat) -> None:
    me, her = admin.me()["_id"], bea.me()["_id"]
    for family in ("channels", "groups"):
        create = getattr(admin, f"{family}_create")(new_name(), members=["bea"])
        id = (create.get("channel") or create["group"])["_id"]
        for role in ("moderator", "leader", "owner"):
            getattr(admin, f"{family}_add_{role}")(id, her)
            holders = {one["u"]["_id"]: one["roles"] for one in getattr(admin, f"{family}_roles")(room_id=id)["roles"]}
            assert role in holders[her]
            getattr(admin, f"{family}_remove_{role}")(id, her)
        with pytest.raises(RocketApiException) as refusal:
            getattr(admin, f"{family}_remove_owner")(id, me)
        assert refusal.value.error_type == "error-remove-last-owner"


def test_the_last_owner_cannot_leave_and_another_may(admin: RocketChat, bea: RocketChat) -> None:
    id = admin.channels_create(new_name(), members=["bea"])["channel"]["_id"]
    for leave in (admin.channels_leave, admin.rooms_leave):
        with pytest.raises(RocketApiException) as refusal:
            leave(id)
        assert refusal.value.error_type == "error-you-are-last-owner"
    admin.channels_add_owner(id, username="bea")
    admin.channels_leave(id)
    assert [user["username"] for user in admin.channels_members(room_id=id)] == ["bea"]


def test_an_ordinary_member_adds_nobody_and_an_owner_does(admin: RocketChat, bea: RocketChat, sign_up: Sign) -> None:
    cy = sign_up("cy").me()["_id"]
    id = admin.channels_create(new_name(), members=["bea"])["channel"]["_id"]
    with pytest.raises(RocketApiException) as refusal:
        bea.channels_invite(id, cy)
    assert refusal.value.error_type == "error-not-allowed"
    admin.channels_add_owner(id, username="bea")
    assert bea.channels_invite(id, cy)["channel"]["usersCount"] == 3


def test_newcomers_enter_default_channels_whatever_their_code(admin: RocketChat, sign_up: Sign) -> None:
    admin.channels_set_join_code("GENERAL", "sesame")
    assert [room["name"] for room in sign_up("cy").channels_list_joined()] == ["general"]


def test_a_join_code_keeps_others_out(admin: RocketChat, bea: RocketChat) -> None:
    id = admin.channels_create(new_name())["channel"]["_id"]
    admin.channels_set_join_code(id, "sesame")
    with pytest.raises(RocketApiException):
        bea.channels_join(id, "wrong")
    bea.channels_join(id, "sesame")
    assert {user["username"] for user in admin.channels_members(room_id=id)} == {"ada", "bea"}


def test_an_archived_channel_takes_no_messages(admin: RocketChat, bea: RocketChat) -> None:
    id = admin.channels_create(new_name(), members=["bea"])["channel"]["_id"]
    admin.channels_archive(id)
    with pytest.raises(RocketApiException, match="room_is_archived"):
        post(bea, "too late", id)
    admin.channels_unarchive(id)
    post(bea, "in time", id)


def test_a_read_only_channel_is_for_its_keepers(admin: RocketChat, bea: RocketChat) -> None:
    id = admin.channels_create(new_name(), members=["bea"], readOnly=True)["channel"]["_id"]
    post(admin, "news", id)
    with pytest.raises(RocketApiException, match="readonly"):
        post(bea, "gossip", id)
    assert admin.channels_set_read_only(id, False)["channel"]["ro"] is False
    post(bea, "gossip", id)


def test_a_group_is_unknown_to_those_outside(admin: RocketChat, sign_up: Sign, bea: RocketChat) -> None:
    cy = sign_up("cy")
    name = new_name()
    id = bea.groups_create(name)["group"]["_id"]
    post(bea, "a secret", id)
    for look in (cy.groups_info, cy.groups_history, cy.groups_members, cy.rooms_info):
        with pytest.raises(RocketApiException) as refusal:
            look(room_id=id)
        assert refusal.value.error_type == "error-room-not-found"
    with pytest.raises(RocketApiException):
        post(cy, "hello?", id)
    bea.groups_invite(id, cy.me()["_id"])
    assert "a secret" in [message["msg"] for message in cy.groups_history(id)]
    bea.groups_kick(id, cy.me()["_id"])
    assert id not in [group["_id"] for group in cy.groups_list()]


def test_a_channel_made_private_is_a_channel_no_more(admin: RocketChat) -> None:
    id = admin.channels_create(new_name())["channel"]["_id"]
    assert admin.channels_set_type(id, "p")["channel"]["t"] == "p"
    with pytest.raises(RocketApiException) as refusal:
        admin.channels_set_type(id, "c")
    assert refusal.value.error_type == "error-room-not-found"
    assert admin.groups_set_type(id, "c")["group"]["t"] == "c"


def test_lists_of_rooms(admin: RocketChat, bea: RocketChat) -> None:
    open_room, closed_room = new_name(), new_name()
    admin.channels_create(open_room)
    admin.groups_create(closed_room)
    assert {room["name"] for room in bea.channels_list()} == {"general", open_room}
    assert {room["name"] for room in bea.channels_list_joined()} == {"general"}
    assert list(bea.groups_list()) == []
    assert {room["name"] for room in admin.groups_list_all()} == {closed_room}
    with pytest.raises(RocketApiException):
        bea.groups_list_all()
    assert [room["_id"] for room in admin.rooms_admin_rooms(filter="general")] == ["GENERAL"]
    assert {room["t"] for room in admin.call_api_get("rooms.adminRooms", types=["p"])["rooms"]} == {"p"}


def test_closing_a_room_hides_it_until_somebody_writes(admin: RocketChat, bea: RocketChat) -> None:
    admin.channels_close("GENERAL")
    assert admin.subscriptions_get_one("GENERAL")["subscription"]["open"] is False
    with pytest.raises(RocketApiException):
        admin.channels_close("GENERAL")
    post(bea, "hello")
    assert admin.subscriptions_get_one("GENERAL")["subscription"]["open"] is True


def test_everyone_can_be_added_and_the_online_ones_listed(admin: RocketChat, bea: RocketChat) -> None:
    id = admin.channels_create(new_name())["channel"]["_id"]
    assert admin.channels_add_all(id)["channel"]["usersCount"] == 3
    bea.users_set_status(message="", status="online")
    assert "bea" in [user["username"] for user in admin.channels_online(_id=id)["online"]]
    assert admin.channels_set_default("GENERAL", default=False)["channel"]["default"] is False


# -- messages ------------------------------------------------------------------------------------------------------


def test_a_message_is_posted_changed_and_deleted(admin: RocketChat) -> None:
    sent = admin.chat_post_message("hello", channel="GENERAL", attachments=[{"color": "#f00", "text": "there"}])
    assert (sent["channel"], sent["message"]["attachments"]) == ("GENERAL", [{"color": "#f00", "text": "there"}])
    id = sent["message"]["_id"]
    changed = admin.chat_update("GENERAL", id, "hello again")["message"]
    assert (changed["msg"], changed["editedBy"]["username"]) == ("hello again", "ada")
    admin.chat_delete("GENERAL", id)
    with pytest.raises(RocketApiException):
        admin.chat_get_message(id)
    assert id in [one["_id"] for one in admin.chat_get_deleted_messages("GENERAL", LONG_AGO)]


def test_a_message_may_be_empty_and_bring_its_own_id(admin: RocketChat) -> None:
    assert admin.chat_post_message(None, channel="GENERAL")["message"]["msg"] == ""
    assert admin.chat_send_message({"rid": "GENERAL", "msg": "hi", "_id": "42"})["message"]["_id"] == "42"
    with pytest.raises(RocketApiException):
        admin.chat_send_message({"rid": "GENERAL", "msg": "again", "_id": "42"})


def test_nobody_changes_or_deletes_what_others_said(admin: RocketChat, bea: RocketChat) -> None:
    id = post(admin, "mine")
    attempts: tuple[Callable[[], Any], ...] = (
        lambda: bea.chat_update("GENERAL", id, "yours"),
        lambda: bea.chat_delete("GENERAL", id),
    )
    for attempt in attempts:
        with pytest.raises(RocketApiException) as refusal:
            attempt()
        assert refusal.value.error_type == "error-action-not-allowed"
    admin.chat_delete("GENERAL", post(bea, "an administrator may"))


def test_reactions_are_toggled(admin: RocketChat, bea: RocketChat) -> None:
    id = post(admin, "cake?")
    bea.chat_react(id, "smile")
    bea.chat_react(id, ":cake:")
    admin.chat_react(id, "cake")
    assert admin.chat_get_message(id)["message"]["reactions"] == {
        ":smile:": {"usernames": ["bea"]},
        ":cake:": {"usernames": ["bea", "ada"]},
    }
    bea.chat_react(id, "smile")
    bea.chat_react(id, "cake", shouldReact=True)
    assert set(admin.chat_get_message(id)["message"]["reactions"]) == {":cake:"}


def test_pins_and_stars(admin: RocketChat, bea: RocketChat) -> None:
    id = post(admin, "keep this")
    assert admin.chat_pin_message(id)["message"]["t"] == "message_pinned"
    assert [one["_id"] for one in bea.chat_get_pinned_messages("GENERAL")] == [id]
    admin.chat_unpin_message(id)
    assert list(bea.chat_get_pinned_messages("GENERAL")) == []
    with pytest.raises(RocketApiException):
        bea.chat_pin_message(id)
    admin.chat_star_message(id)
    assert [one["_id"] for one in admin.chat_get_starred_messages("GENERAL")] == [id]
    assert list(bea.chat_get_starred_messages("GENERAL")) == []
    admin.chat_unstar_message(id)
    assert list(admin.chat_get_starred_messages("GENERAL")) == []


def test_a_thread_counts_its_replies_and_keeps_their_order(admin: RocketChat, bea: RocketChat) -> None:
    root = post(admin, "question")
    replies = [post(bea, f"answer {number}", tmid=root) for number in range(3)]
    assert [one["_id"] for one in admin.chat_get_thread_messages(root)] == replies
    found = admin.chat_get_message(root)["message"]
    assert found["tcount"] == 3
    assert set(found["replies"]) == {admin.me()["_id"], bea.me()["_id"]}
    assert [one["_id"] for one in admin.chat_get_threads_list("GENERAL")] == [root]
    admin.chat_delete("GENERAL", replies[0])
    assert admin.chat_get_message(root)["message"]["tcount"] == 2
    assert admin.subscriptions_get_one("GENERAL")["subscription"]["tunread"] == [root]
    assert len(admin.chat_sync_thread_messages(root, LONG_AGO)["messages"]["update"]) == 2
    assert len(admin.chat_sync_thread_list("GENERAL", LONG_AGO)["threads"]["update"]) == 1
    bea.chat_unfollow_message(root)
    assert admin.chat_get_message(root)["message"]["replies"] == [admin.me()["_id"]]


def test_mentions_find_the_people_meant(admin: RocketChat, bea: RocketChat) -> None:
    post(admin, "ask @bea. Or look in #general, @nobody")
    found = list(bea.chat_get_mentioned_messages("GENERAL"))
    assert [one["msg"] for one in found] == ["ask @bea. Or look in #general, @nobody"]
    assert [one["username"] for one in found[0]["mentions"]] == ["bea"]
    assert [one["name"] for one in found[0]["channels"]] == ["general"]
    assert bea.subscriptions_get_one("GENERAL")["subscription"]["userMentions"] == 1
    bea.subscriptions_read("GENERAL")
    assert bea.subscriptions_get_one("GENERAL")["subscription"]["userMentions"] == 0


def test_search_finds_words_and_their_beginnings(admin: RocketChat) -> None:
    for text in ("the quick brown fox", "a quicker hare", "slow snail"):
        post(admin, text)
    assert {one["msg"] for one in admin.chat_search("GENERAL", "quick")} == {"the quick brown fox", "a quicker hare"}
    assert [one["msg"] for one in admin.chat_search("GENERAL", "brown quick")] == ["the quick brown fox"]
    assert list(admin.chat_search("GENERAL", '"*^')) == []


def test_history_respects_every_bound(admin: RocketChat) -> None:
    id = admin.channels_create(new_name())["channel"]["_id"]
    moments: list[str] = []
    for number in range(6):
        moments.append(admin.chat_send_message({"rid": id, "msg": str(number)})["message"]["ts"])
    assert sorted(set(moments)) == moments, "each message is later than the one before, however fast they come"

    def texts(**bounds: Any) -> str:
        found = admin.call_api_get("channels.history", roomId=id, **bounds)["messages"]
        return "".join(message["msg"] for message in found)

    assert texts() == "543210"
    assert texts(count=2) == "54"
    assert texts(count=2, offset=1) == "43"
    assert texts(latest=moments[3]) == "210"
    assert texts(latest=moments[3], inclusive="true") == "3210"
    assert texts(oldest=moments[3]) == "54"
    assert texts(oldest=moments[1], latest=moments[4]) == "32"
    assert texts(oldest=moments[1], latest=moments[4], inclusive="true") == "4321"


def test_what_changed_since_a_moment(admin: RocketChat) -> None:
    first, second = post(admin, "one"), post(admin, "two")
    since = admin.chat_get_message(second)["message"]["ts"]
    admin.chat_update("GENERAL", first, "one, corrected")
    admin.chat_delete("GENERAL", second)
    found = admin.chat_sync_messages("GENERAL", since)["result"]
    assert [one["msg"] for one in found["updated"]] == ["one, corrected"]
    assert [one["_id"] for one in found["deleted"]] == [second]


def test_unread_counts_in_direct_rooms_and_channels(admin: RocketChat, bea: RocketChat) -> None:
    room = admin.dm_create("bea")["room"]["_id"]
    for text in ("one", "two"):
        post(admin, text, room)
    post(admin, "to everybody")
    direct, general = (bea.subscriptions_get_one(id)["subscription"] for id in (room, "GENERAL"))
    assert (direct["unread"], direct["alert"], general["unread"], general["alert"]) == (2, True, 0, True)
    assert bea.dm_counters(room)["unreads"] == 2
    bea.subscriptions_read(room)
    assert bea.subscriptions_get_one(room)["subscription"]["unread"] == 0
    bea.subscriptions_unread(room_id=room)
    assert bea.subscriptions_get_one(room)["subscription"]["alert"] is True


def test_an_ignored_person_and_a_reported_message(admin: RocketChat, bea: RocketChat) -> None:
    admin.chat_ignore_user("GENERAL", bea.me()["_id"])
    assert admin.subscriptions_get_one("GENERAL")["subscription"]["ignored"] == [bea.me()["_id"]]
    id = post(bea, "rude")
    admin.chat_report_message(id, "this is rude")
    report = next(iter(admin.moderation_reports(id)))
    assert (report["description"], report["room"]["_id"]) == ("this is rude", "GENERAL")
    assert admin.moderation_report_info(report["_id"])["report"]["message"]["_id"] == id
    assert [one["userId"] for one in admin.moderation_reports_by_users()] == [bea.me()["_id"]]
    assert admin.moderation_user_reported_messages(bea.me()["_id"])["user"]["username"] == "bea"
    with pytest.raises(RocketApiException):
        bea.moderation_reports(id)
    admin.moderation_user_delete_reported_messages(bea.me()["_id"])
    assert id in [one["_id"] for one in admin.chat_get_deleted_messages("GENERAL", LONG_AGO)]
    admin.moderation_report_user(bea.me()["_id"], "she too")
    assert [one["reportedUser"]["username"] for one in admin.moderation_user_reports()] == ["bea"]
    admin.moderation_dismiss_user_reports(bea.me()["_id"])
    assert list(admin.moderation_user_reports()) == []


# -- rooms of all kinds ----------------------------------------------------------------------------------------------


def test_direct_rooms(admin: RocketChat, bea: RocketChat, sign_up: Sign) -> None:
    sign_up("cy")
    room = admin.dm_create("bea")["room"]
    assert sorted(room["usernames"]) == ["ada", "bea"]
    assert bea.dm_create("ada")["room"]["_id"] == room["_id"]
    several = admin.dm_create_multiple(["bea", "cy"])["room"]["_id"]
    assert several != room["_id"]
    post(admin, "psst", room["_id"])
    assert list(bea.dm_messages(username="ada")) == list(bea.dm_messages(room_id=room["_id"]))
    assert {one["username"] for one in bea.dm_members(room["_id"])} == {"ada", "bea"}
    assert {one["_id"] for one in bea.dm_list()} == {room["_id"], several}
    assert bea.dm_set_topic(room["_id"], "tea")["topic"] == "tea"
    with pytest.raises(RocketApiException) as refusal:
        admin.dm_messages_others(room["_id"])
    assert refusal.value.error_type == "error-endpoint-disabled"
    with pytest.raises(RocketApiException):
        admin.dm_create("nobody")


def test_a_discussion_is_a_room_of_its_own(admin: RocketChat) -> None:
    room = admin.rooms_create_discussion("GENERAL", "What about tulips?", reply="I like them")["discussion"]
    assert (room["fname"], room["prid"]) == ("What about tulips?", "GENERAL")
    assert "I like them" in [one["msg"] for one in admin.channels_history(room["_id"])]
    assert [one["drid"] for one in admin.chat_get_discussions("GENERAL")] == [room["_id"]]
    assert [one["_id"] for one in admin.call_api_get("rooms.getDiscussions", roomId="GENERAL")["discussions"]] == [
        room["_id"]
    ]


def test_cleaning_a_stretch_of_history(admin: RocketChat) -> None:
    kept = post(admin, "before")
    start = admin.chat_get_message(kept)["message"]["ts"]
    for number in range(3):
        post(admin, f"line {number}")
    answer = admin.rooms_clean_history("GENERAL", latest="2999-01-01T00:00:00.000Z", oldest=start)
    assert (answer["_id"], answer["count"]) == ("GENERAL", 3)
    assert next(iter(admin.channels_history("GENERAL")))["_id"] == kept


def test_favorites_and_unknown_rooms(admin: RocketChat) -> None:
    admin.rooms_favorite(room_name="general", favorite=True)
    assert admin.subscriptions_get_one("GENERAL")["subscription"]["f"] is True
    with pytest.raises(RocketApiException, match="error-room-not-found"):
        admin.rooms_favorite(room_id="nowhere", favorite=True)


def test_rooms_and_subscriptions_since_a_moment(admin: RocketChat, bea: RocketChat) -> None:
    since = admin.chat_get_message(post(admin, "now"))["message"]["_updatedAt"]
    id = admin.channels_create(new_name(), members=["bea"])["channel"]["_id"]
    assert id in [room["_id"] for room in bea.rooms_get(updatedSince=since)["update"]]
    admin.channels_kick(id, bea.me()["_id"])
    assert id in [room["_id"] for room in bea.rooms_get(updatedSince=since)["remove"]]
    assert len(bea.subscriptions_get(updatedSince=since)["remove"]) == 1
    assert "update" in bea.subscriptions_get()


def test_files_are_sent_listed_and_fetched_by_members_only(
    admin: RocketChat, bea: RocketChat, sign_up: Sign, picture: str
) -> None:
    cy = sign_up("cy")
    id = admin.groups_create(new_name(), members=["bea"])["group"]["_id"]
    file = admin.rooms_media(id, picture)["file"]
    assert file["url"].endswith("/picture.png")
    sent = admin.rooms_media_confirm(id, file["_id"], msg="look", description="a picture")["message"]
    assert (sent["msg"], sent["file"]["name"], sent["attachments"][0]["description"]) == (
        "look",
        "picture.png",
        "a picture",
    )
    with pytest.raises(RocketApiException):
        admin.rooms_media_confirm(id, file["_id"])
    listed = list(bea.groups_files(room_id=id))
    assert [(one["name"], one["user"]["username"]) for one in listed] == [("picture.png", "ada")]

    def fetch(rocket: RocketChat, **headers: str) -> Any:
        return rocket.session.get(rocket.server_url + file["url"], headers={**rocket.headers, **headers})

    assert fetch(bea).content == Path(picture).read_bytes()
    part = fetch(bea, Range="bytes=1-3")
    assert (part.status_code, part.content) == (206, b"PNG")
    assert fetch(bea, Range="bytes=-4").content == bytes(4)
    assert fetch(bea, Range="bytes=100-").headers["content-range"] == "bytes 100-107/108"
    assert fetch(bea, Range="bytes=500-").status_code == 416
    assert fetch(bea, Range="bytes=junk").status_code == 200
    assert fetch(cy).status_code == 403
    with pytest.raises(RocketApiException) as refusal:
        cy.rooms_media(id, picture)
    assert refusal.value.status_code == 403


# -- teams ------------------------------------------------------------------------------------------------------------


def test_a_team_with_members_and_rooms(admin: RocketChat, bea: RocketChat) -> None:
    name = new_name()
    team = admin.teams_create(name, team_type=1)["team"]
    id, her = team["_id"], bea.me()["_id"]
    assert admin.teams_info(team_name=name)["teamInfo"]["_id"] == id
    admin.teams_add_members(team_id=id, members=[{"userId": her, "roles": ["member"]}])
    assert {one["user"]["username"] for one in admin.teams_members(team_name=name)} == {"ada", "bea"}
    admin.teams_update_member(team_id=id, member={"userId": her, "roles": ["owner"]})
    assert {one["user"]["username"]: one["roles"] for one in admin.teams_members(team_id=id)}["bea"] == ["owner"]
    room = admin.groups_create(new_name())["group"]["_id"]
    assert admin.teams_add_rooms(team_id=id, rooms=[room])["rooms"][0]["_id"] == room
    assert admin.teams_update_room(room, is_default=True)["room"]["teamDefault"] is True
    assert [one["_id"] for one in admin.teams_list_rooms(team_id=id)] == [room]
    assert [one["_id"] for one in admin.teams_list_rooms_of_user(team_id=id, user_id=admin.me()["_id"])] == [room]
    admin.teams_remove_room(team_id=id, room_id=room)
    assert list(admin.teams_list_rooms(team_id=id)) == []
    admin.teams_remove_member(team_id=id, user_id=her)
    assert len(list(admin.teams_members(team_id=id))) == 1
    assert [one["name"] for one in admin.teams_list_all()] == [name]
    admin.teams_delete(team_name=name)
    assert list(admin.teams_list_all()) == []
    group = admin.groups_create(new_name())["group"]["_id"]
    assert admin.groups_convert_to_team(room_id=group)["team"]["roomId"] == group


# -- what administrators keep ----------------------------------------------------------------------------------------


def test_roles_and_who_holds_them(admin: RocketChat, bea: RocketChat) -> None:
    role = admin.roles_create("gardener", description="waters")["role"]
    admin.roles_add_user_to_role(role["_id"], "bea")
    assert [user["username"] for user in admin.roles_get_users_in_role("gardener")] == ["bea"]
    with pytest.raises(RocketApiException) as refusal:
        admin.roles_delete(role["_id"])
    assert refusal.value.error_type == "error-role-in-use"
    admin.roles_remove_user_from_role(role["_id"], "bea")
    admin.roles_delete(role["_id"])
    assert "gardener" not in [one["name"] for one in admin.roles_list()["roles"]]
    assert len(admin.roles_sync(updated_since=LONG_AGO)["roles"]["update"]) >= 11
    admin.channels_add_owner("GENERAL", username="ada")
    assert [user["username"] for user in admin.roles_get_users_in_role("owner", roomId="GENERAL")] == ["ada"]
    with pytest.raises(RocketApiException) as refusal:
        admin.roles_remove_user_from_role("admin", "ada")
    assert refusal.value.error_type == "error-admin-required"


def test_a_permission_taken_away_is_gone_at_once(admin: RocketChat, bea: RocketChat) -> None:
    bea.channels_create(new_name())
    admin.permissions_update([{"_id": "create-c", "roles": ["admin"]}])
    with pytest.raises(RocketApiException) as refusal:
        bea.channels_create(new_name())
    assert refusal.value.status_code == 403
    assert {"update", "remove"} <= set(admin.permissions_list_all(updatedSince=LONG_AGO))
    for wrong in ([{"_id": "no-such", "roles": ["admin"]}], [{"_id": "create-c", "roles": ["nobody"]}]):
        with pytest.raises(RocketApiException):
            admin.permissions_update(wrong)


def test_settings_are_kept_and_private_ones_are_private(admin: RocketChat, bea: RocketChat) -> None:
    admin.settings_update("Site_Name", "Greenhouse")
    assert admin.settings_get("Site_Name")["value"] == "Greenhouse"
    public = {one["_id"]: one["value"] for one in RocketChat(server_url=admin.server_url).settings_public()}
    assert public["Site_Name"] == "Greenhouse"
    assert "Accounts_Registration_Users_Default_Roles" not in public
    attempts: tuple[Callable[[], Any], ...] = (
        lambda: bea.settings_update("Site_Name", "Mine"),
        lambda: bea.settings_get("Site_Name"),
    )
    for attempt in attempts:
        with pytest.raises(RocketApiException) as refusal:
            attempt()
        assert refusal.value.status_code == 403
    with pytest.raises(RocketApiException):
        admin.settings_update("Site_Name", 7)


def test_registration_can_be_closed(admin: RocketChat, sign_up: Sign) -> None:
    admin.settings_update("Accounts_RegistrationForm", "Disabled")
    with pytest.raises(RocketApiException) as refusal:
        sign_up("late")
    assert refusal.value.error_type == "error-user-registration-disabled"


def test_invites(admin: RocketChat, bea: RocketChat) -> None:
    room = admin.groups_create(new_name())["group"]["_id"]
    invite = admin.find_or_create_invite(room, days=7, max_uses=1)
    assert (invite["days"], invite["maxUses"], invite["rid"]) == (7, 1, room)
    assert admin.find_or_create_invite(room, days=7, max_uses=1)["_id"] == invite["_id"]
    assert bea.validate_invite_token(invite["_id"])["valid"] is True
    assert bea.use_invite_token(invite["_id"])["room"]["rid"] == room
    assert room in [group["_id"] for group in bea.groups_list()]
    assert bea.validate_invite_token(invite["_id"])["valid"] is False
    assert [one["_id"] for one in admin.list_invites()] == [invite["_id"]]
    admin.remove_invite(invite["_id"])
    assert admin.list_invites() == []


def test_custom_statuses_emojis_sounds_and_assets(admin: RocketChat, picture: str) -> None:
    status = admin.custom_user_status_create("watering", "busy")["customUserStatus"]
    changed = admin.custom_user_status_update(status["_id"], "weeding", "away")["customUserStatus"]
    assert (changed["name"], changed["statusType"]) == ("weeding", "away")
    assert [one["name"] for one in admin.custom_user_status_list()] == ["weeding"]
    admin.custom_user_status_delete(status["_id"])
    admin.custom_emoji_create("tulip", picture, aliases="flower")
    emoji = admin.custom_emoji_list()["emojis"]["update"][0]
    assert (emoji["name"], emoji["aliases"]) == ("tulip", ["flower"])
    assert admin.session.get(f"{admin.server_url}/emoji-custom/tulip.png").content == Path(picture).read_bytes()
    admin.custom_emoji_update(emoji["_id"], "rose")
    assert [one["name"] for one in admin.custom_emoji_all()] == ["rose"]
    admin.custom_emoji_delete(emoji["_id"])
    message = json.dumps({"method": "insertOrUpdateSound", "params": [{"name": "ding", "extension": "mp3"}], "id": "1"})
    answer = admin.call_api_post("method.call/insertOrUpdateSound", message=message)
    sound = json.loads(answer["message"])["result"]
    assert admin.custom_sounds_get_one(sound)["sound"]["name"] == "ding"
    admin.assets_set_asset("logo", picture)
    assert admin.session.get(f"{admin.server_url}/assets/logo.png").content == Path(picture).read_bytes()
    admin.assets_unset_asset("logo")
    assert admin.session.get(f"{admin.server_url}/assets/logo.png").status_code == 404


def test_an_incoming_webhook_speaks_in_its_channel(admin: RocketChat) -> None:
    hook = admin.integrations_create("webhook-incoming", "news", True, "ada", "#general", False, alias="News")[
        "integration"
    ]
    address = f"{admin.server_url}/hooks/{hook['_id']}/{hook['token']}"
    assert admin.session.post(address, json={"text": "rain tomorrow"}).json() == {"success": True}
    newest = next(iter(admin.channels_history("GENERAL")))
    assert (newest["msg"], newest["alias"], newest["bot"]) == ("rain tomorrow", "News", {"i": hook["_id"]})
    assert admin.session.post(address[:-3] + "xxx", json={"text": "?"}).status_code == 404
    assert [one["_id"] for one in admin.channels_get_integrations("GENERAL")] == [hook["_id"]]
    admin.integrations_update("webhook-incoming", "news", False, "ada", "#general", False, hook["_id"])
    assert admin.session.post(address, json={"text": "?"}).status_code == 404
    assert admin.integrations_get(hook["_id"])["integration"]["enabled"] is False
    admin.integrations_remove(hook["type"], hook["_id"])
    assert list(admin.integrations_list()) == []


def test_a_customer_writes_and_an_agent_takes_it(admin: RocketChat) -> None:
    with pytest.raises(RocketApiException) as refusal:
        admin.livechat_inquiries_take("nothing")
    assert refusal.value.error_type == "error-not-found"
    agent = admin.livechat_create_user("agent", username="ada")["user"]
    admin.settings_update("Livechat_Routing_Method", "Manual_Selection")
    admin.livechat_register_visitor("customer", visitor={"username": "customer-1", "name": "Ms Green"})
    assert admin.livechat_get_visitor("customer")["visitor"]["username"] == "customer-1"
    with pytest.raises(RocketApiException) as refusal:
        admin.livechat_room("customer")
    assert refusal.value.error_type == "no-agent-online"
    admin.users_set_status(message="", status="online")
    room = admin.livechat_room("customer")["room"]["_id"]
    admin.livechat_message("customer", room, "my roses are blue")
    assert [one["msg"] for one in admin.livechat_messages_history(room, "customer")] == ["my roses are blue"]
    inquiry = admin.livechat_inquiries_get_one(room)["inquiry"]
    assert admin.livechat_inquiries_take(inquiry["_id"])["inquiry"]["status"] == "taken"
    post(admin, "they are violets", room)
    admin.livechat_delete_user("agent", agent["_id"])
    assert list(admin.livechat_get_users("agent")) == []
    admin.livechat_set_appearance([{"_id": "Livechat_title", "value": "Ask us"}])
    shown = {one["_id"]: one["value"] for one in admin.livechat_get_appearance()["appearance"]}
    assert shown["Livechat_title"] == "Ask us"


def test_the_workspace_describes_itself(admin: RocketChat, bea: RocketChat) -> None:
    assert admin.info()["info"]["version"] == admin.info()["version"]
    statistics = admin.statistics()
    assert (statistics["totalUsers"], statistics["totalChannels"]) == (3, 1)
    assert len(list(admin.statistics_list())) == 1
    with pytest.raises(RocketApiException):
        bea.statistics()
    assert admin.licenses_info()["license"]["hasValidLicense"] is False
    assert "configurations" in admin.service_configurations()


def test_people_and_channels_are_found_across_the_workspace(admin: RocketChat, bea: RocketChat) -> None:
    found = admin.spotlight("be")
    assert ([user["username"] for user in found["users"]], found["rooms"]) == (["bea"], [])
    assert [room["name"] for room in admin.spotlight("%23gen")["rooms"]] == ["general"]
    assert [user["username"] for user in admin.directory({"text": "bea", "type": "users"})] == ["bea"]
    assert [room["name"] for room in admin.directory({"text": "gen", "type": "channels"})] == ["general"]


def test_a_room_without_an_inquiry_has_none(admin: RocketChat) -> None:
    assert admin.livechat_inquiries_get_one(room_id="nonexistent")["inquiry"] is None


def test_what_the_workspace_does_not_allow_is_refused(admin: RocketChat, bea: RocketChat) -> None:
    own = post(bea, "hello")
    for setting in ("Message_AllowDeleting", "Message_AllowStarring", "Accounts_AllowRealNameChange"):
        admin.settings_update(setting, False)
    admin.settings_update("Message_ErasureType", "Keep")
    acts: tuple[Callable[[], Any], ...] = (
        lambda: bea.chat_delete("GENERAL", own), lambda: bea.chat_star_message(own),
        lambda: bea.call_api_post("users.updateOwnBasicInfo", data={"name": "Beatrix"}),
    )  # fmt: skip
    for act in acts:
        with pytest.raises(RocketApiException):
            act()
    for setting in ("Message_AllowDeleting", "Message_AllowStarring", "Accounts_AllowRealNameChange"):
        admin.settings_update(setting, True)
    assert bea.chat_star_message(own)["success"]
    assert bea.call_api_post("users.updateOwnBasicInfo", data={"name": "Beatrix"})["user"]["name"] == "Beatrix"
    assert bea.chat_delete("GENERAL", own)["success"]
