"""What hangs on issues and merge requests: reactions, subscriptions, links, closings, labels and counts."""

from __future__ import annotations

from dayjob.company.forge.store import (
    award_emoji,
    closings,
    issue_links,
    issues,
    item_counts,
    items,
    labels,
    milestones,
    notes,
    resource_events,
    subscriptions,
)
from dayjob.company.forge.store.item_counts import Carriers
from tests.company.forge.offices import PUBLIC, Office, refused


def test_somebody_reacts_once_with_each_emoji_and_takes_back_only_their_own(office: Office) -> None:
    ann, bob = office.person("ann"), office.person("bob")
    issue = office.issue(office.project("garden"))
    up = award_emoji.add(office.store, ann, "Issue", issue.id, "thumbsup")
    award_emoji.add(office.store, bob, "Issue", issue.id, "thumbsup")
    award_emoji.add(office.store, ann, "Issue", issue.id, "thumbsdown")
    award_emoji.add(office.store, ann, "MergeRequest", issue.id, "tada")
    assert refused(award_emoji.add, office.store, ann, "Issue", issue.id, "thumbsup") == 404
    assert refused(award_emoji.add, office.store, ann, "Issue", issue.id, "no emoji") == 400
    assert award_emoji.votes(office.store, "Issue", [issue.id, 99]) == {issue.id: (2, 1)}
    assert [one.name for one in award_emoji.of(office.store, "Issue", issue.id)] == ["thumbsup"] * 2 + ["thumbsdown"]
    assert award_emoji.find(office.store, "Issue", issue.id, up.id) == up
    assert refused(award_emoji.find, office.store, "MergeRequest", issue.id, up.id) == 404
    assert refused(award_emoji.remove, office.store, bob, up) == 403
    award_emoji.remove(office.store, office.root, up)
    assert award_emoji.votes(office.store, "Issue", [issue.id]) == {issue.id: (1, 1)}


def test_who_takes_part_follows_until_they_choose_otherwise(office: Office) -> None:
    ann, bob, cleo, dan = (office.person(name) for name in ("ann", "bob", "cleo", "dan"))
    project = office.project("garden")
    issue = office.issue(project, ann, assignees=[bob.id])
    notes.create(office.store, cleo, "Issue", issue.id, project.id, "hello")

    def follow() -> list[bool]:
        people = (ann, bob, cleo, dan, None)
        return [subscriptions.follows(office.store, one, "Issue", issue.id, issue.author_id) for one in people]

    assert follow() == [True, True, True, False, False]
    assert subscriptions.choose(office.store, ann, "Issue", issue.id, False)
    assert not subscriptions.choose(office.store, ann, "Issue", issue.id, False)
    assert subscriptions.choose(office.store, dan, "Issue", issue.id, True)
    assert follow() == [False, True, True, True, False]
    assert subscriptions.chosen(office.store, ann, "Issue", [issue.id, 99]) == {issue.id: False}
    assert subscriptions.chosen(office.store, ann, "MergeRequest", [issue.id]) == {}


def test_two_issues_are_linked_once_and_only_for_those_who_see_both(office: Office) -> None:
    ann = office.person("ann")
    garden, shed = office.project("garden", visibility=PUBLIC), office.project("shed")
    first, second, hidden = office.issue(garden), office.issue(garden), office.issue(shed)
    store, root = office.store, office.root
    blocked = issue_links.add(store, root, garden, first, garden, second.iid, "is_blocked_by")
    assert (blocked.source_id, blocked.target_id, blocked.link_type) == (second.id, first.id, "blocks")
    assert [blocked.seen_from(one) for one in (first, second)] == ["is_blocked_by", "blocks"]
    secret = issue_links.add(store, root, garden, first, shed, hidden.iid, "relates_to")
    assert [link for link, _ in issue_links.others(store, root, first)] == [blocked, secret]
    assert issue_links.others(store, ann, first) == [(blocked, second)]
    assert issue_links.find(store, ann, first, blocked.id) == blocked
    assert refused(issue_links.find, store, ann, first, secret.id) == 404
    assert refused(issue_links.find, store, root, second, secret.id) == 404
    for other, iid, status in ((garden, second.iid, 409), (garden, first.iid, 409), (garden, 99, 404)):
        assert refused(issue_links.add, store, root, garden, first, other, iid, "relates_to") == status
    assert refused(issue_links.add, store, ann, garden, second, shed, hidden.iid, "relates_to") == 404
    said = store.values("SELECT body FROM notes WHERE noteable_id=? AND system=1 ORDER BY id", first.id)
    assert said == [f"marked this issue as related to root/{name}" for name in ("garden#2", "shed#1")]
    issue_links.remove(store, blocked)
    assert issue_links.others(store, ann, first) == []


def test_a_merge_request_speaks_of_issues_and_closes_some(office: Office) -> None:
    ann = office.person("ann")
    garden, shed = office.project("garden", visibility=PUBLIC), office.project("shed")
    first, second, hidden = office.issue(garden), office.issue(garden), office.issue(shed)
    request, other = office.request(garden), office.request(shed)
    closings.replace(office.store, request, {first.id: True, second.id: False, hidden.id: True})
    closings.replace(office.store, other, {first.id: False})
    assert closings.closed_issue_ids(office.store, request) == [first.id, hidden.id]
    assert closings.issues(office.store, office.root, request, closed=False) == [first, second, hidden]
    assert closings.issues(office.store, ann, request, closed=True) == [first]
    assert closings.requests(office.store, office.root, first, closing=False) == [request, other]
    assert closings.requests(office.store, ann, first, closing=False) == [request]
    assert closings.requests(office.store, office.root, first, closing=True) == [request]
    ids = [first.id, second.id, 99]
    assert closings.request_counts(office.store, ids) == {first.id: 2, second.id: 1}
    closings.replace(office.store, request, {})
    assert closings.request_counts(office.store, ids) == {first.id: 1}


