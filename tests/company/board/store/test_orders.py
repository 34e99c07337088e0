"""The order of lists, and what a search for words finds."""

from __future__ import annotations

import pytest

from dayjob.company.board.rows import Project
from dayjob.company.board.store import item_lists, items, projects
from tests.company.bare import day
from tests.company.board.offices import MEMBER, Office, states


def test_items_are_ordered_as_asked(office: Office, project: Project) -> None:
    names = {}
    for name, facts in (
        ("a", {"priority": "low", "target_date": day(2)}), ("c", {"priority": "urgent"}),
        ("b", {"priority": "none", "target_date": day(1), "state": states(office, project)["Done"].id}),
    ):  # fmt: skip
        names[name] = office.item(project, name, **facts)
        office.store.now = f"{day(len(names))}T00:00:00.000Z"

    def order(asked: str | None) -> str:
        found = item_lists.listing("project = ?", project.id).rows(office.db, asked, 10)
        return "".join(one.name for one in found)

    asked = (None, "created_at", "name", "-name", "priority", "-priority", "target_date")
    assert [order(one) for one in asked] == [
        "bca", "acb", "abc", "cba", "cab", "bac", "bac",
    ]  # fmt: skip
    assert (order("-target_date"), order("state__group"), order("sequence_id"), order("nonsense")) == (
        "abc", "cab", "acb", "bca",
    )  # fmt: skip


def in_order(office: Office, project: Project, asked: str) -> list[str]:
    return [one.id for one in item_lists.listing("project = ?", project.id).rows(office.db, asked, 10)]


COLUMNS = [  # each of Plane's, and whether an item may have nothing there
    ("created_at", False), ("updated_at", False), ("sequence_id", False), ("sort_order", False), ("name", False),
    ("start_date", True), ("target_date", True), ("completed_at", True), ("archived_at", True),
    ("estimate_point", True), ("point", True),
]  # fmt: skip


@pytest.mark.parametrize(("column", "may_lack"), COLUMNS)
def test_items_are_ordered_by_every_column_and_those_without_come_last(
    office: Office, project: Project, column: str, may_lack: bool
) -> None:
    one, two, three = (office.item(project).id for _ in range(3))
    for id, value in ((one, 12), (two, None if may_lack else 13), (three, 11)):
        office.db.execute(f"UPDATE items SET {column} = ? WHERE id = ?", (value, id))
    assert in_order(office, project, column) == [three, one, two]
    assert in_order(office, project, f"-{column}") == ([one, three, two] if may_lack else [two, one, three])
    assert in_order(office, project, "id") == sorted((one, two, three))


def test_items_that_are_alike_are_ordered_newest_first(office: Office, project: Project) -> None:
    one, two = (office.item(project).id for _ in range(2))
    office.store.now = f"{day(1)}T00:00:00.000Z"
    later = office.item(project).id
    assert in_order(office, project, "name") == in_order(office, project, "-name") == [later, two, one]
    assert in_order(office, project, "-created_at") == [later, two, one]
    assert in_order(office, project, "created_at") == [one, two, later]


@pytest.mark.parametrize("asked", ["state__group", "state__name"])
def test_items_are_ordered_by_how_far_they_are(office: Office, project: Project, asked: str) -> None:
    projects.triage_state(office.store, "w", project.id)
    found = states(office, project)
    names = ("Backlog", "Todo", "In Progress", "Done", "Cancelled", "Triage")
    made = [office.item(project, state=found[name].id).id for name in reversed(names)][::-1]
    assert in_order(office, project, asked) == made
    assert in_order(office, project, f"-{asked}") == made[::-1]


def test_items_are_ordered_by_urgency_labels_and_people(office: Office, project: Project) -> None:
    urgency = [office.item(project, priority=one).id for one in ("none", "low", "medium", "high", "urgent")][::-1]
    assert in_order(office, project, "priority") == urgency
    assert in_order(office, project, "-priority") == urgency[::-1]
    labels = [projects.add_label(office.store, "w", project.id, {"name": name}) for name in ("x", "y", "z")]
    people = [office.person(name, MEMBER) for name in ("ann", "bob", "kim")]
    for user in people:
        office.join(project, user, MEMBER)
    for id, which in ((urgency[0], [0, 2]), (urgency[1], [1]), (urgency[2], [0])):
        items.edit(
            office.store, project, items.item(office.db, project.id, id),
            {"labels": [labels[at] for at in which], "assignees": [people[at].id for at in which]},
        )  # fmt: skip
    for asked in ("labels__name", "assignees__first_name"):
        assert in_order(office, project, asked)[:3] == [urgency[2], urgency[1], urgency[0]], asked
        assert in_order(office, project, f"-{asked}")[:3] == urgency[:3], asked


def test_new_items_stand_after_those_in_their_state(office: Office, project: Project) -> None:
    found = states(office, project)
    made = [office.item(project, state=found[name].id) for name in ("Todo", "Todo", "Done")]
    assert [one.sort_order for one in made] == [65535.0, 75535.0, 65535.0]
    assert office.item(project, state=found["Todo"].id, sort_order=1.0).sort_order == 1.0


FOUND = [  # words, and which of the items they find
    ("alpha", {"a"}), ("ALPHA", {"a"}), ("lph", {"a"}), ("al", {"a", "c"}), ("%", {"b"}), ("100%", {"b"}), ("_", set()),
    ('"', set()), ("GARDE", {"a", "b", "c"}), ("2", {"b"}), ("GARDE 3", {"c"}), ("item 2 3", {"b", "c"}),
    ("nothing", set()), ("#2 " * 2000, {"b"}), (" ".join(map(str, range(2, 5000))), {"b", "c"}), ("x" * 60_000, set()),
    ("é" * 60_000, set()), ("%" * 60_000, set()),
]  # fmt: skip


@pytest.mark.parametrize(("words", "names"), FOUND, ids=[one[0][:20] for one in FOUND])
def test_items_are_found_by_part_of_their_name_their_number_and_project(
    office: Office, project: Project, words: str, names: set[str]
) -> None:
    made = {"a": office.item(project, "Alpha"), "b": office.item(project, "100% done"), "c": office.item(project, "Al")}
    office.item(project, "Alpha GARDE", is_draft=True)
    found = item_lists.search(office.db, "w", office.root.id, words, None, 10)
    assert {row[1] for row in found} == {made[name].id for name in names}
    for name, id, number, identifier, place, slug in found:
        row = items.item(office.db, project.id, id)
        assert (name, number, identifier, place, slug) == (row.name, row.sequence_id, "GARDE", project.id, "w")
    newest = item_lists.search(office.db, "w", office.root.id, words, project.id, 1)
    assert [row[1] for row in newest] == [made[name].id for name in sorted(names)[-1:]]
