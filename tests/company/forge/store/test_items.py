"""Issues, labels, milestones, comments and merge requests: what is kept, counted and told of."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.company.forge.rows.items import Event, Note
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import dates, events, issues, items, labels, merge_requests, milestones, notes
from tests.company.bare import day
from tests.company.forge.offices import Office, refused


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


def test_the_types_an_issue_can_have() -> None:
    assert issues.TYPES == ("issue", "incident", "test_case", "task")


@pytest.mark.parametrize("event", ["close", "reopen", "nonsense"])
@pytest.mark.parametrize("state", ["opened", "closed"])
def test_what_closing_and_reopening_an_issue_leaves_behind(office: Office, state: str, event: str) -> None:
    project, ann = office.project("garden"), office.person("ann")
    first, other = office.issue(project), office.issue(project)
    office.store.db.execute("DELETE FROM events")
    ended = ("then", office.root.id) if state == "closed" else (None, None)
    office.store.update("issues", first.id, state=state, closed_at=ended[0], closed_by=ended[1])
    issue = issues.get(office.store, first.id)
    office.company.clock.forward(hours=1)
    issues.set_state(office.store, ann, issue, project, event, " via commit abc")
    found, now = issues.get(office.store, first.id), office.store.now()
    assert issues.get(office.store, other.id) == other
    run = office.store.db.execute
    traces = run("SELECT kind, item_type, item_id, user_id, action, value FROM resource_events").fetchall()
    said = run("SELECT noteable_type, noteable_id, project_id, author_id, body FROM notes").fetchall()
    told = run("SELECT author_id, action, target_type, target_id, target_iid, target_title FROM events").fetchall()
    if (state, event) == ("opened", "close"):
        assert (found.state, found.closed_at, found.closed_by, found.updated_at) == ("closed", now, ann.id, now)
        assert traces == [("state", "Issue", issue.id, ann.id, "closed", "via commit abc")]
        assert said == [("Issue", issue.id, project.id, ann.id, "closed via commit abc")]
        assert told == [(ann.id, "closed", "Issue", issue.id, issue.iid, "An issue")]
    elif (state, event) == ("closed", "reopen"):
        assert (found.state, found.closed_at, found.closed_by, found.updated_at) == ("opened", None, None, now)
        assert traces == [("state", "Issue", issue.id, ann.id, "reopened", None)]
        assert said == [("Issue", issue.id, project.id, ann.id, "reopened")]
        assert told == [(ann.id, "reopened", "Issue", issue.id, issue.iid, "An issue")]
    else:
        assert found == issue
        assert (traces, said, told) == ([], [], [])


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
    third, fourth = office.issue(project), office.issue(project)
    issues.delete(office.store, third)
    assert open_count(office, project) == 2
    issues.delete(office.store, fourth)
    issues.delete(office.store, other)
    assert open_count(office, project) == 0
    told = office.store.values("SELECT action FROM events ORDER BY id")
    assert told == ["opened", "opened", "closed", "reopened", "closed", "opened", "opened"]


def test_an_item_says_what_became_of_its_labels(office: Office) -> None:
    group = office.group("group")
    project = office.project("garden", group)
    shared = labels.create_label(office.store, group, "shared")
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
    above = labels.create_label(office.store, top, "bug")
    assert labels.find_label(office.store, project, "bug") == above
    own = labels.create_label(office.store, project, "bug")
    assert labels.find_label(office.store, project, "bug") == own
    assert labels.find_label(office.store, other, "bug") == above
    assert labels.find_label(office.store, project, str(above.id)) == above
    assert labels.find_label(office.store, other, str(own.id)) is None
    assert labels.find_label(office.store, top, "bug") == above
    assert labels.find_label(office.store, top, str(own.id)) is None
    named_as_another = labels.create_label(office.store, top, str(above.id))
    assert labels.find_label(office.store, top, str(above.id)) == named_as_another
    assert refused(labels.create_label, office.store, project, "bug") == 409
    theirs = labels.create_label(office.store, other, "theirs")
    labels.rename_label(office.store, theirs, "task")
    second = labels.create_label(office.store, project, "task")
    assert refused(labels.rename_label, office.store, second, "bug") == 409
    labels.rename_label(office.store, second, "task")


@pytest.mark.parametrize(
    ("name", "color", "good"),
    [("x" * 255, "#fff", "#ffffff"), ("a", "RED", "#FF0000"), ("a", "#12ab9F", "#12ab9F"), ("a", "#1aF", "#11aaFF"),
     ("a", "green", "#008000"), ("a", "blue", "#0000FF"), ("a", "yellow", "#FFFF00"), ("a", "orange", "#FFA500"),
     ("a", "purple", "#800080"), ("a", "black", "#000000"), ("a", "white", "#FFFFFF"), ("a", "gray", "#808080"),
     ("a", "Grey", "#808080"), ("x" * 256, "#fff", None), ("a,b", "#fff", None), (" ", "#fff", None),
     ("a", "#ffff", None), ("a", "pink", None), ("a", "fff", None), ("a", "", None)],
)  # fmt: skip
def test_a_labels_name_and_colour(office: Office, name: str, color: str, good: str | None) -> None:
    if good is None:
        assert refused(labels.create_label, office.store, office.project("garden"), name, color) == 400
    else:
        made = labels.create_label(office.store, office.project("garden"), name, color)
        assert (made.name, made.color) == (name, good)
        plain = labels.create_label(office.store, office.project("other"), " b ")
        assert (plain.name, plain.color, plain.priority, plain.archived) == ("b", "#6699cc", None, 0)


def test_an_archived_label_stays_where_it_is_and_is_no_choice(office: Office) -> None:
    project = office.project("garden")
    issue, label = office.issue(project, labels=["dry"]), labels.label_named(office.store, project, "dry")
    assert label is not None
    assert labels.change(office.store, label, archived=1).archived == 1
    assert (labels.choices(office.store, project), items.label_names(office.store, "Issue", issue.id)) == ([], ["dry"])
    labels.change(office.store, label, archived=0)
    assert [choice.name for choice in labels.choices(office.store, project)] == ["dry"]


def test_a_milestone_belongs_to_what_is_below_it_and_ends_after_it_begins(office: Office) -> None:
    group = office.group("group")
    project, outside = office.project("garden", group), office.project("other")
    made = milestones.create(office.store, group, "May", start_date=day(0), due_date=day(0))
    assert milestones.find(office.store, project, made.id) == made
    assert milestones.find(office.store, outside, made.id) is None
    for title, days in (("May", {}), (" ", {}), ("x" * 256, {}), ("Jun", {"start_date": day(1), "due_date": day(0)})):
        assert refused(milestones.create, office.store, group, title, **days) == 400
    own = milestones.create(office.store, project, "May")
    assert (made.iid, own.iid, milestones.create(office.store, group, "x" * 255).iid) == (1, 1, 2)
    issue = office.issue(project, milestone_id=made.id)
    items.set_milestone(office.store, office.root, project, "Issue", issue, made.id)
    items.set_milestone(office.store, office.root, project, "Issue", issue, None)
    assert issues.get(office.store, issue.id).milestone_id is None
    told = office.store.values("SELECT body FROM notes WHERE system=1 ORDER BY id")
    assert told == ['changed milestone to %"May"', "removed milestone"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [(None, None), ("", None), ("2026-3-9", "2026-03-09"), ("2026-12-31T10:00", "2026-12-31"), ("2026-13-01", False),
     ("2026-00-01", False), ("2026-02-30", False), ("2026-01-32", False), ("2026-01-00", False),
     ("2026-1-31", "2026-01-31"), ("soon", False)],
)  # fmt: skip
def test_dates_are_written_in_one_way(text: str | None, kept: str | bool | None) -> None:
    if kept is False:
        assert refused(dates.day, text, "due_date") == 400
    else:
        assert dates.day(text, "due_date") == kept


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
    office.join(project, ann, 10)
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
    issue, beside, request = office.issue(project), office.issue(project), office.request(project)
    assert issue.id == request.id
    said = notes.create(office.store, office.root, "Issue", issue.id, project.id, "hello")
    notes.create(office.store, office.root, "Issue", issue.id, project.id, "secret", internal=True)
    notes.system(office.store, office.root, "Issue", issue.id, project.id, "did something")
    assert issues.get(office.store, issue.id).user_notes_count == 2
    assert issues.get(office.store, beside.id) == beside
    assert merge_requests.get(office.store, request.id) == request

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
    assert issues.get(office.store, issue.id).user_notes_count == 1
    for note in office.store.all(Note, "system=1"):
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


def test_only_the_first_twenty_people_a_text_names_are_told(office: Office) -> None:
    project = office.project("garden")
    people = [office.person(f"p{number}") for number in range(21)]
    for person in people:
        office.join(project, person, 10)
    named = [person.id for person in people]
    text = " ".join(f"@p{number}" for number in range(21))
    notes.create(office.store, office.root, "Issue", office.issue(project).id, project.id, text)
    assert office.store.values("SELECT user_id FROM todos ORDER BY id") == named[:20]


def test_what_is_kept_of_an_event_and_told_of_it(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(office.company, "tell", lambda topic, facts: told.append((topic, facts)))
    project, ann = office.project("garden"), office.person("ann")
    office.company.clock.forward(days=1)
    events.happened(office.store, ann, project.id, "pushed", "Note", 5, 6, "Title", {"ref": "main"})
    events.happened(office.store, ann, None, "left")
    now = office.store.now()
    first, second = office.store.all(Event, "1 ORDER BY id")
    assert (first.project_id, first.author_id, first.action, first.target_type, first.target_id) == (
        project.id, ann.id, "pushed", "Note", 5,
    )  # fmt: skip
    assert (first.target_iid, first.target_title, first.push_data, first.created_at) == (
        6,
        "Title",
        {"ref": "main"},
        now,
    )
    assert (second.project_id, second.target_type, second.target_id, second.push, second.push_data) == (None,) * 5
    assert office.store.value("SELECT last_activity_on FROM users WHERE id=?", ann.id) == day(1)
    active = office.store.db.execute("SELECT last_activity_at, updated_at FROM projects").fetchall()
    assert active == [(now, now)]
    facts = {"author": "ann", "project_id": project.id, "action": "pushed", "kind": "Note", "iid": 6, "title": "Title"}
    assert told[0] == ("forge.event", facts)
    assert told[1][1] == {**dict.fromkeys(facts), "author": "ann", "action": "left"}


def test_what_is_kept_of_a_note_and_a_to_do(office: Office) -> None:
    project, ann = office.project("garden"), office.person("ann")
    issue = office.issue(project)
    office.company.clock.forward(hours=1)
    made = notes.create(
        office.store, ann, "Issue", issue.id, project.id, "hello", discussion="d", type="DiffNote",
        position={"line": 1}, resolvable=True, internal=True, commit_id="c", created_at="then",
    )  # fmt: skip
    assert (made.noteable_type, made.noteable_id, made.project_id, made.author_id, made.body, made.system) == (
        "Issue", issue.id, project.id, ann.id, "hello", 0,
    )  # fmt: skip
    assert (made.discussion_id, made.type, made.place, made.resolvable, made.internal, made.commit_id) == (
        "d", "DiffNote", {"line": 1}, 1, 1, "c",
    )  # fmt: skip
    assert (made.created_at, made.updated_at, issues.get(office.store, issue.id).updated_at) == (
        "then", "then", office.store.now(),
    )  # fmt: skip
    plain = notes.create(office.store, ann, "Snippet", 1, None, "hello")
    assert (plain.project_id, plain.type, plain.place, plain.resolvable, plain.internal, plain.commit_id) == (
        None, None, None, 0, 0, None,
    )  # fmt: skip
    assert (len(plain.discussion_id), plain.created_at) == (40, office.store.now())
    notes.todo(office.store, ann.id, office.root, "marked", "Issue", issue.id, project.id, "x" * 1001)
    row = office.store.db.execute(
        "SELECT user_id, project_id, author_id, action, target_type, target_id, body, state, created_at, updated_at"
        " FROM todos"
    ).fetchall()
    assert row == [
        (ann.id, project.id, office.root.id, "marked", "Issue", issue.id, "x" * 1000, "pending", office.store.now(),
         office.store.now())
    ]  # fmt: skip


WAITING = [  # the same is on the list already unless it differs in one of these
    ({}, 1), ({"user": "bob"}, 2), ({"action": "assigned"}, 2), ({"kind": "MergeRequest"}, 2), ({"item": 2}, 2),
]  # fmt: skip


@pytest.mark.parametrize(("other", "count"), WAITING)
def test_a_to_do_waits_once(office: Office, other: dict[str, Any], count: int) -> None:
    people = {"ann": office.person("ann"), "bob": office.person("bob")}
    project = office.project("garden")
    first: dict[str, Any] = {"user": "ann", "action": "marked", "kind": "Issue", "item": 1}
    for facts in (first, {**first, **other}):
        user = people[facts["user"]]
        notes.todo(office.store, user.id, office.root, facts["action"], facts["kind"], facts["item"], project.id, "")
    assert len(office.store.values("SELECT 1 FROM todos")) == count
