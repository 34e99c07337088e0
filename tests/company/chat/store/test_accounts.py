"""Accounts, tokens and presence, and what becomes of rooms when their owner goes."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.company.chat.rows import Room, User
from dayjob.company.chat.store.accounts import digest, token_hash
from dayjob.company.chat.store.base import Page
from dayjob.company.chat.store.conditions import holding
from tests.company.chat.offices import Office, refused, said


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


def test_a_token_is_as_long_as_rocket_chats(office: Office, ann: User) -> None:
    assert [len(office.store.accounts.mint_token("ann", name=name)) for name in (None, "script")] == [43, 43]


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
    beside = accounts.personal_token(ann, "beside", bypass=False)
    renewed = accounts.renew_personal_token(ann, "script")
    assert [accounts.bearer(one) is not None for one in (personal, renewed, beside, here)] == [False, True, True, True]
    accounts.remove_personal_token(ann, "script")
    assert accounts.bearer(renewed) is None
    assert accounts.bearer(beside) is not None
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

    office.company.clock.forward(seconds=1)
    accounts.set_status(ann, status="busy", text="x" * 121)
    changed = accounts.get(ann.id)
    assert changed is not None
    assert changed.updated_at == office.store.now() != ann.updated_at
    accounts.connected(ann.id, "offline")
    assert status() == "offline"
    accounts.connected(ann.id, "online")
    assert status() == "busy"
    assert refused(accounts.set_status, ann, status="asleep")
    found = accounts.get(ann.id)
    assert found is not None
    assert found.status_text == "x" * 120


def test_a_token_is_kept_as_a_hash() -> None:
    assert token_hash("t") == "47mKTaMaEn1L3m5DAz9muidMqw636xxw7EFAK/YnPdg="


def test_a_password_opens_its_own_account_alone_in_clear_or_as_a_digest(office: Office, ann: User, bob: User) -> None:
    accounts = office.store.accounts
    accounts.set_password(ann, "hers")
    assert accounts.password_is(ann, digest("hers"))
    assert accounts.password_is(ann, digest("hers").upper())
    assert not accounts.password_is(ann, digest("secret"))
    assert not accounts.password_is(bob, digest("hers"))
    assert refused(accounts.set_password, ann, "")
    kept = office.store.rows("SELECT hash FROM passwords")
    assert len({row[0] for row in kept}) == len(kept) == 3


def test_what_is_kept_of_a_new_account(office: Office) -> None:
    made = office.store.accounts.register(
        username="zoe", name="", email="zoe@bare.test", password=None, roles=["user", "bot"], verified=True,
        active=False, type="bot", bio="digs", status_text="here", custom_fields={"a": 1}, must_change_password=True,
    )  # fmt: skip
    assert (made.username, made.name, made.email, made.email_verified, made.type) == (
        "zoe", "zoe", "zoe@bare.test", 1, "bot",
    )  # fmt: skip
    assert (made.role_list(), made.active, made.bio, made.status_text, made.custom_fields) == (
        ["user", "bot"], 0, "digs", "here", '{"a":1}',
    )  # fmt: skip
    assert (made.must_change_password, made.created_at, made.updated_at) == (1, office.store.now(), office.store.now())
    plain = office.person("plain")
    assert (plain.email_verified, plain.type, plain.active, plain.bio, plain.status_text, plain.custom_fields) == (
        0, "user", 1, None, "", None,
    )  # fmt: skip
    assert plain.must_change_password == 0
    assert office.store.accounts.count() == 3


def test_people_are_suggested_by_any_part_of_a_name(office: Office, ann: User, bob: User) -> None:
    accounts = office.store.accounts
    names = [office.person(name).username for name in ("anna", "joanne")]
    assert [one.username for one in accounts.matching("ANN", 10)] == ["ann", *names]
    assert [one.username for one in accounts.matching("ann", 1, without=["ann"])] == ["anna"]
    assert [one.username for one in accounts.matching("ann", 2)] == ["ann", "anna"]
    assert accounts.matching("_", 10) == []
    listed, total = accounts.listing(Page(1, 2, "username DESC"), holding("n", "username"))
    assert ([one.username for one in listed], total) == (["anna", "ann"], 3)


SUGGESTED = [("Zoë  Low!", "zo.low"), ("ann", "ann-1"), ("all", "all-1"), ("...", "user"), ("A-b_c.d", "a-b_c.d")]


@pytest.mark.parametrize(("name", "suggested"), SUGGESTED)
def test_a_username_is_made_of_a_name(office: Office, ann: User, name: str, suggested: str) -> None:
    office.store.update("users", ann.id, name=name)
    user = office.store.accounts.get(ann.id)
    assert user is not None
    assert office.store.accounts.suggestion(user) == suggested