def test_labels_count_what_somebody_sees_of_those_that_carry_them(office: Office) -> None:
    ann = office.person("ann")
    garden, shed = office.project("garden", visibility=PUBLIC), office.project("shed")
    label = labels.create_label(office.store, garden, "bug")
    unused = labels.create_label(office.store, garden, "rare")
    issue, closed = office.issue(garden, labels=["bug"]), office.issue(garden, labels=["bug"])
    secret, request = office.issue(garden, labels=["bug"], confidential=1), office.request(garden)
    issues.set_state(office.store, office.root, closed, garden, "close")
    items.set_labels(office.store, office.root, garden, "MergeRequest", request.id, ["bug"])
    both = [label.id, unused.id]
    assert item_counts.carriers(office.store, office.root, both, garden) == {
        label.id: Carriers(2, 1, 1), unused.id: Carriers(),
    }  # fmt: skip
    assert item_counts.carriers(office.store, ann, both, None)[label.id] == Carriers(1, 1, 1)
    assert item_counts.carriers(office.store, office.root, both, shed)[label.id] == Carriers()
    assert labels.of_items(office.store, "Issue", [issue.id, secret.id, 99]) == {issue.id: [label], secret.id: [label]}


def test_a_promoted_label_takes_in_those_of_its_name_in_the_group(office: Office) -> None:
    group = office.group("group")
    first, second, lone = office.project("first", group), office.project("second", group), office.project("lone")
    issue, other = office.issue(first, labels=["bug"]), office.issue(second, labels=["bug", "rare"])
    label = labels.find_label(office.store, first, "bug")
    assert label is not None
    promoted = labels.promote(office.store, first, label)
    assert (promoted.id, promoted.project_id, promoted.group_id) == (label.id, None, group.id)
    for place, names in ((group, ["bug"]), (second, ["rare"])):
        own = office.store.page(labels.listing(office.store, place, inherited=False), 100, 0)
        assert [one.name for one in own] == names
    carried = labels.of_items(office.store, "Issue", [issue.id, other.id])
    assert [[one.name for one in carried[number]] for number in (issue.id, other.id)] == [["bug"], ["bug", "rare"]]
    alone = labels.create_label(office.store, lone, "bug")
    assert refused(labels.promote, office.store, lone, alone) == 400
    assert refused(labels.promote, office.store, first, promoted) == 400


def test_milestones_are_changed_promoted_and_counted(office: Office) -> None:
    group = office.group("group")
    project, lone = office.project("garden", group, visibility=PUBLIC), office.project("lone")
    may, june = (milestones.create(office.store, project, title) for title in ("May", "June"))
    assert refused(milestones.change, office.store, june, title="May") == 400
    assert milestones.change(office.store, june, title="June", state="closed").state == "closed"
    open_one, closed = office.issue(project, milestone_id=may.id), office.issue(project, milestone_id=may.id)
    office.issue(project, milestone_id=may.id, confidential=1)
    issues.set_state(office.store, office.root, closed, project, "close")
    assert item_counts.milestone_progress(office.store, office.root, [may.id, june.id]) == {may.id: (1, 3)}
    assert item_counts.milestone_progress(office.store, None, [may.id]) == {may.id: (1, 2)}
    assert milestones.home_paths(office.store, [may]) == {may.id: "group/garden"}
    promoted = milestones.promote(office.store, project, may)
    assert (promoted.project_id, promoted.group_id, promoted.iid) == (None, group.id, 1)
    assert milestones.home_paths(office.store, [promoted, june]) == {may.id: "group", june.id: "group/garden"}
    assert milestones.own(office.store, project, may.id) is None
    assert milestones.find(office.store, project, may.id) == milestones.numbered(office.store, group, 1) == promoted
    assert issues.get(office.store, open_one.id).milestone_id == may.id
    assert refused(milestones.promote, office.store, lone, june) == 400


def test_what_waits_for_somebody(office: Office) -> None:
    ann, project = office.person("ann"), office.project("garden")
    office.join(project, ann, 30)
    issue, request = office.issue(project, assignees=[ann.id]), office.request(project)
    for role in ("assignee", "reviewer"):
        items.set_people(office.store, office.root, project, "MergeRequest", request.id, role, [ann.id])
    assert item_counts.open_items(office.store, ann, "Issue") == 1
    assert item_counts.open_items(office.store, ann, "Issue", "reviewer") == 0
    assert item_counts.open_items(office.store, ann, "MergeRequest") == 1
    assert item_counts.open_items(office.store, ann, "MergeRequest", "reviewer") == 1
    issues.set_state(office.store, office.root, issue, project, "close")
    assert item_counts.open_items(office.store, ann, "Issue") == 0
    office.request(project, state="merged")
    counts = {"opened": 1, "merged": 1, "closed": 0, "all": 2}
    assert item_counts.requests_by_state(office.store, project) == counts
    assert item_counts.open_requests(office.store, project) == 1


def test_traces_are_found_by_what_changed(office: Office) -> None:
    project = office.project("garden")
    issue = office.issue(project, labels=["bug"])
    issues.set_state(office.store, office.root, issue, project, "close")
    (labelled,) = resource_events.of(office.store, "Issue", issue.id, "label")
    (closed,) = resource_events.of(office.store, "Issue", issue.id, "state")
    assert (labelled.action, closed.action) == ("add", "closed")
    assert resource_events.find(office.store, "Issue", issue.id, "state", closed.id) == closed
    assert refused(resource_events.find, office.store, "Issue", issue.id, "label", closed.id) == 404
