"""Invites and teams: how people come into rooms."""

from __future__ import annotations

import json

import pytest

from dayjob.company.chat.rows import Room, User
from dayjob.company.chat.store.base import Page
from tests.company.chat.offices import ALL, Office, count, ids, refused


@pytest.mark.parametrize(
    ("days", "uses", "good"),
    [*((days, 0, True) for days in (0, 1, 7, 15, 30)), *((0, uses, True) for uses in (1, 5, 10, 25, 50, 100)),
     *((days, 0, False) for days in (-1, 2, 8, 31)), *((0, uses, False) for uses in (-1, 2, 9, 101))],
)  # fmt: skip
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
    assert once.id in {one.id for one in admin.invites()}


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


def test_a_team_is_called_as_its_main_room_and_not_as_another_of_its_rooms(
    office: Office, room: Room, ann: User
) -> None:
    rooms, teams = office.store.rooms, office.store.teams
    team, other = teams.create("crew", 0, ann, []), teams.create("others", 0, ann, [])
    inside = rooms.create("c", "deck", ann, team_id=team.id)

    def names() -> list[str]:
        return [teams.find(id=one.id).name for one in (team, other)]

    for changed, name in ((inside, "bridge"), (room, "park")):
        assert rooms.rename(changed, ann, name).name == name
    assert names() == ["crew", "others"]
    rooms.rename(rooms.must(team.room_id), ann, "band")
    assert names() == ["band", "others"]


def test_a_members_roles_are_the_same_in_the_team_and_in_its_room(office: Office, ann: User, bob: User) -> None:
    teams, members, zoe = office.store.teams, office.store.members, office.person("zoe")
    team = teams.create("team", 0, ann, [bob])

    def roles(user: User) -> tuple[list[str], list[str]]:
        member = teams.member(team.id, user.id)
        assert member is not None
        return json.loads(member.roles), members.must(team.room_id, user.id).role_list()

    assert (roles(ann), roles(bob)) == ((["owner"], ["owner"]), ([], []))
    teams.add_member(team, zoe, ["member", "leader"], ann)
    assert roles(zoe) == (["leader"], ["leader"])
    teams.update_member(team, zoe, ["owner", "member"], ann)
    assert roles(zoe) == (["owner"], ["owner"])
    members.set_role(team.room_id, bob, "moderator", held=True)
    assert (roles(bob), roles(zoe)) == ((["moderator"], ["moderator"]), (["owner"], ["owner"]))
    assert refused(teams.update_member, team, office.person("out"), [], ann)
    listed, total = teams.members(team, ALL)
    assert ([user.username for _, user in listed], total) == (["ann", "bob", "zoe"], 3)
    assert [user.username for _, user in teams.members(team, ALL, username="O")[0]] == ["bob", "zoe"]
    assert [user.username for _, user in teams.members(team, ALL, username="o", name="B")[0]] == ["bob"]
    assert [user.username for _, user in teams.members(team, Page(1, 1))[0]] == ["bob"]


def test_what_is_kept_of_a_team(office: Office, room: Room, ann: User, bob: User) -> None:
    teams = office.store.teams
    made = teams.create("team", 1, ann, [bob, ann])
    now = office.store.now()
    assert (made.name, made.type, made.created_by, made.created_at, made.updated_at) == ("team", 1, ann.id, now, now)
    main = office.store.rooms.must(made.room_id)
    assert (main.type, main.name, main.team_id, main.team_main, main.members) == ("p", "team", made.id, 1, 2)
    assert office.store.rooms.must(teams.create("open", 0, ann, []).room_id).type == "c"
    assert refused(teams.create, "team", 0, ann, [])
    turned = teams.create("garden-team", 0, ann, [], room=room)
    assert (turned.room_id, office.again(room).team_main) == (room.id, 1)
    assert {user.username for _, user in teams.members(turned, ALL)[0]} == {"ann", "bob"}
    assert teams.find(id=made.id) == teams.find(name="team") == made
    assert refused(teams.find, name="nothing")
    with_rooms = office.store.rooms.create("c", "shed", ann)
    teams.add_room(made, with_rooms, ann)
    assert refused(teams.add_room, made, office.again(with_rooms), ann)
    assert refused(teams.add_room, made, office.store.rooms.open_direct(ann, [bob]), ann)
    assert refused(teams.remove_room, turned, office.again(with_rooms), ann)
    assert [one.id for one in teams.rooms(made, ALL)[0]] == [with_rooms.id]
    assert teams.rooms(made, ALL, of=bob) == teams.rooms(made, ALL, text="x") == ([], 0)
    assert count(teams.rooms(made, ALL, of=ann, text="SHE")) == 1
    assert count(teams.rooms(made, ALL, default_only=True)) == 0


def test_those_whom_a_team_brings_into_its_rooms_are_told_who_did(office: Office, room: Room, ann: User) -> None:
    teams, zoe = office.store.teams, office.person("zoe")
    team = teams.create("team", 0, ann, [])
    teams.add_room(team, room, ann)
    office.store.update("rooms", room.id, team_default=1)
    teams.add_member(team, zoe, [], ann)
    for place in (room.id, team.room_id):
        (line,) = office.store.history.between(office.store.rooms.must(place))
        assert (line.type, line.username, line.text) == ("au", "ann", "zoe")
