"""Access tokens: when they count, what is kept of them, and the bots behind those of projects and groups."""

from __future__ import annotations

import pytest

from dayjob.company.forge.store import access, members, tokens, users
from tests.company.bare import day
from tests.company.forge.offices import Office, refused


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
    token, secret = tokens.issue(
        office.store, "personal", "t", ["api"], "glpat-", user_id=office.root.id, expires_at=expires
    )
    tokens.issue(office.store, "personal", "other", ["api"], "glpat-", user_id=office.root.id)
    office.store.update("tokens", token.id, revoked=revoked)
    assert secret.startswith("glpat-")
    for there in counts:
        found = tokens.by_secret(office.store, secret)
        assert (found is not None and found.id == token.id) is (there and not revoked)
        assert (token.id in office.listed("tokens", tokens.LIVE)) is (there and not revoked)
        assert tokens.has_expired(office.store, token) is not there
        office.company.clock.forward(hours=14, minutes=59)
        assert tokens.has_expired(office.store, token) is not there
        office.company.clock.forward(hours=9, minutes=1)


def test_what_is_kept_of_a_new_token(office: Office) -> None:
    token, secret = tokens.issue(
        office.store, "project", "ci", ["api", "read_api"], "glpat-", user_id=office.root.id, source_id=7,
        access_level=30, description="d",
    )  # fmt: skip
    assert (token.kind, token.name, token.scopes, token.created_at, token.revoked) == (
        "project", "ci", '["api","read_api"]', office.store.now(), 0,
    )  # fmt: skip
    assert (token.user_id, token.source_id, token.access_level, token.description) == (office.root.id, 7, 30, "d")
    assert (len(secret), secret[:6]) == (26, "glpat-")
    assert tokens.issue(office.store, "personal", "x", [], "p-", secret="given")[1] == "given"
    assert tokens.by_secret(office.store, "given") is not None


def test_a_rotated_token_has_another_secret_and_the_old_one_ends(office: Office) -> None:
    old, secret = tokens.issue(
        office.store, "personal", "t", ["api"], "glpat-", user_id=office.root.id, expires_at=day(3), description="d"
    )
    fresh, other = tokens.rotate(office.store, old)
    assert tokens.by_secret(office.store, secret) is None
    assert tokens.by_secret(office.store, other) == fresh
    assert (fresh.name, fresh.scopes, fresh.user_id, fresh.expires_at, fresh.description) == (
        "t", old.scopes, office.root.id, day(3), "d",
    )  # fmt: skip
    assert tokens.rotate(office.store, fresh, day(5))[0].expires_at == day(5)


@pytest.mark.parametrize("kind", ["project", "group"])
def test_a_bot_stands_behind_a_token_of_a_project_or_group_until_it_is_revoked(office: Office, kind: str) -> None:
    group = office.group("garden")
    source = office.project("shed", group) if kind == "project" else group
    token, secret = tokens.issue_for_bot(office.store, office.root, source, "ci", ["api"], access.DEVELOPER)
    assert (token.kind, token.source_id, token.access_level) == (kind, source.id, access.DEVELOPER)
    bot = users.by_id(office.store, token.user_id)
    assert bot is not None
    assert (bot.bot, bot.name, bot.username.startswith(f"{kind}_{source.id}_bot_")) == (1, "ci", True)
    assert members.find(office.store, source, bot.id).access_level == access.DEVELOPER
    assert tokens.find(office.store, token.id, [kind], source_id=source.id) == token
    assert tokens.find(office.store, token.id, [kind], source_id=source.id + 1) is None
    tokens.revoke_of_bot(office.store, token)
    assert tokens.by_secret(office.store, secret) is None
    assert refused(members.find, office.store, source, bot.id) == 404


def test_deploy_tokens_get_names_of_their_own(office: Office) -> None:
    project, other = office.project("shed"), office.project("barn")
    first, _ = tokens.issue_for_deploying(office.store, project, "d", ["read_repository"], None, None)
    named, _ = tokens.issue_for_deploying(office.store, project, "d", ["read_repository"], day(2), "puller")
    assert (first.kind, first.username) == ("deploy_project", f"gitlab+deploy-token-{first.id}")
    assert (named.username, named.expires_at) == ("puller", day(2))
    assert tokens.deploy_token(office.store, project, named.id) == named
    assert refused(tokens.deploy_token, office.store, other, named.id) == 404
    tokens.delete(office.store, named)
    assert refused(tokens.deploy_token, office.store, project, named.id) == 404


@pytest.mark.parametrize(
    ("wanted", "names"),
    [({}, ["ended", "live", "revoked"]), ({"live": True}, ["live"]), ({"live": False}, ["ended", "revoked"]),
     ({"revoked": True}, ["revoked"]), ({"revoked": False}, ["ended", "live"]), ({"search": "EV"}, ["revoked"])],
)  # fmt: skip
def test_lists_of_tokens_can_be_narrowed(office: Office, wanted: dict[str, bool], names: list[str]) -> None:
    ann = office.person("ann")
    for name, user, expires in (
        ("live", ann, None), ("ended", ann, day(-1)), ("revoked", ann, None), ("root's", office.root, None),
    ):  # fmt: skip
        token, _ = tokens.issue(office.store, "personal", name, ["api"], "", user_id=user.id, expires_at=expires)
        if name == "revoked":
            tokens.revoke(office.store, token)
    listing = tokens.listed(["personal"], user_id=ann.id, **wanted)  # type: ignore[arg-type]  # each its own type
    assert sorted(token.name for token in office.store.page(listing, 20, 0)) == names


@pytest.mark.parametrize(("ahead", "status"), [(-1, 400), (0, 0), (1, 0)])
def test_the_last_day_of_a_token_has_not_passed(office: Office, ahead: int, status: int) -> None:
    if status:
        assert refused(tokens.last_day, office.store, day(ahead)) == status
    else:
        assert tokens.last_day(office.store, day(ahead)) == day(ahead)


@pytest.mark.parametrize(
    ("kind", "may"), [("personal", True), ("impersonation", True), ("project", True), ("group", True), ("oauth", False)]
)
def test_what_an_application_was_given_is_not_rotated(office: Office, kind: str, may: bool) -> None:
    token, secret = tokens.issue(office.store, kind, "t", ["api"], "", user_id=office.root.id)
    if may:
        assert tokens.rotate(office.store, token)[1] != secret
    else:
        assert refused(tokens.rotate, office.store, token) == 405
    assert (tokens.by_secret(office.store, secret) is None) is may
