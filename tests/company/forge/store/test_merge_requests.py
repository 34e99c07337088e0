"""Merge requests: each change of state in full, versions, drafts, and what goes with one."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from dayjob.company.forge.rows.items import MergeRequest, Version
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import items, merge_requests, notes
from tests.company.forge.offices import Office

STATES = [  # from which state, by what, to which; the rest stays as it is
    ("opened", "close", "closed"), ("opened", "reopen", "opened"), ("opened", "nonsense", "opened"),
    ("closed", "reopen", "opened"), ("closed", "close", "closed"), ("closed", "nonsense", "closed"),
    ("merged", "close", "merged"), ("merged", "reopen", "merged"), ("merged", "nonsense", "merged"),
]  # fmt: skip


class Desk:
    """A merge request, one beside it, and what becomes of both."""

    def __init__(self, office: Office, **facts: Any) -> None:
        self.office, self.store = office, office.store
        self.project: Project = office.project("garden")
        self.actor = office.person("ann")
        kept = {"merge_status": "can_be_merged", "auto_merge": 1, "merge_error": "no", **facts}
        self.request, self.other = (office.request(self.project, **kept) for _ in range(2))
        office.company.clock.forward(hours=1)

    def now(self) -> MergeRequest:
        return merge_requests.get(self.store, self.request.id)

    def changed(self) -> dict[str, Any]:
        """What is different of the request now; the other one is as it was."""
        assert merge_requests.get(self.store, self.other.id) == self.other
        before, after = self.request, self.now()
        return {
            name: getattr(after, name)
            for name in (field.name for field in fields(MergeRequest))
            if getattr(after, name) != getattr(before, name)
        }

    def told(self) -> tuple[list[Any], list[Any], list[Any]]:
        """The traces, notes and events that were left, with who left them."""
        run = self.store.db.execute
        return (
            run("SELECT kind, item_type, item_id, user_id, action, value, created_at FROM resource_events").fetchall(),
            run("SELECT noteable_type, noteable_id, project_id, author_id, body FROM notes WHERE system=1").fetchall(),
            run("SELECT project_id, author_id, action, target_type, target_id, target_iid, target_title FROM events"
                ).fetchall(),
        )  # fmt: skip

    def expected(self, state: str, action: str) -> tuple[list[Any], list[Any], list[Any]]:
        one, kind, who = self.request, "MergeRequest", self.actor.id
        return (
            [("state", kind, one.id, who, state, None, self.store.now())],
            [(kind, one.id, self.project.id, who, state)],
            [(self.project.id, who, action, kind, one.id, one.iid, one.title)],
        )


@pytest.mark.parametrize(("state", "event", "then"), STATES)
def test_what_closing_and_reopening_changes_and_tells(office: Office, state: str, event: str, then: str) -> None:
    ended = {"closed_at": "then", "closed_by": office.root.id} if state == "closed" else {}
    desk = Desk(office, state=state, **ended)
    merge_requests.set_state(desk.store, desk.actor, desk.request, desk.project, event)
    now = desk.store.now()
    if state == then:
        assert desk.changed() == {}
        assert desk.told() == ([], [], [])
    elif then == "closed":
        assert desk.changed() == {"state": "closed", "closed_at": now, "closed_by": desk.actor.id, "updated_at": now,
                                  "auto_merge": 0}  # fmt: skip
        assert desk.told() == desk.expected("closed", "closed")
    else:
        assert desk.changed() == {"state": "opened", "closed_at": None, "closed_by": None, "updated_at": now,
                                  "merge_status": "unchecked"}  # fmt: skip
        assert desk.told() == desk.expected("reopened", "reopened")


def test_what_a_merge_changes_and_tells(office: Office) -> None:
    desk = Desk(office, merge_status="unchecked")
    merge_requests.mark_merged(desk.store, desk.actor, desk.request, desk.project, "m", "s")
    now = desk.store.now()
    assert desk.changed() == {
        "state": "merged", "merged_at": now, "merged_by": desk.actor.id, "updated_at": now, "auto_merge": 0,
        "merge_commit_sha": "m", "squash_commit_sha": "s", "merge_status": "can_be_merged", "merge_error": None,
    }  # fmt: skip
    assert desk.told() == desk.expected("merged", "accepted")


def test_a_merge_without_a_commit_of_its_own_names_none(office: Office) -> None:
    desk = Desk(office)
    merge_requests.mark_merged(desk.store, desk.actor, desk.request, desk.project, None)
    assert (desk.now().merge_commit_sha, desk.now().squash_commit_sha) == (None, None)


def test_a_new_head_is_a_new_version_and_asks_for_conflicts_anew(office: Office) -> None:
    desk = Desk(office)
    merge_requests.set_version(desk.store, desk.request, "h", "b", "s")
    now = desk.store.now()
    assert desk.changed() == {
        "head_sha": "h", "base_sha": "b", "start_sha": "s", "merge_status": "unchecked", "updated_at": now,
    }  # fmt: skip
    kept = desk.store.all(Version, "1")
    assert [(one.merge_request_id, one.head_sha, one.base_sha, one.start_sha, one.created_at) for one in kept] == [
        (desk.request.id, "h", "b", "s", now)
    ]


TITLES = [  # as written, whether it is a draft, without the mark, with it
    ("Fix", False, "Fix", "Draft: Fix"), ("Draft: Fix", True, "Fix", "Draft: Fix"),
    ("[Draft] Fix", True, "Fix", "Draft: Fix"), ("(draft) Fix", True, "Fix", "Draft: Fix"),
    ("DRAFT - Fix", True, "Fix", "Draft: Fix"), ("  draft:Fix", True, "Fix", "Draft: Fix"),
    ("Draft: [draft] Fix", True, "Fix", "Draft: Fix"), ("Drafty", False, "Drafty", "Draft: Drafty"),
    ("draft-Fix", False, "draft-Fix", "Draft: draft-Fix"),
    ("Fix draft: x", False, "Fix draft: x", "Draft: Fix draft: x"),
]  # fmt: skip


@pytest.mark.parametrize(("title", "draft", "plain", "marked"), TITLES, ids=[one[0] for one in TITLES])
def test_a_draft_is_known_by_its_title(office: Office, title: str, draft: bool, plain: str, marked: str) -> None:
    request = office.request(office.project("garden"))
    office.store.update("merge_requests", request.id, title=title)
    assert merge_requests.get(office.store, request.id).draft is draft
    assert merge_requests.draft_title(title, draft=False) == plain
    assert merge_requests.draft_title(title, draft=True) == marked


def test_requests_are_found_by_their_number_in_their_project(office: Office) -> None:
    here, there = office.project("here"), office.project("there")
    office.request(there)
    mine, theirs = office.request(here), office.request(there)
    assert (mine.iid, theirs.iid) == (1, 2)
    assert merge_requests.find(office.store, here, 1) == mine
    assert merge_requests.find(office.store, here, 2) is None
    assert merge_requests.find(office.store, there, 2) == theirs


def test_a_request_goes_with_all_that_hangs_on_it(office: Office) -> None:
    project, ann = office.project("garden"), office.person("ann")
    request, other = office.request(project), office.request(project)
    issues = [office.issue(project) for _ in range(2)]
    assert [one.id for one in issues] == [request.id, other.id], "of the same number, and another kind"
    now = office.store.now()
    for kind, one in (("MergeRequest", request), ("MergeRequest", other), ("Issue", issues[0])):
        notes.create(office.store, office.root, kind, one.id, project.id, "@ann look")
        items.set_labels(office.store, office.root, project, kind, one.id, ["bug"])
        items.set_people(office.store, office.root, project, kind, one.id, "assignee", [ann.id])
        office.store.insert(
            "award_emoji", awardable_type=kind, awardable_id=one.id, name="x", user_id=1, created_at=now
        )
        office.store.db.execute(
            "INSERT INTO subscriptions (item_type, item_id, user_id, subscribed) VALUES (?,?,1,1)", (kind, one.id)
        )
    for one in (request, other):
        merge_requests.set_version(office.store, one, "h", "b", "s")
    tables = {"notes": "noteable", "award_emoji": "awardable", "label_links": "item", "people": "item",
              "resource_events": "item", "subscriptions": "item", "todos": "target"}  # fmt: skip

    def left(table: str) -> set[tuple[str, int]]:
        what = tables[table]
        return set(office.store.db.execute(f"SELECT {what}_type, {what}_id FROM {table}").fetchall())

    assert {table: len(left(table)) for table in tables} == dict.fromkeys(tables, 3)
    merge_requests.delete(office.store, request)
    for table in tables:
        assert left(table) == {("MergeRequest", other.id), ("Issue", issues[0].id)}, table
    assert office.store.values("SELECT merge_request_id FROM merge_request_versions") == [other.id]
    assert merge_requests.find(office.store, project, request.iid) is None
    assert merge_requests.find(office.store, project, other.iid) is not None


def test_a_merge_that_waits_for_its_pipeline_can_be_called_off(office: Office) -> None:
    desk = Desk(office)
    merge_requests.cancel_auto_merge(desk.store, desk.request)
    assert desk.changed() == {"auto_merge": False}
    assert desk.told() == ([], [], [])
