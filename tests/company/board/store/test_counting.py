"""Counting and finding items by conditions; names of people."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.company.board.rows import ItemType, Milestone, MilestoneItem, Project, User
from dayjob.company.board.store import accounts, counting, cycles, items, modules, plain, projects
from dayjob.company.rows import by_id
from tests.company.bare import day
from tests.company.board.offices import MEMBER, Office, refused, states


def test_counting_and_finding_by_conditions_stays_in_ones_own_open_projects(office: Office, project: Project) -> None:
    ann = office.person("ann", MEMBER)
    office.join(project, ann, MEMBER)
    label = projects.add_label(office.store, "w", project.id, {"name": "bug"})
    high = office.item(project, "Alpha", priority="high", labels=[label], assignees=[ann.id, office.root.id])
    low = office.item(project, "Beta", priority="low")
    office.item(project, "Draft", is_draft=True)
    office.item(office.project("Other"), "Alpha")
    assert counting.total(office.db, ann.id, "w") == 2
    assert counting.total(office.db, ann.id, "v") == 0
    assert counting.grouped(office.db, ann.id, "w", "priority", None) == [("high", None, 1), ("low", None, 1)]
    assert counting.grouped(office.db, ann.id, "w", "labels__id", "priority") == [(None, "low", 1), (label, "high", 1)]
    assert {row[2] for row in counting.grouped(office.db, ann.id, "w", "assignees__id", None)} == {1}

    def found(filters: Any, words: str = "", place: str | None = None) -> set[str]:
        return {one.id for one in counting.find_by(office.db, ann.id, "w", words, filters, place, 10)}

    both = {high.id, low.id}
    assert (found(None), found(None, "ALPH"), found(None, "", "other")) == (both, {high.id}, set())
    assert (
        found({"priority": "high"})
        == found({"labels__id": label})
        == found({"assignees__id__in": [ann.id]})
        == {high.id}
    )
    assert found({"priority__in": ["high", "low"]}) == both
    assert found({"or": [{"priority": "low"}, {"and": [{"priority": "high"}, {"labels__id": label}]}]}) == both
    assert found({"and": [{"priority": "low"}, {"labels__id": label}]}) == set()
    projects.archive(office.store, project, on=True)
    assert found(None) == set()


def test_items_are_counted_and_found_by_everything_they_have_in_common(office: Office, project: Project) -> None:
    ann = office.person("ann", MEMBER)
    office.join(project, ann, MEMBER)
    place = {"workspace": "w", "project": project.id}
    label = projects.add_label(office.store, "w", project.id, {"name": "bug"})
    kind = plain.add(office.store, ItemType, {**place, "name": "Task"}).id
    done = states(office, project)["Done"].id
    facts = {"state": done, "priority": "high", "type": kind, "labels": [label], "assignees": [ann.id],
             "target_date": day(2), "start_date": day(1)}  # fmt: skip
    item = items.create(office.call(ann).store, project, {"name": "Alpha", **facts})
    other = office.item(project, "Beta").id
    module = modules.create(office.store, project, {"name": "Beds"})
    modules.put(office.store, modules.module(office.db, project.id, module), [item])
    cycle = cycles.create(office.store, project, {"name": "March"})
    cycles.put(office.store, cycles.cycle(office.db, project.id, cycle), [item])
    milestone = plain.add(office.store, Milestone, {**place, "title": "Spring"}).id
    plain.add(office.store, MilestoneItem, {**place, "milestone": milestone, "issue": item})
    backlog = states(office, project)["Backlog"].id
    values: dict[str, tuple[str, str | None]] = {
        "state_id": (done, backlog), "state__group": ("completed", "backlog"), "priority": ("high", "none"),
        "project_id": (project.id, project.id), "type_id": (kind, None), "labels__id": (label, None),
        "assignees__id": (ann.id, None), "issue_module__module_id": (module, None), "cycle_id": (cycle, None),
        "milestone_id": (milestone, None), "created_by": (ann.id, office.root.id), "target_date": (day(2), None),
        "start_date": (day(1), None),
    }  # fmt: skip
    assert set(values) == set(counting.GROUPINGS)
    for name, (own, others) in values.items():
        counted = {row[0]: row[2] for row in counting.grouped(office.db, ann.id, "w", name, None)}
        assert counted == ({own: 2} if own == others else {own: 1, others: 1}), name
        found = {one.id for one in counting.find_by(office.db, ann.id, "w", "", {name: own}, None, 10)}
        assert found == ({item, other} if own == others else {item}), name
        twice = counting.grouped(office.db, ann.id, "w", name, name)
        assert {(row[0], row[1]) for row in twice} == {(own, own), (others, others)}, name


@pytest.mark.parametrize(
    "filters",
    [[], {}, {"a": 1, "b": 2}, {"nonsense": "x"}, {"priority__gt": "x"}, {"priority": 1}, {"priority": []}, {"and": []},
     {"or": {}}, {"priority": ["x"] * 101}, {"and": [{"priority": "x"}] * 101}],
)  # fmt: skip
def test_conditions_that_make_no_sense_are_refused(filters: Any) -> None:
    assert refused(counting.condition, filters)


def test_conditions_nest_twenty_deep_and_hold_a_hundred_parts() -> None:
    def nested(depth: int) -> Any:
        return {"priority": "x"} if depth == 0 else {"and": [nested(depth - 1)]}

    assert not refused(counting.condition, nested(20))
    assert refused(counting.condition, nested(21))
    assert not refused(counting.condition, {"and": [{"priority": ["x"] * 100}] * 100})


def test_people_are_renamed_within_limits(office: Office) -> None:
    user = office.person("ann")
    for names, may in (
        ({"first_name": "x" * 255, "last_name": "", "display_name": "a"}, True),
        ({"first_name": "x" * 256, "last_name": "", "display_name": "a"}, False),
        ({"first_name": "", "last_name": "b", "display_name": "a"}, False),
        ({"first_name": "a", "last_name": "b", "display_name": ""}, False),
        ({"first_name": "a\0", "last_name": "b", "display_name": "a"}, False),
    ):
        assert office.may(lambda given=names: accounts.rename(office.db, user, **given)) is may, names
    accounts.rename(office.db, user, first_name="An", last_name="Low", display_name="anl")
    renamed = by_id(office.db, User, user.id)
    assert renamed is not None
    assert (renamed.first_name, renamed.last_name, renamed.display_name) == ("An", "Low", "anl")
    assert [one.id for one in accounts.users(office.db, [office.root.id, "none", user.id])] == [office.root.id, user.id]
