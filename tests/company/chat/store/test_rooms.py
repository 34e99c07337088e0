"""Settings, reports, visitors, kinds of rooms, discussions, roles and permissions."""

from __future__ import annotations

import pytest

from dayjob.company.chat.rows import Room, User
from tests.company.chat.offices import ALL, Office, ids, refused, said


def test_a_setting_keeps_its_kind_and_only_public_ones_are_shown_to_all(office: Office) -> None:
    store = office.store.settings
    for id, wrong in (("Message_AllowEditing", 1), ("Message_MaxAllowedSize", "9"), ("Site_Name", False), ("No", "x")):
        assert refused(store.set, id, wrong), id
    store.set("Message_MaxAllowedSize", 9)
    assert (store.number("Message_MaxAllowedSize"), store.get("No"), store.number("Site_Name")) == (9, None, 0)
    store.add("Secret", "x", "Part")
    assert store.listing(ALL, public=True, ids=["Secret"]) == ([], 0)
    assert [one.id for one in store.listing(ALL, public=False, ids=["Secret"])[0]] == ["Secret"]
    assert store.listing(ALL, public=False, text="Message_Max")[1] == 1


def test_a_report_outlives_its_message_until_it_is_dismissed(office: Office, room: Room, ann: User, bob: User) -> None:
    moderation = office.store.moderation
    bad, worse = said(office, room, ann, "bad", "worse")
    for message in (bad, worse):
        moderation.report_message(message, bob, "rude", message.text)
    moderation.report_user(ann, bob, "rude")
    assert refused(moderation.report_message, bad, bob, " ", "")
    assert refused(moderation.report_user, ann, bob, " ")
    assert moderation.reports("message", ALL)[1] == 2
    assert moderation.reports("message", ALL, message_id=bad.id)[1] == 1
    assert [(user, count) for user, count, _, _ in moderation.by_user("message", ALL)[0]] == [(ann.id, 2)]
    many = said(office, room, ann, *("worst" for _ in range(50)))
    for message in many:
        moderation.report_message(message, bob, "rude", message.text)
    moderation.delete_reported(ann.id)
    assert not [one for one in many if office.store.messages.get(one.id)]
    assert [office.store.messages.get(one.id) for one in (bad, worse)] == [None, None]
    assert moderation.reports("message", ALL)[1] == 0
    assert moderation.reports("user", ALL)[1] == 1
    moderation.dismiss("user", user_id=bob.id)
    assert moderation.reports("user", ALL)[1] == 1
    moderation.dismiss("user", user_id=ann.id)
    assert moderation.reports("user", ALL)[1] == 0


def test_a_visitor_has_one_open_conversation_and_an_agent_takes_it_once(office: Office, ann: User) -> None:
    livechat = office.store.livechat
    visitor, other = livechat.register("one", None, "Vi", {}), livechat.register("two", None, None, {})
    assert (visitor.username, other.username) == ("guest-1", "guest-2")
    office.store.settings.set("Livechat_accept_chats_with_no_agents", False)
    assert refused(livechat.open_room, visitor)
    office.store.settings.set("Livechat_accept_chats_with_no_agents", True)
    room, new = livechat.open_room(visitor)
    assert (new, livechat.open_room(visitor)) == (True, (room, False))
    assert livechat.register("one", None, "Viv", {}).name == "Viv"
    inquiry = livechat.take(livechat.inquiry_of(room.id), ann)
    assert (inquiry.status, inquiry.agent_id) == ("taken", ann.id)
    assert office.store.members.find(room.id, ann.id) is not None
    assert refused(livechat.take, inquiry, office.root)
    assert livechat.say(visitor, room, "help", "m1").username == "guest-1"
    assert refused(livechat.say, other, room, "help", None)
    assert refused(livechat.say, visitor, room, "again", "m1")
    assert livechat.inquiries(ALL, "taken")[1] == 1
    assert livechat.inquiries(ALL, "queued")[1] == 0
    office.company.clock.forward(seconds=1)
    later, _ = livechat.open_room(other)
    assert [one.room_id for one in livechat.inquiries(ALL)[0]] == [later.id, room.id]


