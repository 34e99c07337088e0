"""What chat's store keeps and finds: history, threads, marks, invites, teams and accounts, at their edges."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from dayjob.company.chat.errors import ChatError
from dayjob.company.chat.rows import Message, Room, User
from dayjob.company.chat.store.accounts import digest
from dayjob.company.chat.store.base import Page
from tests.company.chat.offices import Office

ALL = Page(count=0)


@pytest.fixture
def office() -> Iterator[Office]:
    made = Office()
    yield made
    made.company.close()


@pytest.fixture
def ann(office: Office) -> User:
    return office.person("ann")


@pytest.fixture
def bob(office: Office) -> User:
    return office.person("bob")


@pytest.fixture
def room(office: Office, ann: User, bob: User) -> Room:
    made = office.store.rooms.create("c", "garden", ann, members=[bob])
    office.company.clock.forward(seconds=1)
    return made


def ids(found: tuple[list[Any], int] | list[Any]) -> list[str]:
    """The ids of what was found; where a total comes with it, it is right."""
    rows, total = found if isinstance(found, tuple) else (found, len(found))
    assert total == len(rows)
    return [one.id for one in rows]


def said(office: Office, room: Room, user: User, *texts: str) -> list[Message]:
    """Messages a second apart."""
    made = []
    for text in texts:
        made.append(office.say(room, user, text))
        office.company.clock.forward(seconds=1)
    return made


def refused(what: Any, *args: Any, **more: Any) -> bool:
    try:
        what(*args, **more)
    except ChatError:
        return True
    return False


# -- history -----------------------------------------------------------------------------------------------------


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
    office.store.members.mark_read(room, bob)
    assert [user.username for user, _ in office.store.history.readers(message)] == ["ann", "bob"]


def test_unread_begins_where_a_person_last_looked(office: Office, room: Room, ann: User, bob: User) -> None:
    first, second = said(office, room, ann, "one", "two")
    history, members = office.store.history, office.store.members
    found, count = history.unread_from(room, bob, oldest=None)
    assert (found and found.id, count) == (first.id, 2)
    assert history.unread_from(room, ann, oldest=None) == (None, 0)
    assert members.counters(room, bob)["unreads"] == 2
    members.mark_read(room, bob)
    assert history.unread_from(room, bob, oldest=None)[1] == 0
    members.mark_unread(bob, message=second)
    found, count = history.unread_from(room, bob, oldest=None)
    assert (found and found.id, count) == (second.id, 1)
    marked = members.must(room.id, bob.id)
    assert (marked.alert, marked.unread) == (1, 1)
    assert refused(members.mark_unread, ann, message=second)
    assert refused(members.mark_unread, office.root, message=second)
    members.mark_read(room, bob)
    members.mark_unread(bob, room_id=room.id)
    found, _ = history.unread_from(room, bob, oldest=None)
    assert found is not None
    assert found.id == second.id
    empty = office.store.rooms.create("p", "empty", ann)
    members.mark_unread(ann, room_id=empty.id)
    assert refused(members.mark_unread, bob, room_id=empty.id)


def test_times_in_a_room_only_go_forward(office: Office, room: Room, ann: User) -> None:
    times = [office.say(room, ann, str(number)).at for number in range(3)]
    assert times == sorted(set(times))


def test_links_mentions_and_channels_are_read_out_of_a_text(office: Office, room: Room, ann: User) -> None:
    office.store.rooms.create("p", "secret", ann)
    made = office.say(room, ann, "see http://x.test/a, #garden #secret @bob. (@all) me@ann.test")
    assert [one["url"] for one in json.loads(made.urls)] == ["http://x.test/a,"]
    assert [one["name"] for one in json.loads(made.channels)] == ["garden"]
    assert [one["username"] for one in json.loads(made.mentions)] == ["bob", "all"]


# -- invites -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("days", "uses", "good"), [(0, 0, True), (30, 100, True), (2, 0, False), (1, 2, False)])
def test_an_invite_has_one_of_the_known_limits(
    office: Office, room: Room, ann: User, days: int, uses: int, good: bool
) -> None:
    assert refused(office.store.administration.invite, room, ann, days, uses) is not good


def test_an_invite_works_until_its_day_or_its_last_use(office: Office, room: Room, ann: User, bob: User) -> None:
    admin = office.store.administration
    assert refused(admin.invite, room, bob, 0, 0)
    once, daily, forever = admin.invite(room, ann, 0, 1), admin.invite(room, ann, 1, 0), admin.invite(room, ann, 0, 0)
    assert admin.invite(room, ann, 0, 1).id == once.id
    assert admin.use_invite(once.id, bob).id == room.id
    assert admin.the_invite(once.id).uses == 0, "whoever is in the room already uses nothing up"
    admin.use_invite(once.id, office.person("kim"))
    assert refused(admin.usable, once.id)
    assert admin.invite(room, ann, 0, 1).id != once.id
    office.company.clock.forward(days=1)
    assert not refused(admin.usable, daily.id)
    office.company.clock.forward(seconds=1)
    assert refused(admin.usable, daily.id)
    assert not refused(admin.usable, forever.id)
    assert admin.invite(room, ann, 1, 0).id != daily.id
    admin.remove_invite(forever.id)
    assert refused(admin.usable, forever.id)
    assert refused(admin.remove_invite, forever.id)


# -- teams -------------------------------------------------------------------------------------------------------


def test_a_team_brings_its_members_into_its_default_rooms(office: Office, room: Room, ann: User, bob: User) -> None:
    teams, members = office.store.teams, office.store.members
    team = teams.create("crew", 1, ann, [bob])
    assert refused(teams.create, "crew", 0, ann, [])
    assert office.store.rooms.must(team.room_id).type == "p"
    usual = teams.add_room(team, office.store.rooms.create("p", "usual", ann), ann)
    office.store.update("rooms", usual.id, team_default=1)
    beside = teams.add_room(team, office.store.rooms.create("p", "beside", ann), ann)
    assert refused(teams.add_room, team, beside, ann)
    assert refused(teams.add_room, team, office.store.rooms.open_direct(ann, [bob]), ann)
    kim = office.person("kim")
    teams.add_member(team, kim, ["leader", "member"], ann)
    assert [members.find(one.id, kim.id) is not None for one in (office.again(usual), beside)] == [True, False]
    member = teams.member(team.id, kim.id)
    assert member is not None
    assert member.roles == '["leader"]'
    assert teams.size(team) == (2, 3)
    assert ids(teams.rooms(team, ALL)) == [beside.id, usual.id]
    assert ids(teams.rooms(team, ALL, of=kim)) == [usual.id]
    assert ids(teams.rooms(team, ALL, text="bes")) == [beside.id]
    assert [user.username for _, user in teams.members(team, ALL, username="k")[0]] == ["kim"]
    teams.remove_member(team, kim, ann, [usual.id, room.id])
    assert members.find(usual.id, kim.id) is None
    assert refused(teams.remove_member, team, kim, ann, [])
    assert refused(teams.update_member, team, kim, [], ann)


def test_inviting_to_a_teams_room_brings_into_the_team(office: Office, ann: User, bob: User) -> None:
    team = office.store.teams.create("crew", 1, ann, [])
    room = office.store.teams.add_room(team, office.store.rooms.create("p", "inner", ann), ann)
    office.store.members.invite(room, ann, bob)
    assert office.store.teams.member(team.id, bob.id) is not None


def test_closed_teams_are_listed_for_their_members_and_those_who_see_all(office: Office, ann: User, bob: User) -> None:
    teams = office.store.teams
    closed, opened = teams.create("closed", 1, ann, []), teams.create("opened", 0, ann, [])
    assert ids(teams.listing(ALL, seen_by=ann)) == [closed.id, opened.id]
    assert ids(teams.listing(ALL, seen_by=bob)) == [opened.id]
    assert ids(teams.listing(ALL, seen_by=office.root)) == [closed.id, opened.id]
    assert ids(teams.listing(ALL, of=bob)) == []
    assert ids(teams.listing(ALL, of=ann, text="clo")) == [closed.id]


@pytest.mark.parametrize("keep", [True, False])
def test_a_team_ends_with_the_rooms_named_and_the_others_go_on(office: Office, ann: User, keep: bool) -> None:
    teams, rooms = office.store.teams, office.store.rooms
    team = teams.create("crew", 0, ann, [])
    stays, goes = (teams.add_room(team, rooms.create("c", name, ann), ann) for name in ("stays", "goes"))
    teams.disband(team, ann, keep_main=keep, also_remove=[goes.id])
    assert rooms.get(goes.id) is None
    assert office.again(stays).team_id is None
    assert (rooms.get(team.room_id) is not None) is keep
    assert refused(teams.find, id=team.id)


def test_a_team_changes_its_name_and_kind_with_its_room(office: Office, ann: User) -> None:
    team = office.store.teams.create("crew", 0, ann, [])
    changed = office.store.teams.change(team, ann, name="band", kind=1)
    main = office.store.rooms.must(team.room_id)
    assert (changed.name, changed.type, main.name, main.type) == ("band", 1, "band", "p")


# -- accounts ----------------------------------------------------------------------------------------------------


def test_the_first_person_administers_and_the_next_do_not(office: Office) -> None:
    office.store.run("DELETE FROM users WHERE id != 'rocket.cat'")
    first, second = (
        office.store.accounts.register(username=name, name=name, email=None, password=None) for name in ("a", "b")
    )
    assert (first.role_list(), second.role_list()) == (["user", "admin"], ["user"])


@pytest.mark.parametrize(
    ("facts", "good"),
    [({}, True), ({"username": "a b"}, False), ({"username": "all"}, False), ({"username": "HERE"}, False),
     ({"username": "ann"}, False), ({"email": "no"}, False), ({"email": "ann@bare.test"}, False),
     ({"email": "x" * 244 + "@bare.test"}, True), ({"email": "x" * 245 + "@bare.test"}, False)],
)  # fmt: skip
def test_what_an_account_can_be_called(office: Office, ann: User, facts: dict[str, Any], good: bool) -> None:
    wanted = {"username": "new", "name": "New", "email": "new@bare.test", "password": None, **facts}
    own = facts in ({"username": "ann"}, {"email": "ann@bare.test"})
    bob = office.person("bob")
    changes = {name: wanted[name] for name in ("username", "email")}
    accounts = office.store.accounts
    assert office.may(lambda: accounts.change_profile(ann, **changes)) is (good or own)
    assert office.may(lambda: accounts.change_profile(bob, **changes)) is good
    assert refused(accounts.register, **wanted) is not good


def test_an_account_that_goes_takes_its_words_and_leaves_its_rooms_to_an_heir(
    office: Office, room: Room, ann: User, bob: User
) -> None:
    accounts, members, rooms = office.store.accounts, office.store.members, office.store.rooms
    alone = rooms.create("p", "alone", ann)
    channel = rooms.create("c", "channel", ann)
    direct = rooms.open_direct(ann, [bob])
    (kept,) = said(office, room, bob, "kept")
    said(office, room, ann, "gone")
    assert refused(accounts.delete, ann)
    assert refused(accounts.delete, accounts.get("rocket.cat"))
    assert accounts.delete(ann, relinquish=True) == ["alone"]
    assert accounts.get(ann.id) is None
    assert (rooms.get(alone.id), rooms.get(direct.id)) == (None, None)
    assert rooms.get(channel.id) is not None
    assert "owner" in members.must(room.id, bob.id).role_list()
    assert [one.id for one in office.store.history.between(room) if one.type is None] == [kept.id]
    assert members.user_ids(room.id) == [bob.id]
    assert office.again(room).members == 1


def test_a_deactivated_account_loses_its_tokens_and_hands_its_rooms_over(
    office: Office, room: Room, ann: User, bob: User
) -> None:
    accounts = office.store.accounts
    token, others = accounts.mint_token("ann"), accounts.mint_token("bob")
    assert refused(accounts.set_active, ann, False, relinquish=False)
    assert refused(accounts.set_active, office.root, False, relinquish=True)
    assert not accounts.set_active(ann, False, relinquish=True).active
    assert accounts.bearer(token) is None
    assert accounts.bearer(others) is not None
    assert "owner" in office.store.members.must(room.id, bob.id).role_list()
    assert accounts.set_active(accounts.get(ann.id) or ann, True, relinquish=False).active
    assert accounts.bearer(token) is None


def test_tokens_with_a_name_outlive_sessions(office: Office, ann: User) -> None:
    accounts = office.store.accounts
    here, there = accounts.mint_token("ann"), accounts.mint_token("ann")
    personal = accounts.personal_token(ann, "script", bypass=True)
    assert refused(accounts.personal_token, ann, "script", bypass=False)
    accounts.revoke_others(ann, here)
    assert [accounts.bearer(one) is not None for one in (here, there, personal)] == [True, False, True]
    assert [(name, last, bypass) for name, _, last, bypass in accounts.personal_tokens(ann)] == [
        ("script", personal[-6:], True)
    ]
    renewed = accounts.renew_personal_token(ann, "script")
    assert [accounts.bearer(one) is not None for one in (personal, renewed)] == [False, True]
    accounts.remove_personal_token(ann, "script")
    assert accounts.bearer(renewed) is None
    assert refused(accounts.remove_personal_token, ann, "script")
    assert refused(accounts.renew_personal_token, ann, "script")
    accounts.revoke(here)
    assert accounts.bearer(here) is None


def test_another_name_is_shown_at_everything_one_said(office: Office, room: Room, ann: User, bob: User) -> None:
    (own,), (other,) = said(office, room, ann, "mine"), said(office, room, bob, "his")
    office.store.accounts.change_profile(ann, username="anna", name="Anna", password="changed")
    assert office.store.messages.must(own.id).username == "anna"
    assert office.store.messages.must(other.id).username == "bob"
    assert office.store.accounts.sign_in("anna", digest("changed")) is not None


def test_presence_is_what_a_person_chose_while_they_are_here(office: Office, ann: User) -> None:
    accounts = office.store.accounts

    def status() -> str:
        found = accounts.get(ann.id)
        assert found is not None
        return str(found.status)

    accounts.set_status(ann, status="busy", text="x" * 121)
    accounts.connected(ann.id, "offline")
    assert status() == "offline"
    accounts.connected(ann.id, "online")
    assert status() == "busy"
    assert refused(accounts.set_status, ann, status="asleep")
    found = accounts.get(ann.id)
    assert found is not None
    assert found.status_text == "x" * 120


# -- settings, reports, visitors ---------------------------------------------------------------------------------


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
    moderation.delete_reported(ann.id)
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
