"""What is done with accounts: changed, removed, given new secrets."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.store import accounts, issues, namespaces, projects, tokens, users
from tests.company.forge.offices import Office, refused


def own_space(office: Office, name: str) -> Namespace:
    space = namespaces.find(office.store, name)
    assert space is not None
    return space


def test_new_secrets_end_the_old_ones_of_that_account_alone(office: Office) -> None:
    ann, bob = office.person("ann"), office.person("bob")
    old = {user.username: tokens.issue(office.store, "personal", "t", ["read_api"], "", user_id=user.id)[1]
           for user in (ann, bob)}  # fmt: skip
    sessions = {user.username: users.open_session(office.store, user) for user in (ann, bob)}
    accounts.set_secrets(office.store, "ann", "another-one", "fresh")
    assert tokens.by_secret(office.store, old["ann"]) is None
    assert users.by_session(office.store, sessions["ann"]) is None
    assert tokens.by_secret(office.store, old["bob"]) is not None
    assert users.by_session(office.store, sessions["bob"]) is not None
    assert users.by_password(office.store, "ann", "another-one") is not None
    fresh = tokens.by_secret(office.store, "fresh")
    assert fresh is not None
    assert fresh.scopes == '["read_api"]'


def test_secrets_that_are_not_given_anew_stay_and_sessions_end(office: Office) -> None:
    ann = office.person("ann")
    users.set_password(office.store, ann.id, "long-enough")
    _, token = tokens.issue(office.store, "personal", "t", ["api"], "", user_id=ann.id)
    for password, fresh in ((None, None), ("another-one", None), (None, "fresh")):
        session = users.open_session(office.store, ann)
        accounts.set_secrets(office.store, "ann", password, fresh)
        accounts.set_secrets(office.store, "nobody", "x", "y")
        assert users.by_session(office.store, session) is None
        assert (tokens.by_secret(office.store, token) is not None) is (fresh is None)
    assert users.by_password(office.store, "ann", "another-one") is not None
    found = tokens.by_secret(office.store, "fresh")
    assert found is not None
    assert (found.kind, found.name, found.user_id, found.scopes) == ("personal", "ann's token", ann.id, '["api"]')
    bob = office.person("bob")
    accounts.set_secrets(office.store, "bob", None, "his")
    first = tokens.by_secret(office.store, "his")
    assert first is not None
    assert (first.user_id, first.scopes) == (bob.id, '["api","sudo"]')


def test_another_username_takes_the_accounts_own_projects_along(office: Office) -> None:
    ann = office.person("ann")
    space = own_space(office, "ann")
    project = projects.create(office.store, ann, space, name="shed", path="shed")
    accounts.change(office.store, ann, {"username": "anna"}, {"bio": "digs"}, "long-enough")
    assert projects.get(office.store, project.id).full_path == "anna/shed"
    changed = users.by_password(office.store, "anna", "long-enough")
    assert changed is not None
    assert (changed.id, changed.facts["bio"]) == (ann.id, "digs")


def test_an_account_cannot_take_what_belongs_to_others(office: Office) -> None:
    ann = office.person("ann")
    office.person("robot", bot=True)
    office.group("garden")
    for values in ({"username": "ROOT"}, {"username": "robot"}, {"username": "garden"}, {"email": "root@bare.test"}):
        assert refused(accounts.change, office.store, ann, values, {}) == 409
    assert refused(accounts.change, office.store, ann, {"username": "-no"}, {}) == 400
    assert refused(accounts.change, office.store, ann, {}, {}, "1234567") == 400
    assert accounts.change(office.store, ann, {"username": "Ann"}, {}).username == "Ann"


def test_an_address_belongs_to_one_account_be_it_as_a_further_one(office: Office) -> None:
    ann, ben = office.person("ann"), office.person("ben")
    users.add_email(office.store, ben, "ben@home.test")
    assert refused(accounts.change, office.store, ann, {"email": "ben@home.test"}, {}) == 409
    assert refused(accounts.change, office.store, ann, {"email": ben.email}, {}) == 409
    assert accounts.change(office.store, ann, {"email": ann.email}, {}).email == ann.email
    assert accounts.change(office.store, ben, {"email": "ben@home.test"}, {}).email == "ben@home.test"


def test_a_state_changes_only_from_the_one_it_is_said_to_be(office: Office) -> None:
    ann = office.person("ann")
    assert refused(accounts.switch, office.store, ann, "banned", "active") == 403
    accounts.switch(office.store, ann, "active", "banned")
    assert users.again(office.store, ann).state == "banned"


def test_a_bot_that_has_no_projects_of_its_own_takes_another_username(office: Office) -> None:
    bot = office.person("bot", bot=True)
    assert accounts.change(office.store, bot, {"username": "robot"}, {}).username == "robot"
    assert namespaces.find(office.store, "robot") is None


WRITTEN: dict[str, dict[str, Any]] = {  # each table that names who wrote something, with what its rows must have
    "issues": {"author_id": None, "iid": 1, "title": "x"},
    "merge_requests": {"author_id": None, "iid": 1, "title": "x", "source_branch": "a", "target_branch": "b"},
    "notes": {"author_id": None, "noteable_type": "Issue", "noteable_id": 1, "body": "x", "discussion_id": "x"},
    "releases": {"author_id": None, "tag_name": "x", "name": "x", "released_at": ""},
    "snippets": {"author_id": None, "title": "x", "visibility": "public", "files": "[]"},
    "award_emoji": {"user_id": None, "awardable_type": "Issue", "awardable_id": 1, "name": "x"},
    "resource_events": {"user_id": None, "kind": "label", "item_type": "Issue", "item_id": 1, "action": "add"},
    "pipelines": {"user_id": None, "iid": 1, "ref": "x", "sha": "x", "before_sha": "x", "status": "x", "source": "x"},
    "jobs": {"user_id": None, "kind": "x", "name": "x", "stage": "x", "status": "x", "sha": "x"},
}  # fmt: skip


@pytest.mark.parametrize("table", WRITTEN)
def test_whatever_a_removed_account_wrote_is_the_ghosts(office: Office, table: str) -> None:
    ann, bob, project = office.person("ann"), office.person("bob"), office.project("barn")
    has = set(office.store.values(f"SELECT name FROM pragma_table_info('{table}')"))
    common = {"project_id": project.id, "created_at": "", "updated_at": ""}
    column = next(iter(WRITTEN[table]))
    for number, user in enumerate((ann, bob)):
        facts = {**WRITTEN[table], **{name: value for name, value in common.items() if name in has}, column: user.id}
        for name in has & {"iid", "tag_name"}:
            facts[name] = number
        office.store.insert(table, **facts)
    accounts.remove(office.store, ann)
    ghost = users.find(office.store, "ghost")
    assert ghost is not None
    assert office.store.values(f"SELECT {column} FROM {table} ORDER BY id") == [ghost.id, bob.id]


def test_what_a_removed_account_wrote_passes_to_the_ghost_and_nobody_is_assigned_any_more(office: Office) -> None:
    ann = office.person("ann")
    own = projects.create(office.store, ann, own_space(office, "ann"), name="shed", path="shed")
    project = office.project("barn")
    issue = office.issue(project, ann, assignees=[ann.id, office.root.id])
    accounts.remove(office.store, ann)
    ghost = users.find(office.store, "ghost")
    assert ghost is not None
    left = issues.get(office.store, issue.id)
    assert (left.author_id, left.assignee_ids) == (ghost.id, [office.root.id])
    assert projects.find(office.store, own.id) is None
    assert users.find(office.store, "ann") is None
