"""Accounts of the forge: how they come in, what they are called, what they keep."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.company.forge.store import namespaces, users
from tests.company.bare import day
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


@pytest.mark.parametrize("revoked", [0, 1], ids=["kept", "revoked"])
@pytest.mark.parametrize(
    ("expires", "counts"),
    [(None, [True, True, True]), (day(2), [True, True, False]), (day(1), [True, False, False]),
     (day(0), [False, False, False]), (day(-1), [False, False, False])],
    ids=["never", "in two days", "tomorrow", "today", "yesterday"],
)  # fmt: skip
def test_a_token_counts_until_the_day_it_expires_on_comes_unless_it_is_revoked(
    office: Office, expires: str | None, counts: list[bool], revoked: int
) -> None:
    token, secret = users.issue_token(
        office.store, "personal", "t", ["api"], "glpat-", user_id=office.root.id, expires_at=expires
    )
    users.issue_token(office.store, "personal", "other", ["api"], "glpat-", user_id=office.root.id)
    office.store.update("tokens", token.id, revoked=revoked)
    assert secret.startswith("glpat-")
    for there in counts:
        found = users.by_token(office.store, secret)
        assert (found is not None and found.id == token.id) is (there and not revoked)
        assert (token.id in office.listed("tokens", users.LIVE_TOKEN)) is (there and not revoked)
        assert users.has_expired(office.store, token) is not there
        office.company.clock.forward(hours=14, minutes=59)
        assert users.has_expired(office.store, token) is not there
        office.company.clock.forward(hours=9, minutes=1)


def test_new_secrets_end_the_old_ones_of_that_account_alone(office: Office) -> None:
    ann, bob = office.person("ann"), office.person("bob")
    old = {user.username: users.issue_token(office.store, "personal", "t", ["read_api"], "", user_id=user.id)[1]
           for user in (ann, bob)}  # fmt: skip
    sessions = {user.username: users.open_session(office.store, user) for user in (ann, bob)}
    users.set_account_secrets(office.store, "ann", "another-one", "fresh")
    assert users.by_token(office.store, old["ann"]) is None
    assert users.by_session(office.store, sessions["ann"]) is None
    assert users.by_token(office.store, old["bob"]) is not None
    assert users.by_session(office.store, sessions["bob"]) is not None
    assert users.by_password(office.store, "ann", "another-one") is not None
    fresh = users.by_token(office.store, "fresh")
    assert fresh is not None
    assert fresh.scopes == '["read_api"]'


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


KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"
OTHER = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJm"
MD5 = "65:96:2d:fc:e8:d5:a9:11:64:0c:0f:ea:00:6e:5b:bd"
SHA256 = "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU"


@pytest.mark.parametrize(
    ("key", "good"),
    [(KEY, True), (KEY + " a comment", True), ("ssh-rsa " + KEY.split()[1], False),
     ("ssh-ed25519", False),
     ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5", False), ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5eA==", True),
     ("ssh-ed25519 %%%", False), ("nothing " + KEY.split()[1], False), ("ssh-ed25519 AAAA", False)],
)  # fmt: skip
def test_what_counts_as_a_public_key(office: Office, key: str, good: bool) -> None:
    assert (users.fingerprints(key) is not None) is good
    if good:
        users.add_key(office.store, "user", office.root.id, "mine", key)
        assert refused(users.add_key, office.store, "user", office.root.id, "again", key) == 400
    else:
        assert refused(users.add_key, office.store, "user", office.root.id, "mine", key) == 400


def test_a_keys_fingerprints_are_those_ssh_keygen_tells(office: Office) -> None:
    assert users.fingerprints(KEY) == (MD5, SHA256)
    users.add_key(office.store, "user", office.root.id, "mine", KEY)
    other = users.add_key(office.store, "user", office.root.id, "other", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5eA==")
    assert other.title == "other"
    kept = users.add_key(office.store, "deploy", None, "ci", f" {OTHER} ", day(3))
    assert (kept.kind, kept.user_id, kept.title, kept.key, kept.expires_at) == ("deploy", None, "ci", OTHER, day(3))
    assert (kept.fingerprint, kept.fingerprint_sha256) == users.fingerprints(OTHER)
    assert (kept.created_at, other.kind, other.user_id, other.expires_at) == (
        office.store.now(), "user", office.root.id, None,
    )  # fmt: skip


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


def test_what_is_kept_of_a_new_account_and_token(office: Office) -> None:
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
    token, secret = users.issue_token(
        office.store, "project", "ci", ["api", "read_api"], "glpat-", user_id=made.id, source_id=7, access_level=30,
        description="d",
    )  # fmt: skip
    assert (token.kind, token.name, token.scopes, token.created_at, token.revoked) == (
        "project", "ci", '["api","read_api"]', now, 0,
    )  # fmt: skip
    assert (token.user_id, token.source_id, token.access_level, token.description) == (made.id, 7, 30, "d")
    assert (len(secret), secret[:6]) == (26, "glpat-")
    assert users.issue_token(office.store, "personal", "x", [], "p-", secret="given")[1] == "given"
    assert users.by_token(office.store, "given") is not None


def test_secrets_that_are_not_given_anew_stay_and_sessions_end(office: Office) -> None:
    ann = office.person("ann")
    users.set_password(office.store, ann.id, "long-enough")
    _, token = users.issue_token(office.store, "personal", "t", ["api"], "", user_id=ann.id)
    for password, fresh in ((None, None), ("another-one", None), (None, "fresh")):
        session = users.open_session(office.store, ann)
        users.set_account_secrets(office.store, "ann", password, fresh)
        users.set_account_secrets(office.store, "nobody", "x", "y")
        assert users.by_session(office.store, session) is None
        assert (users.by_token(office.store, token) is not None) is (fresh is None)
    assert users.by_password(office.store, "ann", "another-one") is not None
    found = users.by_token(office.store, "fresh")
    assert found is not None
    assert (found.kind, found.name, found.user_id, found.scopes) == ("personal", "ann's token", ann.id, '["api"]')
    bob = office.person("bob")
    users.set_account_secrets(office.store, "bob", None, "his")
    first = users.by_token(office.store, "his")
    assert first is not None
    assert (first.user_id, first.scopes) == (bob.id, '["api","sudo"]')
