"""To-do lists."""

from __future__ import annotations

from dayjob.company.forge.store import todos
from tests.company.forge.offices import PUBLIC, Office, refused


def test_to_dos_are_ones_own(office: Office) -> None:
    project, ann, bob = office.project("shed", visibility=PUBLIC), office.person("ann"), office.person("bob")
    for user in (ann, ann, bob):
        office.store.insert(
            "todos", user_id=user.id, project_id=project.id, author_id=office.root.id, action="mentioned",
            target_type="Issue", target_id=office.issue(project).id, body="", created_at="", updated_at="",
        )  # fmt: skip
    newer, older = todos.listed(office.store, ann, state="pending")
    assert newer.id > older.id
    assert refused(todos.mark_done, office.store, bob, older.id) == 404
    assert todos.mark_done(office.store, ann, older.id) == todos.find(office.store, older.id)
    assert todos.pending_count(office.store, ann) == 1
    assert [todo.id for todo in todos.listed(office.store, ann, state="done")] == [older.id]
    assert todos.listed(office.store, ann, state="pending", kind="MergeRequest") == []
    todos.mark_all_done(office.store, ann)
    assert (todos.pending_count(office.store, ann), todos.pending_count(office.store, bob)) == (0, 1)


def test_to_dos_about_what_somebody_cannot_see_are_not_counted(office: Office) -> None:
    ann, hidden = office.person("ann"), office.project("cellar")
    office.store.insert(
        "todos", user_id=ann.id, project_id=hidden.id, author_id=office.root.id, action="mentioned",
        target_type="Issue", target_id=office.issue(hidden).id, body="", created_at="", updated_at="",
    )  # fmt: skip
    assert todos.pending_count(office.store, ann) == len(todos.listed(office.store, ann, state="pending")) == 0
    office.join(hidden, ann, 20)
    assert todos.pending_count(office.store, ann) == len(todos.listed(office.store, ann, state="pending")) == 1
