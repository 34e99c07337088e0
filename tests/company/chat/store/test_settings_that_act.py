"""What administrators switch: settings of the workspace and of rooms, each both ways."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from dayjob.company.chat.defaults import BOT_ID
from dayjob.company.chat.errors import ChatError
from dayjob.company.chat.rows import Room, User
from tests.company.chat.offices import Office, refused, said

OWN_CHANGES = (
    ("Accounts_AllowUsernameChange", {"username": "anna"}), ("Accounts_AllowRealNameChange", {"name": "Anna"}),
    ("Accounts_AllowEmailChange", {"email": "anna@bare.test"}), ("Accounts_AllowPasswordChange", {"password": "other"}),
    ("Accounts_AllowUserStatusMessageChange", {"status_text": "away"}),
    ("Accounts_AllowUserProfileChange", {"bio": "x"}),
)  # fmt: skip


@pytest.mark.parametrize(("setting", "values"), OWN_CHANGES)
def test_people_change_of_their_account_what_the_workspace_lets_them(
    office: Office, ann: User, setting: str, values: dict[str, Any]
) -> None:
    accounts = office.store.accounts
    assert office.may(lambda: accounts.change_own(ann, **values))
    office.store.settings.set(setting, False)
    assert not office.may(lambda: accounts.change_own(ann, **values))
    assert office.may(lambda: accounts.change_profile(ann, **values)), "an administrator still does"
    if setting != "Accounts_AllowUserProfileChange":
        assert office.may(lambda: accounts.change_own(ann, bio="x"))
        same = {name: getattr(ann, name) for name in values if name != "password"}
        assert office.may(lambda: accounts.change_own(ann, **same)), "what stays the same is no change"


def test_what_people_say_of_themselves_can_be_switched_off(office: Office, ann: User) -> None:
    set_status = office.store.accounts.set_status
    for setting, values in (
        ("Accounts_AllowUserStatusMessageChange", {"text": "at lunch"}),
        ("Accounts_AllowInvisibleStatusOption", {"status": "offline"}),
    ):
        assert office.may(lambda given=values: set_status(ann, **given))
        office.store.settings.set(setting, False)
        assert not office.may(lambda given=values: set_status(ann, **given))
        assert office.may(lambda: set_status(ann, status="busy"))


def test_a_new_account_has_the_roles_and_waits_for_the_approval_that_the_workspace_asks_for(office: Office) -> None:
    def sign_up(name: str) -> User:
        return office.store.accounts.sign_up(username=name, name=name, email=f"{name}@bare.test", password="secret")

    first = sign_up("cleo")
    assert (first.role_list(), first.active) == (["user"], 1)
    office.store.settings.set("Accounts_Registration_Users_Default_Roles", "guest, livechat-agent")
    office.store.settings.set("Accounts_ManuallyApproveNewUsers", True)
    second = sign_up("dora")
    assert (second.role_list(), second.active) == (["guest", "livechat-agent"], 0)
    assert office.store.accounts.sign_in("dora", "x") is None
    office.store.settings.set("Accounts_Registration_Users_Default_Roles", "")
    assert sign_up("emil").role_list() == ["user"]
    office.store.settings.set("Accounts_Registration_Users_Default_Roles", "no-such-role")
    assert refused(sign_up, "fred")


def test_whoever_comes_first_is_administrator_whatever_the_settings_say(office: Office) -> None:
    office.store.run("DELETE FROM users WHERE type = 'user'")
    office.store.settings.set("Accounts_ManuallyApproveNewUsers", True)
    first = office.store.accounts.sign_up(username="ada", name="Ada", email="ada@bare.test", password="secret")
    assert ("admin" in first.role_list(), first.active) == (True, 1)


def test_deleting_and_editing_end_after_so_many_minutes(office: Office, room: Room, ann: User, bob: User) -> None:
    messages, settings = office.store.messages, office.store.settings
    bot = office.person("robot", "bot")
    office.store.members.add(office.again(room), bot, roles=["moderator"])
    message = office.say(room, bob)
    asked: dict[str, Callable[[User], bool]] = {
        "Message_AllowEditing_BlockEditInMinutes": lambda who: office.may(messages.edit, message, who, "changed"),
        "Message_AllowDeleting_BlockDeleteInMinutes": lambda who: office.may(messages.delete, message, who),
    }
    for setting, may in asked.items():
        settings.set(setting, 5)
        assert may(bob), "just said"
    office.company.clock.forward(minutes=5)
    assert all(may(bob) for may in asked.values()), "to the minute"
    office.company.clock.forward(seconds=1)
    assert not any(may(bob) for may in asked.values())
    assert all(may(bot) for may in asked.values()), "may pass over the limit"
    assert asked["Message_AllowDeleting_BlockDeleteInMinutes"](ann), "owns the room, and deletes by force"
    assert not asked["Message_AllowEditing_BlockEditInMinutes"](ann)
    for setting, may in asked.items():
        settings.set(setting, 0)
        assert may(bob)


def test_deleting_can_be_switched_off_for_all_but_those_who_force_it(
    office: Office, room: Room, ann: User, bob: User
) -> None:
    (message,) = said(office, room, bob, "hello")
    office.store.settings.set("Message_AllowDeleting", False)
    found = {user.username: office.may(office.store.messages.delete, message, user) for user in (ann, bob, office.root)}
    assert found == {"ann": True, "bob": False, "root": True}, "ann owns the room"


def test_starring_and_following_can_be_switched_off(office: Office, room: Room, ann: User, bob: User) -> None:
    (message,) = said(office, room, bob, "hello")
    for setting, act in (
        ("Message_AllowStarring", office.store.messages.star),
        ("Threads_enabled", office.store.messages.follow),
    ):
        assert office.may(act, message, ann, True)
        office.store.settings.set(setting, False)
        assert not office.may(act, message, ann, True)


@pytest.mark.parametrize("word", ["all", "here"])
def test_only_those_who_may_call_everybody(office: Office, room: Room, bob: User, word: str) -> None:
    guest = office.person("gus", "guest")
    office.store.members.add(office.again(room), guest)
    for user, text, may in (
        (bob, f"@{word} come", True), (guest, f"@{word} come", False), (guest, f"see @{word}.", False),
        (guest, f"@{word}ison", True), (guest, "hello", True),
    ):  # fmt: skip
        assert office.may(office.store.messages.post, office.again(room), user, text) is may, (user.username, text)
    (own,) = said(office, room, guest, "hello")
    assert not office.may(office.store.messages.edit, own, guest, f"@{word} come")
    office.store.access.grant({f"mention-{word}": ["guest"]})
    assert office.may(office.store.messages.post, office.again(room), guest, f"@{word} come")
    assert not office.may(office.store.messages.post, office.again(room), bob, f"@{word} come")


@pytest.mark.parametrize(
    ("kind", "left"), [("Delete", []), ("Keep", [("bob", None)]), ("Unlink", [(BOT_ID, "Removed User")])]
)
def test_what_an_account_said_goes_stays_or_is_the_bots(
    office: Office, room: Room, bob: User, kind: str, left: list[tuple[str, str | None]]
) -> None:
    said(office, room, bob, "hello")
    office.store.settings.set("Message_ErasureType", kind)
    office.store.accounts.delete(bob)
    assert office.store.rows("SELECT username, alias FROM messages WHERE text = 'hello'") == left


FILES = [
    ("", "", "text/plain", True), ("image/svg+xml", "", "image/svg+xml", False), ("image/*", "", "image/png", False),
    ("image/*", "", "text/plain", True), ("", "image/*, text/plain", "image/png", True),
    ("", "image/*, text/plain", "text/plain", True), ("", "image/*", "text/plain", False),
    ("image/png", "image/*", "image/png", False), (" , ", " ", "text/plain", True),
]  # fmt: skip


@pytest.mark.parametrize(("refused_kinds", "accepted_kinds", "kind", "may"), FILES)
def test_files_of_some_kinds_are_taken(
    office: Office, refused_kinds: str, accepted_kinds: str, kind: str, may: bool
) -> None:
    office.store.settings.set("FileUpload_MediaTypeBlackList", refused_kinds)
    office.store.settings.set("FileUpload_MediaTypeWhiteList", accepted_kinds)
    assert office.store.uploads.takes(kind) is may


def test_files_are_taken_where_the_workspace_says(office: Office, room: Room, ann: User, bob: User) -> None:
    direct, uploads = office.store.rooms.open_direct(ann, [bob]), office.store.uploads
    assert office.may(uploads.require_uploads, room)
    assert office.may(uploads.require_uploads, direct)
    office.store.settings.set("FileUpload_Enabled_Direct", False)
    assert office.may(uploads.require_uploads, room)
    assert not office.may(uploads.require_uploads, direct)
    office.store.settings.set("FileUpload_Enabled_Direct", True)
    office.store.settings.set("FileUpload_Enabled", False)
    assert not office.may(uploads.require_uploads, room)


def test_a_rooms_history_leaves_out_the_lines_that_it_or_the_workspace_hides(
    office: Office, room: Room, ann: User, bob: User
) -> None:
    office.store.messages.system(room, ann, "uj", "bob")
    office.store.rooms.set_muted(office.again(room), ann, "bob", True)
    said(office, room, ann, "hello")

    def shown() -> list[str | None]:
        return [one.type for one in office.store.history.between(office.again(room))][::-1]

    assert shown() == ["uj", "user-muted", None]
    office.store.settings.set("Hide_System_Messages", ["uj"])
    assert shown() == ["user-muted", None]
    office.store.rooms.change(office.again(room), ann, hidden_lines=json.dumps(["mute_unmute"]))
    assert shown() == ["uj", None]
    office.store.rooms.change(office.again(room), ann, hidden_lines=json.dumps([]))
    assert shown() == ["uj", "user-muted", None]
    office.store.rooms.change(office.again(room), ann, hidden_lines=None)
    assert shown() == ["user-muted", None]


def test_a_room_names_at_most_a_hundred_types_of_lines_to_hide(office: Office) -> None:
    hiding = office.store.rooms.hiding
    assert hiding(None) is None
    assert hiding([]) == "[]"
    assert json.loads(hiding(["uj"] * 100) or "") == ["uj"] * 100
    with pytest.raises(ChatError, match="more than 100"):
        hiding(["uj"] * 101)


ROOM_SETTINGS = (
    ("read_only", 1, "set-readonly"), ("react_read_only", 1, "set-react-when-readonly"),
    ("encrypted", 1, "toggle-room-e2e-encryption"),
)  # fmt: skip


@pytest.mark.parametrize(("column", "value", "permission"), ROOM_SETTINGS)
def test_some_settings_of_a_room_take_a_permission_of_their_own(
    office: Office, room: Room, ann: User, bob: User, column: str, value: int, permission: str
) -> None:
    office.store.members.set_role(room.id, bob, "moderator", held=True)
    require = office.store.rooms.require_settings
    for user, may in ((ann, True), (bob, False), (office.root, True), (office.person("cleo"), False)):
        assert office.may(require, room, user, {column: value}) is may, user.username
        assert office.may(require, room, user, {column: getattr(room, column), "topic": "x"}), user.username
    office.store.access.grant({permission: ["moderator"]})
    assert office.may(require, room, bob, {column: value})
    assert not office.may(require, room, ann, {column: value})


UNREAD = """
                                  plain  named  called
    all_messages                    1      1      1
    user_mentions_only              0      1      0
    group_mentions_only             0      0      1
    user_and_group_mentions_only    0      1      1
    mentions_only                   0      1      1