def test_a_room_changes_kind_unless_everybody_is_put_into_it(office: Office, room: Room, ann: User) -> None:
    rooms = office.store.rooms
    assert refused(rooms.set_type, room, ann, "d")
    assert refused(rooms.set_type, room, ann, "c")
    assert rooms.set_type(room, ann, "p").type == "p"
    assert {one.room_type for one in office.store.members.of_user(ann)} == {"p"}
    usual = rooms.create("c", "usual", ann)
    office.store.update("rooms", usual.id, is_default=1)
    assert refused(rooms.set_type, office.again(usual), ann, "p")


@pytest.mark.parametrize(
    ("name", "good"), [("fine-1.2_x", True), ("a b", False), ("", False), ("garden", False), ("é", False)]
)
def test_what_a_room_can_be_called(office: Office, room: Room, ann: User, name: str, good: bool) -> None:
    assert refused(office.store.rooms.create, "c", name, ann) is not good
    assert office.store.rooms.rename(room, ann, "garden").name == "garden"


def test_a_direct_room_is_the_same_whoever_opens_it(office: Office, ann: User, bob: User) -> None:
    rooms = office.store.rooms
    kim = office.person("kim")
    both = rooms.open_direct(ann, [bob])
    assert rooms.open_direct(bob, [ann]).id == both.id
    assert rooms.open_direct(ann, [bob, kim]).id == rooms.open_direct(kim, [bob, ann]).id != both.id
    alone = rooms.open_direct(ann, [])
    assert office.store.members.user_ids(alone.id) == [ann.id]
    guest = office.person("guest", "guest")
    assert refused(rooms.open_direct, guest, [ann])


def test_discussions_do_not_nest_and_have_a_name(office: Office, room: Room, ann: User) -> None:
    rooms = office.store.rooms
    (origin,) = said(office, room, ann, "what about roses")
    talk = rooms.start_discussion(room, "Roses", ann, members=[], message_id=origin.id, reply="well")
    assert (talk.type, talk.parent_id, talk.fname) == ("c", room.id, "Roses")
    assert office.store.messages.must(origin.id).discussion_id == talk.id
    assert [one.text for one in office.store.history.between(talk)] == ["well", ""]
    assert office.store.history.discussions(room, ALL)[1] == 2
    assert ids(office.store.history.discussions(room, ALL, "about")) == [origin.id]
    assert refused(rooms.start_discussion, talk, "Deeper", ann, members=[], message_id=None, reply="")
    assert refused(rooms.start_discussion, room, " ", ann, members=[], message_id=None, reply="")
    direct = rooms.open_direct(ann, [office.root])
    assert rooms.start_discussion(direct, "Us", ann, members=[], message_id=None, reply="").type == "p"


def test_a_role_in_use_or_protected_stays(office: Office, ann: User) -> None:
    access = office.store.access
    made = access.create_role("gardener", "Users", "", False)
    for name, scope in ((" ", "Users"), ("x", "Somewhere"), ("gardener", "Users"), ("admin", "Users")):
        assert refused(access.create_role, name, scope, "", False), name
    access.give(made, ann, None)
    assert refused(access.delete_role, made.id)
    holder = office.store.accounts.get(ann.id)
    assert holder is not None
    access.take(made, holder, None)
    access.delete_role(made.id)
    assert refused(access.role, made.id)
    assert refused(access.delete_role, "admin")
    assert refused(access.give, access.role("owner"), ann, None)


def test_permissions_are_given_to_known_roles_and_count_at_once(office: Office, room: Room, bob: User) -> None:
    access = office.store.access
    assert not access.can(bob, "pin-message", room)
    access.grant({"pin-message": ["user"]})
    assert access.can(bob, "pin-message", room)
    assert access.can(bob, "pin-message")
    access.grant({"pin-message": ["leader"]})
    assert not access.can(bob, "pin-message", room)
    office.store.members.set_role(room.id, bob, "leader", held=True)
    assert access.can(bob, "pin-message", room.id)
    assert not access.can(bob, "pin-message")
    assert refused(access.grant, {"pin-message": ["nobody"]})
    assert refused(access.grant, {"fly": ["user"]})
    assert refused(office.store.members.set_role, room.id, bob, "leader", held=True)
    assert refused(office.store.members.set_role, room.id, bob, "moderator", held=False)
