"""Threads: who sees, starts, answers and resolves them."""

from __future__ import annotations

import pytest

from dayjob.company.forge.rows.items import Issue, Note
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import discussions, issues, notes
from dayjob.company.forge.store.discussions import Noteable
from tests.company.forge.offices import PUBLIC, Office, refused


def on_issue(office: Office, project: Project) -> Noteable:
    issue = office.issue(project)
    return Noteable("Issue", issue.id, project, iid=issue.iid, title=issue.title)


def on_request(office: Office, project: Project) -> Noteable:
    request = office.request(project)
    return Noteable("MergeRequest", request.id, project, iid=request.iid, title=request.title)


def test_a_comment_becomes_a_thread_with_its_first_answer(office: Office) -> None:
    project, ann = office.project("garden"), office.person("ann")
    for noteable, resolvable in ((on_issue(office, project), 0), (on_request(office, project), 1)):
        first = discussions.comment(office.store, ann, noteable, "Why?")
        assert (first.type, first.resolvable) == (None, 0)
        answer = discussions.reply(office.store, office.root, noteable, first, "Because.")
        kept = discussions.thread(office.store, office.root, noteable, first.discussion_id)
        assert [(note.body, note.type, note.resolvable) for note in kept] == [
            ("Why?", "DiscussionNote", resolvable), ("Because.", "DiscussionNote", resolvable),
        ]  # fmt: skip
        assert kept[1] == answer
    told = office.store.values("SELECT target_title FROM events WHERE action='commented on' ORDER BY id")
    assert told == ["An issue", "A request"]


def test_internal_notes_and_threads_are_for_planners_up(office: Office) -> None:
    project, ann = office.project("garden", visibility=PUBLIC), office.person("ann")
    noteable = on_issue(office, project)
    open_one = discussions.start(office.store, office.root, noteable, "open", position=None, internal=False)
    hidden = discussions.start(office.store, office.root, noteable, "hidden", position=None, internal=True)
    answer = discussions.reply(office.store, office.root, noteable, hidden, "too")
    assert answer.internal
    assert discussions.threads(office.store, office.root, noteable) == [[open_one], [hidden, answer]]
    assert discussions.threads(office.store, ann, noteable) == [[open_one]]
    assert refused(discussions.thread, office.store, ann, noteable, hidden.discussion_id) == 404
    assert refused(discussions.find_note, office.store, ann, noteable, hidden.id) == 404
    assert discussions.find_note(office.store, ann, noteable, open_one.id) == open_one
    assert refused(discussions.find_note, office.store, office.root, on_issue(office, project), hidden.id) == 404
    assert [discussions.sees_internal(office.store, user, noteable) for user in (office.root, ann)] == [True, False]


def test_comments_on_commits_are_those_of_one_commit_of_one_project(office: Office) -> None:
    project, other = office.project("garden"), office.project("other")
    first = Noteable("Commit", project.id, project, commit="a1")
    said = discussions.start(office.store, office.root, first, "Nice", position={"new_line": 1}, internal=False)
    assert (said.type, said.place, said.commit_id) == ("DiffNote", {"new_line": 1}, "a1")
    assert discussions.threads(office.store, office.root, first) == [[said]]
    for elsewhere in (("b2", project), ("a1", other)):
        noteable = Noteable("Commit", elsewhere[1].id, elsewhere[1], commit=elsewhere[0])
        assert discussions.threads(office.store, office.root, noteable) == []


