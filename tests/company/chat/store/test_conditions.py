"""Which rows a list holds, and what clients may ask for in Mongo's words."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.company.chat.rows import Room, User
from dayjob.company.chat.store.accounts import ACTIVE
from dayjob.company.chat.store.base import Page
from dayjob.company.chat.store.conditions import ALL, Condition, asked, holding
from dayjob.company.chat.store.rooms import LISTED_CHANNELS, NO_DISCUSSIONS, OPEN_CHANNELS
from tests.company.chat.offices import ALL as EVERYTHING
from tests.company.chat.offices import Office, ids, refused, said

COLUMNS = {"username": "username", "mail": "email", "since": "last_login"}


def test_joining_two_conditions_keeps_their_arguments_in_order() -> None:
    one, other = Condition("a = ?", (1,)), Condition("b = ? OR c = ?", (2, 3))
    assert (one & other).arguments == (one | other).arguments == (1, 2, 3)
    assert (one & other).sql == "(a = ?) AND (b = ? OR c = ?)"
    assert (ALL & one) == (one & ALL) == one
    assert (ALL & ALL) == ALL


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, "ann bob root"),
        ({"username": "ann"}, "ann"),
        ({"username": "ann", "mail": "bob@bare.test"}, ""),
        ({"username": {"$ne": "ann"}}, "bob root"),
        ({"since": {"$ne": None}}, ""),
        ({"username": {"$in": ["ann", "root", None]}}, "ann root"),
        ({"username": {"$regex": "^an"}}, "ann"),
        ({"username": {"$regex": "nn$", "$options": "i"}}, "ann"),
        ({"mail": {"$regex": "bare\\.test"}}, "ann bob root"),
        ({"since": {"$exists": True}}, ""),
        ({"since": {"$exists": False}}, "ann bob root"),
        ({"since": None}, "ann bob root"),
        ({"$or": [{"username": "ann"}, {"$and": [{"username": "bob"}, {"mail": "bob@bare.test"}]}]}, "ann bob"),
        ({"$or": []}, "ann bob root"),
        ({"$or": [{"username": "ann"}, {"username": "bob"}], "mail": "bob@bare.test"}, "bob"),
    ],
)
def test_a_query_finds_accounts(office: Office, ann: User, bob: User, query: dict[str, Any], found: str) -> None:
    rows, total = office.store.accounts.listing(EVERYTHING, asked(query, COLUMNS) & Condition("type = 'user'"))
    assert [one.username for one in rows] == found.split()
    assert total == len(rows)


@pytest.mark.parametrize(
    "query",
    [{"password": "x"}, {"username": {"$gt": "a"}}, {"username": {"$regex": "a.*b"}}, {"username": ["a"]},
     {"username": {}}, {"$or": "x"}, {"$or": ["x"]}, {"username": {"$regex": "\\d"}}, {"username": {"$regex": 1}},
     {"username": {"$regex": "a", "$ne": "b"}}, {"username": {"$ne": ["a"]}}, {"username": {"$ne": {}}},
     {"username": {"$ne": "a", "$exists": True}}, {"username": {"$in": "a"}}, {"username": {"$in": [], "$ne": "a"}}],
)  # fmt: skip
def test_a_query_that_is_not_understood_is_refused(query: dict[str, Any]) -> None:
    assert refused(asked, query, COLUMNS)


def test_a_query_may_be_nested_so_deep_and_no_deeper() -> None:
    def nested(depth: int) -> dict[str, Any]:
        return {"$and": [nested(depth - 1)]} if depth else {"username": "ann"}

    assert not refused(asked, nested(8), COLUMNS)
    assert refused(asked, nested(9), COLUMNS)


def test_people_are_listed_by_how_they_stand(office: Office, ann: User, bob: User) -> None:
    accounts = office.store.accounts

    def listed(**wanted: Any) -> list[str]:
        return [
            one.username for one in accounts.by_status(EVERYTHING, **{"active": None, "logged_in": None, **wanted})[0]
        ]

    accounts.set_active(bob, False, relinquish=True)
    office.store.update("users", ann.id, last_login=office.store.now(), status="online")
    assert listed(active=False) == ["bob"]
    assert "bob" not in listed(active=True)
    assert listed(logged_in=True) == ["ann"]
    assert "ann" not in listed(logged_in=False)
    assert listed(text="ANN@") == ["ann"]
    assert [one.username for one in accounts.present([], None)] == ["ann"]
    assert [one.username for one in accounts.present([ann.id, bob.id], None)] == ["ann"]
    assert accounts.present([], "9") == []
    assert [one.username for one in accounts.directory(EVERYTHING, "bo")[0]] == []
    assert ann.id not in {one.id for one in accounts.colleagues(EVERYTHING, ann)}
    assert accounts.active_count() == len(accounts.listing(EVERYTHING, ACTIVE)[0])
    assert (accounts.names(ann.id), accounts.names("nobody")) == (("ann", "Ann"), None)


def test_somebody_knows_channels_and_the_groups_they_are_in(office: Office, room: Room, ann: User, bob: User) -> None:
    rooms = office.store.rooms
    secret = rooms.create("p", "shed", ann)
    talk = rooms.start_discussion(room, "Beds", ann, members=[], message_id=None, reply="")

    def known(user: User) -> set[str]:
        return {one.id for one in rooms.listing(rooms.known_to(user), EVERYTHING)[0]}

    assert {room.id, secret.id} <= known(ann)
    assert known(ann) - known(bob) >= {secret.id}
    assert room.id in known(bob)
    assert talk.id not in {one.id for one in rooms.listing(NO_DISCUSSIONS & rooms.known_to(ann), EVERYTHING)[0]}
    assert ids(rooms.discussions(room, EVERYTHING)) == [talk.id]
    assert ids(rooms.of_types("p", EVERYTHING, "SHE")) == [secret.id]
    assert room.id not in ids(rooms.of_types("p", EVERYTHING))
    assert [one.id for one in rooms.free_for_teams(ann, "shed", 10)] == [secret.id]
    assert rooms.free_for_teams(bob, "shed", 10) == []
    assert ids(rooms.listing(OPEN_CHANNELS, EVERYTHING)) == [room.id]
    assert ids(rooms.listing(LISTED_CHANNELS & holding("gard", "name", "topic"), EVERYTHING)) == [room.id]
    assert {one.id for one in rooms.beside(ann)} >= {room.id, secret.id}
    assert secret.id not in {one.id for one in rooms.beside(bob)}


def test_messages_are_found_by_their_marks(office: Office, room: Room, ann: User, bob: User) -> None:
    store = office.store
    plain, marked = said(office, room, ann, "plain", "@bob look")
    store.messages.star(marked, bob, True)
    store.messages.pin(marked, ann)
    here = office.again(room)

    def found(**wanted: Any) -> set[str]:
        return {one.text for one in store.history.listing(here, Page(count=0), store.history.marked(**wanted))[0]}

    assert {plain.text, marked.text} <= found()
    assert found(pinned=True) == found(mentioning=[bob.id]) == found(starred_by=[bob.id, ann.id]) == {marked.text}
    assert marked.text not in found(pinned=False)
    assert found(mentioning=[bob.id], starred_by=[ann.id]) == set()


def test_a_workspace_is_counted(office: Office, room: Room, ann: User, bob: User) -> None:
    before = office.store.statistics.figures()
    root, other = said(office, room, ann, "one", "two")
    for message in (root, root, other):
        office.store.messages.write(office.again(room), ann, "reply", thread_id=message.id)
    office.store.accounts.set_active(bob, False, relinquish=True)
    office.store.update("users", ann.id, status="online")
    figures = office.store.statistics.figures()
    assert (figures.users, figures.active_users) == (before.users, before.active_users - 1)
    assert figures.messages["c"] >= before.messages["c"] + 2
    assert (figures.statuses["online"], figures.statuses["busy"]) == (1, 0)
    assert (before.threads, figures.threads) == (0, 2)
    assert (figures.rooms["c"], figures.teams, figures.uploads, figures.uploaded_bytes) == (1, 0, 0, 0)


def test_a_workspace_is_as_old_as_its_general_channel(office: Office) -> None:
    assert office.store.statistics.figures().installed_at == office.store.now()
    began = office.store.now()
    office.store.insert("rooms", id="GENERAL", type="c", name="general", created_at=began, updated_at=began)
    office.company.clock.forward(days=3)
    assert office.store.statistics.figures().installed_at == began != office.store.now()
