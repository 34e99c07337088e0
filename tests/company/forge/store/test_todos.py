"""To-do lists."""

from __future__ import annotations

import pytest

from dayjob.company.forge.store import notes, todos
from tests.company import tables
from tests.company.forge.offices import LEVELS, PRIVATE, PUBLIC, Office, refused


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


REACHED = """
                   public  private  confidential  request  internal
    stranger          +       -          -           -        -
    guest             +       +          -           -        -
    planner           +       +          +           -        +
    reporter          +       +          +           +        +
    developer         +       +          +           +        +
    maintainer        +       +          +           +        +
    owner             +       +          +           +        +
    author            +       +          +           +        +
    administrator     +       +          +           +        +
"""
"""Who is told that they were mentioned: in an issue of a public and of a private project, in a confidential issue, in
a merge request of a private project, and in an internal note. Nobody is told of what they mention themselves."""


@pytest.mark.parametrize(("who", "told"), list(tables.read(REACHED)), ids=[who for who, _ in tables.read(REACHED)])
def test_a_mention_reaches_those_who_see_where_it_stands(office: Office, who: str, told: dict[str, bool]) -> None:
    public, private = office.project("park", visibility=PUBLIC), office.project("cellar", visibility=PRIVATE)
    user = office.person("ann", admin=who == "administrator")
    if who in LEVELS or who == "author":
        for project in (public, private):
            office.join(project, user, LEVELS.get(who, LEVELS["reporter"]))
    author = user if who == "author" else office.root
    places = {
        "public": ("Issue", office.issue(public).id, public), "private": ("Issue", office.issue(private).id, private),
        "confidential": ("Issue", office.issue(private, author, confidential=1).id, private),
        "request": ("MergeRequest", office.request(private).id, private),
        "internal": ("Issue", office.issue(private).id, private),
    }  # fmt: skip
    for name, (kind, item_id, project) in places.items():
        notes.create(office.store, office.root, kind, item_id, project.id, "@ann, look", internal=name == "internal")
        found = office.store.value("SELECT count(*) FROM todos WHERE target_type=? AND target_id=?", kind, item_id)
        assert bool(found) is told[name], name
    notes.create(office.store, user, "Issue", places["public"][1], public.id, "@ann, @nobody")
    assert office.store.value("SELECT count(*) FROM todos WHERE author_id=?", user.id) == 0
