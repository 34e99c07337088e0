"""Accounts of the forge: how they come in, what they are called, what they keep."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.company.forge.store import namespaces, users
from tests.company.forge.offices import PUBLIC, Office, refused


@pytest.mark.parametrize("state", ["blocked", "deactivated", "banned", "ldap_blocked"])
def test_only_active_accounts_come_in_with_their_password_or_session(office: Office, state: str) -> None:
    user = office.person("ann")
    users.set_password(office.store, user.id, "long-enough")
    session = users.open_session(office.store, user)

    def doors() -> list[bool]:
        return [
            users.by_password(office.store, "ann", "long-enough") is not None,
            users.by_password(office.store, "ann@bare.test", "long-enough") is not None,
            users.by_session(office.store, session) is not None,
        ]

    assert doors() == [True] * 3
    assert users.by_password(office.store, "ann", "long-enough ") is None
    assert users.by_password(office.store, "root", "") is None
    assert users.by_session(office.store, "wrong") is None
    office.store.update("users", user.id, state=state)
    assert doors() == [False] * 3
    office.store.update("users", user.id, state="active")
    assert doors() == [True] * 3


@pytest.mark.parametrize(
    ("facts", "status"),
    [({}, 0), ({"username": "-no"}, 400), ({"username": "no.git"}, 400), ({"username": "a b"}, 400),
     ({"email": "no"}, 400), ({"password": "1234567"}, 400), ({"password": "12345678"}, 0),
     ({"email": "ROOT@bare.test"}, 409), ({"username": "ROOT"}, 409), ({"username": "taken"}, 409)],
)  # fmt: skip
def test_what_an_account_can_be_called(office: Office, facts: dict[str, Any], status: int) -> None:
    office.group("taken")
    wanted = {"username": "ann", "name": "Ann", "email": "ann@bare.test", "password": None, **facts}
    if status:
        assert refused(users.create, office.store, **wanted) == status
    else:
        made = users.create(office.store, **wanted)
        space = namespaces.find(office.store, "ann", "user")
        assert space is not None
        assert (made.state, made.admin, space.owner_id, space.visibility) == ("active", 0, made.id, PUBLIC)


def test_a_bot_has_no_place_of_its_own(office: Office) -> None:
    bot = office.person("robot", bot=True)
    assert bot.bot
    assert namespaces.find(office.store, "robot") is None


def test_an_account_keeps_what_its_owner_says_of_themselves(office: Office) -> None:
    said = {
        "bio": "a", "location": "b", "public_email": "c", "skype": "d", "linkedin": "e", "twitter": "f", "discord": "g",
        "website_url": "h", "organization": "i", "job_title": "j", "pronouns": "k", "note": "l",
        "private_profile": True, "projects_limit": 3, "can_create_group": False, "theme_id": 4, "color_scheme_id": 5,
        "two_factor_enabled": True,
        "commit_email": "m", "identities": [], "status": {}, "notification": {}, "preferences": {},
    }  # fmt: skip
    user = office.person("ann", **said, nonsense="x")
    assert user.facts == said
    users.set_profile(office.store, user, bio="changed")
    changed = users.find(office.store, "ann")
    assert changed is not None
    assert changed.facts == {**said, "bio": "changed"}
    assert users.find(office.store, str(user.id)) == changed
    assert users.find(office.store, str(2**63)) is None


def test_what_is_kept_of_a_new_account(office: Office) -> None:
    made = users.create(
        office.store, username="zoe", name="Zoe", email="zoe@bare.test", password="long-enough", state="blocked",
        admin=True, bot=True, external=True, avatar="a.png", bio="digs",
    )  # fmt: skip
    now = office.store.now()
    assert (made.username, made.name, made.email, made.state, made.avatar, made.facts) == (
        "zoe", "Zoe", "zoe@bare.test", "blocked", "a.png", {"bio": "digs"},
    )  # fmt: skip
    assert (made.admin, made.bot, made.external, made.created_at, made.confirmed_at, made.sign_in_count) == (
        1, 1, 1, now, now, 0,
    )  # fmt: skip
    users.open_session(office.store, made)
    again = users.find(office.store, made.id)
    assert again is not None
    assert again.sign_in_count == 1
