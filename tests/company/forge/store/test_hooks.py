"""Webhooks: what they may ask for, and which events they hear."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.company.forge.store import discussions, hooks, records
from dayjob.company.forge.store.discussions import Noteable
from tests.company.forge.offices import Office, refused

PLAIN: dict[str, Any] = {
    "url": "http://listener.test", "push_events": True, "push_events_branch_filter": "",
    "branch_filter_strategy": "wildcard",
}  # fmt: skip


@pytest.mark.parametrize(
    ("more", "status"),
    [({"url": "listener.test"}, 422), ({"url": "http:///x"}, 422), ({"branch_filter_strategy": "some"}, 400),
     ({"branch_filter_strategy": "regex", "push_events_branch_filter": "("}, 422)],
)  # fmt: skip
def test_a_hook_has_an_address_and_a_filter_that_can_be_used(more: dict[str, str], status: int) -> None:
    hooks.check(PLAIN)
    hooks.check({**PLAIN, "push_events_branch_filter": "("})
    assert refused(hooks.check, {**PLAIN, **more}) == status


@pytest.mark.parametrize(
    ("strategy", "wanted", "heard"),
    [("wildcard", "", {"main", "fix/a"}), ("wildcard", "fix/*", {"fix/a"}), ("wildcard", "fix", set()),
     ("regex", "^m", {"main"}), ("regex", "", {"main", "fix/a"}), ("regex", "(", set()),
     ("all_branches", "fix/*", {"main", "fix/a"})],
)  # fmt: skip
def test_pushes_are_heard_of_the_branches_that_a_hook_names(
    office: Office, strategy: str, wanted: str, heard: set[str]
) -> None:
    asked = {**PLAIN, "push_events_branch_filter": wanted, "branch_filter_strategy": strategy, "issues_events": True}
    hook = records.create(office.store, "hook", "project", office.project("garden").id, "", asked)
    assert {branch for branch in ("main", "fix/a") if hooks.hears(hook, "push", f"refs/heads/{branch}")} == heard
    assert hooks.hears(hook, "issues", "")
    assert not hooks.hears(hook, "note", "")


def test_what_is_confidential_is_an_event_of_its_own(office: Office) -> None:
    project = office.project("garden")
    plain, secret = office.issue(project), office.issue(project, confidential=1)
    assert [hooks.event_of_issue(issue) for issue in (plain, secret)] == ["issues", "confidential_issues"]
    for issue, internal, event in (
        (plain, False, "note"),
        (plain, True, "confidential_note"),
        (secret, False, "confidential_note"),
    ):
        noteable = Noteable("Issue", issue.id, project)
        note = discussions.comment(office.store, office.root, noteable, "hello", internal=internal)
        assert hooks.event_of_note(office.store, note) == event
