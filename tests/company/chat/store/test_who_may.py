"""Rocket.Chat's rules of who may read, write and keep order where, as tables, asked of the store itself."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.company.chat.errors import ChatError
from dayjob.company.chat.rows import Room, User
from dayjob.company.chat.store.accounts import digest
from dayjob.company.chat.store.base import Page
from tests.company import tables
from tests.company.chat.offices import Office

READ = """
                     channel group open-team closed-team discussion talk direct livechat
    administrator       +      -       +          +           -       +     -       +
    member              +      +       +          +           +       +     +       +
    guest member        +      +       +          +           +       +     +       +
    outsider            +      -       +          -           -       +     -       -
    bot                 +      -       +          -           -       +     -       -
    guest               -      -       -          -           -       -     -       -
    of the team         +      -       +          +           -       +     -       -
    in the parent       +      +       +          -           +       +     -       -
    agent               +      -       +          -           -       +     -       +
    manager             +      -       +          -           -       +     -       +
    deactivated         -      -       -          -           -       -     -       -
"""
"""A team's channels are for everybody if the team is public; a discussion in a private group (`discussion`) is for
those in the group, one in a channel (`talk`) for everybody."""


def places(office: Office, owner: User) -> dict[str, Room]:
    """A room of each of the table's columns."""
    rooms, teams = office.store.rooms, office.store.teams
    made = {"channel": rooms.create("c", "channel", owner), "group": rooms.create("p", "group", owner)}
    for name, kind in (("open-team", 0), ("closed-team", 1)):
        team = teams.create(f"{name}-main", kind, owner, [])
        made[name] = teams.add_room(team, rooms.create("c", name, owner), owner)
    for name, parent in (("discussion", "group"), ("talk", "channel")):
        made[name] = rooms.start_discussion(made[parent], name, owner, members=[], message_id=None, reply="")
    made["direct"] = rooms.open_direct(owner, [office.person("other")])
    visitor = office.store.livechat.register("token", None, "Visitor", {})
    office.store.settings.set("Livechat_accept_chats_with_no_agents", True)
    made["livechat"], _ = office.store.livechat.open_room(visitor)
    return made


def people(office: Office, rooms: dict[str, Room], owner: User) -> dict[str, User]:
    """A person for each of the table's lines."""
    members = office.store.members
    found = {
        "administrator": office.root,
        "outsider": office.person("outsider"),
        "bot": office.person("bot", "bot"),
        "guest": office.person("guest", "guest"),
        "agent": office.person("agent", "user", "livechat-agent"),
        "manager": office.person("manager", "user", "livechat-manager"),
        "member": office.person("member"),
        "guest member": office.person("invited", "guest"),
        "of the team": office.person("team-mate"),
        "in the parent": office.person("insider"),
        "deactivated": office.person("deactivated", "user", "admin"),
    }
    for room in rooms.values():
        for name in ("member", "guest member", "deactivated"):
            members.add(office.again(room), found[name])
    for team in ("open-team-main", "closed-team-main"):
        office.store.teams.add_member(office.store.teams.find(name=team), found["of the team"], [], owner)
    members.add(office.again(rooms["group"]), found["in the parent"])
    return found


def test_who_reads_what_is_said_in_a_room(office: Office) -> None:
    owner = office.person("owner")
    rooms = places(office, owner)
    everyone = people(office, rooms, owner)
    for name, room in rooms.items():
        office.say(room, owner, f"needle in {name}")
    tokens = {who: office.store.accounts.mint_token(user.username) for who, user in everyone.items()}
    office.store.update("users", everyone["deactivated"].id, active=0)
    for who, answers in tables.read(READ):
        user = office.store.accounts.bearer(tokens[who])
        if user is None:
            assert not any(answers.values()), who
            continue
        assert user.id == everyone[who].id
        seen = office.store.access.channels_of(user)
        listed = {room.id for room in office.store.rooms.listing(seen, Page(count=0))[0]}
        told = {message.room_id for message in office.store.history.search_all(user, "needle", Page(count=0))}
        for column, yes in answers.items():
            room = office.again(rooms[column])
            inside = office.store.members.find(room.id, user.id) is not None
            assert office.store.access.may_read(user, room) is yes, (who, column)
            assert office.may(office.store.access.require_writing, user, room) is yes, (who, column)
            assert office.may(office.store.members.join, room, user) is yes, (who, column)
            assert office.may(office.store.unread.counters, room, user) is yes, (who, column)
            assert (room.id in listed) is (yes and room.type == "c"), (who, column)
            assert (room.id in told) is (inside or (yes and room.type == "c")), (who, column)


