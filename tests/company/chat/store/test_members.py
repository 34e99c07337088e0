"""Who is in a room: lists of them, how a room stands for each, and what those who listen hear."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dayjob.company.chat.rows import Membership, Room, User
from dayjob.company.chat.store.base import Page
from dayjob.company.chat.store.members import ROOM_ROLES
from tests.company.chat.offices import ALL, Office, refused, said


@pytest.fixture
def crowd(office: Office, room: Room, ann: User) -> dict[str, User]:
    """`ann` owns the room, `bob` is there, and: a moderator who is away, one who is deactivated, one outside."""
    people = {name: office.person(name) for name in ("mia", "gone", "out")}
    for name in ("mia", "gone"):
        office.store.members.add(office.again(room), people[name], by=ann)
    office.store.members.set_role(room.id, people["mia"], "moderator", held=True)
    office.store.accounts.set_status(people["mia"], status="away")
    office.store.update("users", people["gone"].id, active=0)
    office.store.update("users", people["mia"].id, name="Dr. Quill")
    return people


LISTED = [
    ({}, ["ann", "bob", "mia"]), ({"text": "B"}, ["bob"]), ({"text": "mi"}, ["mia"]), ({"text": "QUILL"}, ["mia"]),
    ({"text": "_"}, []),
    ({"statuses": ["away"]}, ["mia"]), ({"statuses": ["away", "offline"]}, ["ann", "bob", "mia"]),
    ({"statuses": ["busy"]}, []), ({"role": "moderator"}, ["mia"]), ({"role": "owner"}, ["ann"]),
    ({"role": "leader"}, []), ({"text": "a", "role": "owner"}, ["ann"]),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "names"), LISTED, ids=[str(one[0]) for one in LISTED])
def test_members_are_listed_by_name_and_those_deactivated_are_not_counted(
    office: Office, room: Room, crowd: dict[str, User], asked: dict[str, Any], names: list[str]
) -> None:
    for others in (0, 20):  # a room of nearly everybody, and of few
        for number in range(others):
            office.person(f"other{number}")
        listed, total = office.store.members.listing(office.again(room), ALL, **asked)
        assert ([one.username for one in listed], total) == (names, len(names))
        page, total = office.store.members.listing(office.again(room), Page(1, 1), **asked)
        assert ([one.username for one in page], total) == (names[1:2], len(names))


def test_those_of_a_direct_room_are_listed_as_they_came(office: Office, ann: User, bob: User) -> None:
    zoe = office.person("zoe")
    direct = office.store.rooms.open_direct(zoe, [bob, ann])
    listed, total = office.store.members.listing(direct, ALL)
    assert ([one.username for one in listed], total) == (["zoe", "bob", "ann"], 3)


def test_those_with_a_role_are_held_in_the_order_they_came(office: Office, room: Room, crowd: dict[str, User]) -> None:
    found = [(user.username, member.role_list()) for member, user in office.store.members.holders(room.id)]
    assert found == [("ann", ["owner"]), ("mia", ["moderator"])]
    assert office.store.members.count_role(room.id, "owner") == 1
    assert office.store.members.count_role(room.id, "leader") == 0
    other = office.store.rooms.create("c", "other", crowd["mia"])
    assert office.store.members.count_role(other.id, "owner") == 1


def member(office: Office, room: Room, user: User) -> Membership:
    return office.store.members.must(room.id, user.id)


def test_a_role_is_given_once_and_taken_once_and_leaves_a_line(
    office: Office, room: Room, ann: User, bob: User
) -> None:
    members = office.store.members
    assert set(ROOM_ROLES) == {"moderator", "leader", "owner"}
    for role in ("moderator", "leader", "owner"):
        assert refused(members.set_role, room.id, bob, role, held=False)
        members.set_role(room.id, bob, role, held=True, by=ann)
        assert refused(members.set_role, room.id, bob, role, held=True)
    assert member(office, room, bob).role_list() == ["moderator", "leader", "owner"]
    members.set_role(room.id, bob, "leader", held=False, quiet=True)
    members.set_role(room.id, bob, "moderator", held=False)
    assert member(office, room, bob).role_list() == ["owner"]
    lines = [one for one in office.store.history.between(office.again(room)) if one.type]
    assert [(one.type, one.username, one.text, json.loads(one.custom_fields or "{}")) for one in lines][::-1] == [
        ("subscription-role-added", "ann", "bob", {"role": "moderator"}),
        ("subscription-role-added", "ann", "bob", {"role": "leader"}),
        ("subscription-role-added", "ann", "bob", {"role": "owner"}),
        ("subscription-role-removed", "bob", "bob", {"role": "moderator"}),
    ]
    assert refused(members.set_role, room.id, office.person("out"), "owner", held=True)
    members.set_role(room.id, bob, "owner", held=False)
    members.set_role(room.id, bob, "leader", held=True)
    members.set_role(room.id, bob, "leader", held=False)
    assert refused(members.set_role, room.id, ann, "owner", held=False), "the last owner stays one, a leader need not"


def test_how_a_room_stands_for_a_person(office: Office, room: Room, ann: User, bob: User) -> None:
    out = office.person("out")
    (root,) = said(office, room, ann, "one")
    office.store.messages.post(office.again(room), ann, "reply", thread_id=root.id)
    said(office, room, bob, "mine")
    said(office, room, ann, "two", "@bob three")
    now = office.again(room)
    assert office.store.unread.counters(now, bob) == {
        "joined": True, "members": 2, "unreads": 2, "unreadsFrom": member(office, room, bob).last_seen, "msgs": 5,
        "latest": now.last_at, "userMentions": 1,
    }  # fmt: skip
    assert office.store.unread.counters(now, out) == {
        "joined": False, "members": 2, "unreads": 0, "unreadsFrom": None, "msgs": 5, "latest": now.last_at,
        "userMentions": 0,
    }  # fmt: skip
    secret = office.store.rooms.create("p", "secret", ann)
    assert refused(office.store.unread.counters, secret, bob)


def test_a_room_is_read_from_the_message_named_or_the_newest_of_others(
    office: Office, room: Room, ann: User, bob: User
) -> None:
    first, second, third = said(office, room, ann, "one", "two", "three")
    (own,) = said(office, room, bob, "mine")
    office.store.unread.mark_read(room, bob)
    office.store.unread.mark_unread(bob, room_id=room.id)
    kept = member(office, room, bob)
    assert (kept.alert, kept.open, kept.unread, kept.last_seen) == (1, 1, 1, second.at)
    assert office.store.history.unread_from(room, bob, oldest=None)[0] == third
    office.store.unread.mark_unread(bob, message=second)
    assert member(office, room, bob).last_seen == first.at
    office.store.unread.mark_unread(bob, message=first)
    assert (member(office, room, bob).last_seen or "") < first.at
    assert refused(office.store.unread.mark_unread, bob, message=own)
    assert refused(office.store.unread.mark_unread, office.person("out"), room_id=room.id)
    empty = office.store.rooms.create("c", "empty", bob)
    office.store.unread.mark_unread(bob, room_id=empty.id)
    assert member(office, empty, bob).unread == 0
    assert refused(office.store.unread.mark_unread, ann, room_id=empty.id)


def test_a_room_is_opened_and_closed_for_oneself_once(office: Office, room: Room, ann: User, bob: User) -> None:
    members = office.store.members
    assert refused(members.set_open, room, bob, True)
    members.set_open(room, bob, False)
    assert (member(office, room, bob).open, member(office, room, ann).open) == (0, 1)
    assert refused(members.set_open, room, bob, False)
    members.set_open(room, bob, True)
    assert member(office, room, bob).open == 1
    assert refused(members.set_open, room, office.person("out"), True)


def test_what_changed_for_a_person_since_a_moment(office: Office, room: Room, ann: User, bob: User) -> None:
    members = office.store.members
    before = office.store.now()
    office.company.clock.forward(seconds=1)
    other = office.store.rooms.create("c", "other", ann, members=[bob])
    then = office.store.now()
    assert [one.room_id for one in members.of_user(bob)] == [room.id, other.id]
    assert [one.room_id for one in members.of_user(bob, before)] == [other.id]
    assert members.of_user(bob, then) == []
    here = member(office, other, bob)
    office.company.clock.forward(seconds=1)
    members.leave(other, bob)
    assert members.left_since(bob, then) == [(here.id, other.id, office.store.now())]
    assert members.left_since(bob, office.store.now()) == []
    assert members.left_since(ann, before) == []
    assert (office.again(other).members, members.user_ids(other.id)) == (1, [ann.id])


def test_what_is_heard_of_each_thing_that_happens(office: Office, room: Room, ann: User, bob: User) -> None:
    store, members, messages = office.store, office.store.members, office.store.messages
    (root,) = said(office, room, ann, "hello")
    zoe = office.person("zoe")
    heard: list[tuple[str, dict[str, Any]]] = []
    store.listener = lambda topic, facts: heard.append((topic, facts))

    def after(do: Any, *args: Any, **more: Any) -> list[tuple[str, Any, Any]]:
        heard.clear()
        do(*args, **more)
        return [(topic, facts.get("kind", facts.get("new")), facts.get("user_id")) for topic, facts in heard]

    line = ("message", True, None)
    assert after(members.add, office.again(room), zoe) == [line, ("membership", "inserted", zoe.id)]
    assert after(members.add, office.again(room), zoe) == []
    assert after(messages.post, office.again(room), bob, "again", thread_id=root.id) == [("message", False, None), line]
    assert heard[0][1]["message"].replies == 1
    assert after(messages.react, messages.must(root.id), bob, "tada") == [("message", False, None)]
    assert after(members.set_role, room.id, bob, "leader", held=True) == [line, ("membership", "updated", bob.id)]
    assert after(members.leave, office.again(room), zoe) == [("membership", "removed", zoe.id), line]
    assert set(heard[0][1]) == {"kind", "room_id", "user_id", "membership_id"}
    assert after(store.rooms.change, office.again(room), ann, topic="weeds") == [line, ("room", "updated", None)]
    assert after(store.accounts.set_status, ann, text="x") == [("user", None, ann.id)]
    assert after(store.accounts.set_status, ann) == []
    made_known = [("membership", "inserted", ann.id), ("room", "inserted", None)]
    assert after(store.rooms.create, "p", "short", ann) == made_known
    made = store.rooms.must(heard[1][1]["room_id"])
    assert made.name == "short"
    assert after(store.unread.mark_unread, bob, message=root) == [("membership", "updated", bob.id)]
    assert after(store.unread.mark_read, office.again(room), bob) == [("membership", "updated", bob.id)]
    assert after(store.rooms.delete, made) == [("membership", "removed", ann.id), ("room", "removed", None)]


def test_which_rooms_a_person_who_goes_leaves_to_whom(office: Office, ann: User, bob: User) -> None:
    rooms, members, zoe, gone = office.store.rooms, office.store.members, office.person("zoe"), office.person("gone")
    office.store.update("users", gone.id, active=0)
    own = rooms.create("c", "own", ann, members=[gone])
    office.company.clock.forward(seconds=1)
    members.add(own, zoe, quiet=True)
    office.company.clock.forward(seconds=1)
    members.add(own, bob, quiet=True)
    rooms.create("c", "alone", ann)
    secret, shut = rooms.create("p", "secret", ann), rooms.create("p", "shut", ann, members=[gone])
    both = rooms.create("c", "both", ann, members=[bob])
    members.set_role(both.id, bob, "owner", held=True)
    theirs = rooms.create("c", "theirs", bob, members=[ann, zoe])
    members.set_role(theirs.id, ann, "moderator", held=True)
    rooms.create("p", "elsewhere", zoe, members=[bob])
    rooms.open_direct(ann, [bob])
    handed_over, removed = members.left_without(ann)
    assert [(room.id, heir.username) for room, heir in handed_over] == [(own.id, "zoe")]
    assert [room.id for room in removed] == [secret.id, shut.id]


def test_what_is_heard_of_a_changed_membership(office: Office, room: Room, bob: User) -> None:
    heard: list[tuple[str, dict[str, Any]]] = []
    office.store.listener = lambda topic, facts: heard.append((topic, facts))
    office.company.clock.forward(seconds=1)
    office.store.members.change(member(office, room, bob), favorite=1)
    assert heard == [("membership", {"kind": "updated", "room_id": room.id, "user_id": bob.id})]
    kept = member(office, room, bob)
    assert (kept.favorite, kept.updated_at) == (1, office.store.now())