"""
"""How many messages somebody has not read after a plain one, one that names them, and one that calls everybody."""


@pytest.mark.parametrize("direct", [False, True], ids=["channel", "direct"])
def test_what_counts_as_unread_is_the_workspaces_choice(
    office: Office, room: Room, ann: User, bob: User, direct: bool
) -> None:
    place = office.store.rooms.open_direct(ann, [bob]) if direct else room
    for line in UNREAD.strip().splitlines()[1:]:
        mode, *counts = line.split()
        office.store.settings.set("Unread_Count_DM" if direct else "Unread_Count", mode)
        for text, count in zip(("hello", "@bob hello", "@all hello"), counts, strict=True):
            office.store.unread.mark_read(office.again(place), bob)
            office.say(place, ann, text)
            member = office.store.members.must(place.id, bob.id)
            assert (member.unread, bool(member.alert)) == (int(count), True), (mode, text)
            root = office.say(place, bob, "root")
            before = office.store.members.must(place.id, bob.id).unread
            office.store.messages.post(office.again(place), ann, text, thread_id=root.id)
            reply = office.store.members.must(place.id, bob.id)
            named = text.startswith("@bob") and mode != "group_mentions_only"
            assert reply.unread - before == int(named), (mode, text)


def test_only_what_would_be_done_is_offered(office: Office, room: Room, ann: User, bob: User) -> None:
    messages, settings = office.store.messages, office.store.settings
    (theirs,) = said(office, room, bob, "hello")
    line = messages.system(office.again(room), ann, "uj", "bob")
    for switched in (
        "",
        "Message_AllowEditing",
        "Message_AllowDeleting",
        "Message_AllowPinning",
        "Message_AllowStarring",
    ):
        if switched:
            settings.set(switched, False)
        for user in (ann, bob, office.root, office.person(f"cleo-{switched or 'first'}")):
            for message in (theirs, line):
                done = {
                    "edit": office.may(messages.edit, message, user, "changed"),
                    "delete": office.may(messages.delete, message, user),
                    "pin": office.may(messages.pin, message, user),
                    "star": office.may(messages.star, message, user, True),
                }
                assert messages.offered(message, user) == done, (switched, user.username)
    assert messages.offered(theirs, bob) == dict.fromkeys(("edit", "delete", "pin", "star"), False)
