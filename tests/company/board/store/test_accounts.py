"""Accounts of the board: their names and secrets, and the lists of those in a workspace or a project."""

from __future__ import annotations

import pytest

from dayjob.company.board.rows import User
from dayjob.company.board.store import accounts
from dayjob.company.rows import by_id
from tests.company.board.offices import ADMIN, GUEST, MEMBER, Office, now


@pytest.mark.parametrize(
    ("name", "first", "last"), [("Ann Low", "Ann", "Low"), ("Ann", "Ann", ""), ("Ann de Low", "Ann", "de Low")]
)
def test_a_name_is_kept_as_a_first_and_a_last_one(office: Office, name: str, first: str, last: str) -> None:
    made = accounts.add_user(office.store, username="ann", email="Ann@bare.test", name=name, password=None)
    user = by_id(office.db, User, made)
    assert user is not None
    assert (user.username, user.display_name, user.email) == ("ann", "ann", "Ann@bare.test")
    assert (user.first_name, user.last_name, user.is_active) == (first, last, True)
    found = accounts.user_by_email(office.db, " ann@BARE.test ")
    assert found is not None
    assert found.id == made


def test_an_account_without_a_password_is_entered_by_none(office: Office) -> None:
    user = office.person("ann")
    assert accounts.check_password(office.db, user.email, "") is None
    accounts.set_password(office.store, user.id, "one")
    accounts.set_password(office.store, user.id, "two")
    assert accounts.check_password(office.db, user.email, "one") is None
    assert accounts.check_password(office.db, user.email, "two") == user


def test_the_same_password_is_kept_differently_for_each(office: Office) -> None:
    people = [office.person(name, password="same") for name in ("ann", "bob")]
    accounts.replace_secrets(office.db, people[1].email, password="same", key=None)
    assert len(set(office.db.execute("SELECT hash FROM passwords").fetchall())) == 2
    assert all(accounts.check_password(office.db, one.email, "same") for one in people)


def test_a_key_opens_its_own_account_alone(office: Office) -> None:
    ann, bob = office.person("ann"), office.person("bob")
    keys = {one.id: accounts.mint_key(office.db, one.email) for one in (ann, bob)}
    accounts.add_key(office.db, bob.id, keys[ann.id])  # a second owner of the same key changes nothing
    for id, key in keys.items():
        user = accounts.user_by_key(office.db, key)
        assert user is not None
        assert user.id == id
        assert key.startswith("plane_api_")
        assert len(key) == len("plane_api_") + 32
    assert len(set(keys.values())) == 2
    with pytest.raises(KeyError):
        accounts.mint_key(office.db, "nobody@bare.test")


def test_a_session_ends_when_it_is_closed_and_no_other_does(office: Office) -> None:
    user, other = office.person("ann"), office.person("bob")
    first, second = accounts.open_session(office.db, user.id), accounts.open_session(office.db, user.id)
    third = accounts.open_session(office.db, other.id)
    accounts.close_session(office.db, first)
    found = [accounts.user_by_session(office.db, one) for one in (first, second, third)]
    assert [one.id if one else None for one in found] == [None, user.id, other.id]
    assert len({first, second, third}) == 3
    assert {len(one) for one in (first, second, third)} == {43}, "256 bits"


@pytest.mark.parametrize(("password", "key"), [("new", None), (None, "fresh"), (None, None)])
def test_secrets_that_are_not_given_anew_are_gone(office: Office, password: str | None, key: str | None) -> None:
    user = office.person("ann", MEMBER, password="old")
    accounts.add_key(office.db, user.id, "stale")
    accounts.replace_secrets(office.db, user.email, password=password, key=key)
    accounts.replace_secrets(office.db, "nobody@bare.test", password="x", key="x")
    assert accounts.check_password(office.db, user.email, "old") is None
    assert (accounts.check_password(office.db, user.email, "new") is not None) is (password is not None)
    assert (accounts.user_by_key(office.db, "fresh") is not None) is (key is not None)
    assert accounts.user_by_key(office.db, "stale") is None
    assert accounts.user_by_key(office.db, "x") is None