def test_a_room_of_a_closed_team_opens_to_the_team_and_closes_again(office: Office) -> None:
    owner, mate = office.person("owner"), office.person("mate")
    rooms = places(office, owner)
    team = office.store.teams.find(name="closed-team-main")
    room = office.again(rooms["closed-team"])
    assert not office.store.access.may_read(mate, room)
    office.store.teams.add_member(team, mate, [], owner)
    assert office.store.access.may_read(mate, room)
    office.store.teams.remove_member(team, mate, owner, [])
    assert not office.store.access.may_read(mate, room)
    office.store.teams.remove_room(team, room, owner)
    assert office.store.access.may_read(mate, office.again(room))


WRITE = """
                     plain read-only archived muted
    administrator      +       +        -       -
    owner              +       +        -       -
    moderator          +       +        -       -
    leader             +       -        -       -
    member             +       -        -       -
    outsider           +       -        -       -
    bot                +       -        -       -
    guest              -       -        -       -
    guest member       +       -        -       -
"""
KEEP_ORDER = """
                     edit-own edit delete-own delete pin react star follow invite leave
    administrator       +       +      +         +    +    +     +     +      +      -
    owner               +       +      +         +    +    +     +     +      +      -
    moderator           +       +      +         +    +    +     +     +      +      +
    leader              +       -      +         -    -    +     +     +      -      +
    member              +       -      +         -    -    +     +     +      -      +
    outsider            +       -      +         -    -    +     +     +      -      -
    bot                 +       -      -         -    -    +     +     +      -      -
    guest               -       -      -         -    -    -     -     -      -      -
    guest member        +       -      -         -    -    +     +     +      -      -
"""
"""In a public channel whose only owner is `owner`; administrator, outsider, bot and guest are not in it."""


def in_a_channel(office: Office) -> tuple[Room, dict[str, User]]:
    found = {
        "administrator": office.root, "owner": office.person("owner"), "outsider": office.person("outsider"),
        "bot": office.person("bot", "bot"), "guest": office.person("guest", "guest"),
    }  # fmt: skip
    room = office.store.rooms.create("c", "channel", found["owner"])
    for name, role in (("moderator", "user"), ("leader", "user"), ("member", "user"), ("guest member", "guest")):
        found[name] = user = office.person(name.replace(" ", "-"), role)
        office.store.members.add(office.again(room), user, roles=[name] if name in ("moderator", "leader") else [])
    return office.again(room), found


def test_who_writes_to_a_channel(office: Office) -> None:
    room, everyone = in_a_channel(office)
    found: dict[str, dict[str, bool]] = {}
    for who, user in everyone.items():
        found[who] = {}
        for state, values in (
            ("plain", {}), ("read-only", {"read_only": 1}), ("archived", {"archived": 1}),
            ("muted", {"muted": f'["{user.username}"]'}),
        ):  # fmt: skip
            changed = {"read_only": 0, "archived": 0, "muted": "[]", **values}
            office.store.update("rooms", room.id, **changed)
            found[who][state] = office.may(office.store.messages.post, office.again(room), user, "hello")
    assert tables.written(found) == tables.written(dict(tables.read(WRITE)))


def test_who_keeps_order_in_a_channel(office: Office) -> None:
    room, everyone = in_a_channel(office)
    messages, author = office.store.messages, office.person("author")
    theirs = office.say(room, author)
    found = {}
    for who, user in everyone.items():
        own = office.say(room, user)
        found[who] = {
            "edit-own": office.may(messages.edit, own, user, "changed"),
            "edit": office.may(messages.edit, theirs, user, "changed"),
            "delete-own": office.may(messages.delete, own, user),
            "delete": office.may(messages.delete, theirs, user),
            "pin": office.may(messages.pin, theirs, user),
            "react": office.may(messages.react, theirs, user, "smile"),
            "star": office.may(messages.star, theirs, user, True),
            "follow": office.may(messages.follow, theirs, user, True),
            "invite": office.may(office.store.members.invite, office.again(room), user, author),
            "leave": office.may(office.store.members.leave, office.again(room), user),
        }
    assert tables.written(found) == tables.written(dict(tables.read(KEEP_ORDER)))


