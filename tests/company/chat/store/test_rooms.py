"""Settings, reports, visitors, kinds of rooms, discussions, roles and permissions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dayjob.company.chat.rows import Room, User
from dayjob.company.chat.store.base import Page
from dayjob.company.chat.store.conditions import Condition
from tests.company.chat.offices import ALL, Office, count, ids, refused, said


def test_a_setting_keeps_its_kind_and_only_public_ones_are_shown_to_all(office: Office) -> None:
    store = office.store.settings
    for id, wrong in (("Message_AllowEditing", 1), ("Message_MaxAllowedSize", "9"), ("Site_Name", False), ("No", "x")):
        assert refused(store.set, id, wrong), id
    store.set("Message_MaxAllowedSize", 9)
    assert (store.number("Message_MaxAllowedSize"), store.get("No"), store.number("Site_Name")) == (9, None, 0)
    store.add("Secret", "x", "Part")
    assert store.listing(ALL, public=True, ids=["Secret"]) == ([], 0)
    assert [one.id for one in store.listing(ALL, public=False, ids=["Secret"])[0]] == ["Secret"]
    assert count(store.listing(ALL, public=False, text="Message_Max")) == 1


def test_a_report_outlives_its_message_until_it_is_dismissed(office: Office, room: Room, ann: User, bob: User) -> None:
    moderation = office.store.moderation
    bad, worse = said(office, room, ann, "bad", "worse")
    for message in (bad, worse):
        moderation.report_message(message, bob, "rude", message.text)
    moderation.report_user(ann, bob, "rude")
    assert refused(moderation.report_message, bad, bob, " ", "")
    assert refused(moderation.report_user, ann, bob, " ")
    assert count(moderation.reports("message", ALL)) == 2
    assert count(moderation.reports("message", ALL, message_id=bad.id)) == 1
    assert [(user, count) for user, count, _, _ in moderation.by_user("message", ALL)[0]] == [(ann.id, 2)]
    many = said(office, room, ann, *("worst" for _ in range(50)))
    for message in many:
        moderation.report_message(message, bob, "rude", message.text)
    moderation.delete_reported(ann.id)
    assert not [one for one in many if office.store.messages.get(one.id)]
    assert [office.store.messages.get(one.id) for one in (bad, worse)] == [None, None]
    assert count(moderation.reports("message", ALL)) == 0
    assert count(moderation.reports("user", ALL)) == 1
    moderation.dismiss("user", user_id=bob.id)
    assert count(moderation.reports("user", ALL)) == 1
    moderation.dismiss("user", user_id=ann.id)
    assert count(moderation.reports("user", ALL)) == 0


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
    assert count(livechat.inquiries(ALL, "taken")) == 1
    assert count(livechat.inquiries(ALL, "queued")) == 0
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


def test_who_opens_a_direct_room_again_is_in_it_and_sees_it(office: Office, ann: User, bob: User) -> None:
    rooms, members = office.store.rooms, office.store.members
    both = rooms.open_direct(ann, [bob])

    def stands() -> list[int | None]:
        return [one.open if (one := members.find(both.id, who.id)) else None for who in (ann, bob)]

    assert stands() == [1, 0]
    members.set_open(both, ann, False)
    rooms.open_direct(ann, [bob])
    assert stands() == [1, 0]
    rooms.open_direct(bob, [ann])
    assert stands() == [1, 1]
    office.store.run("DELETE FROM memberships WHERE room_id = ? AND user_id = ?", both.id, ann.id)
    rooms.open_direct(bob, [ann])
    assert stands() == [None, 1]
    rooms.open_direct(ann, [bob])
    assert stands() == [1, 1]


def test_discussions_do_not_nest_and_have_a_name(office: Office, room: Room, ann: User) -> None:
    rooms = office.store.rooms
    (origin,) = said(office, room, ann, "what about roses")
    talk = rooms.start_discussion(room, "Roses", ann, members=[], message_id=origin.id, reply="well")
    assert (talk.type, talk.parent_id, talk.fname) == ("c", room.id, "Roses")
    assert office.store.messages.must(origin.id).discussion_id == talk.id
    reply, first = office.store.history.between(talk)
    assert [(one["text"], one["author_name"]) for one in json.loads(first.attachments or "")] == [(origin.text, "ann")]
    assert (first.text, reply.text, reply.attachments) == ("", "well", None)
    assert count(office.store.history.discussions(room, ALL)) == 2
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


CHANGES = [  # of a role; whether one made here takes it, and a protected one
    ({}, True, True), ({"description": "digs"}, True, True), ({"mandatory_2fa": True}, True, True),
    ({"scope": None}, True, True), ({"name": "other"}, True, False), ({"scope": "Subscriptions"}, True, False),
    ({"name": "other", "scope": None}, True, False), ({"name": "bot"}, False, False),
    ({"scope": "Somewhere"}, False, False),
]  # fmt: skip


@pytest.mark.parametrize(("change", "own", "protected"), CHANGES)
def test_a_protected_role_keeps_its_name_and_scope(
    office: Office, change: dict[str, Any], own: bool, protected: bool
) -> None:
    access = office.store.access
    for role, good in ((access.role("admin"), protected), (access.create_role("gardener", "Users", "", False), own)):
        asked = {"name": role.name, "scope": "Users", "description": "", "mandatory_2fa": False, **change}
        assert refused(access.update_role, role.id, **asked) is not good, role.name
        found = access.role(role.id)
        wanted = asked if good else {"name": role.name, "scope": "Users"}
        assert (found.name, found.scope) == (wanted["name"], wanted["scope"] or "Users")
        if good:
            assert (found.description, found.mandatory_2fa) == (asked["description"], asked["mandatory_2fa"])


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


def test_reports_are_told_by_person_with_the_last_message_of_each(
    office: Office, room: Room, ann: User, bob: User
) -> None:
    moderation = office.store.moderation
    for user, text in ((ann, "zzz"), (bob, "mmm"), (ann, "aaa")):
        (message,) = said(office, room, user, text)
        moderation.report_message(message, office.root, "rude", text)
        moment = office.store.now()
        kept = moderation.reports("message", ALL)[0][0]
        assert (kept.kind, kept.message, kept.message_id, kept.room_id, kept.user_id, kept.description) == (
            "message", text, message.id, room.id, user.id, "rude",
        )  # fmt: skip
        assert (kept.reported_by, kept.at) == (office.root.id, moment)
        assert moderation.report(kept.id) == kept
    moderation.report_user(bob, ann, "ruder")
    found, total = moderation.by_user("message", ALL)
    assert [(id, count, last) for id, count, _, last in found] == [(ann.id, 2, "aaa"), (bob.id, 1, "mmm")]
    assert (total, found[0][2]) == (2, moment)
    assert [one[0] for one in moderation.by_user("message", Page(1, 1))[0]] == [bob.id]
    person = moderation.reports("user", ALL)[0][0]
    assert (person.user_id, person.reported_by, person.description, person.message) == (bob.id, ann.id, "ruder", None)
    assert (person.kind, person.at) == ("user", office.store.now())
    assert refused(moderation.report, "nothing")
    moderation.dismiss("message", user_id=ann.id)
    assert [one[0] for one in moderation.by_user("message", ALL)[0]] == [bob.id]


def test_what_is_kept_of_a_room(office: Office, ann: User, bob: User) -> None:
    rooms, now = office.store.rooms, office.store.now()
    made = rooms.create(
        "p", "shed", ann, members=[bob, ann], topic="tools", custom_fields={"a": 1}, fname="The shed", encrypted=True,
        description="d",
    )  # fmt: skip
    assert (made.type, made.name, made.fname, made.owner_id, made.topic, made.description) == (
        "p", "shed", "The shed", ann.id, "tools", "d",
    )  # fmt: skip
    assert (made.read_only, made.broadcast, made.encrypted, made.custom_fields) == (0, 0, 1, '{"a":1}')
    assert (made.parent_id, made.team_id, made.team_main, made.created_at, made.updated_at, made.members) == (
        None, None, 0, now, now, 2,
    )  # fmt: skip
    plain = rooms.create("c", "plain", ann)
    assert (plain.fname, plain.topic, plain.custom_fields, plain.encrypted, plain.members) == (
        "plain",
        None,
        None,
        0,
        1,
    )
    loud = rooms.create("c", "loud", ann, broadcast=True)
    assert (loud.read_only, loud.broadcast) == (1, 1)
    quiet = rooms.create("c", "quiet", ann, read_only=True)
    assert (quiet.read_only, quiet.broadcast) == (1, 0)
    assert [office.store.members.must(made.id, user.id).role_list() for user in (ann, bob)] == [["owner"], []]
    assert rooms.named("#shed") == rooms.named("shed") == rooms.must(made.id)
    assert refused(rooms.must, "nothing")


def test_rooms_are_found_by_kind_name_and_membership(office: Office, room: Room, ann: User, bob: User) -> None:
    rooms = office.store.rooms
    secret, shed = rooms.create("p", "secret", ann), rooms.create("c", "shed", ann, fname="A garden shed")
    direct = rooms.open_direct(ann, [bob])
    assert ids(rooms.joined(ann, "c", ALL)) == [room.id, shed.id]
    assert ids(rooms.joined(ann, "p", ALL)) == [secret.id]
    assert set(ids(rooms.joined(ann, "pd", ALL))) == {secret.id, direct.id}
    assert ids(rooms.joined(bob, "cp", ALL)) == [room.id]
    assert ids(rooms.joined(ann, "c", ALL, since="9")) == []
    assert [one.id for one in rooms.joined(ann, "c", Page(1, 1))[0]] == [shed.id]
    assert [one.id for one in rooms.matching("GARDEN", 10)] == [room.id, shed.id]
    assert [one.id for one in rooms.matching("garden", 1)] == [room.id]
    assert [one.id for one in rooms.matching("e", 10, Condition("type = ?", ("p",)))] == [secret.id]
    assert rooms.defaults() == []
    for one in (shed, direct):
        office.store.update("rooms", one.id, is_default=1)
    assert [one.id for one in rooms.defaults()] == [shed.id]
    assert [one.id for one in rooms.directs_of(bob)] == [direct.id]
    assert rooms.direct_between(bob, ann) == office.again(direct)


def test_a_muted_person_is_muted_once_in_a_room_they_are_in(office: Office, room: Room, ann: User, bob: User) -> None:
    rooms, zoe = office.store.rooms, office.person("zoe")
    office.store.members.add(office.again(room), zoe, quiet=True)

    def after(name: str, muted: bool) -> list[str]:
        rooms.set_muted(office.again(room), ann, name, muted)
        return [str(one) for one in json.loads(office.again(room).muted)]

    assert after("bob", True) == after("bob", True) == ["bob"]
    assert after("zoe", True) == ["bob", "zoe"]
    assert after("bob", False) == after("bob", False) == ["zoe"]
    assert refused(rooms.set_muted, room, ann, office.person("out").username, True)
    assert refused(rooms.set_muted, room, ann, "nobody", True)
    told = [(one.type, one.username, one.text) for one in office.store.history.between(room)][::-1]
    assert told == [("user-muted", "ann", "bob"), ("user-muted", "ann", "zoe"), ("user-unmuted", "ann", "bob")]


def test_a_room_goes_with_what_was_said_in_it_and_no_other_does(
    office: Office, room: Room, ann: User, bob: User
) -> None:
    store, other = office.store, office.store.rooms.create("c", "other", ann, members=[bob])
    for one in (room, other):
        said(office, one, ann, "hello")
        store.uploads.add(one, ann, "a.txt", "text/plain", office.company.blobs.put(b"a"))
        store.administration.invite(one, ann, 0, 0)
    store.rooms.delete(office.again(room))
    for table in ("messages", "uploads", "invites", "memberships"):
        assert {row[0] for row in store.rows(f"SELECT room_id FROM {table}")} == {other.id}, table
    assert {row[0] for row in store.rows("SELECT user_id FROM left_rooms")} == {ann.id, bob.id}
    store.insert("rooms", id="GENERAL", type="c", name="general", created_at="", updated_at="")
    assert refused(store.rooms.delete, store.rooms.must("GENERAL"))


def test_a_discussion_is_told_of_where_it_began(office: Office, room: Room, ann: User, bob: User) -> None:
    made = office.store.rooms.start_discussion(room, "Roses", ann, members=[bob], message_id=None, reply="")
    assert (made.description, made.members, office.store.history.between(made)) == ("Discussion in garden", 2, [])
    (line,) = office.store.history.between(office.again(room))
    assert (line.type, line.text, line.discussion_id, line.username) == ("discussion-created", "Roses", made.id, "ann")
    assert office.store.rooms.rename(made, ann, "Red roses!").fname == "Red roses!"
    direct = office.store.rooms.open_direct(ann, [bob])
    aside = office.store.rooms.start_discussion(direct, "Us", ann, members=[], message_id=None, reply="")
    assert aside.description == "Discussion in a direct message"


def test_a_conversation_goes_to_an_agent_at_once_where_that_is_set(office: Office, ann: User) -> None:
    livechat, settings = office.store.livechat, office.store.settings
    agents = [office.person(name, "user", "livechat-agent") for name in ("away", "ida", "gone")]
    assert livechat.online_agents() == []
    for agent in agents[1:]:
        office.store.accounts.set_status(agent, status="online")
    office.store.update("users", agents[2].id, active=0)
    office.store.accounts.set_status(ann, status="online")
    assert [one.username for one in livechat.online_agents()] == ["ida"]
    settings.set("Livechat_Routing_Method", "Manual_Selection")
    waiting, _ = livechat.open_room(livechat.register("one", "vic", "Vic", {"a": 1}))
    assert (livechat.inquiry_of(waiting.id).status, livechat.inquiry_of(waiting.id).agent_id) == ("queued", None)
    settings.set("Livechat_Routing_Method", "Auto_Selection")
    given, _ = livechat.open_room(livechat.register("two", "val", None, {}))
    taken = livechat.inquiry_of(given.id)
    assert (taken.status, taken.agent_id, taken.name, given.fname, given.type) == (
        "taken", agents[1].id, "val", "val", "l",
    )  # fmt: skip
    assert (waiting.fname, livechat.inquiry(taken.id)) == ("Vic", taken)
    visitor = livechat.visitor("one")
    assert visitor is not None
    assert (visitor.username, visitor.name, visitor.facts, visitor.at) == ("vic", "Vic", '{"a":1}', office.store.now())
    kept = livechat.register("one", "other", None, {})
    assert (kept.id, kept.username, kept.name, kept.facts) == (visitor.id, "vic", "Vic", "{}")
    for ask in (livechat.inquiry, livechat.inquiry_of):
        assert refused(ask, "nothing")
    office.store.update("inquiries", taken.id, status="closed")
    again, new = livechat.open_room(livechat.register("two", None, None, {}))
    assert (new, again.id != given.id) == (True, True)
