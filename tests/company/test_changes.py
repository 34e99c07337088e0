"""What is different: reported by the tables themselves, folded per row."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayjob.company import changes
from dayjob.company.changes import Tracked, differences
from dayjob.company.journal import Change, Journal, Visit, current

TIME = "2026-03-09T09:00:00.000Z"


def change(op: str, key: str, before: Any, after: Any, *, role: str = "examinee", phase: str = "work") -> Change:
    def row(value: str | None) -> dict[str, Any] | None:
        return None if value is None else {"id": key, "text": value}

    return Change(1, TIME, phase, role, "chat", "sam.reed", "messages", op, key, row(before), row(after))


def test_a_row_added_and_removed_again_is_no_difference() -> None:
    assert differences([change("added", "1", None, "a"), change("removed", "1", "a", None)]) == []


def test_several_changes_of_one_row_are_one_difference_from_first_to_last() -> None:
    [found] = differences([change("changed", "1", "a", "b"), change("changed", "1", "b", "c")])
    assert (found.op, found.before, found.after) == ("changed", {"id": "1", "text": "a"}, {"id": "1", "text": "c"})
    assert found.changed_columns() == ["text"]


ROLES = ("people", "examinee", "npc", "init", "grader", "company")
PHASES = ("serve", "init", "work", "grade")


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("role", ROLES)
def test_what_people_and_the_examinee_did_at_work_counts_and_nothing_else_unless_asked_for(
    role: str, phase: str
) -> None:
    row = change("added", "1", None, "a", role=role, phase=phase)
    counts = role in ("people", "examinee") and phase in ("serve", "work")
    assert [one.key for one in differences([row])] == (["1"] if counts else [])
    assert [one.key for one in differences([row], everyone=True)] == ["1"]


def test_a_row_that_others_changed_before_is_different_from_what_the_examinee_found() -> None:
    rows = [
        change("changed", "1", "a", "b", role="npc"),
        change("changed", "1", "b", "c"),
        change("changed", "1", "c", "d", role="grader", phase="grade"),
    ]
    [found] = differences(rows)
    assert (found.before, found.after) == ({"id": "1", "text": "b"}, {"id": "1", "text": "c"})


@pytest.mark.parametrize(
    ("steps", "op"),
    [
        ([(None, "a")], "added"),
        ([(None, "a"), ("a", "b")], "added"),
        ([("a", None)], "removed"),
        ([("a", "b"), ("b", None)], "removed"),
        ([("a", "b")], "changed"),
        ([("a", None), (None, "b")], "changed"),
        ([("a", "b"), ("b", "a")], ""),
        ([("a", None), (None, "a")], ""),
        ([(None, "a"), ("a", None)], ""),
    ],
)
def test_single_changes_fold_into_what_is_different(steps: list[tuple[Any, Any]], op: str) -> None:
    found = differences([change("?", "1", before, after) for before, after in steps])
    assert [one.op for one in found] == ([op] if op else [])


def database() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT, secret TEXT, picture BLOB)")
    db.execute("INSERT INTO notes (id, text) VALUES (1, 'old'), (2, 'old')")
    changes.install(db, [Tracked("notes", hide=("secret",))])
    changes.connect(db)
    return db


def noted(*statements: str) -> list[Change]:
    db, journal, visit = database(), Journal(), Visit("chat", "examinee", "work", "POST", "/", account="sam.reed")
    token = current.set(visit)
    for statement in statements:
        db.execute(statement)
    current.reset(token)
    journal.record(visit, TIME)
    return journal.changes()


def test_every_write_to_a_tracked_table_is_noted_with_its_account_and_values() -> None:
    added, changed, removed = noted(
        "INSERT INTO notes VALUES (3, 'new', 'hidden', x'00ff')",
        "UPDATE notes SET text = 'other' WHERE id = 1",
        "DELETE FROM notes WHERE id = 2",
    )
    assert added.after == {"id": 3, "text": "new", "picture": "00ff"}
    assert (changed.before or {})["text"] == "old"
    assert (changed.after or {})["text"] == "other"
    assert removed.after is None
    assert {one.account for one in (added, changed, removed)} == {"sam.reed"}


def test_an_update_that_changes_nothing_or_only_hidden_columns_is_not_noted() -> None:
    assert noted("UPDATE notes SET text = text", "UPDATE notes SET secret = 'x'") == []


@given(
    st.lists(
        st.tuples(st.sampled_from(["put", "drop"]), st.integers(1, 6), st.text(alphabet="abc", max_size=2)), max_size=40
    )
)
@settings(deadline=None)
def test_differences_equal_a_comparison_of_the_table_before_and_after(steps: list[tuple[str, int, str]]) -> None:
    db, journal, visit = database(), Journal(), Visit("chat", "examinee", "work", "POST", "/")

    def table() -> dict[str, str]:
        return dict(db.execute("SELECT CAST(id AS TEXT), text FROM notes"))

    before = table()
    token = current.set(visit)
    for what, number, text in steps:
        if what == "drop":
            db.execute("DELETE FROM notes WHERE id = ?", (number,))
        else:
            db.execute(
                "INSERT INTO notes (id, text) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET text = excluded.text",
                (number, text),
            )
    current.reset(token)
    journal.record(visit, TIME)
    after = table()
    expected = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    assert {one.key for one in differences(journal.changes())} == expected
