"""Messages: what is kept of one, and what editing, pinning, starring, following and erasing change."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from dayjob.company.chat.rows import Message, Room, User
from tests.company.chat.offices import ALL, Office, ids, refused, said


def test_everything_a_message_was_given_is_kept(office: Office, room: Room, ann: User) -> None:
    facts: dict[str, Any] = {"alias": "Gardener", "avatar": "/a.png", "emoji": ":rose:", "groupable": False}
    documents: dict[str, Any] = {
        "attachments": [{"text": "x"}], "files": [{"_id": "f"}], "custom_fields": {"a": 1}, "bot": {"i": "hook"},
    }  # fmt: skip
    made = office.store.messages.post(room, ann, "see http://a.test", id="mine", **facts, **documents)
    assert (made.id, made.room_id, made.user_id, made.username, made.user_name) == (
        "mine",
        room.id,
        ann.id,
        "ann",
        "Ann",
    )
    assert {name: getattr(made, name) for name in facts} == {**facts, "groupable": 0}
    assert {name: json.loads(getattr(made, name)) for name in documents} == documents
    assert json.loads(made.urls) == [{"url": "http://a.test"}]
    assert (made.at, made.updated_at) == (office.store.now(), office.store.now())
    assert refused(office.store.messages.post, room, ann, "again", id="mine")
    plain = office.store.messages.post(room, ann, "plain")
    assert [getattr(plain, name) for name in (*documents, "alias", "avatar", "emoji")] == [None] * 7
    assert (plain.groupable, plain.thread_id, plain.type, json.loads(plain.urls)) == (1, None, None, [])


def test_a_quote_stands_before_the_other_attachments(office: Office, room: Room, ann: User, bob: User) -> None:
    (first,) = said(office, room, bob, "hello")
    made = office.store.messages.write(office.again(room), ann, "see", quote=first, attachments=[{"text": "own"}])
    quote = {"text": "hello", "author_name": "bob", "author_icon": "/avatar/bob", "ts": first.at, "attachments": []}
    assert json.loads(made.attachments or "") == [quote, {"text": "own"}]
    again = office.store.messages.write(office.again(room), ann, "see", quote=made)
    assert json.loads(again.attachments or "")[0]["attachments"] == [quote, {"text": "own"}]


def edited(office: Office, message: Message) -> Message:
    return office.store.messages.must(message.id)


def test_an_edit_says_who_and_when_and_reads_the_new_text(office: Office, room: Room, ann: User, bob: User) -> None:
    (message,) = said(office, room, ann, "@bob look at http://a.test")
    office.company.clock.forward(minutes=1)
    changed = office.store.messages.edit(message, ann, "@ann look at #garden")
    assert (changed.text, changed.edited_at, changed.updated_at) == (
        "@ann look at #garden", office.store.now(), office.store.now(),
    )  # fmt: skip
    assert json.loads(changed.edited_by or "") == {"_id": ann.id, "username": "ann"}
    assert [one["username"] for one in json.loads(changed.mentions)] == ["ann"]
    assert [one["name"] for one in json.loads(changed.channels)] == ["garden"]
    assert (json.loads(changed.urls), changed.at, changed.attachments) == ([], message.at, None)
    assert ids(office.store.history.mentioning(room, bob, ALL)) == []
    assert ids(office.store.history.mentioning(room, ann, ALL)) == [message.id]
    office.store.messages.edit(changed, ann, "@all", [{"text": "x"}])
    assert json.loads(edited(office, message).attachments or "") == [{"text": "x"}]
    assert office.store.rows("SELECT * FROM mentions") == []


def test_a_message_is_pinned_once_and_where_that_is_allowed(office: Office, room: Room, ann: User, bob: User) -> None:
    messages = office.store.messages
    (message,) = said(office, room, bob, "keep this")
    line = messages.pin(message, ann)
    kept = edited(office, message)
    assert (kept.pinned, kept.pinned_at) == (1, office.store.now())
    assert json.loads(kept.pinned_by or "") == {"_id": ann.id, "username": "ann"}
    assert (line.type, line.text, line.username) == ("message_pinned", "", "ann")
    assert [one["text"] for one in json.loads(line.attachments or "")] == ["keep this"]
    assert refused(messages.pin, kept, ann)
    freed = messages.unpin(kept, ann)
    assert (freed.pinned, freed.pinned_by, freed.pinned_at) == (0, None, office.store.now())
    assert refused(messages.pin, freed, bob), "it takes the right to"
    office.store.settings.set("Message_AllowPinning", False)
    assert refused(messages.pin, freed, ann)
    office.store.settings.set("Message_AllowPinning", True)
    secret = office.store.rooms.create("p", "secret", ann)
    (hidden,) = said(office, secret, ann, "hidden")
    assert refused(messages.pin, hidden, office.root)
    direct = office.store.rooms.open_direct(ann, [bob])
    (between,) = said(office, direct, ann, "between us")
    messages.pin(between, bob)
    assert edited(office, between).pinned == 1


def test_a_star_is_everybodys_own(office: Office, room: Room, ann: User, bob: User) -> None:
    messages, history = office.store.messages, office.store.history
    first, second = said(office, room, ann, "one", "two")
    for message, user in ((first, ann), (first, ann), (second, ann), (first, bob)):
        messages.star(message, user, True)

    def starred(user: User) -> list[str]:
        return ids(history.starred(room, user, ALL))

    assert (starred(ann), starred(bob)) == ([second.id, first.id], [first.id])
    messages.star(first, ann, False)
    assert (starred(ann), starred(bob)) == ([second.id], [first.id])
    nobodys = replace(first, seq=-1)
    assert history.stargazers([*[nobodys] * 500, second, first]) == {second.seq: [ann.id], first.seq: [bob.id]}
    secret = office.store.rooms.create("p", "secret", ann)
    (hidden,) = said(office, secret, ann, "hidden")
    assert refused(messages.star, hidden, bob, True)
    assert refused(messages.follow, hidden, bob, True)


def test_a_thread_is_followed_by_who_began_wrote_or_was_named_in_it(
    office: Office, room: Room, ann: User, bob: User
) -> None:
    messages, zoe = office.store.messages, office.person("zoe")
    (root,) = said(office, room, ann, "subject")

    def followers() -> list[str]:
        return [str(one) for one in json.loads(edited(office, root).followers)]

    assert followers() == []
    reply = messages.post(office.again(room), bob, "@zoe see", thread_id=root.id)
    assert followers() == [ann.id, bob.id, zoe.id]
    kept = edited(office, root)
    assert (kept.replies, kept.last_reply_at, kept.updated_at) == (1, reply.at, reply.updated_at)
    messages.follow(reply, bob, False)
    assert followers() == [ann.id, zoe.id]
    messages.follow(edited(office, root), bob, True)
    messages.follow(edited(office, root), bob, True)
    assert followers() == [ann.id, zoe.id, bob.id]


def test_what_erasing_leaves(office: Office, room: Room, ann: User, bob: User) -> None:
    messages = office.store.messages
    first, last = said(office, room, ann, "first", "last")
    before = office.again(room)
    assert (before.messages, before.last_message) == (2, last.id)
    reply = messages.post(before, bob, "reply", thread_id=first.id)
    shown = messages.post(office.again(room), bob, "shown", thread_id=first.id, thread_shown=True)
    assert (office.again(room).messages, office.again(room).last_message) == (4, shown.id)
    for gone, left, newest, replies in (
        (shown, 3, last.id, 1), (reply, 2, last.id, 0), (last, 1, first.id, 0), (first, 0, None, None),
    ):  # fmt: skip
        messages.erase(messages.must(gone.id))
        now = office.again(room)
        assert (now.messages, now.last_message) == (left, newest)
        if replies is not None:
            assert messages.must(first.id).replies == replies
    deleted = office.store.rows("SELECT id, room_id, at FROM deleted_messages")
    assert {row[0] for row in deleted} == {first.id, last.id, reply.id, shown.id}
    assert {row[1:] for row in deleted} == {(room.id, office.store.now())}


@pytest.mark.parametrize(
    ("emoji", "kept"), [("tada", ":tada:"), (":tada:", ":tada:"), ("+1", ":+1:"), ("", None), ("a b", None),
                        ("x" * 100, f":{'x' * 100}:"), ("x" * 101, None)]
)  # fmt: skip
def test_a_reaction_is_an_emoji_by_name(office: Office, room: Room, ann: User, emoji: str, kept: str | None) -> None:
    (message,) = said(office, room, ann, "hello")
    if kept is None:
        assert refused(office.store.messages.react, message, ann, emoji)
    else:
        changed = office.store.messages.react(message, ann, emoji)
        assert json.loads(changed.reactions) == {kept: {"usernames": ["ann"]}}


def test_a_reaction_is_given_and_taken_back_by_each(office: Office, room: Room, ann: User, bob: User) -> None:
    (message,) = said(office, room, ann, "hello")

    def after(user: User, should: bool | None = None, emoji: str = "tada") -> dict[str, list[str]]:
        office.store.messages.react(edited(office, message), user, emoji, should)
        found = json.loads(edited(office, message).reactions)
        return {name: one["usernames"] for name, one in found.items()}

    assert after(ann, True) == after(ann, True) == {":tada:": ["ann"]}
    assert after(bob) == {":tada:": ["ann", "bob"]}
    assert after(bob, emoji="rose") == {":tada:": ["ann", "bob"], ":rose:": ["bob"]}
    assert after(ann) == after(ann, False) == {":tada:": ["bob"], ":rose:": ["bob"]}
    assert after(bob, False) == {":rose:": ["bob"]}
    office.store.rooms.change(office.again(room), ann, archived=1)
    assert refused(office.store.messages.react, message, ann, "tada")


SAID = [  # what of a room is changed, and the line that tells of it
    ({"topic": "weeds"}, ("room_changed_topic", "weeds")), ({"topic": None}, None),
    ({"announcement": "rain"}, ("room_changed_announcement", "rain")),
    ({"description": "green"}, ("room_changed_description", "green")), ({"archived": 1}, ("room-archived", "")),
    ({"archived": 0}, None), ({"read_only": 1}, ("room-set-read-only", "")), ({"read_only": 0}, None),
    ({"join_code": "x"}, None),
]  # fmt: skip


@pytest.mark.parametrize(("values", "line"), SAID, ids=[str(one[0]) for one in SAID])
def test_a_change_of_a_room_that_people_should_notice_leaves_a_line(
    office: Office, room: Room, ann: User, values: dict[str, Any], line: tuple[str, str] | None
) -> None:
    changed = office.store.rooms.change(room, ann, **values)
    assert {name: getattr(changed, name) for name in values} == values
    told = [(one.type, one.text) for one in office.store.history.between(changed)]
    assert told == ([line] if line else [])


def test_what_is_undone_in_a_room_leaves_a_line_too(office: Office, room: Room, ann: User) -> None:
    rooms = office.store.rooms
    for values in (
        {"archived": 1},
        {"archived": 0},
        {"read_only": 1},
        {"read_only": 0},
        {"topic": "a"},
        {"topic": None},
    ):
        rooms.change(office.again(room), ann, **values)
    renamed = rooms.rename(office.again(room), ann, "yard")
    assert rooms.rename(renamed, ann, "yard") == renamed
    private = rooms.set_type(renamed, ann, "p")
    rooms.set_type(private, ann, "c")
    told = [(one.type, one.text) for one in office.store.history.between(office.again(room))][::-1]
    assert told == [
        ("room-archived", ""), ("room-unarchived", ""), ("room-set-read-only", ""), ("room-removed-read-only", ""),
        ("room_changed_topic", "a"), ("room_changed_topic", ""), ("r", "yard"), ("room_changed_privacy", "private"),
        ("room_changed_privacy", "public"),
    ]  # fmt: skip
    assert (renamed.name, renamed.fname) == ("yard", "yard")
