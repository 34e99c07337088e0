"""What the forge's store keeps: accounts, groups, projects, issues, labels, to-dos and lists, at their edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayjob.company.forge.store import issues, items, labels, namespaces, notes, projects, users
from dayjob.company.forge.store.base import Listing, Refused
from dayjob.company.forge.store.issue_text import closed_issues, human, mentioned_people, seconds
from dayjob.company.forge.store.issues import Issue
from dayjob.company.forge.store.projects import Project
from tests.company.bare import day
from tests.company.forge.offices import INTERNAL, PRIVATE, PUBLIC, Office


@pytest.fixture
def office() -> Iterator[Office]:
    made = Office()
    yield made
    made.company.close()


def refused(what: Any, *args: Any, **more: Any) -> int:
    """The status something is refused with."""
    with pytest.raises(Refused) as found:
        what(*args, **more)
    return found.value.status


# -- accounts ----------------------------------------------------------------------------------------------------


def test_only_active_accounts_come_in_with_their_password_or_session(office: Office) -> None:
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
    office.store.update("users", user.id, state="blocked")
    assert doors() == [False] * 3


def test_a_token_holds_to_the_end_of_its_last_day_unless_it_is_revoked(office: Office) -> None:
    token, secret = users.issue_token(
        office.store, "personal", "t", ["api"], "glpat-", user_id=office.root.id, expires_at=day(1)
    )
    forever, kept = users.issue_token(office.store, "personal", "u", ["api"], "glpat-", user_id=office.root.id)
    assert secret.startswith("glpat-")
    for there in (True, True, False):
        found = users.by_token(office.store, secret)
        assert (found is not None and found.id == token.id) is there
        office.company.clock.forward(days=1)
    assert users.by_token(office.store, kept) is not None
    office.store.update("tokens", forever.id, revoked=1)
    assert users.by_token(office.store, kept) is None


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


# -- groups and projects -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "status"),
    [("fine", 0), ("a.b-c_d", 0), ("-no", 400), ("no.git", 400), ("no.atom", 400), ("no.", 400), ("a b", 400),
     ("admin", 400), ("Admin", 400), ("taken", 400), ("TAKEN", 400)],
)  # fmt: skip
def test_what_a_group_can_be_called(office: Office, path: str, status: int) -> None:
    top = office.group("taken")
    if status:
        assert refused(office.group, path) == status
    else:
        assert office.group(path).full_path == path
    if path in ("admin", "Admin"):
        assert office.group(path, top).full_path == f"taken/{path}"


@pytest.mark.parametrize("above", [PRIVATE, INTERNAL, PUBLIC])
@pytest.mark.parametrize("below", [PRIVATE, INTERNAL, PUBLIC])
def test_a_group_is_no_more_open_than_the_one_above(office: Office, above: int, below: int) -> None:
    top = office.group("top", visibility=above)
    if below > above:
        assert refused(office.group, "in", top, below) == 400
    else:
        assert office.group("in", top, below).visibility == below


def test_the_maker_of_a_group_owns_it(office: Office) -> None:
    ann = office.person("ann")
    group = namespaces.create_group(office.store, ann, name="Team", path="team")
    assert office.store.values("SELECT access_level FROM members WHERE source_id=?", group.id) == [50]


def test_everything_below_a_group_moves_along(office: Office) -> None:
    top, other = office.group("top"), office.group("other")
    mid, beside = office.group("mid", top), office.group("middle", top)
    low = office.group("low", mid)
    project = office.project("garden", low)
    namespaces.move(office.store, mid, path="centre", parent=other)
    found = {one.id: one.full_path for one in office.store.all(namespaces.Namespace, "kind='group'")}
    assert (found[mid.id], found[low.id], found[beside.id]) == ("other/centre", "other/centre/low", "top/middle")
    moved = projects.find(office.store, project.id)
    assert moved is not None
    assert moved.full_path == "other/centre/low/garden"
    assert refused(namespaces.move, office.store, other, parent=namespaces.find(office.store, low.id)) == 400
    assert refused(namespaces.move, office.store, top, path="other") == 400
    namespaces.move(office.store, namespaces.find(office.store, mid.id), parent=None)  # type: ignore[arg-type]  # it is there
    assert namespaces.ancestors(office.store, low.id) == [low.id, mid.id]
    assert set(namespaces.descendants(office.store, mid.id)) == {mid.id, low.id}


@pytest.mark.parametrize(
    ("name", "path", "status"),
    [("Garden two", "garden-two", 0), ("garden", "other", 400), ("Other", "GARDEN", 400), ("-x", "x", 400),
     (" ", "x", 400), ("Fine", "no.git", 400), ("Sub", "sub", 400)],
)  # fmt: skip
def test_what_a_project_can_be_called(office: Office, name: str, path: str, status: int) -> None:
    group = office.group("group")
    office.group("sub", group)
    office.project("garden", group)
    make = lambda: projects.create(office.store, office.root, group, name=name, path=path)  # noqa: E731 - asked twice
    if status:
        assert refused(make) == status
    else:
        assert make().full_path == f"group/{path}"


@pytest.mark.parametrize(
    ("name", "slug"), [("Über Garten!", "uber-garten"), ("a.b_c", "a.b_c"), ("--x--", "x"), ("✿", "project")]
)
def test_a_projects_path_is_made_of_its_name(name: str, slug: str) -> None:
    assert projects.slug(name) == slug


def test_a_deleted_project_leaves_nothing_of_its_own_and_everything_of_others(office: Office) -> None:
    office.store.repos.discard = lambda project_id: None  # type: ignore[method-assign]  # no repository was made
    group = office.group("group")
    doomed, kept = office.project("doomed", group), office.project("kept", group)
    fork = office.project("fork", group, forked_from=doomed.id)
    user = office.person("ann")
    for project in (doomed, kept):
        office.join(project, user, 30)
        office.share(project, group, 30)
        issue = office.issue(project, labels=["bug"], assignees=[user.id])
        notes.create(office.store, office.root, "Issue", issue.id, project.id, "@ann look")
        notes.create(office.store, office.root, "MergeRequest", office.request(project).id, project.id, "well")
    tables = ("members", "group_links", "issues", "merge_requests", "notes", "todos", "people", "label_links", "events")

    def counts() -> dict[str, int]:
        return {name: office.store.value(f"SELECT count(*) FROM {name}") for name in tables}

    before = counts()
    projects.delete(office.store, doomed)
    assert counts() == {name: count // 2 for name, count in before.items()}
    assert min(before.values()) > 1
    assert office.store.value("SELECT forked_from FROM projects WHERE id=?", fork.id) is None


# -- issues ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("title", "good"), [("x", True), ("x" * 255, True), ("x" * 256, False), (" ", False)])
def test_an_issue_has_a_title_of_at_most_255_characters(office: Office, title: str, good: bool) -> None:
    project = office.project("garden")
    if good:
        assert issues.create(office.store, office.root, project, title).title == title
    else:
        assert refused(issues.create, office.store, office.root, project, title) == 400


def test_issues_are_numbered_without_gaps_and_never_twice(office: Office) -> None:
    project, other = office.project("garden"), office.project("other")
    first, second = office.issue(project), office.issue(project)
    issues.delete(office.store, second)
    assert issues.find(office.store, project, 2) is None
    assert issues.find(office.store, project, 1) == first
    assert [first.iid, office.issue(project).iid, office.issue(other).iid] == [1, 3, 1]
    assert office.issue(project, iid=9).iid == 9
    assert office.issue(project).iid == 10
    assert office.issue(project, iid=5).iid == 5
    assert office.issue(project).iid == 11
    assert refused(office.issue, project, iid=9) == 400


def open_count(office: Office, project: Project) -> int:
    found: int = office.store.value("SELECT open_issues_count FROM projects WHERE id=?", project.id)
    return found


def test_open_issues_are_counted_as_they_close_reopen_and_go(office: Office) -> None:
    project = office.project("garden")
    issue, other = office.issue(project), office.issue(project)

    def after(event: str) -> tuple[str, int]:
        issues.set_state(office.store, office.root, issues.get(office.store, issue.id), project, event)
        return issues.get(office.store, issue.id).state, open_count(office, project)

    assert [after(event) for event in ("reopen", "close", "close", "reopen", "close")] == [
        ("opened", 2), ("closed", 1), ("closed", 1), ("opened", 2), ("closed", 1),
    ]  # fmt: skip
    closed = issues.get(office.store, issue.id)
    assert (closed.closed_by, closed.closed_at) == (office.root.id, office.store.now())
    issues.delete(office.store, closed)
    assert open_count(office, project) == 1
    issues.delete(office.store, other)
    assert open_count(office, project) == 0
    told = office.store.values("SELECT action FROM events ORDER BY id")
    assert told == ["opened", "opened", "closed", "reopened", "closed"]


def test_an_item_says_what_became_of_its_labels(office: Office) -> None:
    group = office.group("group")
    project = office.project("garden", group)
    shared = labels.create_label(office.store, "group_id", group.id, "shared")
    issue = office.issue(project, labels=["bug", " shared ", "", "bug"])
    assert issues.get(office.store, issue.id).label_names == ["bug", "shared"]
    assert office.store.values("SELECT name FROM labels WHERE project_id=?", project.id) == ["bug"]
    same = office.request(project)
    assert same.id == issue.id
    items.set_labels(office.store, office.root, project, "MergeRequest", same.id, ["bug"])
    office.store.db.execute("DELETE FROM notes WHERE noteable_type='MergeRequest'")
    items.set_labels(office.store, office.root, project, "Issue", issue.id, ["shared", "new"])
    assert items.label_names(office.store, "MergeRequest", same.id) == ["bug"]
    assert items.label_names(office.store, "Issue", issue.id) == ["new", "shared"]
    told = office.store.values("SELECT body FROM notes WHERE system=1 ORDER BY id")
    assert told == ["added ~shared added ~bug labels", "added ~new removed ~bug labels"]
    items.set_labels(office.store, office.root, project, "Issue", issue.id, ["new", "shared"])
    assert len(office.store.values("SELECT 1 FROM notes WHERE system=1")) == 2
    labels.rename_label(office.store, shared, "common")
    assert issues.get(office.store, issue.id).label_names == ["common", "new"]
    labels.delete_label(office.store, labels.find_label(office.store, project, "new") or shared)
    assert issues.get(office.store, issue.id).label_names == ["common"]


def test_labels_are_found_by_name_the_projects_own_first_or_by_number(office: Office) -> None:
    top = office.group("top")
    project, other = office.project("garden", office.group("mid", top)), office.project("other", top)
    above = labels.create_label(office.store, "group_id", top.id, "bug")
    assert labels.find_label(office.store, project, "bug") == above
    own = labels.create_label(office.store, "project_id", project.id, "bug")
    assert labels.find_label(office.store, project, "bug") == own
    assert labels.find_label(office.store, other, "bug") == above
    assert labels.find_label(office.store, project, str(above.id)) == above
    assert labels.find_label(office.store, other, str(own.id)) is None
    assert labels.find_group_label(office.store, top.id, "bug") == above
    assert labels.find_group_label(office.store, top.id, str(own.id)) is None
    assert refused(labels.create_label, office.store, "project_id", project.id, "bug") == 409
    theirs = labels.create_label(office.store, "project_id", other.id, "theirs")
    labels.rename_label(office.store, theirs, "task")
    second = labels.create_label(office.store, "project_id", project.id, "task")
    assert refused(labels.rename_label, office.store, second, "bug") == 409
    labels.rename_label(office.store, second, "task")


@pytest.mark.parametrize(
    ("name", "color", "good"),
    [("x" * 255, "#fff", "#ffffff"), ("a", "RED", "#FF0000"), ("a", "#12ab9F", "#12ab9F"), ("x" * 256, "#fff", None),
     ("a,b", "#fff", None), (" ", "#fff", None), ("a", "#ffff", None), ("a", "pink", None)],
)  # fmt: skip
def test_a_labels_name_and_colour(office: Office, name: str, color: str, good: str | None) -> None:
    if good is None:
        assert refused(labels.create_label, office.store, "project_id", office.project("garden").id, name, color) == 400
    else:
        made = labels.create_label(office.store, "project_id", office.project("garden").id, name, color)
        assert (made.name, made.color) == (name, good)


def test_a_milestone_belongs_to_what_is_below_it_and_ends_after_it_begins(office: Office) -> None:
    group = office.group("group")
    project, outside = office.project("garden", group), office.project("other")
    made = labels.create_milestone(office.store, "group_id", group.id, "May", start_date=day(0), due_date=day(0))
    assert labels.find_milestone(office.store, project, made.id) == made
    assert labels.find_milestone(office.store, outside, made.id) is None
    for title, dates in (("May", {}), (" ", {}), ("x" * 256, {}), ("Jun", {"start_date": day(1), "due_date": day(0)})):
        assert refused(labels.create_milestone, office.store, "group_id", group.id, title, **dates) == 400
    own = labels.create_milestone(office.store, "project_id", project.id, "May")
    assert (made.iid, own.iid, labels.create_milestone(office.store, "group_id", group.id, "x" * 255).iid) == (1, 1, 2)
    issue = office.issue(project, milestone_id=made.id)
    items.set_milestone(office.store, office.root, project, "Issue", issue, made.id)
    items.set_milestone(office.store, office.root, project, "Issue", issue, None)
    assert issues.get(office.store, issue.id).milestone_id is None
    told = office.store.values("SELECT body FROM notes WHERE system=1 ORDER BY id")
    assert told == ['changed milestone to %"May"', "removed milestone"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [(None, None), ("", None), ("2026-3-9", "2026-03-09"), ("2026-12-31T10:00", "2026-12-31"), ("2026-13-01", False),
     ("2026-00-01", False), ("2026-01-32", False), ("2026-01-00", False), ("2026-1-31", "2026-01-31"), ("soon", False)],
)  # fmt: skip
def test_dates_are_written_in_one_way(text: str | None, kept: str | bool | None) -> None:
    if kept is False:
        assert refused(labels.day, text, "due_date") == 400
    else:
        assert labels.day(text, "due_date") == kept


def test_people_are_told_when_something_becomes_theirs(office: Office) -> None:
    project, ann, bob = office.project("garden"), office.person("ann"), office.person("bob")
    issue = office.issue(project, assignees=[ann.id, office.root.id, 999, ann.id])
    assert issues.get(office.store, issue.id).assignee_ids == [ann.id, office.root.id]
    items.set_people(office.store, office.root, project, "Issue", issue.id, "assignee", [bob.id])
    items.set_people(office.store, office.root, project, "Issue", issue.id, "assignee", [bob.id, office.root.id])
    request = office.request(project)
    items.set_people(office.store, office.root, project, "MergeRequest", request.id, "reviewer", [bob.id])
    items.set_people(office.store, office.root, project, "MergeRequest", request.id, "reviewer", [bob.id])
    waiting = office.store.db.execute("SELECT user_id, action, target_type FROM todos ORDER BY id").fetchall()
    assert waiting == [
        (ann.id, "assigned", "Issue"), (bob.id, "assigned", "Issue"), (bob.id, "review_requested", "MergeRequest"),
    ]  # fmt: skip
    told = office.store.values("SELECT body FROM notes WHERE system=1 ORDER BY id")
    assert told == [
        "assigned to @ann, @root", "assigned to @bob and unassigned @ann, @root", "assigned to @root",
        "requested review from @bob",
    ]  # fmt: skip


def test_a_mention_is_a_to_do_once_and_not_for_its_author(office: Office) -> None:
    project, ann, bob = office.project("garden"), office.person("ann"), office.person("bob")
    office.join(project, bob, 15)
    issue = office.issue(project)
    notes.create(office.store, ann, "Issue", issue.id, project.id, "@ann @bob @nobody @BOB")
    notes.create(office.store, office.root, "Issue", issue.id, project.id, "@bob again")
    assert office.store.values("SELECT user_id FROM todos") == [bob.id]
    office.store.db.execute("UPDATE todos SET state='done'")
    notes.create(office.store, office.root, "Issue", issue.id, project.id, "@ann @bob secret", internal=True)
    assert office.store.values("SELECT user_id FROM todos WHERE state='pending'") == [bob.id]
    notes.create(office.store, office.root, "Issue", issue.id, project.id, "@ann plainly")
    assert office.store.values("SELECT user_id FROM todos WHERE state='pending' ORDER BY id") == [bob.id, ann.id]


def test_comments_are_counted_and_what_the_forge_notes_itself_is_not(office: Office) -> None:
    project = office.project("garden")
    issue = office.issue(project)
    said = notes.create(office.store, office.root, "Issue", issue.id, project.id, "hello")
    notes.create(office.store, office.root, "Issue", issue.id, project.id, "secret", internal=True)
    notes.system(office.store, office.root, "Issue", issue.id, project.id, "did something")
    assert issues.get(office.store, issue.id).user_notes_count == 2

    def bodies(**more: Any) -> list[str]:
        listing = notes.listing("Issue", issue.id, order="created_at", sort="asc", **more)
        found = office.store.page(listing, 100, 0)
        assert office.store.count(listing) == len(found)
        return [one.body for one in found]

    assert bodies(hidden=True) == ["hello", "secret", "did something"]
    assert bodies() == ["hello", "did something"]
    assert bodies(activity="only_comments", hidden=True) == ["hello", "secret"]
    assert bodies(activity="only_activity") == ["did something"]
    notes.delete(office.store, said)
    for note in office.store.all(notes.Note, "system=1"):
        notes.delete(office.store, note)
    assert issues.get(office.store, issue.id).user_notes_count == 1


def test_those_who_take_part_are_the_author_first_then_assignees_then_writers_each_once(office: Office) -> None:
    project, ann, bob = office.project("garden"), office.person("ann"), office.person("bob")
    issue = office.issue(project, ann, assignees=[bob.id, ann.id])
    kim = office.person("kim")
    for user in (kim, ann):
        notes.create(office.store, user, "Issue", issue.id, project.id, "hello")
    notes.system(office.store, office.root, "Issue", issue.id, project.id, "did something")
    found = items.participants(office.store, "Issue", issue.id, ann.id)
    assert [one.username for one in found] == ["ann", "bob", "kim"]


# -- lists -------------------------------------------------------------------------------------------------------


@given(st.integers(0, 12), st.integers(1, 5), st.integers(0, 14), st.sampled_from(["t.id ASC", "t.id DESC"]))
@settings(max_examples=60)
def test_any_page_of_a_list_is_that_part_of_it(total: int, limit: int, offset: int, order: str) -> None:
    office = _with_issues(total)
    listing = Listing(Issue, "FROM issues t WHERE t.project_id=?", (1,), order, "t")
    everything = sorted(office.store.values("SELECT id FROM issues"), reverse=order.endswith("DESC"))
    assert [one.id for one in office.store.page(listing, limit, offset)] == everything[offset : offset + limit]
    assert office.store.count(listing) == total


_offices: dict[int, Office] = {}


def _with_issues(total: int) -> Office:
    if total not in _offices:
        office = _offices[total] = Office()
        project = office.project("garden")
        for _ in range(total):
            office.issue(project)
    return _offices[total]


def test_a_count_is_remembered_until_something_changes_or_the_day_does(office: Office) -> None:
    listing = Listing(Project, "FROM projects WHERE created_at<? AND today()<?", ("z", day(1)))
    office.project("garden")
    assert office.store.count(listing) == 1
    office.project("other")
    assert office.store.count(listing) == 2
    office.company.clock.forward(days=1)
    assert office.store.count(listing) == 0


# -- texts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "closed"),
    [("Closes #1", [("", 1)]), ("fixes #1, #2 and #3", [("", 1), ("", 2), ("", 3)]), ("see #1", []),
     ("Resolved a/b#4", [("a/b", 4)]), ("closing: http://x.test/a/b/-/issues/5", [("a/b", 5)]), ("unfixed#1", []),
     ("Implements issue #7", [("", 7)]), ("x" * 20_000 + " closes #1", [])],
)  # fmt: skip
def test_what_a_text_closes(text: str, closed: list[tuple[str, int]]) -> None:
    assert list(closed_issues(text)) == closed


@pytest.mark.parametrize(
    ("text", "named"),
    [("@ann, @bob.b. and @ann", ["ann", "bob.b"]), ("mail@ann.test", []), ("`@ann`", []), ("(@a)", ["a"]), ("@-x", [])],
)
def test_whom_a_text_mentions(text: str, named: list[str]) -> None:
    assert mentioned_people(text) == named


@pytest.mark.parametrize(
    ("text", "total"),
    [("1h", 3600), ("1d", 28800), ("1w", 144000), ("1mo", 576000), ("1w 2d 3h 30m 5s", 214205), ("-1h", -3600),
     ("1.5h", 5400),
     ("", None), ("1y", None), ("h", None)],
)  # fmt: skip
def test_durations_are_those_of_working_time(text: str, total: int | None) -> None:
    assert seconds(text) == total


@given(st.integers(-(10**7), 10**7))
def test_a_duration_reads_back_as_it_was_written(total: int) -> None:
    written = human(total)
    assert written is None if total == 0 else sum(seconds(part) or 0 for part in str(written).split()) == total
