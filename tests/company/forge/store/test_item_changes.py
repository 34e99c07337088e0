"""Changes of one field of an issue or merge request: what is refused, what is written, and what is noted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dayjob.company.forge.rows.items import Issue, MergeRequest
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import issues, merge_requests, projects
from dayjob.company.forge.store.item_changes import ItemChanges, may_change, may_run_quick_actions
from tests.company import tables
from tests.company.forge.offices import LEVELS, Office, refused

Change = Callable[[ItemChanges], None]

CHANGES: list[tuple[str, dict[str, Any], Change, dict[str, Any], list[str]]] = [
    ("title", {}, lambda one: one.title("  Dry "), {"title": "Dry"}, ["changed title from **Wet** to **Dry**"]),
    ("title, the same", {}, lambda one: one.title("Wet"), {"title": "Wet"}, []),
    ("description", {}, lambda one: one.description("x"), {"description": "x"}, ["changed the description"]),
    ("lock", {}, lambda one: one.locked(True), {"discussion_locked": 1}, ["locked the discussion in this {noun}"]),
    ("lock, locked", {"discussion_locked": 1}, lambda one: one.locked(True), {"discussion_locked": 1}, []),
    ("unlock", {"discussion_locked": 1}, lambda one: one.locked(False), {"discussion_locked": 0},
     ["unlocked the discussion in this {noun}"]),
    ("unlock, never locked", {}, lambda one: one.locked(False), {"discussion_locked": 0}, []),
    ("unlock, to nothing", {"discussion_locked": 1}, lambda one: one.locked(None), {"discussion_locked": None},
     ["unlocked the discussion in this {noun}"]),
    ("estimate", {}, lambda one: one.estimate(3600), {"time_estimate": 3600}, ["changed time estimate to 1h"]),
    ("estimate, the same", {"time_estimate": 60}, lambda one: one.estimate(60), {"time_estimate": 60}, []),
    ("estimate, none", {"time_estimate": 60}, lambda one: one.estimate(0), {"time_estimate": 0},
     ["removed time estimate"]),
    ("spend", {"time_spent": 60}, lambda one: one.spend(60), {"time_spent": 120}, ["added 1m of time spent"]),
    ("spend, all back", {"time_spent": 60}, lambda one: one.spend(-60), {"time_spent": 0},
     ["subtracted 1m of time spent"]),
    ("spend, nothing", {"time_spent": 60}, lambda one: one.spend(0), {"time_spent": 60}, []),
    ("spent, none", {"time_spent": 60}, lambda one: one.remove_time_spent(), {"time_spent": 0}, ["removed time spent"]),
    ("spent, none before", {}, lambda one: one.remove_time_spent(), {"time_spent": 0}, []),
]  # fmt: skip
OF_ISSUES: list[tuple[str, dict[str, Any], Change, dict[str, Any], list[str]]] = [
    ("confidential", {}, lambda one: one.confidential(True), {"confidential": 1}, ["made the issue confidential"]),
    ("not confidential", {"confidential": 1}, lambda one: one.confidential(False), {"confidential": 0},
     ["made the issue visible to everyone"]),
    ("due", {}, lambda one: one.due_date("2026-3-5"), {"due_date": "2026-03-05"},
     ["changed due date to March 5, 2026"]),
    ("due, the same", {"due_date": "2026-03-05"}, lambda one: one.due_date("2026-03-05"), {"due_date": "2026-03-05"},
     []),
    ("not due", {"due_date": "2026-03-05"}, lambda one: one.due_date(""), {"due_date": None}, ["removed due date"]),
    ("weight", {}, lambda one: one.weight(0), {"weight": 0}, []),
    ("no weight", {"weight": 3}, lambda one: one.weight(None), {"weight": None}, []),
]  # fmt: skip
OF_REQUESTS: list[tuple[str, dict[str, Any], Change, dict[str, Any], list[str]]] = [
    ("draft", {}, lambda one: one.draft(True), {"title": "Draft: Wet"}, ["marked this merge request as **draft**"]),
    ("draft, ready", {}, lambda one: one.draft(False), {"title": "Wet"}, []),
]


def made(office: Office, kind: str, **facts: Any) -> tuple[ItemChanges, Callable[[], Issue | MergeRequest]]:
    project = office.project("garden")
    item: Issue | MergeRequest = office.issue(project) if kind == "issue" else office.request(project)
    table = "issues" if kind == "issue" else "merge_requests"
    office.store.update(table, item.id, title="Wet", updated_at="2020-01-01T00:00:00.000Z", **facts)

    def now() -> Issue | MergeRequest:
        return (issues if kind == "issue" else merge_requests).get(office.store, item.id)  # type: ignore[no-any-return]  # mypy joins the two modules to Any

    return ItemChanges(office.store, office.root, project, now()), now


@pytest.mark.parametrize(
    ("kind", "facts", "change", "after", "notes"),
    [
        pytest.param(kind, *rest, id=f"{kind}: {name}")
        for kind, cases in (("issue", CHANGES + OF_ISSUES), ("merge request", CHANGES + OF_REQUESTS))
        for name, *rest in cases
    ],
)
def test_a_change_is_written_and_told_of_once(
    office: Office, kind: str, facts: dict[str, Any], change: Change, after: dict[str, Any], notes: list[str]
) -> None:
    changes, now = made(office, kind, **facts)
    before = now()
    change(changes)
    item = now()
    assert {name: getattr(item, name) for name in after} == after
    told = office.store.values("SELECT body FROM notes WHERE system=1 ORDER BY id")
    assert told == [note.format(noun=kind) for note in notes]
    same = {name: getattr(before, name) for name in after} == after
    assert (item.updated_at == before.updated_at) is same


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one.title(" "),
        lambda one: one.title("x" * 256),
        lambda one: one.estimate(-1),
        lambda one: one.spend(-61),
        lambda one: one.due_date("2026-02-30"),
        lambda one: one.due_date("soon"),
        lambda one: one.weight(-1),
    ],
    ids=["no title", "long title", "estimate", "spent", "no such day", "no day", "weight"],
)
def test_what_cannot_be_is_refused_and_changes_nothing(office: Office, change: Change) -> None:
    changes, now = made(office, "issue", time_spent=60)
    before = now()
    assert refused(change, changes) == 400
    assert now() == before
    assert office.store.values("SELECT body FROM notes WHERE system=1") == []


def test_a_title_may_be_as_long_as_it_may(office: Office) -> None:
    changes, now = made(office, "issue")
    changes.title("x" * 255)
    assert now().title == "x" * 255


def test_a_weight_is_traced(office: Office) -> None:
    changes, _ = made(office, "issue", weight=3)
    for weight in (3, 5, None):
        changes.item = issues.get(office.store, changes.item.id)
        changes.weight(weight)
    traced = office.store.db.execute("SELECT kind, action, value FROM resource_events ORDER BY id").fetchall()
    assert traced == [("weight", "set", "5"), ("weight", "set", None)]


MAY = {
    "change": """
                    issue own-issue assigned-issue request own-request assigned-request
        stranger      -       +           +           -         +              -
        guest         -       +           +           -         +              -
        planner       +       +           +           -         +              -
        reporter      +       +           +           -         +              -
        developer     +       +           +           +         +              +
        maintainer    +       +           +           +         +              +
        owner         +       +           +           +         +              +
    """,
    "quick actions": """
                    issue own-issue assigned-issue request own-request assigned-request
        stranger      -       -           -           -         -              -
        guest         -       -           -           -         -              -
        planner       +       +           +           -         +              -
        reporter      +       +           +           -         +              -
        developer     +       +           +           +         +              +
        maintainer    +       +           +           +         +              +
        owner         +       +           +           +         +              +
    """,
}  # fmt: skip


def things(office: Office, project: Project, user: User) -> dict[str, Issue | MergeRequest]:
    return {
        "issue": office.issue(project), "own-issue": office.issue(project, user),
        "assigned-issue": office.issue(project, assignees=[user.id]), "request": office.request(project),
        "own-request": office.request(project, user),
        "assigned-request": office.request(project, assignees=f"[{user.id}]"),
    }  # fmt: skip


@pytest.mark.parametrize("what", MAY)
def test_who_changes_what(office: Office, what: str) -> None:
    ask = may_change if what == "change" else may_run_quick_actions
    project = office.project("garden")
    found = {}
    for name, level in {"stranger": 0, **LEVELS}.items():
        user = office.person(name)
        if level:
            office.join(project, user, level)
        found[name] = {
            thing: ask(office.store, user, project, item) for thing, item in things(office, project, user).items()
        }
    assert tables.written(found) == tables.written(dict(tables.read(MAY[what])))


def test_nobody_changes_anything_in_an_archived_project(office: Office) -> None:
    project = office.project("garden")
    mine = things(office, project, office.root)
    assert [may_change(office.store, office.root, project, item) for item in mine.values()] == [True] * 6
    away = projects.set_archived(office.store, project, archived=True)
    assert [may_change(office.store, office.root, away, item) for item in mine.values()] == [False] * 6