def test_reactions_in_a_read_only_room_are_for_its_keepers_unless_it_lets_all_react(office: Office) -> None:
    room, everyone = in_a_channel(office)
    message = office.say(room, everyone["owner"])
    for values, may in (
        ({"read_only": 1, "react_read_only": 0}, {"owner": True, "member": False}),
        ({"read_only": 1, "react_read_only": 1}, {"owner": True, "member": True}),
        ({"read_only": 0, "archived": 1}, {"owner": False, "member": False}),
    ):
        office.store.update("rooms", room.id, **values)
        for who, yes in may.items():
            assert office.may(office.store.messages.react, message, everyone[who], "smile") is yes, (values, who)


def test_system_lines_cannot_be_edited_and_editing_can_be_switched_off(office: Office) -> None:
    room, everyone = in_a_channel(office)
    owner, member = everyone["owner"], everyone["member"]
    line = office.store.messages.system(room, owner, "uj", "somebody")
    own = office.say(room, member)
    assert not office.may(office.store.messages.edit, line, owner, "changed")
    office.store.settings.set("Message_AllowEditing", False)
    assert not office.may(office.store.messages.edit, own, member, "changed")
    assert office.may(office.store.messages.edit, own, owner, "changed")
    office.store.settings.set("Message_AllowPinning", False)
    assert not office.may(office.store.messages.pin, own, owner)


@pytest.mark.parametrize(("length", "fits"), [(0, True), (9, True), (10, True), (11, False)])
def test_a_message_is_as_long_as_the_setting_allows(office: Office, length: int, fits: bool) -> None:
    room, everyone = in_a_channel(office)
    office.store.settings.set("Message_MaxAllowedSize", 10)
    own = office.say(room, everyone["member"])
    assert office.may(office.store.messages.post, room, everyone["member"], "x" * length) is fits
    assert office.may(office.store.messages.edit, own, everyone["member"], "x" * length) is fits
    office.store.settings.set("Message_MaxAllowedSize", 0)
    assert office.may(office.store.messages.post, room, everyone["member"], "x" * length)


DIRECT = """
                 read write react pin leave join invite
    ann            +    +     +    +    -     +     -
    bob            +    +     +    +    -     +     -
    outsider       -    -     -    -    -     -     -
    administrator  -    -     -    -    -     -     -
"""


def test_a_direct_room_is_for_the_people_in_it(office: Office) -> None:
    ann, bob, other = office.person("ann"), office.person("bob"), office.person("other")
    room = office.store.rooms.open_direct(ann, [bob])
    message = office.say(room, ann)
    everyone = {"ann": ann, "bob": bob, "outsider": office.person("outsider"), "administrator": office.root}
    store = office.store
    for who, answers in tables.read(DIRECT):
        user = everyone[who]
        found = {
            "read": store.access.may_read(user, room),
            "write": office.may(store.messages.post, room, user, "x"),
            "react": office.may(store.messages.react, message, user, "smile"),
            "pin": office.may(store.messages.pin, message, user),
            "leave": office.may(store.members.leave, room, user),
            "join": office.may(store.members.join, room, user),
            "invite": office.may(store.members.invite, room, user, other),
        }
        assert found == answers, who


@pytest.mark.parametrize("side", ["blocked", "blocker"])
def test_nobody_writes_where_one_blocks_the_other(office: Office, side: str) -> None:
    ann, bob = office.person("ann"), office.person("bob")
    room = office.store.rooms.open_direct(ann, [bob])
    office.store.members.change(office.store.members.must(room.id, ann.id), **{side: 1})
    assert not office.may(office.store.messages.post, room, ann, "x")
    assert office.may(office.store.messages.post, room, bob, "x")


INVITE = """
                   channel group archived direct
    administrator     +      -      -       -
    owner             +      +      -       -
    moderator         +      +      -       -
    member            -      -      -       -
    outsider          -      -      -       -
"""


