"""Lists of issues and merge requests: what each filter leaves of them, where, and for whom."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.company.forge.rows.items import Issue
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import approvals, award_emoji, issues, item_lists, items, labels, milestones
from dayjob.company.forge.store.item_lists import ANY, NONE, IssueFilter, RequestFilter
from tests.company.bare import day
from tests.company.forge.offices import PUBLIC, Office


@pytest.fixture
def garden(office: Office) -> Project:
    """Four issues, of which each filter takes some."""
    project, ann = office.project("garden", visibility=PUBLIC), office.person("ann")
    may = milestones.create(office.store, project, "May")

    def add(title: str, **facts: Any) -> Issue:
        return issues.create(office.store, facts.pop("author", office.root), project, title, **facts)

    add("Leaky hose", labels=["bug", "water"], weight=3, due_date=day(-1), assignees=[ann.id])
    add("Buy seeds", description="Beans", milestone_id=may.id, due_date=day(0), author=ann)
    add("Fix the fence", labels=["bug"], confidential=1, issue_type="task")
    done = add("Rake leaves", description="leaky rake", due_date=day(5))
    issues.set_state(office.store, office.root, done, project, "close")
    award_emoji.add(office.store, office.root, "Issue", done.id, "tada")
    return project


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, [1, 2, 3, 4]),
        ({"state": "opened"}, [1, 2, 3]),
        ({"iids": [2, 4, 99]}, [2, 4]),
        ({"iids": []}, []),
        ({"words": "leaky"}, [1, 4]),
        ({"words": "leaky hose"}, [1]),
        ({"words": "leaky", "searched": ["title"]}, [1]),
        ({"words": "leaky", "searched": []}, [1, 2, 3, 4]),
        ({"not_words": "leaky"}, [2, 3]),
        ({"labels": ["bug"]}, [1, 3]),
        ({"labels": ["bug", "water"]}, [1]),
        ({"labels": ANY}, [1, 3]),
        ({"labels": NONE}, [2, 4]),
        ({"not_labels": ["water"]}, [2, 3, 4]),
        ({"author_username": "ann"}, [2]),
        ({"author_ids": [1]}, [1, 3, 4]),
        ({"author_ids": [1, 2]}, []),
        ({"not_author_id": 1}, [2]),
        ({"people": [("assignee", ANY)]}, [1]),
        ({"people": [("assignee", NONE)]}, [2, 3, 4]),
        ({"people": [("assignee", 2)]}, [1]),
        ({"usernames": [("assignee", "ann")]}, [1]),
        ({"usernames": [("assignee", "nobody")]}, []),
        ({"reaction": ANY}, [4]),
        ({"reaction": "tada"}, [4]),
        ({"reaction": "heart"}, []),
        ({"milestone": ANY}, [2]),
        ({"milestone": NONE}, [1, 3, 4]),
        ({"milestone": 1}, [2]),
        ({"milestone_title": "May"}, [2]),
        ({"milestone_title": "June"}, []),
        ({"confidential": True}, [3]),
        ({"confidential": False}, [1, 2, 4]),
        ({"issue_type": "task"}, [3]),
        ({"weight": 3}, [1]),
        ({"weight": NONE}, [2, 3, 4]),
        ({"weight": ANY}, [1]),
        ({"due": NONE}, [3]),
        ({"due": ANY}, [1, 2, 4]),
        ({"due": "overdue"}, [1]),
        ({"due": "today"}, [2]),
    ],
)
def test_what_a_filter_leaves_of_issues(
    office: Office, garden: Project, wanted: dict[str, Any], expected: list[int]
) -> None:
    listing = item_lists.issues(office.store, office.root, garden, IssueFilter(**wanted, sort="asc"))
    assert [issue.iid for issue in office.store.page(listing, 100, 0)] == expected
    assert office.store.count(listing) == len(expected)
    assert item_lists.open_count(office.store, listing) == len([iid for iid in expected if iid != 4])


def test_moments_and_order(office: Office) -> None:
    project = office.project("garden")
    first = issues.create(office.store, office.root, project, "b")
    office.company.clock.forward(hours=1)
    second = issues.create(office.store, office.root, project, "a")

    def found(**wanted: Any) -> list[int]:
        listing = item_lists.issues(office.store, office.root, project, IssueFilter(**wanted))
        return [issue.iid for issue in office.store.page(listing, 100, 0)]

    assert found() == [2, 1]
    assert found(order="title", sort="asc") == [2, 1]
    assert found(order="title") == [1, 2]
    assert found(created_after=second.created_at) == found(updated_after=second.updated_at) == [2]
    assert found(created_before=first.created_at) == found(updated_before=first.updated_at) == [1]


def test_a_group_lists_what_is_below_it_and_everywhere_what_somebody_sees(office: Office) -> None:
    ann, group = office.person("ann"), office.group("group")
    below = office.project("below", office.group("sub", group))
    office.issue(below), office.issue(office.project("beside", visibility=PUBLIC))
    office.join(office.project("hers"), ann, 10)

    def found(place: Any, user: Any) -> int:
        return office.store.count(item_lists.issues(office.store, user, place, IssueFilter()))

    assert (found(group, office.root), found(group, ann), found(None, office.root), found(None, ann)) == (1, 0, 2, 1)
    office.join(below, ann, 10)
    assert (found(group, ann), found(None, ann), found(None, None)) == (1, 2, 1)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, [1, 2]),
        ({"source_branch": "topic"}, [1]),
        ({"target_branch": "main"}, [1]),
        ({"source_project_id": 1}, [1, 2]),
        ({"source_project_id": 9}, []),
        ({"draft": True}, [2]),
        ({"draft": False}, [1]),
        ({"approved_by": [2]}, [1]),
        ({"approved_by": [2, 1]}, []),
        ({"people": [("reviewer", 2)]}, [1]),
        ({"labels": ["bug"]}, [2]),
        ({"state": "merged"}, [2]),
    ],
)
def test_what_a_filter_leaves_of_merge_requests(office: Office, wanted: dict[str, Any], expected: list[int]) -> None:
    project, ann = office.project("garden"), office.person("ann")
    first, second = office.request(project), office.request(project, state="merged")
    more = {"title": "Draft: later", "source_branch": "other", "target_branch": "old"}
    office.store.update("merge_requests", second.id, **more)
    items.set_people(office.store, office.root, project, "MergeRequest", first.id, "reviewer", [ann.id])
    items.set_labels(office.store, office.root, project, "MergeRequest", second.id, ["bug"])
    approvals.approve(office.store, ann, project, first)
    listing = item_lists.requests(office.store, office.root, project, RequestFilter(**wanted, sort="asc"))
    assert [request.iid for request in office.store.page(listing, 100, 0)] == expected


def test_a_milestone_lists_what_somebody_sees_of_it(office: Office, garden: Project) -> None:
    may = milestones.named(office.store, garden, "May")
    assert may is not None
    office.issue(garden, milestone_id=may.id, confidential=1)
    office.request(garden, milestone_id=may.id)
    for user, expected in ((office.root, 2), (None, 1)):
        assert office.store.count(item_lists.in_milestone(user, "Issue", may)) == expected
        assert office.store.count(item_lists.in_milestone(user, "MergeRequest", may)) == 1


def test_a_projects_labels_are_its_own_and_those_above(office: Office) -> None:
    group = office.group("group")
    project = office.project("garden", group)
    for place, name in ((project, "own"), (group, "above"), (office.project("other"), "other")):
        labels.create_label(office.store, place, name)

    def names(place: Any, **more: Any) -> list[str]:
        return [label.name for label in office.store.page(labels.listing(office.store, place, **more), 100, 0)]

    assert names(project) == ["above", "own"]
    assert names(project, inherited=False) == ["own"]
    assert names(project, words="OW") == ["own"]
    assert names(group) == names(group, inherited=False) == ["above"]
