"""What was said: between moments, in threads, by words, marked, unread, changed and cleaned."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dayjob.company.chat.rows import Room, User
from tests.company.chat.offices import ALL, Office, ids, refused, said


@pytest.mark.parametrize(
    ("inclusive", "expected"), [(False, ["c", "b"]), (True, ["d", "c", "b", "a"])], ids=["between", "from to"]
)
def test_history_between_two_moments_is_newest_first(
    office: Office, room: Room, ann: User, inclusive: bool, expected: list[str]
) -> None:
    a, _, _, d = said(office, room, ann, "a", "b", "c", "d")
    found = office.store.history.between(room, oldest=a.at, latest=d.at, inclusive=inclusive, count=0)
    assert [one.text for one in found] == expected
    assert [one.text for one in office.store.history.between(room, count=2, offset=1)] == ["c", "b"]


def test_history_shows_replies_unless_told_otherwise(office: Office, room: Room, ann: User) -> None:
    (root,) = said(office, room, ann, "root")
    hidden = office.store.messages.post(office.again(room), ann, "hidden", thread_id=root.id)
    shown = office.store.messages.post(office.again(room), ann, "shown", thread_id=root.id, thread_shown=True)
    history = office.store.history
    assert {one.id for one in history.between(room)} == {root.id, hidden.id, shown.id}
    assert {one.id for one in history.between(room, threads=False)} == {root.id, shown.id}
    assert office.again(room).last_message == shown.id
    replied = office.store.messages.must(root.id)
    assert [one.id for one in history.thread(replied, ALL)[0]] == [hidden.id, shown.id]
    assert history.thread(replied, ALL)[1] == 2
    assert ids(history.threads(room, ALL)) == [root.id]
    assert ids(history.threads(room, ALL, following=ann)) == [root.id]
    assert ids(history.threads(room, ALL, following=office.root)) == []
    assert ids(history.threads(room, ALL, unread=[])) == []
    assert ids(history.threads(room, ALL, unread=[root.id], text="roo")) == [root.id]
    assert ids(history.threads(room, ALL, text="none")) == []


def test_a_reply_to_a_reply_is_a_reply_to_the_first_message_of_this_room(office: Office, room: Room, ann: User) -> None:
    (root,) = said(office, room, ann, "root")
    other = office.store.rooms.create("c", "other", ann)
    first = office.store.messages.post(office.again(room), ann, "one", thread_id=root.id)
    second = office.store.messages.post(office.again(room), ann, "two", thread_id=first.id)
    assert second.thread_id == root.id
    assert refused(office.store.messages.post, other, ann, "three", thread_id=root.id)
    assert refused(office.store.messages.post, room, ann, "four", thread_id="nothing")
    assert refused(office.store.messages.post, room, ann, "five", id=root.id)


def test_search_wants_every_word_and_the_beginning_of_the_last(office: Office, room: Room, ann: User) -> None:
    roses, thorns = said(office, room, ann, "red roses bloom", "red thorns")
    office.store.messages.system(room, ann, "uj", "red roses")
    hidden = office.store.rooms.create("p", "hidden", office.root)
    office.say(hidden, office.root, "red roses")
    history = office.store.history

    def here(text: str) -> list[str]:
        return [one.id for one in history.search(room, text, ALL)]

    assert here("red") == [thorns.id, roses.id]
    assert here("roses red") == [roses.id]
    assert here("red blo") == [roses.id]
    assert here("ros red") == []
    assert here("/s bloom/") == [roses.id]
    assert here("!!!") == []
    assert [one.id for one in history.search_all(ann, "red roses", ALL)] == [roses.id]
    assert history.search_all(ann, "!!!", ALL) == []


def test_what_is_marked_is_listed_for_who_marked_it(office: Office, room: Room, ann: User, bob: User) -> None:
    first, second = said(office, room, ann, "hello @bob", "hello @ann and @bob.")
    history, messages = office.store.history, office.store.messages
    messages.star(first, ann, True)
    messages.star(second, bob, True)
    messages.star(second, bob, False)
    assert ids(history.starred(room, ann, ALL)) == [first.id]
    assert ids(history.starred(room, bob, ALL)) == []
    assert history.stargazers([first, second]) == {first.seq: [ann.id]}
    assert ids(history.mentioning(room, bob, ALL)) == [second.id, first.id]
    assert ids(history.mentioning(room, ann, ALL)) == [second.id]
    messages.edit(second, ann, "hello @root")
    assert ids(history.mentioning(room, bob, ALL)) == [first.id]
    assert ids(history.mentioning(room, office.root, ALL)) == [second.id]


def test_what_changed_since_a_moment(office: Office, room: Room, ann: User) -> None:
    first, second, third = said(office, room, ann, "one", "two", "three")
    history, messages = office.store.history, office.store.messages
    since = office.store.now()
    office.company.clock.forward(seconds=1)
    messages.edit(first, ann, "changed")
    messages.delete(second, ann)
    assert [one.id for one in history.updated(room, since)] == [first.id]
    assert [one.id for one in history.updated(room, "", before=third.updated_at)] == []
    elsewhere = office.store.rooms.create("c", "elsewhere", ann)
    messages.delete(office.say(elsewhere, ann, "not here"), ann)
    assert [id for id, _ in history.deleted(room, since, ALL)] == [second.id]
    assert history.deleted_count(room, since) == 1
    now = office.store.now()
    assert history.updated(room, now) == []
    assert history.deleted(room, now, ALL) == []
    assert office.again(room).last_message == third.id
    messages.delete(third, ann)
    assert office.again(room).last_message == first.id


CLEANED = [
    ("everything", {}, ["pinned", "reply", "root", "talk", "bobs"]),
    ("not the pinned", {"keep_pinned": True}, ["reply", "root", "talk", "bobs"]),
    ("not the threads", {"keep_threads": True}, ["pinned", "talk", "bobs"]),
    ("not the discussions", {"keep_discussions": True}, ["pinned", "reply", "root", "bobs"]),
    ("files", {"files_only": True}, []),
    ("of one person", {"users": ["bob"]}, ["bobs"]),
    ("two", {"limit": 2}, ["pinned", "root"]),
]


@pytest.mark.parametrize(("wanted", "gone"), [one[1:] for one in CLEANED], ids=[one[0] for one in CLEANED])
def test_what_cleaning_a_room_removes(
    office: Office, room: Room, ann: User, bob: User, wanted: dict[str, Any], gone: list[str]
) -> None:
    messages = office.store.messages
    pinned, root, talk = said(office, room, ann, "pinned", "root", "talk")
    office.store.update("messages", pinned.id, pinned=1)
    office.store.update("messages", talk.id, discussion_id=room.id)
    messages.post(office.again(room), ann, "reply", thread_id=root.id)
    said(office, room, bob, "bobs")
    facts: dict[str, Any] = {
        "users": [], "limit": 0, "keep_pinned": False, "files_only": False, "keep_threads": False,
        "keep_discussions": False, **wanted,
    }  # fmt: skip
    before = {one.text for one in office.store.history.between(room, count=0)}
    count = office.store.history.clean(room, oldest="", latest="9999", inclusive=False, **facts)
    after = {one.text for one in office.store.history.between(room, count=0)}
    assert (count, before - after) == (len(gone), set(gone))


def test_cleaning_goes_up_to_its_edges_only_if_told(office: Office, room: Room, ann: User) -> None:
    first, _, last = said(office, room, ann, "one", "two", "three")
    facts: dict[str, Any] = {
        "users": [], "limit": 0, "keep_pinned": False, "files_only": False, "keep_threads": False,
        "keep_discussions": False,
    }  # fmt: skip
    clean = office.store.history.clean
    assert clean(room, oldest=first.at, latest=last.at, inclusive=False, **facts) == 1
    assert clean(room, oldest=first.at, latest=last.at, inclusive=True, **facts) == 2


def test_readers_are_those_who_looked_since(office: Office, room: Room, ann: User, bob: User) -> None:
    (message,) = said(office, room, ann, "hello")
    assert [user.username for user, _ in office.store.history.readers(message)] == ["ann"]
    office.store.unread.mark_read(room, bob)
    assert [user.username for user, _ in office.store.history.readers(message)] == ["ann", "bob"]


def test_unread_begins_where_a_person_last_looked(office: Office, room: Room, ann: User, bob: User) -> None:
    first, second = said(office, room, ann, "one", "two")
    history, members = office.store.history, office.store.members
    found, count = history.unread_from(room, bob, oldest=None)
    assert (found and found.id, count) == (first.id, 2)
    assert history.unread_from(room, ann, oldest=None) == (None, 0)
    assert office.store.unread.counters(room, bob)["unreads"] == 2
    office.store.unread.mark_read(room, bob)
    assert history.unread_from(room, bob, oldest=None)[1] == 0
    office.store.unread.mark_unread(bob, message=second)
    found, count = history.unread_from(room, bob, oldest=None)
    assert (found and found.id, count) == (second.id, 1)
    marked = members.must(room.id, bob.id)
    assert (marked.alert, marked.unread) == (1, 1)
    assert refused(office.store.unread.mark_unread, ann, message=second)
    assert refused(office.store.unread.mark_unread, office.root, message=second)
    office.store.unread.mark_read(room, bob)
    office.store.unread.mark_unread(bob, room_id=room.id)
    found, _ = history.unread_from(room, bob, oldest=None)
    assert found is not None
    assert found.id == second.id
    empty = office.store.rooms.create("p", "empty", ann)
    office.store.unread.mark_unread(ann, room_id=empty.id)
    assert refused(office.store.unread.mark_unread, bob, room_id=empty.id)


def test_to_who_has_never_looked_everything_that_others_said_is_unread(
    office: Office, room: Room, ann: User, bob: User
) -> None:
    first, second = said(office, room, ann, "one", "two")
    said(office, office.store.rooms.create("c", "elsewhere", ann), ann, "three")
    history, visitor = office.store.history, office.person("visitor")
    for oldest, unread in ((None, [first, second]), ("", [first, second]), (first.at, [second]), (second.at, [])):
        found, total = history.unread_from(room, visitor, oldest=oldest)
        assert (found and found.id, total) == (unread[0].id if unread else None, len(unread)), oldest
    office.store.unread.mark_read(room, bob)
    assert history.unread_from(room, bob, oldest=first.at) == (None, 0), "the later of the two moments counts"


def test_what_comes_after_a_moment_is_without_what_stands_in_threads_only(
    office: Office, room: Room, ann: User
) -> None:
    root, beside = said(office, room, ann, "root", "beside")
    for shown in (False, True):
        office.store.messages.write(office.again(room), ann, f"reply {shown}", thread_id=root.id, thread_shown=shown)
    (last,) = said(office, room, ann, "last")
    said(office, office.store.rooms.create("c", "elsewhere", ann), ann, "not here")

    def after(moment: str, count: int) -> list[str]:
        return [one.text for one in office.store.history.after(room, moment, count)]

    assert after(root.at, 9) == ["beside", "reply True", "last"]
    assert after(root.at, 2) == ["beside", "reply True"]
    assert after(beside.at, 9) == ["reply True", "last"]
    assert after(last.at, 9) == []


def test_looking_at_a_room_takes_every_mark_off_it(office: Office, room: Room, ann: User, bob: User) -> None:
    members = office.store.members
    (root,) = said(office, room, bob, "root")
    for text in ("@bob", "@all"):
        office.store.messages.post(office.again(room), ann, text)
    office.store.messages.post(office.again(room), ann, "reply", thread_id=root.id)
    marked = members.must(room.id, bob.id)
    found = (marked.alert, marked.unread, marked.user_mentions, marked.group_mentions, marked.unread_threads)
    assert found == (1, 2, 1, 1, f'["{root.id}"]')
    office.store.unread.mark_read(room, bob)
    read = members.must(room.id, bob.id)
    assert (read.alert, read.unread, read.user_mentions, read.group_mentions, read.unread_threads) == (0, 0, 0, 0, "[]")
    assert read.last_seen == office.store.now()


def test_a_pin_says_who_made_it_and_leaves_a_line(office: Office, room: Room, ann: User) -> None:
    (message,) = said(office, room, ann, "keep this")
    line = office.store.messages.pin(message, ann)
    pinned = office.store.messages.must(message.id)
    assert json.loads(pinned.pinned_by or "") == {"_id": ann.id, "username": "ann"}
    assert (line.type, line.text, json.loads(line.attachments or "")[0]["text"]) == ("message_pinned", "", "keep this")
    assert ids(office.store.history.pinned(room, ALL)) == [message.id]
    assert refused(office.store.messages.pin, pinned, ann)
    assert office.store.messages.unpin(pinned, ann).pinned_by is None
    assert ids(office.store.history.pinned(room, ALL)) == []


def test_times_in_a_room_only_go_forward(office: Office, room: Room, ann: User) -> None:
    times = [office.say(room, ann, str(number)).at for number in range(3)]
    assert times == sorted(set(times))


def test_what_was_said_in_one_moment_is_read_in_its_order(office: Office, room: Room, ann: User, bob: User) -> None:
    (root,) = said(office, room, ann, "root")
    replies = [office.store.messages.post(office.again(room), ann, text, thread_id=root.id) for text in ("a", "b", "c")]
    for message in (root, *replies):
        office.store.run("UPDATE messages SET at = ?, pinned = 1 WHERE seq = ?", root.at, message.seq)
    wanted = [one.id for one in reversed((root, *replies))]
    history = office.store.history
    assert [one.id for one in history.between(room)] == wanted
    assert ids(history.listing(office.again(room), ALL)) == wanted
    assert ids(history.pinned(room, ALL)) == wanted
    assert [one.id for one in history.thread(root, ALL)[0]] == [one.id for one in replies]
    assert [one.id for one in history.thread_since(root, "")[0]] == [one.id for one in replies]
    assert history.unread_from(room, bob, oldest="")[0] == office.store.messages.must(root.id)


def test_links_mentions_and_channels_are_read_out_of_a_text(office: Office, room: Room, ann: User) -> None:
    office.store.rooms.create("p", "secret", ann)
    made = office.say(room, ann, "see http://x.test/a, #garden #secret @bob. (@all) me@ann.test")
    assert [one["url"] for one in json.loads(made.urls)] == ["http://x.test/a,"]
    assert [one["name"] for one in json.loads(made.channels)] == ["garden"]
    assert [one["username"] for one in json.loads(made.mentions)] == ["bob", "all"]


def test_news_of_threads_are_what_changed_after_a_moment_in_that_room(office: Office, room: Room, ann: User) -> None:
    early, late, plain = said(office, room, ann, "early", "late", "plain")
    other = office.store.rooms.create("c", "other", ann)
    (elsewhere,) = said(office, other, ann, "elsewhere")
    history, post = office.store.history, office.store.messages.post
    first = post(office.again(room), ann, "one", thread_id=early.id)
    since = office.store.messages.must(early.id).updated_at
    assert since == office.store.now()
    office.company.clock.forward(seconds=1)
    second = post(office.again(room), ann, "two", thread_id=late.id)
    post(office.again(other), ann, "three", thread_id=elsewhere.id)
    assert [one.id for one in history.threads_since(room, since)[0]] == [late.id]
    assert [one.id for one in history.threads_since(room, "")[0]] == [late.id, early.id]
    assert [one.id for one in history.thread_since(late, since)[0]] == [second.id]
    assert [one.id for one in history.thread_since(early, since)[0]] == []
    assert [one.id for one in history.thread_since(early, "")[0]] == [first.id]
    assert plain.id not in [one.id for one in history.threads_since(room, "")[0]]


@pytest.mark.parametrize(("alert", "open"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_a_message_marks_the_room_and_opens_it_again_for_everyone_else(
    office: Office, room: Room, ann: User, bob: User, alert: int, open: int
) -> None:
    members = office.store.members
    for user in (ann, bob):
        office.store.update("memberships", members.must(room.id, user.id).id, alert=alert, open=open)
    before = members.must(room.id, bob.id).updated_at
    office.company.clock.forward(seconds=1)
    office.say(room, ann, "hello")
    mine, theirs = members.must(room.id, ann.id), members.must(room.id, bob.id)
    assert (mine.alert, mine.open, mine.unread) == (0, 1, 0)
    assert (theirs.alert, theirs.open, theirs.unread) == (1, 1, 0)
    assert (theirs.updated_at == before) == bool(alert and open)