def test_who_invites_to_what(office: Office) -> None:
    owner, other = office.person("owner"), office.person("other")
    everyone = {name: office.person(name) for name in ("moderator", "member", "outsider")}
    everyone |= {"administrator": office.root, "owner": owner}
    rooms = {
        "channel": office.store.rooms.create("c", "channel", owner),
        "group": office.store.rooms.create("p", "group", owner),
        "archived": office.store.rooms.create("c", "archived", owner),
    }
    for room in rooms.values():
        office.store.members.add(office.again(room), everyone["moderator"], roles=["moderator"])
        office.store.members.add(office.again(room), everyone["member"])
    office.store.update("rooms", rooms["archived"].id, archived=1)
    rooms["direct"] = office.store.rooms.open_direct(owner, [everyone["member"]])
    for who, answers in tables.read(INVITE):
        for column, yes in answers.items():
            room = office.again(rooms[column])
            assert office.may(office.store.members.invite, room, everyone[who], other) is yes, (who, column)


def test_a_join_code_is_asked_of_everybody_but_administrators_and_bots(office: Office) -> None:
    room = office.store.rooms.create("c", "vault", office.person("owner"))
    office.store.update("rooms", room.id, join_code="sesame")
    room = office.again(room)
    for user, free in ((office.person("user"), False), (office.person("bot", "bot"), True), (office.root, True)):
        for code, right in ((None, False), ("wrong", False), ("sesame", True)):
            assert office.may(office.store.members.join, room, user, code) is (free or right), (user.username, code)


def test_the_last_owner_of_a_room_cannot_go_or_be_made_less(office: Office) -> None:
    members = office.store.members
    owner, second = office.person("owner"), office.person("second")
    room = office.store.rooms.create("c", "channel", owner)
    members.add(room, second)

    def less(user: User) -> None:
        members.set_role(room.id, user, "owner", held=False)

    ways: list[tuple[Any, ...]] = [(members.leave, room, owner), (members.kick, room, second, owner), (less, owner)]
    assert [office.may(*way) for way in ways] == [False] * 3
    members.set_role(room.id, second, "owner", held=True)
    assert [office.may(*way) for way in ways] == [True] * 3


def test_the_last_administrator_stays_one(office: Office) -> None:
    access = office.store.access
    role, second = access.role("admin"), office.person("second")
    assert not office.may(access.take, role, office.root, None)
    assert not office.may(office.store.accounts.delete, office.root)
    access.give(role, second, None)
    assert office.may(access.take, role, office.root, None)
    assert office.may(office.store.accounts.delete, office.root)
    with pytest.raises(ChatError):
        access.give(role, office.store.accounts.get(second.id) or second, None)
    assert not office.may(access.take, access.role("bot"), second, None)


LAST_ADMIN = [  # who else is there, and whether root may then be deactivated
    ("nobody", (), True, False), ("a member", ("user",), True, False),
    ("an administrator", ("user", "admin"), True, True),
    ("a deactivated administrator", ("user", "admin"), False, False),
]  # fmt: skip


@pytest.mark.parametrize(("who", "roles", "active", "may"), LAST_ADMIN)
def test_an_active_administrator_stays(
    office: Office, who: str, roles: tuple[str, ...], active: bool, may: bool
) -> None:
    if roles:
        office.store.update("users", office.person("other", *roles).id, active=int(active))

    def deactivate(user: User) -> None:
        office.store.accounts.set_active(user, False, relinquish=True)

    assert office.may(deactivate, office.root) is may, who
    assert office.may(deactivate, office.person("member"))


def test_a_deactivated_account_neither_signs_in_nor_bears_a_token(office: Office) -> None:
    accounts, ann = office.store.accounts, office.person("ann")
    token = accounts.mint_token("ann")
    for login in ("ann", "ann@bare.test", "@ann"):
        assert accounts.sign_in(login, digest("secret")) is not None, login
    assert accounts.sign_in("ann", digest("wrong")) is None
    assert accounts.bearer(token) is not None
    assert accounts.bearer(token, ann.id) is not None
    assert accounts.bearer(token, office.root.id) is None
    office.store.update("users", ann.id, active=0)
    assert accounts.sign_in("ann", digest("secret")) is None
    assert accounts.bearer(token) is None
    assert accounts.bearer(token, ann.id) is None
    assert ann.username not in {user.username for user in accounts.matching("ann", 10)}
    assert not office.may(office.store.rooms.open_direct, office.root, [accounts.get(ann.id)])