PEOPLE = {  # name, address, role in the workspace, a bot
    "ann": ("Ann Low", "ann@one.test", MEMBER, False),
    "bob": ("Bob Lowe", "bob@two.test", GUEST, False),
    "bot": ("Robot Arm", "bot@two.test", MEMBER, True),
    "kim": ("Kim Ann", "kim@one.test", ADMIN, False),
}
FOUND = [
    ({}, ["root", "ann", "bob", "bot", "kim"]),
    ({"first_name": "AN"}, ["ann"]),
    ({"last_name": "low"}, ["ann", "bob"]),
    ({"email": "@TWO"}, ["bob", "bot"]),
    ({"display_name": "bo"}, ["bob", "bot"]),
    ({"first_name": ""}, ["root", "ann", "bob", "bot", "kim"]),
    ({"role_slug": "admin"}, ["root", "kim"]),
    ({"role_slug": "member"}, ["ann", "bot"]),
    ({"role_slug": "guest"}, ["bob"]),
    ({"role_slug": "nonsense"}, []),
    ({"is_bot": True}, ["bot"]),
    ({"is_bot": False}, ["root", "ann", "bob", "kim"]),
    ({"is_active": True}, ["root", "ann", "bob", "bot", "kim"]),
    ({"is_active": False}, ["gone"]),
    ({"email": "two", "is_bot": False}, ["bob"]),
]


@pytest.mark.parametrize(("filters", "names"), FOUND, ids=[str(one[0]) for one in FOUND])
def test_members_are_found_by_what_they_are(office: Office, filters: dict[str, object], names: list[str]) -> None:
    for username, (name, email, role, bot) in PEOPLE.items():
        made = accounts.add_user(office.store, username=username, email=email, name=name, password=None)
        office.company.clock.forward(minutes=1)
        accounts.add_workspace_member(now(office), "w", made, role)
        office.db.execute("UPDATE users SET is_bot = ? WHERE id = ?", (bot, made))
    gone = office.person("gone", MEMBER)
    office.db.execute("UPDATE workspace_members SET is_active = 0 WHERE member = ?", (gone.id,))
    office.db.execute("INSERT INTO workspaces (id, name, slug, owner, created_at) VALUES ('v', 'V', 'v', 'x', '')")
    accounts.add_workspace_member(office.store, "v", office.person("elsewhere").id, ADMIN)
    listed, total = accounts.members(office.db, "workspace", "w", filters)
    assert [one.user.username for one in listed] == names
    assert total == len(names)
    for one in listed:
        membership = office.db.execute("SELECT member, role, is_active FROM workspace_members WHERE id = ?",
                                       (one.membership,)).fetchone()  # fmt: skip
        assert membership == (one.user.id, one.role, one.is_active)
    page, total = accounts.members(office.db, "workspace", "w", filters, 1, 1)
    assert [one.user.username for one in page] == names[1:2]
    assert total == len(names)


def test_newer_projects_stand_before_older_ones_in_a_persons_list(office: Office) -> None:
    ann, bob = office.person("ann", MEMBER), office.person("bob", MEMBER)
    projects = [office.project(name) for name in ("One", "Two", "Three")]
    for project in projects:
        office.join(project, ann, MEMBER)
    office.join(projects[2], bob, MEMBER)
    again = accounts.add_project_member(office.store, "w", projects[0].id, ann.id, GUEST)
    rows = "SELECT project, sort_order, role FROM project_members WHERE member = ? ORDER BY sort_order"
    assert office.db.execute(rows, (ann.id,)).fetchall() == [
        (projects[2].id, 45535.0, MEMBER), (projects[1].id, 55535.0, MEMBER), (projects[0].id, 65535.0, GUEST),
    ]  # fmt: skip
    assert office.db.execute(rows, (bob.id,)).fetchall() == [(projects[2].id, 65535.0, MEMBER)]
    kept = office.db.execute("SELECT id FROM project_members WHERE project = ? AND member = ?",
                             (projects[0].id, ann.id)).fetchall()  # fmt: skip
    assert kept == [(again,)]


ROLES = [  # in the project, in its workspace, and whether the project is there
    (0, 0, False), (0, GUEST, False), (0, MEMBER, False), (0, ADMIN, True), (GUEST, GUEST, True), (MEMBER, 0, True),
]  # fmt: skip


@pytest.mark.parametrize(("here", "above", "sees"), ROLES)
def test_a_project_is_there_for_those_in_it_and_for_who_administers_its_workspace(
    office: Office, here: int, above: int, sees: bool
) -> None:
    project, user = office.project(), office.person("ann", above)
    if here:
        office.join(project, user, here)
    assert accounts.sees_project(office.db, "w", project.id, user.id) is sees
    assert accounts.sees_project(office.db, "v", project.id, user.id) is bool(here)
    assert accounts.in_some_project(office.db, "w", user.id) is bool(here)