@pytest.mark.parametrize(("level", "author", "may"), [(10, False, False), (10, True, True), (30, False, True)])
def test_who_resolves_a_thread(office: Office, level: int, author: bool, may: bool) -> None:
    project, ann = office.project("garden"), office.person("ann")
    office.join(project, ann, level)
    request = office.request(project, ann if author else None)
    noteable = Noteable("MergeRequest", request.id, project)
    first = discussions.start(office.store, office.root, noteable, "Why?", position=None, internal=False)
    if not may:
        assert refused(discussions.resolve, office.store, ann, noteable, [first], True) == 403
        return
    discussions.resolve(office.store, ann, noteable, [first], True)
    done = notes.get(office.store, first.id)
    assert (done.resolved, done.resolved_by, done.resolved_at) == (1, ann.id, office.store.now())
    answer = discussions.reply(office.store, office.root, noteable, done, "Oh.")
    assert (answer.resolved, answer.resolved_by) == (1, ann.id)
    discussions.resolve(office.store, ann, noteable, [done, answer], False)
    again = notes.get(office.store, answer.id)
    assert (again.resolved, again.resolved_by, again.resolved_at) == (0, None, None)


def test_who_comments_and_who_edits(office: Office) -> None:
    project, ann = office.project("garden", visibility=PUBLIC), office.person("ann")
    noteable = on_issue(office, project)
    discussions.check_comment(office.store, ann, noteable)
    noteable.locked = True
    assert refused(discussions.check_comment, office.store, ann, noteable) == 403
    discussions.check_comment(office.store, office.root, noteable)
    own = discussions.comment(office.store, ann, noteable, "hello")
    theirs = discussions.comment(office.store, office.root, noteable, "hello")
    discussions.check_edit(office.store, ann, own, project)
    discussions.check_edit(office.store, office.root, own, project)
    assert refused(discussions.check_edit, office.store, ann, theirs, project) == 403
    issues.set_state(office.store, office.root, issues.get(office.store, noteable.id), project, "close")
    (noted,) = office.store.all(Note, "system=1")
    assert refused(discussions.check_edit, office.store, office.root, noted, project) == 403


def test_an_issue_moves_with_what_people_said_and_a_clone_only_if_asked(office: Office) -> None:
    ann = office.person("ann")
    garden, shed = office.project("garden"), office.project("shed")
    issue = office.issue(garden, ann, labels=["bug"], weight=2)

    def said(about: Issue) -> list[str]:
        listing = notes.listing("Issue", about.id, order="created_at", sort="asc", activity="only_comments")
        return [note.body for note in office.store.page(listing, 100, 0)]

    notes.create(office.store, ann, "Issue", issue.id, garden.id, "hello")
    issue = issues.get(office.store, issue.id)
    moved = issues.move(office.store, office.root, garden, issue, shed.id)
    assert (moved.project_id, moved.iid, moved.author_id, moved.label_names, moved.weight) == (
        shed.id, 1, ann.id, ["bug"], 2,
    )  # fmt: skip
    assert said(moved) == ["hello"]
    left = issues.get(office.store, issue.id)
    assert (left.state, left.moved_to) == ("closed", moved.id)
    for with_notes in (True, False):
        cloned = issues.clone(office.store, office.root, issue, garden.id, with_notes=with_notes)
        assert cloned.user_notes_count == len(said(cloned)) == int(with_notes)
    assert refused(issues.move, office.store, office.root, garden, issue, garden.id) == 400
    assert refused(issues.move, office.store, office.root, garden, issue, 99) == 404
    assert refused(issues.move, office.store, ann, garden, issue, shed.id) == 404
    office.join(shed, ann, 10)
    assert refused(issues.move, office.store, ann, garden, issue, shed.id) == 400
    assert refused(issues.clone, office.store, ann, issue, shed.id, with_notes=False) == 404


def test_an_issue_is_put_behind_before_or_between_others(office: Office) -> None:
    project = office.project("garden")
    first, second, third = (office.issue(project) for _ in range(3))
    assert issues.reorder(office.store, third, first.id, second.id).relative_position == 1500
    assert issues.reorder(office.store, third, second.id, None).relative_position == 2500
    assert issues.reorder(office.store, second, None, third.id).relative_position == 2000
    assert refused(issues.reorder, office.store, third, None, 99) == 400
